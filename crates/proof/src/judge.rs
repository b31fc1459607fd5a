//! From the verdict on a stage's run to what is known about each subject under each load.

use crate::claim::{Judged, Plans};
use crate::comparison::{Comparison, Subject};
use crate::outcome::{Doubt, ProofOutcome};
use crate::ratio::Ratio;
use crate::scope::Scope;
use crate::stage::{Stage, StageStudy};
use crate::stage_kind::StageKind;
use model::plan::StudyPlan;
use model::run::Run;
use model::server::{PlanFact, ServerFacts};
use model::study::ARM_FACTOR;
use model::trial::TrialOutcome;
use std::collections::{BTreeMap, BTreeSet};
use verdict::{Answer, Audit, Contrast, Pairs, Status, StudyVerdict, Verdict, failed_for, unproven};

/// Everything that a stage's run says.
pub fn judge(stage: &Stage, run: &Run, verdict: &Verdict) -> Vec<Judged> {
    let of_study = |study: &StageStudy| {
        let plan = run.plan.studies.iter().find(|plan| plan.name == study.name);
        let found = plan.zip(verdict.studies.iter().find(|found| found.name == study.name));
        let judged = |comparison: &Comparison| match found {
            Some((plan, verdict)) => Measured { stage, study, run, plan, verdict }.judge(comparison).0,
            None => blank(stage, study, comparison),
        };
        study.comparisons.iter().map(judged).collect::<Vec<Judged>>()
    };
    stage.studies.iter().flat_map(of_study).collect()
}

/// What a look at a study says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// All of its comparisons are decided, or no further round would decide them.
    Decided,
    /// Some are not.
    Undecided {
        /// Further rounds that would probably decide; `None` if no realistic number is known.
        rounds_needed: Option<usize>,
        /// Whether the study only guards against a loss ([`StageStudy::is_control`]), or changes no outcome.
        is_control: bool,
    },
}

/// What one study of a stage says; `run` and `verdict` are of that study.
pub fn judge_study(stage: &Stage, run: &Run, verdict: &StudyVerdict) -> Vec<Judged> {
    let study = stage.studies.iter().find(|study| study.name == verdict.name);
    let plan = run.plan.studies.iter().find(|plan| plan.name == verdict.name);
    let Some((study, plan)) = study.zip(plan) else { return Vec::new() };
    let measured = Measured { stage, study, run, plan, verdict };
    study.comparisons.iter().map(|comparison| measured.judge(comparison).0).collect()
}

/// Whether one study of a stage needs further rounds; `run` and `verdict` are of that study, and `known` is what the
/// other studies and the stages before showed. A heat ends at its first look, because what it leaves undecided runs in
/// the next.
///
/// A change that another load has refuted stays refuted, so no round is spent on it. If another load has proven it and
/// this one refutes a loss of 5 %, the outcome is found, and the study goes on after the others.
pub fn is_decided(stage: &Stage, run: &Run, verdict: &StudyVerdict, known: &[Judged]) -> Look {
    let study = stage.studies.iter().find(|study| study.name == verdict.name);
    let plan = run.plan.studies.iter().find(|plan| plan.name == verdict.name);
    let (Some(study), Some(plan)) = (study, plan) else { return Look::Decided };
    if let StageKind::Heat(_) = stage.kind {
        return Look::Decided;
    }
    let measured = Measured { stage, study, run, plan, verdict };
    let (mut needed, mut is_open, mut is_control) = (None, false, true);
    for comparison in study.comparisons.iter().filter(|comparison| !study.is_repeated(comparison)) {
        let (judged, rounds) = measured.judge(comparison);
        let ProofOutcome::Undecided { doubt: Doubt::Scatter { rounds_needed }, .. } = judged.outcome else {
            continue;
        };
        let elsewhere = |outcome: &ProofOutcome| {
            let is_same = |other: &&Judged| other.subject == judged.subject && other.load != judged.load;
            known.iter().filter(is_same).any(|other| other.outcome == *outcome)
        };
        if elsewhere(&ProofOutcome::Refuted) && !stage.takes_apart(comparison) {
            continue;
        }
        let loses_little = judged.ratio.is_some_and(|ratio| ratio.loses_little());
        let is_found = loses_little && elsewhere(&ProofOutcome::Proven) && !stage.takes_apart(comparison);
        is_open = true;
        is_control &= study.is_control || is_found;
        needed = needed.max(rounds_needed.map(|all| all.saturating_sub(rounds)));
    }
    if is_open { Look::Undecided { rounds_needed: needed, is_control } } else { Look::Decided }
}

/// One study of a stage with its records.
#[derive(Clone, Copy)]
struct Measured<'a> {
    stage: &'a Stage,
    study: &'a StageStudy,
    run: &'a Run,
    plan: &'a StudyPlan,
    verdict: &'a StudyVerdict,
}

impl Measured<'_> {
    /// What is known, and after how many rounds.
    fn judge(&self, comparison: &Comparison) -> (Judged, usize) {
        let mut judged = blank(self.stage, self.study, comparison);
        let metric = comparison.load.work.metric();
        let Some(pair) = self.place(&comparison.base).zip(self.place(&comparison.other)) else {
            return (judged, 0);
        };
        if self.verdict.trials.ok == 0 && self.run_has_none() {
            return (judged, 0);
        }
        if let Some(why) = self.failure(pair) {
            judged.outcome = Judged::undecided(None, Doubt::TrialsFailed(why));
            return (judged, 0);
        }
        let compared = self.compared(comparison);
        let facts = [pair.0, pair.1].map(|configuration| self.facts(configuration));
        if let Some(doubt) = not_applied(&compared, facts) {
            judged.outcome = Judged::undecided(None, doubt);
            return (judged, 0);
        }
        judged.scope = Scope::new(comparison.load, facts[0].and_then(|facts| facts.circumstances.clone()));
        judged.in_force = in_force(&compared, facts[1]);
        judged.plans = plans(facts);
        let contrast = match self.contrast(pair, metric, self.stage.family) {
            Ok(contrast) => contrast,
            Err(why) => {
                judged.outcome = Judged::undecided(None, Doubt::NotAssessable(why));
                return (judged, 0);
            }
        };
        judged.ratio = Ratio::of(&contrast.ratio);
        judged.alone = self.contrast(pair, metric, 1).ok().and_then(|alone| Ratio::of(&alone.ratio));
        judged.means = self.mean(pair.0, metric).zip(self.mean(pair.1, metric));
        judged.rounds = contrast.rounds;
        judged.floor = self.verdict.noise.get(metric).and_then(|noise| noise.floor());
        judged.warnings = self.warnings(&contrast);
        judged.outcome = self.outcome(&contrast, judged.ratio);
        (judged, contrast.rounds)
    }

    fn place(&self, arm: &str) -> Option<usize> {
        self.plan.configurations.iter().position(|values| values.is(ARM_FACTOR, arm))
    }

    /// The settings in which the two servers differ, as far as the comparison is about them.
    fn compared(&self, comparison: &Comparison) -> Vec<&str> {
        let server =
            |name: &str| self.study.arms.iter().find(|arm| arm.name == name).map(|arm| &arm.server.settings);
        let (Some(base), Some(other)) = (server(&comparison.base), server(&comparison.other)) else {
            return Vec::new();
        };
        let names: BTreeSet<&str> = base.keys().chain(other.keys()).map(String::as_str).collect();
        // The other settings of the bundle do not act under the load.
        let is_meant = |name: &&str| match &comparison.subject {
            Subject::Setting(setting) => setting == name,
            Subject::Bundle | Subject::Mended | Subject::Candidate { .. } | Subject::Server(_) => true,
        };
        names.into_iter().filter(|name| base.get(*name) != other.get(*name)).filter(is_meant).collect()
    }

    /// What the server of a configuration reported about itself: the same in each of its trials.
    fn facts(&self, configuration: usize) -> Option<&ServerFacts> {
        let mut records =
            self.run.of_study(self.plan).filter(|record| record.key.configuration == configuration);
        records.find_map(|record| record.measurement.as_ref()?.server.as_ref())
    }

    fn run_has_none(&self) -> bool {
        self.run.of_study(self.plan).next().is_none()
    }

    fn contrast(&self, pair: (usize, usize), metric: &str, family: usize) -> Result<Contrast, String> {
        let pairs = Pairs { parameters: &[ARM_FACTOR], configurations: &[pair] };
        self.verdict.contrast(self.plan, pairs, metric, family).map_err(|why| why.to_string())
    }

    fn mean(&self, configuration: usize, metric: &str) -> Option<f64> {
        let cell = self.verdict.cells.iter().find(|cell| cell.configuration == configuration)?;
        cell.figures.get(metric)?.mean.point
    }

    /// Why an arm has no successful trial, if it has none.
    fn failure(&self, (base, other): (usize, usize)) -> Option<String> {
        [base, other].into_iter().find_map(|configuration| {
            let mut outcomes = self
                .run
                .of_study(self.plan)
                .filter(|record| record.key.configuration == configuration)
                .map(|record| &record.outcome)
                .peekable();
            outcomes.peek()?;
            let mut why = None;
            for outcome in outcomes {
                match outcome {
                    TrialOutcome::Ok => return None,
                    TrialOutcome::Failed(text) | TrialOutcome::Unsupported(text) => {
                        why.get_or_insert_with(|| text.clone());
                    }
                    TrialOutcome::Killed(_) => {}
                }
            }
            Some(why.unwrap_or_else(|| "every trial was killed at its deadline".to_owned()))
        })
    }

    fn warnings(&self, contrast: &Contrast) -> Vec<String> {
        let bears = |audit: &&Audit| {
            audit.status == Status::Warn
                && contrast.rests_on.bearing(&audit.name).is_some()
                && audit.concerns(&contrast.rests_on)
        };
        self.verdict.audits.iter().filter(bears).map(|audit| audit.name.clone()).collect()
    }

    fn outcome(&self, contrast: &Contrast, ratio: Option<Ratio>) -> ProofOutcome {
        let audits = &self.verdict.audits;
        let of = |audit: &Audit, has_failed: bool| Doubt::Audit {
            audit: audit.name.clone(),
            has_failed,
            summary: audit.summary.clone(),
        };
        let doubt = failed_for(audits, &contrast.rests_on).next().map(|audit| of(audit, true));
        let doubt =
            doubt.or_else(|| unproven(audits, &contrast.rests_on).next().map(|audit| of(audit, false)));
        if let Some(doubt) = doubt {
            return Judged::undecided(ratio, doubt);
        }
        let is_better = contrast.ratio.point.is_some_and(|point| point > 1.0);
        match contrast.answer {
            Answer::Different if is_better => ProofOutcome::Proven,
            Answer::Different => ProofOutcome::Refuted,
            Answer::Equivalent => ProofOutcome::Harmless,
            Answer::Undecided | Answer::NotAssessable => {
                Judged::undecided(ratio, Doubt::Scatter { rounds_needed: contrast.rounds_needed })
            }
        }
    }
}

/// Why nothing was compared, if no setting in which the servers differ was applied.
fn not_applied(compared: &[&str], facts: [Option<&ServerFacts>; 2]) -> Option<Doubt> {
    let why = |name: &&str| facts.into_iter().flatten().find_map(|facts| facts.not_applied.get(*name));
    let (first, why_first) = compared.iter().find_map(|name| Some((name, why(name)?)))?;
    let is_none = compared.iter().all(|name| why(name).is_some());
    is_none.then(|| Doubt::NotApplied { name: (*first).to_owned(), why: why_first.clone() })
}

fn in_force(compared: &[&str], facts: Option<&ServerFacts>) -> BTreeMap<String, String> {
    let Some(facts) = facts else { return BTreeMap::new() };
    let of = |name: &&str| Some(((*name).to_owned(), facts.settings.get(*name)?.clone()));
    compared.iter().filter_map(of).collect()
}

fn plans(facts: [Option<&ServerFacts>; 2]) -> Option<Plans> {
    let [Some(base), Some(other)] = facts else { return None };
    let hash = |plans: &[PlanFact], query: &str| {
        plans.iter().find(|plan| plan.query == query).map(|plan| plan.hash.clone())
    };
    let differs = |plan: &&PlanFact| hash(&other.plans, &plan.query).is_some_and(|hash| hash != plan.hash);
    let of = base.plans.len();
    (of > 0).then(|| Plans { changed: base.plans.iter().filter(differs).count(), of })
}

/// A comparison of which nothing is measured.
fn blank(stage: &Stage, study: &StageStudy, comparison: &Comparison) -> Judged {
    let unmeasured =
        Judged::unmeasured(comparison.subject.clone(), stage.kind, comparison.load, Doubt::NoTime);
    Judged { study: study.name.clone(), ..unmeasured }
}
