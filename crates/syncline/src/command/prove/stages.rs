//! The stages of a proof: which are there, and which is run next.

use super::asked::SERVER;
use super::needs;
use crate::budget::{budget_for, time_for_trials};
use crate::dry_run::{DryRun, PlannedStage};
use crate::failure::Failure;
use crate::machine::machine;
use crate::output::tell;
use crate::proofs::{ProofDirectory, stages_of};
use crate::request::{Request, TracedTrials};
use crate::requirements::require_place;
use crate::resumption::Resumption;
use crate::servers::{self, Wanted};
use crate::session::Session;
use crate::standing::SoFar;
use disk::files::space_available;
use lab::capacity::Machine;
use lab::interim::InterimAnswer;
use lab::minimum::Minimum;
use lab::plan::Overrides;
use model::figure::count;
use model::plan::StudyPlan;
use model::run::Run;
use model::study::Study;
use model::units::format_elapsed;
use proof::{Design, Judged, Limits, Look, Stage, StageKind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use verdict::StudyVerdict;

/// What a trial takes besides its measuring, seconds: copying small tables, starting and stopping its server, settling.
/// Measured with PostgreSQL 18 on a shared virtual disk; a store starts sooner.
const STARTING_S: f64 = 1.5;

/// How long the trials of a round may measure each, seconds: the longest of these that fits.
const RUNTIMES_S: [f64; 5] = [2.0, 1.75, 1.5, 1.25, 1.0];
/// The part of a budget that the first look at every load may take.
const FIRST_LOOKS_SHARE_MAX: f64 = 0.75;

/// What the stages of a proof need besides its directory.
#[derive(Clone, Copy)]
pub(super) struct Conductor<'a> {
    /// A directory on the disk to measure.
    pub(super) dir: &'a Path,
    /// Which programs to start.
    pub(super) wanted: Wanted<'a>,
    /// What every plan has: the trials of a round take turns.
    pub(super) overrides: &'a Overrides,
    /// What may differ from when a stage began.
    pub(super) allow_different: &'a [String],
    /// A new budget for the rest of a proof that goes on.
    pub(super) more: Option<Duration>,
    /// Raised by a signal.
    pub(super) interrupted: &'a AtomicBool,
}

impl Conductor<'_> {
    /// What the first stage would do.
    pub(super) fn rehearse(&self, design: &Design) -> Result<DryRun, Failure> {
        let Some(stage) = proof::next(design, &[]) else { return Err(nothing()) };
        if design.database.id == SERVER {
            servers::require_own(self.wanted, self.dir)?;
        }
        if let Some(server) = design.database.server.filter(|_| design.has_found_programs()) {
            servers::require_installed(server, self.dir)?;
        }
        let studies = stage.studies(design);
        let planned = self
            .request(design, &studies, self.share(design, &stage, &[], design.budget_s)?, None)
            .rehearse()?;
        Ok(planned.of_stage(PlannedStage {
            name: stage.kind.to_string(),
            of: proof::stages(design).iter().map(StageKind::to_string).collect(),
            whole_budget_s: design.budget_s,
        }))
    }

    /// Runs what is missing.
    pub(super) fn conduct(&self, directory: &ProofDirectory) -> Result<(), Failure> {
        let design = directory.design();
        let mut before = stages_of(directory)?;
        let spent_before_s = before.spent_s;
        if let Some((stage, _)) = before.done.pop() {
            // Its records may lack rounds; those of the stages before it are what this one follows from.
            self.go_on(directory, &stage, &before.judged())?;
        } else if before.next.is_none() {
            return Err(nothing());
        }
        loop {
            let so_far = stages_of(directory)?;
            let Some(stage) = so_far.next.clone() else { return Ok(()) };
            let left_s = match self.more {
                Some(more) => more.as_secs_f64() - (so_far.spent_s - spent_before_s),
                None => design.budget_s - so_far.spent_s,
            };
            if !self.begin(directory, &stage, &so_far.judged(), left_s)? {
                return Ok(());
            }
        }
    }

    /// Continues the last stage that has begun.
    fn go_on(&self, directory: &ProofDirectory, stage: &Stage, judged: &[Judged]) -> Result<(), Failure> {
        let path = directory.stage(stage.kind);
        let more = self.more.map(|more| self.share(directory.design(), stage, judged, more.as_secs_f64()));
        let resumption = Resumption {
            path: &path,
            allow_different: self.allow_different,
            dir: Some(self.dir),
            wanted: self.wanted,
            budget: more.transpose()?,
            interrupted: self.interrupted,
        };
        self.finish(resumption.open()?, directory, stage, judged)
    }

    /// Runs a stage that has not begun, if there is time for it.
    fn begin(
        &self,
        directory: &ProofDirectory,
        stage: &Stage,
        judged: &[Judged],
        left_s: f64,
    ) -> Result<bool, Failure> {
        let design = directory.design();
        let studies = stage.studies(design);
        let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
        let budget = self.share(design, stage, judged, left_s)?;
        if self.least(stage, &studies, Self::minimum)?.0 > time_for_trials(left) {
            tell(format!(
                "the time is up before the stage {}: syncline prove --resume {} --budget TIME goes on",
                stage.kind,
                directory.path().display()
            ));
            return Ok(false);
        }
        let (loads, most) = (count(loads(stage), "load"), format_elapsed(budget.as_secs_f64()));
        tell(format!("stage {}: {loads}, at most {most}", stage.kind));
        let path = directory.stage(stage.kind);
        let session = self.request(design, &studies, budget, Some(&path)).begin()?;
        self.finish(session, directory, stage, judged)?;
        Ok(true)
    }

    /// What a stage may take of the time that is left: later ones that may be needed keep what they usually take. A
    /// stage that the rest is too short for may take what the later ones would have had.
    fn share(
        &self,
        design: &Design,
        stage: &Stage,
        judged: &[Judged],
        left_s: f64,
    ) -> Result<Duration, Failure> {
        let part_s = match stage.kind {
            StageKind::Heat(1) => left_s * 0.4,
            StageKind::Heat(_) => left_s * 0.3,
            StageKind::Bundle | StageKind::Settings | StageKind::Mended | StageKind::Servers => {
                let mut kept = Duration::ZERO;
                for later in proof::following(design, stage, judged) {
                    kept += budget_for(self.usual(&later.studies(design))?);
                }
                left_s - kept.as_secs_f64()
            }
        };
        let part = Duration::try_from_secs_f64(part_s).unwrap_or_default();
        let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
        Ok(part.max(budget_for(self.usual(&stage.studies(design))?)).min(left))
    }

    /// A budget has to hold what a first decision takes: six rounds of each load that it rests on. A budget that does
    /// not hold them for every load is reported.
    pub(super) fn require_time(&self, design: &Design) -> Result<(), Failure> {
        let Some(stage) = proof::next(design, &[]) else { return Err(nothing()) };
        let studies = stage.studies(design);
        let (needed, of_decision) = self.least(&stage, &studies, Self::usual)?;
        let budget = Duration::try_from_secs_f64(design.budget_s).unwrap_or_default();
        if needed > time_for_trials(budget) {
            return Err(Failure::Usage(format!(
                "a budget of {budget:?} is too short for one decision, which takes six rounds of {}: use --budget {}s, \
                 or a shorter --runtime",
                count(of_decision, "load"),
                budget_for(needed).as_secs()
            )));
        }
        let of_all = self.usual(&studies)?;
        if of_all > time_for_trials(budget) {
            tell(format!(
                "the budget probably leaves some of the {} without an answer: six rounds of each take {}",
                count(loads(&stage), "load"),
                format_elapsed(budget_for(of_all).as_secs_f64())
            ));
        }
        Ok(())
    }

    /// How long the trials of a proof measure if its user does not say: as long as is usual, or shorter, so that six
    /// rounds of every load leave time for more.
    pub(super) fn fitting_runtime_s(&self, design: &Design) -> Result<f64, Failure> {
        let Some(stage) = proof::next(design, &[]) else { return Ok(design.runtime_s) };
        let time = time_for_trials(Duration::try_from_secs_f64(design.budget_s).unwrap_or_default());
        for runtime_s in RUNTIMES_S.into_iter().filter(|runtime_s| *runtime_s <= design.runtime_s) {
            let shorter = Design { runtime_s, ..design.clone() };
            if self.usual(&stage.studies(&shorter))? <= time.mul_f64(FIRST_LOOKS_SHARE_MAX) {
                return Ok(runtime_s);
            }
        }
        Ok(RUNTIMES_S[RUNTIMES_S.len() - 1])
    }

    /// The least that a first decision of a stage takes, and the number of loads that it rests on.
    fn least(
        &self,
        stage: &Stage,
        studies: &[Study],
        needed: fn(&Self, &[Study]) -> Result<Duration, Failure>,
    ) -> Result<(Duration, usize), Failure> {
        let mut least: Option<(Duration, usize)> = None;
        for places in &stage.first_decisions {
            let of_decision: Vec<Study> = places.iter().map(|place| studies[*place].clone()).collect();
            let loads = places.iter().map(|place| stage.studies[*place].loads.len()).sum();
            let found = (needed(self, &of_decision)?, loads);
            least = Some(least.map_or(found, |least| least.min(found)));
        }
        Ok(least.unwrap_or_default())
    }

    /// The question without the loads, and the changes, for which the machine or the budget lacks something.
    pub(super) fn fitting(&self, design: Design) -> Result<Design, Failure> {
        require_place(self.dir)?;
        let machine = self.machine()?;
        let budget = Duration::try_from_secs_f64(design.budget_s).unwrap_or_default();
        design.fitting(|design| {
            let mut limits = Limits::default();
            let Some(stage) = proof::next(design, &[]) else { return Ok(limits) };
            for (study, plan) in stage.studies.iter().zip(self.plans(&stage.studies(design))?) {
                if let Some(obstacle) = needs::obstacle(&plan, machine, budget) {
                    limits.of_each_load.extend(study.loads.iter().map(|load| (*load, obstacle.clone())));
                }
            }
            Ok(limits)
        })
    }

    /// Prints the room, the memory and the tables of the largest stage.
    pub(super) fn tell_needs(&self, design: &Design) -> Result<(), Failure> {
        let Some(stage) = proof::next(design, &[]) else { return Err(nothing()) };
        let mut stages = proof::following(design, &stage, &[]);
        stages.push(stage);
        let plans: Vec<Vec<StudyPlan>> =
            stages.iter().map(|stage| self.plans(&stage.studies(design))).collect::<Result<_, _>>()?;
        tell(needs::text(&plans, self.machine()?, self.dir));
        Ok(())
    }

    /// This machine, with the room of the directory.
    fn machine(&self) -> Result<Machine, Failure> {
        space_available(self.dir).map(machine).map_err(Failure::runtime)
    }

    /// The least that the studies of a stage take until each has an interval.
    fn minimum(&self, studies: &[Study]) -> Result<Duration, Failure> {
        self.total(studies, |_, least| least.seconds)
    }

    /// What they usually take.
    fn usual(&self, studies: &[Study]) -> Result<Duration, Failure> {
        self.total(studies, |plan, least| {
            least.seconds + STARTING_S * least.trials as f64 + needs::tables_s(plan, least)
        })
    }

    fn total(
        &self,
        studies: &[Study],
        seconds_of: impl Fn(&StudyPlan, &Minimum) -> f64,
    ) -> Result<Duration, Failure> {
        let plans = self.plans(studies)?;
        let seconds = plans.iter().map(|plan| seconds_of(plan, &lab::minimum::minimum(plan))).sum();
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }

    fn plans(&self, studies: &[Study]) -> Result<Vec<StudyPlan>, Failure> {
        let plan = |study: &Study| {
            let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
            lab::plan::resolve(study, schema, self.overrides).map_err(Failure::usage)
        };
        studies.iter().map(plan).collect()
    }

    /// Runs the trials of a stage that are due. `judged` is what the stages before it showed.
    fn finish(
        &self,
        session: Session,
        directory: &ProofDirectory,
        stage: &Stage,
        judged: &[Judged],
    ) -> Result<(), Failure> {
        // What the other studies show follows from their records, and does not change until they have further ones.
        let seen: RefCell<BTreeMap<(String, usize), Vec<Judged>>> = RefCell::default();
        let of_other = |study: &str, so_far: &SoFar<'_>| {
            let judge = || {
                let found = so_far.seen(study);
                found.map_or_else(Vec::new, |(run, verdict)| proof::judge_study(stage, &run, &verdict))
            };
            let key = (study.to_owned(), so_far.trials(study));
            seen.borrow_mut().entry(key).or_insert_with(judge).clone()
        };
        let of_study = |run: &Run, verdict: &StudyVerdict, so_far: &SoFar<'_>| {
            let others = stage.studies.iter().filter(|study| study.name != verdict.name);
            let of_others = others.flat_map(|study| of_other(&study.name, so_far));
            let known: Vec<Judged> = match stage.kind {
                // It ends at its first look.
                StageKind::Heat(_) => Vec::new(),
                StageKind::Bundle | StageKind::Settings | StageKind::Mended | StageKind::Servers => {
                    judged.iter().cloned().chain(of_others).collect()
                }
            };
            match proof::is_decided(stage, run, verdict, &known) {
                Look::Decided => InterimAnswer::Decided,
                Look::Undecided { rounds_needed, is_control } => InterimAnswer::Undecided {
                    is_control,
                    rounds_needed: rounds_needed.map(|rounds| u32::try_from(rounds).unwrap_or(u32::MAX)),
                },
            }
        };
        match session.conduct_until(self.interrupted, &of_study) {
            Ok(finished) => finished.closed,
            Err(Failure::Interrupted(_)) => Err(Failure::Interrupted(format!(
                "continue with: syncline prove --resume {}",
                directory.path().display()
            ))),
            Err(failure) => Err(failure),
        }
    }

    fn request<'b>(
        &'b self,
        design: &Design,
        studies: &'b [Study],
        budget: Duration,
        out: Option<&'b Path>,
    ) -> Request<'b> {
        Request {
            studies,
            database: None,
            overrides: self.overrides,
            dir: self.dir,
            out,
            rank: None,
            sharers: 1,
            again: false,
            seed: Some(design.seed),
            wanted: self.wanted,
            budget: Some(budget),
            what_is_possible: false,
            traced: TracedTrials::None,
            interrupted: self.interrupted,
        }
    }
}

fn nothing() -> Failure {
    Failure::Usage("there is nothing to prove: no candidate differs from what runs now; --settings-file FILE names other values"
            .to_owned())
}

/// The loads that a stage measures; several may share a study.
fn loads(stage: &Stage) -> usize {
    stage.studies.iter().map(|study| study.loads.len()).sum()
}
