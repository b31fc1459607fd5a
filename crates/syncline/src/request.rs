//! A new run as requested: planned, and checked against what the machine can do before the first trial.

mod typed;
mod without;

use crate::budget::{budget_for, last_trial_ends, time_for_trials};
use crate::datasets;
use crate::dry_run::DryRun;
use crate::failure::Failure;
use crate::found_databases::found_databases;
use crate::latest::RUNS;
use crate::machine::machine;
use crate::output::tell;
use crate::premises::{DiskPremises, direct_support, require_caps, room_needed_bytes};
use crate::program;
use crate::requirements::{
    Lack, require_cpus, require_direct, require_engines, require_huge_pages, require_place,
    require_real_time, require_storage, without_absent, without_io_uring,
};
use crate::servers::{self, IfAbsent, Wanted};
use crate::session::Session;
use disk::files::space_available;
use lab::capacity::take_turns_where_they_fit;
use lab::interim::look_repeatedly;
use lab::minimum::{Minimum, minimum};
use lab::plan::Overrides;
use lab::run_directory::RunDirectory;
use lab::shared_plan::check_not_shared;
use lab::space::too_many;
use model::FORMAT_VERSION;
use model::host::HostFacts;
use model::plan::{Plan, Skipped, StudyPlan};
use model::program::Program;
use model::rank::Rank;
use model::study::Study;
use model::trial::ServerSource;
use model::units::{format_bytes_approximate, format_elapsed};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

/// What to run, and how.
pub(crate) struct Request<'a> {
    pub(crate) studies: &'a [Study],
    /// The database whose settings it is for, if it is for one.
    pub(crate) database: Option<&'a str>,
    /// What the command line changes in it.
    pub(crate) overrides: &'a Overrides,
    /// A directory on the disk to measure.
    pub(crate) dir: &'a Path,
    /// The run directory to make; one named after the time and the studies if there is none. If it has a rank, the
    /// directory in which its run directory is made.
    pub(crate) out: Option<&'a Path>,
    /// Its place among the runs that a launcher started together.
    pub(crate) rank: Option<Rank>,
    /// Processes that measure on the same file system at the same time, this one included: 1 unless the run is shared.
    pub(crate) sharers: u32,
    /// Whether it measures a disk again for `syncline fleet`.
    pub(crate) again: bool,
    /// Seed of every random order.
    pub(crate) seed: Option<u64>,
    /// Which PostgreSQL server to drive, if a study drives one.
    pub(crate) wanted: Wanted<'a>,
    /// Time that it all may take; without, every round is run.
    pub(crate) budget: Option<Duration>,
    /// Whether a study that the machine does not permit is skipped and reported, instead of being a failure.
    pub(crate) what_is_possible: bool,
    /// Which configurations are traced, after all trials.
    pub(crate) traced: TracedTrials,
    /// Raised by a signal.
    pub(crate) interrupted: &'a AtomicBool,
}

/// Traced trials of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TracedTrials {
    None,
    /// This number of every configuration.
    OfEach(u32),
    /// One of each configuration of this study.
    OfStudy(&'static str),
}

impl TracedTrials {
    fn of(self, study: &StudyPlan) -> u32 {
        match self {
            Self::None => 0,
            Self::OfEach(trials) => trials,
            Self::OfStudy(name) => u32::from(study.name == name),
        }
    }
}

/// A run that is planned and checked, with its work directory.
pub(crate) struct Prepared {
    /// What is to be run.
    pub(crate) plan: Plan,
    pub(crate) host: HostFacts,
    pub(crate) program: Program,
    pub(crate) premises: DiskPremises,
    ends: Option<Instant>,
}

impl Request<'_> {
    /// Plans, checks that the machine can do it, makes the run directory and the work directory.
    pub(crate) fn begin(&self) -> Result<Session, Failure> {
        let Prepared { plan, host, program, premises, ends } = self.prepare()?;
        check_not_shared(&plan.studies).map_err(Failure::usage)?;
        let path = self.path(&plan, &host);
        let directory = RunDirectory::create(&path, plan, host, Some(&program)).map_err(Failure::runtime)?;
        Ok(Session { directory, premises, ends })
    }

    /// Where the run directory of a plan is made.
    pub(crate) fn path(&self, plan: &Plan, host: &HostFacts) -> PathBuf {
        let what = self.database.map(str::to_owned).or_else(|| self.overrides.profile.clone());
        let name = what.filter(|_| self.what_is_possible);
        let of_rank = plan.rank.map(|rank| rank.directory_name(&host.name));
        match (self.out, of_rank) {
            (Some(out), None) => out.to_owned(),
            (Some(out), Some(of_rank)) => free_path(out, &of_rank),
            (None, of_rank) => default_path(&plan.created_at, plan, name, of_rank),
        }
    }

    /// Plans, checks that the machine can do it, and makes the work directory.
    pub(crate) fn prepare(&self) -> Result<Prepared, Failure> {
        let ends = self.budget.map(last_trial_ends);
        require_place(self.dir)?;
        if self.what_is_possible {
            // No study of the answer is possible on memory: said once, and not of each level that it lacks.
            require_storage(self.dir, &[])?;
        }
        // A user who names a study wants all of it, so a missing requirement is refused.
        let direct = self.what_is_possible.then(|| direct_support(self.dir)).transpose()?;
        let mut lacks = self.lacks_of_build();
        lacks.extend(direct.and_then(Result::err).as_deref().map(Lack::of_direct));
        let (mut plans, mut skipped) = self.plan(&lacks)?;
        let if_absent = if self.what_is_possible { IfAbsent::LeaveOut } else { IfAbsent::RecordUnsupported };
        let server = servers::find(&plans, self.wanted, if_absent, self.dir, self.interrupted)?;
        if let Some(ServerSource::Absent(why)) = &server.source
            && self.what_is_possible
        {
            lacks.push(Lack::of_server(why));
            plans = self.without_server(plans, &lacks, &mut skipped)?;
        }
        let mut premises = DiskPremises::open(self.dir, &plans, self.sharers)?;
        premises.serve(server.source);
        let mut kept = Vec::new();
        for plan in plans {
            let (name, direct) = (plan.name.clone(), require_direct(premises.directory(), &plan));
            kept.extend(self.or_skip(&name, direct.map(|()| plan), &mut skipped)?);
        }
        require_any(&kept, &skipped)?;
        let plan = Plan {
            format_version: FORMAT_VERSION,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: lab::host::now(),
            directory: fs::canonicalize(self.dir).unwrap_or_else(|_| self.dir.to_owned()),
            server: server.identity,
            database: self.database.map(str::to_owned),
            rank: self.rank,
            again: self.again,
            seed: self.seed.unwrap_or_else(seed_from_clock),
            budget_s: self.budget.map(|budget| budget.as_secs_f64()),
            studies: kept,
            skipped,
        };
        let host = HostFacts { databases: Some(found_databases(Path::new("/"))), ..lab::host::facts() };
        Ok(Prepared { plan, host, program: program::identity()?, premises, ends })
    }

    /// What would be done. Nothing is made, so direct I/O is not tried, and no server is looked for.
    pub(crate) fn rehearse(&self) -> Result<DryRun, Failure> {
        require_place(self.dir)?;
        if self.what_is_possible {
            require_storage(self.dir, &[])?;
        }
        let (plans, skipped) = self.plan(&self.lacks_of_build())?;
        require_any(&plans, &skipped)?;
        check_not_shared(&plans).map_err(Failure::usage)?;
        DryRun::new(self.dir, &plans, skipped, self.budget)
    }

    /// What this build lacks, if the run does without: known before anything is tried.
    fn lacks_of_build(&self) -> Vec<Lack> {
        let absent = servers::NEVER_FOUND.filter(|_| self.what_is_possible && !self.wanted.is_named());
        absent.map(Lack::of_server).into_iter().collect()
    }

    /// The plans of the studies that this machine permits, and what it does not permit.
    fn plan(&self, lacks: &[Lack]) -> Result<(Vec<StudyPlan>, Vec<Skipped>), Failure> {
        self.require_known()?;
        let mut skipped = Vec::new();
        let mut plans: Vec<StudyPlan> = Vec::new();
        for study in self.studies {
            if plans.iter().any(|other| other.name == study.name) {
                return Err(Failure::Usage(format!("study {} is named twice", study.name)));
            }
            plans.extend(self.or_skip(&study.name, self.without(study, lacks), &mut skipped)?);
        }
        require_storage(self.dir, &plans)?;
        let room = space_available(self.dir).map_err(Failure::runtime)? / u64::from(self.sharers.max(1));
        take_turns_where_they_fit(&mut plans, machine(room));
        if self.what_is_possible {
            plans = self.that_fit(plans, &mut skipped)?;
        }
        self.require_time(plans.first())?;
        for plan in &mut plans {
            plan.traced = self.traced.of(plan);
        }
        Ok((plans, skipped))
    }

    /// The plan of a study, or why this machine cannot run it.
    fn permitted(&self, study: &Study, overrides: &Overrides) -> Result<StudyPlan, Failure> {
        let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
        let mut plan = without_absent(study, schema, overrides, || self.server_version())?;
        without_io_uring(&mut plan, schema)?;
        require_cpus(&plan)?;
        require_real_time(&plan)?;
        require_engines(&plan)?;
        require_huge_pages(&plan)?;
        datasets::fill_in(&mut plan)?;
        require_caps(std::slice::from_ref(&plan))?;
        if self.budget.is_some() {
            look_repeatedly(&mut plan);
        }
        Ok(plan)
    }

    /// The version of the programs that the user names; `None` if they cannot say it, which is an error when a server
    /// is looked for. A server that runs already has the settings that it has.
    fn server_version(&self) -> Option<settings::Version> {
        self.wanted.programs?;
        servers::version(self.wanted).ok().flatten()?.parse().ok()
    }

    /// A budget has to hold what the first study takes until it has an interval: the others begin after that.
    fn require_time(&self, first: Option<&StudyPlan>) -> Result<(), Failure> {
        let (Some(study), Some(budget)) = (first, self.budget) else { return Ok(()) };
        let Minimum { rounds, trials, seconds } = minimum(study);
        let wanted = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        if time_for_trials(budget) >= wanted {
            return Ok(());
        }
        let warmup = match study.warmup_rounds {
            0 => String::new(),
            rounds => format!("{rounds} to warm up and "),
        };
        let (takes, plus) = if study.round_s_stated.is_some() {
            (
                format!(
                    "end within {}, as the profile {} states",
                    format_elapsed(seconds.ceil()),
                    study.profile
                ),
                String::new(),
            )
        } else {
            let files = format_bytes_approximate(room_needed_bytes(std::slice::from_ref(study)) as f64);
            let plus = format!(", plus the time to create {files} of files and to wait for a quiet device,");
            (format!("take at least {}", format_elapsed(seconds.ceil())), plus)
        };
        Err(Failure::Usage(format!(
            "a budget of {budget:?} is too short for study {}: its rounds, {warmup}{rounds} to analyse, are {trials} \
             trials that {takes}; use --budget {}s{plus} or fewer --rounds",
            study.name,
            budget_for(wanted).as_secs(),
        )))
    }

    /// The studies that find room together; those that take most are skipped until the others do.
    fn that_fit(&self, plans: Vec<StudyPlan>, skipped: &mut Vec<Skipped>) -> Result<Vec<StudyPlan>, Failure> {
        let available = space_available(self.dir).map_err(Failure::runtime)?;
        let without = too_many(&plans, available);
        let text = |bytes: u64| format_bytes_approximate(bytes as f64);
        let needs: Vec<u64> =
            plans.iter().map(|plan| room_needed_bytes(std::slice::from_ref(plan))).collect();
        let (mut kept, mut rest) = (Vec::new(), Vec::new());
        for (index, plan) in plans.into_iter().enumerate() {
            if without.contains(&index) { rest.push((plan, needs[index])) } else { kept.push(plan) }
        }
        let others = match room_needed_bytes(&kept) {
            0 => String::new(),
            others => format!("the others {}, ", text(others)),
        };
        for (plan, needed) in rest {
            let why = format!(
                "it needs {} of room, {others}but {} are available: free space, or choose another directory with \
                 --dir",
                text(needed),
                text(available)
            );
            self.or_skip(&plan.name, Err(Failure::Runtime(why)), skipped)?;
        }
        Ok(kept)
    }

    /// If the user wants everything that is possible, what is not possible is skipped.
    fn or_skip(
        &self,
        study: &str,
        plan: Result<StudyPlan, Failure>,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Option<StudyPlan>, Failure> {
        match plan {
            Ok(plan) => Ok(Some(plan)),
            Err(Failure::Runtime(why) | Failure::Usage(why)) if self.what_is_possible => {
                tell(format!("skipped: {study}: {why}"));
                skipped.push(Skipped { study: study.to_owned(), why });
                Ok(None)
            }
            Err(failure) => Err(failure.of_study(study)),
        }
    }
}

fn require_any(kept: &[StudyPlan], skipped: &[Skipped]) -> Result<(), Failure> {
    match skipped.first() {
        Some(first) if kept.is_empty() => {
            Err(Failure::Runtime(format!("nothing can be measured here; {}: {}", first.study, first.why)))
        }
        Some(_) | None => Ok(()),
    }
}

fn default_path(now: &str, plan: &Plan, name: Option<String>, of_rank: Option<String>) -> PathBuf {
    let names: Vec<&str> = plan.studies.iter().map(|study| study.name.as_str()).collect();
    let name = name.unwrap_or_else(|| names.join("-"));
    dated_path(now, &of_rank.map_or_else(|| name.clone(), |of_rank| format!("{name}-{of_rank}")))
}

/// A name that sorts by time and tells what was run: `syncline-runs/2026-11-21T10-16-30-commit`, with a number behind
/// it if a run of the same second has that name.
pub(crate) fn dated_path(now: &str, what: &str) -> PathBuf {
    let time = now.trim_end_matches('Z').replace(':', "-");
    free_path(Path::new(RUNS), &format!("{time}-{what}"))
}

/// A name in a directory that nothing has: this one, or with a number behind it.
fn free_path(directory: &Path, name: &str) -> PathBuf {
    let candidates = (2..).map(|number| format!("{name}-{number}"));
    let mut paths = std::iter::once(name.to_owned()).chain(candidates).map(|name| directory.join(name));
    // The candidates do not end before one is free.
    paths.find(|path| !path.exists()).unwrap_or_else(|| directory.join(name))
}

/// A seed that no other run has.
pub(crate) fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}
