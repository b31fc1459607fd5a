//! `syncline size RUN|STUDY`: a load under caps of IOPS and bandwidth, and what provisioned volumes would give it.

use crate::analysis::judge;
use crate::arguments::SizeArguments;
use crate::document;
use crate::failure::Failure;
use crate::input_file;
use crate::output::tell;
use crate::premises::require_io_groups;
use crate::request::{Request, TracedTrials, dated_path};
use crate::requirements::require_place;
use crate::resumption::Resumption;
use crate::servers::Wanted;
use crate::session::{Finished, Session};
use crate::signals::interrupted_by_signals;
use crate::studies;
use lab::plan::Overrides;
use lab::run_directory::RunFiles;
use model::every_trial::IO_CAP;
use model::figure::count;
use model::plan::{StudyPlan, Turns};
use model::run::Run;
use model::study::ARM_FACTOR;
use model::{CapReach, Configuration, suggestion};
use sizing::{
    Curve, Demand, Load, Sizing, Stage, UNCAPPED, Volumes, coarse_stage, fine_stage, offers, pilot_stage,
};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use verdict::{Cell, Status, StudyVerdict};

/// A file of volumes is written by hand.
const VOLUMES_BYTES_MAX: u64 = 1 << 20;
/// What makes a directory a run directory.
const PLAN: &str = "plan.json";

/// Measures the load in three stages, and prints what follows.
pub(crate) fn run(arguments: &SizeArguments) -> Result<ExitCode, Failure> {
    let volumes = volumes(arguments.volumes.as_deref())?;
    let dir = arguments.dir.as_deref().unwrap_or(Path::new("."));
    require_place(dir)?;
    let plan = plan(arguments)?;
    let (load, reach) = load(&plan, arguments.arm.as_deref(), dir)?;
    let interrupted = interrupted_by_signals()?;
    let default = || dated_path(&lab::host::now(), &format!("size-{}", load.name));
    let out = arguments.out.clone().unwrap_or_else(default);
    let conductor = Conductor { arguments, dir, out: &out, load: &load, interrupted: &interrupted };

    let pilot = conductor.measure(&pilot_stage(&load))?;
    let uncapped = pilot.run.records.iter().filter(|record| !record.warmup);
    let demand =
        Demand::of(uncapped).ok_or_else(|| pilot.nothing("the disk's counters show no I/O of the load"))?;
    let metrics = with_figures(&load.metrics, pilot.verdict()?);
    let load = Load { metrics, ..load.clone() };
    let coarse_stage = coarse_stage(&load, &demand);
    let coarse = conductor.measure(&coarse_stage)?;
    let coarse = Curve::of_stage(&coarse_stage.caps, &demand, &load.metrics, coarse.verdict()?);
    let fine_stage = fine_stage(&load, &demand, &coarse, arguments.rounds);
    let fine = conductor.measure(&fine_stage)?;
    let verdict = fine.verdict()?;

    let curves = Curve::of_stage(&fine_stage.caps, &demand, &load.metrics, verdict);
    let curves: Vec<Curve> =
        curves.into_iter().zip(&coarse).map(|(curve, other)| curve.widened(other)).collect();
    let uncapped = figures(verdict, &load.metrics);
    let gib = f64::from(arguments.gib);
    let sizing = Sizing {
        load: load.name.clone(),
        place: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string(),
        offers: offers(&volumes, gib, &curves, &uncapped),
        remarks: remarks(verdict, reach, &load, &uncapped),
        metrics: load.metrics.clone(),
        demand,
        uncapped,
        curves,
        volume_gib: gib,
    };
    document::publish(&sizing, &sizing.document(), arguments.format, arguments.html.as_deref())?;
    tell(format!("Runs: {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

/// The volumes of a file, or the built-in ones.
fn volumes(file: Option<&Path>) -> Result<Volumes, Failure> {
    let Some(file) = file else { return Ok(Volumes::built_in()) };
    let cannot = |why: String| Failure::Usage(format!("{}: {why}", file.display()));
    let bytes = input_file::read(file, VOLUMES_BYTES_MAX).map_err(|error| cannot(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8".to_owned()))?;
    Volumes::parse(&text).map_err(|error| cannot(error.to_string()))
}

/// The study that the load is of: planned, or that of a run.
fn plan(arguments: &SizeArguments) -> Result<StudyPlan, Failure> {
    if arguments.load.join(PLAN).is_file() {
        if let Some((name, _)) = arguments.fix.first() {
            let why = format!("--fix {name}: the load of a run is as it was run; name a study");
            return Err(Failure::Usage(why));
        }
        let run = RunFiles::open(&arguments.load).and_then(|files| files.run()).map_err(Failure::runtime)?;
        let none = || Failure::Usage(format!("{}: the run has no study", arguments.load.display()));
        return run.plan.studies.into_iter().next().ok_or_else(none);
    }
    let study = studies::find(&arguments.load.to_string_lossy())?;
    let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
    let overrides =
        Overrides { profile: arguments.profile.clone(), fix: arguments.fix.clone(), ..Overrides::default() };
    lab::plan::resolve(&study, schema, &overrides).map_err(Failure::usage)
}

/// The configuration that is the load, and how much of it a cap reaches.
fn load(plan: &StudyPlan, arm: Option<&str>, dir: &Path) -> Result<(Load, CapReach), Failure> {
    let index = match arm {
        None => plan.duplicate,
        Some(arm) => {
            let names = || plan.configurations.iter().filter_map(|values| values.text(ARM_FACTOR).ok());
            let known: Vec<String> = names().collect();
            let unknown =
                || Failure::Usage(suggestion::unknown("arm", arm, known.iter().map(String::as_str)));
            plan.configurations.iter().position(|values| values.is(ARM_FACTOR, arm)).ok_or_else(unknown)?
        }
    };
    let described = plan.configurations.get(index).zip(plan.description(index));
    let unknown = || Failure::Usage(format!("study {}: nobody here knows its workload", plan.name));
    let (values, description) = described.ok_or_else(unknown)?;
    require_io_groups(dir)?.require(values, description).map_err(|failure| failure.of_study(&plan.name))?;
    let load = Load::new(&plan.name, &plan.workload, values, description);
    let load = load.map_err(|why| Failure::Usage(format!("study {}: {why}", plan.name)))?;
    Ok((load, description.cap_reach()))
}

/// The load without a cap.
fn uncapped(verdict: &StudyVerdict) -> Option<&Cell> {
    verdict.cells.iter().find(|cell| cell.levels.iter().any(|level| level == UNCAPPED))
}

/// What is measured without a cap, by metric.
fn figures(verdict: &StudyVerdict, metrics: &[String]) -> Vec<Option<f64>> {
    let figure = |metric: &String| uncapped(verdict)?.figures.get(metric)?.mean.point;
    metrics.iter().map(figure).collect()
}

/// The throughput, and each p99 that the load has; the first p99 if it has none, for the remark that it is missing. Two
/// that are equal in every trial are of the same operations, and judge as one.
fn with_figures(metrics: &[String], verdict: &StudyVerdict) -> Vec<String> {
    let figure = |metric: &String| uncapped(verdict)?.figures.get(metric);
    let values = |metric| figure(metric).filter(|of| of.mean.point.is_some()).map(|of| &of.values);
    let found: Vec<_> = metrics.iter().map(values).collect();
    let has_p99 = found.iter().skip(1).any(Option::is_some);
    let is_kept = |place: &usize| match found[*place] {
        _ if *place == 0 => true,
        Some(values) => !found[1..*place].contains(&Some(values)),
        None => *place == 1 && !has_p99,
    };
    (0..metrics.len()).filter(is_kept).map(|place| metrics[place].clone()).collect()
}

/// What limits the result: audits that failed, what no cap reaches, figures that are missing.
fn remarks(verdict: &StudyVerdict, reach: CapReach, load: &Load, uncapped: &[Option<f64>]) -> Vec<String> {
    let failed = verdict.audits.iter().filter(|audit| audit.status == Status::Fail);
    let failed = failed.map(|audit| format!("{}: {} {}", audit.name, audit.summary, audit.advice));
    let escapes = match reach {
        CapReach::Part(why) => Some(format!("The caps reach a part of the load: {why}.")),
        CapReach::Everything | CapReach::Nothing(_) => None,
    };
    let missing = load.metrics.iter().zip(uncapped).filter(|(_, figure)| figure.is_none());
    let missing = missing.map(|(metric, _)| {
        format!("{metric} is missing: a trial has too few operations for it. A longer one has it: --fix runtime=10s")
    });
    failed.chain(escapes).chain(missing).collect()
}

/// What the stages need besides their caps.
struct Conductor<'a> {
    arguments: &'a SizeArguments,
    dir: &'a Path,
    /// The directory of the stages.
    out: &'a Path,
    load: &'a Load,
    interrupted: &'a AtomicBool,
}

/// A stage that is measured.
struct Measured {
    run: Run,
    studies: Vec<StudyVerdict>,
}

impl Measured {
    fn verdict(&self) -> Result<&StudyVerdict, Failure> {
        let has_figures = |study: &&StudyVerdict| study.trials.ok > 0;
        self.studies.first().filter(has_figures).ok_or_else(|| self.nothing("no trial succeeded"))
    }

    /// Why a stage shows nothing: what its first failed trial says, or this.
    fn nothing(&self, else_why: &str) -> Failure {
        let failure = self.studies.iter().flat_map(|study| &study.failures).next();
        Failure::Runtime(failure.map_or_else(|| else_why.to_owned(), Clone::clone))
    }
}

impl Conductor<'_> {
    /// Runs what is missing of a stage.
    fn measure(&self, stage: &Stage) -> Result<Measured, Failure> {
        let path = self.out.join(stage.name);
        let (caps, rounds) = (count(stage.caps.len(), "cap"), count(stage.rounds as usize, "round"));
        tell(format!("stage {}: {caps}, {rounds}", stage.name));
        let session =
            if path.join(PLAN).is_file() { self.go_on(stage, &path)? } else { self.begin(stage, &path)? };
        let Finished { directory, closed, account: _ } = session.conduct(self.interrupted)?;
        closed?;
        let verdict = judge(directory.files(), directory.run());
        Ok(Measured { run: directory.run().clone(), studies: verdict.studies })
    }

    fn begin(&self, stage: &Stage, path: &Path) -> Result<Session, Failure> {
        let overrides = Overrides { turns: Turns::Off, ..Overrides::default() };
        let request = Request {
            studies: std::slice::from_ref(&stage.study),
            database: None,
            overrides: &overrides,
            dir: self.dir,
            out: Some(path),
            rank: None,
            sharers: 1,
            again: false,
            seed: self.arguments.seed,
            wanted: Wanted::default(),
            budget: None,
            what_is_possible: false,
            traced: TracedTrials::None,
            interrupted: self.interrupted,
        };
        request.begin()
    }

    /// Opens a stage that has begun.
    fn go_on(&self, stage: &Stage, path: &Path) -> Result<Session, Failure> {
        let run = RunFiles::open(path).and_then(|files| files.run()).map_err(Failure::runtime)?;
        let is_same = run.plan.studies.first().is_some_and(|plan| self.is_of(stage, plan));
        if !is_same {
            let out = self.out.display();
            return Err(Failure::Usage(format!("{out} holds the sizing of another load: use another --out")));
        }
        let resumption = Resumption {
            path,
            allow_different: &[],
            dir: Some(self.dir),
            wanted: Wanted::default(),
            budget: None,
            interrupted: self.interrupted,
        };
        resumption.open()
    }

    /// Whether a plan is that of a stage: of this load, and of the caps that follow from the stages before.
    fn is_of(&self, stage: &Stage, plan: &StudyPlan) -> bool {
        let arms = plan.configurations.iter().filter_map(|values| values.text(ARM_FACTOR).ok());
        let expected = stage.study.arms.iter().filter_map(|arm| arm.get("name").cloned());
        let load = |values: &Configuration| {
            let mut values = values.clone();
            values.0.retain(|name, _| name != ARM_FACTOR && name != IO_CAP);
            values
        };
        arms.eq(expected) && plan.configurations.iter().all(|values| load(values) == self.load.values)
    }
}
