//! The stages of a proof: which are there, and which is run next.

use super::asked::SERVER;
use crate::budget::{budget_for, time_for_trials};
use crate::dry_run::{DryRun, PlannedStage};
use crate::failure::Failure;
use crate::output::tell;
use crate::proofs::{ProofDirectory, stages_of};
use crate::request::Request;
use crate::resumption::Resumption;
use crate::servers::{self, Wanted};
use crate::session::Session;
use lab::interim::InterimAnswer;
use lab::minimum::Minimum;
use lab::plan::Overrides;
use model::figure::count;
use model::run::Run;
use model::study::Study;
use model::units::format_elapsed;
use proof::{Design, Look, Stage, StageKind};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use verdict::StudyVerdict;

/// What a trial takes besides its measuring, seconds: copying a cluster, starting and stopping its server, settling.
/// Measured with PostgreSQL 18 on a shared virtual disk; a store starts sooner.
const STARTING_S: f64 = 1.5;

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
        if let Some(server) = design.database.server {
            servers::require_installed(server, self.dir)?;
        }
        let studies = stage.studies(design);
        let planned = self.request(design, &studies, share(stage.kind, design.budget_s), None).rehearse()?;
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
            self.go_on(directory, &stage)?;
        } else if before.next.is_none() {
            return Err(nothing());
        }
        loop {
            let so_far = stages_of(directory)?;
            let Some(stage) = so_far.next else { return Ok(()) };
            let left_s = match self.more {
                Some(more) => more.as_secs_f64() - (so_far.spent_s - spent_before_s),
                None => design.budget_s - so_far.spent_s,
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
        let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
        // A stage that its share is too short for may take what the later ones would have had.
        let budget = share(stage.kind, left_s).max(budget_for(self.usual(&studies)?)).min(left);
        // Other stages say something only when all of their loads are measured.
        let first = match stage.kind {
            StageKind::Settings => studies.get(..1).unwrap_or_default(),
            StageKind::Heat(_) | StageKind::Bundle | StageKind::Mended | StageKind::Servers => &studies,
        };
        if self.minimum(first)? > time_for_trials(left) {
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
        self.finish(session, directory, stage)?;
        Ok(true)
    }

    /// A budget has to hold what the first stage takes until each of its loads has an interval.
    pub(super) fn require_time(&self, design: &Design) -> Result<(), Failure> {
        let Some(stage) = proof::next(design, &[]) else { return Err(nothing()) };
        let needed = self.minimum(&stage.studies(design))?;
        let budget = Duration::try_from_secs_f64(design.budget_s).unwrap_or_default();
        if needed <= time_for_trials(budget) {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "a budget of {budget:?} is too short for {}, with six rounds of each: use --budget {}s, plus the time to \
             make clusters and to start servers, or a shorter --runtime",
            count(loads(&stage), "load"),
            budget_for(needed).as_secs()
        )))
    }

    /// The least that the studies of a stage take until each has an interval.
    fn minimum(&self, studies: &[Study]) -> Result<Duration, Failure> {
        self.total(studies, |least| least.seconds)
    }

    /// What they usually take.
    fn usual(&self, studies: &[Study]) -> Result<Duration, Failure> {
        self.total(studies, |least| least.seconds + STARTING_S * least.trials as f64)
    }

    fn total(&self, studies: &[Study], seconds_of: impl Fn(&Minimum) -> f64) -> Result<Duration, Failure> {
        let mut seconds = 0.0;
        for study in studies {
            let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
            let plan = lab::plan::resolve(study, schema, self.overrides).map_err(Failure::usage)?;
            seconds += seconds_of(&lab::minimum::minimum(&plan));
        }
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }

    fn finish(&self, session: Session, directory: &ProofDirectory, stage: &Stage) -> Result<(), Failure> {
        let of_study = |run: &Run, verdict: &StudyVerdict| match proof::is_decided(stage, run, verdict) {
            Look::Decided => InterimAnswer::Decided,
            Look::Undecided { rounds_needed, is_control } => InterimAnswer::Undecided {
                is_control,
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
            rank: None,
            sharers: 1,
            again: false,
            seed: Some(design.seed),
            wanted: self.wanted,
            budget: Some(budget),
            what_is_possible: false,
            interrupted: self.interrupted,
        }
    }
}

fn nothing() -> Failure {
    Failure::Usage("there is nothing to prove: no candidate differs from what runs now; --settings-file FILE names other values"
            .to_owned())
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

/// The loads that a stage measures; several may share a study.
fn loads(stage: &Stage) -> usize {
    stage.studies.iter().map(|study| study.loads.len()).sum()
}
