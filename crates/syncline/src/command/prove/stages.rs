//! The stages of a proof: which are there, and which is run next.

use super::directory::ProofDirectory;
use crate::analysis::judge;
use crate::budget::{budget_for, time_for_trials};
use crate::dry_run::DryRun;
use crate::failure::Failure;
use crate::output::tell;
use crate::request::Request;
use crate::resumption::Resumption;
use crate::servers::Wanted;
use crate::session::Session;
use lab::looks::Standing;
use lab::plan::Overrides;
use lab::run_directory::RunFiles;
use model::figure::count;
use model::plan::{Plan, StudyPlan};
use model::run::Run;
use model::study::{ARM_FACTOR, Study};
use model::units::format_elapsed;
use proof::{Design, Judged, Look, Stage, StageKind};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use verdict::StudyVerdict;

/// What the stages of a proof need besides its directory.
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

/// What the stages of a proof showed.
pub(super) struct Shown {
    /// In order.
    pub(super) done: Vec<(Stage, Vec<Judged>)>,
    /// The stage that is missing.
    pub(super) next: Option<Stage>,
    /// Seconds of all their trials.
    pub(super) spent_s: f64,
}

/// Reads the stages that a proof has.
pub(super) fn shown(directory: &ProofDirectory) -> Result<Shown, Failure> {
    let (mut done, mut spent_s) = (Vec::new(), 0.0);
    let mut next = proof::next(directory.design(), &done);
    while let Some(stage) = next.take_if(|stage| directory.stage(stage.kind).exists()) {
        let path = directory.stage(stage.kind);
        let files = RunFiles::open(&path).map_err(Failure::runtime)?;
        let run = files.run().map_err(Failure::runtime)?;
        require_same(&path, &stage, &run.plan)?;
        spent_s += run.records.iter().map(|record| record.wall_s + record.prepare_s).sum::<f64>();
        let judged = proof::judge(&stage, &run, &judge(&files, &run));
        done.push((stage, judged));
        next = proof::next(directory.design(), &done);
    }
    Ok(Shown { done, next, spent_s })
}

/// A stage's run holds the arms that follow from the design and the stages before: else one of them was changed.
fn require_same(path: &Path, stage: &Stage, plan: &Plan) -> Result<(), Failure> {
    let of_plan = |plan: &StudyPlan| {
        let names = plan.configurations.iter().filter_map(|values| values.text(ARM_FACTOR).ok());
        (plan.name.clone(), names.collect::<Vec<String>>())
    };
    let of_stage = |study: &proof::StageStudy| {
        (study.name.clone(), study.arms.iter().map(|arm| arm.name.clone()).collect::<Vec<String>>())
    };
    let planned: Vec<_> = plan.studies.iter().map(of_plan).collect();
    if planned == stage.studies.iter().map(of_stage).collect::<Vec<_>>() {
        return Ok(());
    }
    Err(Failure::Runtime(format!(
        "{}: it does not have the servers that follow from the proof's design: one of them was changed",
        path.display()
    )))
}

impl Conductor<'_> {
    /// What the first stage would do.
    pub(super) fn rehearse(&self, design: &Design) -> Result<DryRun, Failure> {
        let Some(stage) = proof::next(design, &[]) else { return Err(nothing()) };
        let studies = stage.studies(design);
        self.request(design, &studies, share(stage.kind, design.budget_s), None).rehearse()
    }

    /// Runs what is missing.
    pub(super) fn conduct(&self, directory: &ProofDirectory) -> Result<(), Failure> {
        let design = directory.design();
        let mut shown = shown(directory)?;
        let spent_before_s = shown.spent_s;
        if let Some((stage, _)) = shown.done.pop() {
            // Its records may lack rounds; those of the stages before it are what this one follows from.
            self.go_on(directory, &stage)?;
        } else if shown.next.is_none() {
            return Err(nothing());
        }
        loop {
            let shown = self::shown(directory)?;
            let Some(stage) = shown.next else { return Ok(()) };
            let left_s = match self.more {
                Some(more) => more.as_secs_f64() - (shown.spent_s - spent_before_s),
                None => design.budget_s - shown.spent_s,
            };
            if !self.begin(directory, &stage, left_s)? {
                return Ok(());
            }
        }
    }

    /// Continues the last stage that has begun.
    fn go_on(&self, directory: &ProofDirectory, stage: &Stage) -> Result<(), Failure> {
        let path = directory.stage(stage.kind);
        let resumption = Resumption {
            path: &path,
            allow_different: self.allow_different,
            dir: Some(self.dir),
            wanted: self.wanted,
            budget: self.more.map(|more| share(stage.kind, more.as_secs_f64())),
            interrupted: self.interrupted,
        };
        self.finish(resumption.open()?, directory, stage)
    }

    /// Runs a stage that has not begun, if there is time for it.
    fn begin(&self, directory: &ProofDirectory, stage: &Stage, left_s: f64) -> Result<bool, Failure> {
        let design = directory.design();
        let studies = stage.studies(design);
        let needed =
            Duration::try_from_secs_f64(least_seconds(&studies, self.overrides)?).unwrap_or(Duration::MAX);
        let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
        // A stage that its share is too short for may take what the later ones would have had.
        let budget = share(stage.kind, left_s).max(budget_for(needed)).min(left);
        if needed > time_for_trials(left) && stage.kind == first(design) {
            return Err(Failure::Usage(format!(
                "a budget of {left:?} is too short for {}, with six rounds of each: use --budget {}s, plus the time to make \
                 clusters and to start servers, or a shorter --runtime",
                count(studies.len(), "load"),
                budget_for(needed).as_secs()
            )));
        }
        if needed > time_for_trials(left) {
            tell(format!(
                "the time is up before the stage {}: syncline prove --resume {} --budget TIME goes on",
                stage.kind,
                directory.path().display()
            ));
            return Ok(false);
        }
        let (loads, most) = (count(studies.len(), "load"), format_elapsed(budget.as_secs_f64()));
        tell(format!("stage {}: {loads}, at most {most}", stage.kind));
        let path = directory.stage(stage.kind);
        let session = self.request(design, &studies, budget, Some(&path)).begin()?;
        self.finish(session, directory, stage)?;
        Ok(true)
    }

    fn finish(&self, session: Session, directory: &ProofDirectory, stage: &Stage) -> Result<(), Failure> {
        let of_study = |run: &Run, verdict: &StudyVerdict| match proof::is_decided(stage, run, verdict) {
            Look::Decided => Standing::Decided,
            Look::Undecided { rounds_needed } => Standing::Undecided {
                rounds_needed: rounds_needed.map(|rounds| u32::try_from(rounds).unwrap_or(u32::MAX)),
            },
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
            seed: Some(design.seed),
            wanted: self.wanted,
            budget: Some(budget),
            what_is_possible: false,
            interrupted: self.interrupted,
        }
    }
}

fn nothing() -> Failure {
    Failure::Usage("there is nothing to prove: no candidate differs from what runs now".to_owned())
}

/// The stage that a proof begins with.
fn first(design: &Design) -> StageKind {
    proof::next(design, &[]).map_or(StageKind::Bundle, |stage| stage.kind)
}

/// What a stage may take of the time that is left: what comes after it needs some too.
fn share(kind: StageKind, left_s: f64) -> Duration {
    let part = match kind {
        StageKind::Heat(1) => 0.4,
        StageKind::Heat(_) => 0.3,
        StageKind::Bundle => 0.6,
        StageKind::Settings => 0.75,
        StageKind::Mended | StageKind::Servers => 1.0,
    };
    Duration::try_from_secs_f64(left_s * part).unwrap_or_default()
}

/// What the studies of a stage take until each has an interval.
fn least_seconds(studies: &[Study], overrides: &Overrides) -> Result<f64, Failure> {
    let mut seconds = 0.0;
    for study in studies {
        let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
        let plan = lab::plan::resolve(study, schema, overrides).map_err(Failure::usage)?;
        seconds += lab::least::least(&plan).seconds;
    }
    Ok(seconds)
}
