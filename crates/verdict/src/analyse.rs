//! The pipeline: records → observations → figures → noise → audits → findings → the answer to the question.

use crate::asks::{self, Data};
use crate::audits::{self, Canary, Context};
use crate::conditions::Conditions;
use crate::dependence::Dependences;
use crate::latencies::{self, Drawing, ReadSidecar};
use crate::noise::Floors;
use crate::observations::Observations;
use crate::verdict::{StudyVerdict, Verdict};
use crate::{answer, cells, costs, counts, durability, looks, promises, replayed, size_classes};
use model::metric;
use model::plan::StudyPlan;
use model::run::Run;

/// Analyses a run.
///
/// This is a pure function: the same records give the same verdict, in any order of recording, on any machine and years
/// later. It calls `sidecar` at most once for each trial, from several threads, and drops the result before the
/// thread's next call.
pub fn analyse(run: &Run, sidecar: &ReadSidecar<'_>) -> Verdict {
    analyse_for(run, sidecar, Drawing::Curves)
}

/// [`analyse`], with only the parts that `drawing` names.
pub fn analyse_for(run: &Run, sidecar: &ReadSidecar<'_>, drawing: Drawing) -> Verdict {
    let observations: Vec<Observations<'_>> =
        run.plan.studies.iter().map(|plan| Observations::new(run, plan)).collect();
    let studies: Vec<StudyVerdict> =
        observations.iter().map(|observations| study(run, observations, sidecar, drawing)).collect();
    Verdict { studies, time: counts::time(run), remarks: counts::remarks(run, &observations) }
}

fn study(
    run: &Run,
    observations: &Observations<'_>,
    sidecar: &ReadSidecar<'_>,
    drawing: Drawing,
) -> StudyVerdict {
    let plan = observations.plan;
    let asked = asked(plan);
    let metrics = observations.metrics();
    let classes = durability::classes(observations);
    let dependence = Dependences::for_metrics(observations, &asked);
    let cells = cells::cells(observations, &metrics, &asked, &classes, &dependence);
    let latencies = latencies::read(observations, sidecar, drawing);
    let shift = audits::shift_of_turns(observations, &latencies.slices);
    let noise = Floors::for_metrics(observations, &asked, &dependence).raised_to(shift);
    let trials = audits::trials(observations);
    let canaries = canaries(run);
    let context = Context {
        host: &run.host,
        observations,
        cells: &cells,
        asked: &asked,
        latencies: &latencies,
        trials: &trials,
        classes: &classes,
        canaries: &canaries,
    };
    let audits = audits::all(&context);
    let confidence = looks::confidence(plan, observations.rounds_used());
    let findings = asks::findings(&Data {
        observations,
        classes: &classes,
        cells: &cells,
        noise: &noise,
        dependence: &dependence,
        audits: &audits,
        confidence,
    });
    let counts = counts::trials(observations);
    let replayed = replayed::replayed(plan, &cells);
    let costs = costs::costs(&cells);
    StudyVerdict {
        name: plan.name.clone(),
        question: plan.question.clone(),
        answer: answer::places(&findings, &audits.all),
        factors: plan.factors.iter().map(|factor| factor.name.clone()).collect(),
        cells,
        metrics,
        asked,
        promises: promises::promises(observations, &trials),
        findings,
        replayed,
        sized_latencies: size_classes::sized_latencies(observations),
        costs,
        conditions: Conditions::of(observations),
        interleaving: observations.rounds().report(plan, observations.all()),
        confidence,
        audits: audits.all,
        noise: noise.by_metric(),
        dependence: dependence.by_metric(),
        curves: latencies.curves,
        series: latencies.series,
        trials: counts,
        failures: counts::failures(observations),
    }
}

/// The canaries in the records of the run; a trial that is recorded twice counts once.
fn canaries(run: &Run) -> Vec<Canary<'_>> {
    let mut canaries: Vec<Canary<'_>> = Vec::new();
    for record in &run.records {
        let Some(found) = &record.canary else { continue };
        let plan = run.plan.studies.iter().find(|study| study.name == record.key.study);
        let filesystem = plan.and_then(|plan| plan.description(record.key.configuration));
        let filesystem = filesystem.map(|description| description.filesystem).unwrap_or_default();
        if !canaries.iter().any(|known| known.filesystem == filesystem && known.found == found) {
            canaries.push(Canary { filesystem, found });
        }
    }
    canaries
}

/// The full names of the metrics that a study asks about, in order, without repeats.
fn asked(plan: &StudyPlan) -> Vec<String> {
    let mut asked: Vec<String> = Vec::new();
    for name in plan.asks.iter().flat_map(|ask| &ask.on).chain(&plan.responses) {
        let full = metric::find(name).map_or_else(|| name.clone(), |metric| metric.name());
        if !asked.contains(&full) {
            asked.push(full);
        }
    }
    asked
}
