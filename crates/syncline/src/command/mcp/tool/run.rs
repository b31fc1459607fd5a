//! The tool `run`.

use super::contract::{Effect, Input, Place, Words, seconds};
use crate::authorship::named_place;
use crate::defaults::reaches_outside;
use crate::failure::Failure;
use crate::latest;
use crate::studies;
use lab::plan::{Overrides, resolve};
use model::parameter::ParameterKind;
use model::plan::StudyPlan;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// Studies of one disk, or what is missing of a run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Run {
    /// Built-in studies such as commit, or study files ending in .toml below the server's directory [default: a short
    /// look at everything].
    studies: Vec<String>,
    /// Measure what the settings of this database depend on: postgresql, rocksdb, mysql, mariadb, sqlite, etcd,
    /// data-loader or linux. Excludes studies.
    database: Option<String>,
    /// Time for all studies, such as 90s or 5m [default: 3m without studies, 5m for a database, else as the
    /// server permits].
    budget: Option<String>,
    /// Directory on the disk to measure, relative to the server's directory [default: that directory].
    dir: Option<String>,
    /// Named set of levels, rounds and runtimes, such as quick.
    profile: Option<String>,
    /// Number of rounds after the warm-up, 1 to 1000; fewer than 6 give no intervals.
    rounds: Option<u32>,
    /// One value for a parameter of the studies.
    fix: BTreeMap<String, String>,
    /// Levels for a factor of the studies.
    vary: BTreeMap<String, Vec<String>>,
    /// Show where the time of each operation went. Needs root or CAP_PERFMON.
    explain: bool,
    /// Seed of everything random.
    seed: Option<u64>,
    /// Continue this run: a run directory, or latest. Takes budget and dir alone.
    resume: Option<String>,
}

impl Input for Run {
    const NAME: &'static str = "run";
    const DESCRIPTION: &'static str = "Measure a disk as a database uses it: everything in three minutes, the studies \
        that you name, or what the settings of a database depend on. Uses the disk, in a directory of its own that it \
        removes, and keeps the records in syncline-runs.";
    const EFFECT: Effect = Effect::Measures;
    const NEXT: Option<&'static str> = Some("what was measured is kept: continue it with resume = latest");

    fn words(self, place: &Place) -> Result<Words, Failure> {
        match &self.resume {
            Some(path) => self.resumed(path, place),
            None => self.begun(place),
        }
    }
}

impl Run {
    fn begun(&self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        let usual = studies::usual_budget(&self.studies, self.database.as_deref());
        words.option("budget", seconds(place.budget(self.budget.as_deref(), usual)?));
        words.option("dir", place.directory(self.dir.as_deref())?);
        let what = match &self.studies[..] {
            [] => self.database.as_deref().unwrap_or("answer"),
            [study] => study,
            [..] => "studies",
        };
        let is_name = |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
        words.option("out", place.new_run(if is_name(what) { what } else { "study" })?);
        words.given("for", self.database.as_ref());
        words.given("profile", self.profile.as_ref());
        words.given("rounds", self.rounds);
        words.given("seed", self.seed);
        words.flag("explain", self.explain);
        if let Some(name) = self.fix.keys().chain(self.vary.keys()).find(|name| reaches_outside(name)) {
            return Err(names_places(name));
        }
        self.fix.iter().for_each(|(name, value)| words.option("fix", format!("{name}={value}")));
        self.vary
            .iter()
            .for_each(|(name, levels)| words.option("vary", format!("{name}={}", levels.join(","))));
        for study in &self.studies {
            words.operand(self.study(study, place)?);
        }
        Ok(words)
    }

    fn resumed(&self, path: &str, place: &Place) -> Result<Words, Failure> {
        let rest = Self { resume: None, budget: None, dir: None, ..self.clone() };
        if rest != Self::default() {
            return Err(Failure::Usage("resume takes budget and dir alone: the run has the rest".to_owned()));
        }
        let path = place.root.resolve_result(path, latest::run)?;
        let run = lab::run_directory::read(&path).map_err(Failure::runtime)?;
        require_no_places(&run.plan.studies)?;
        let directory = (self.dir.as_deref(), Some(&*run.plan.directory));
        place.resumed(path, directory, self.budget.as_deref())
    }

    /// A built-in study by its name, or a study file by its path.
    fn study(&self, name: &str, place: &Place) -> Result<OsString, Failure> {
        if Path::new(name).extension().is_none_or(|extension| extension != "toml") {
            return Ok(name.into());
        }
        let path = place.root.resolve(name)?;
        let named = path.to_str().ok_or_else(|| Failure::Usage(format!("{name}: not UTF-8: rename it")))?;
        let study = studies::find(named)?;
        let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
        let overrides = Overrides {
            profile: self.profile.clone(),
            vary: self.vary.clone().into_iter().collect(),
            fix: self.fix.clone().into_iter().collect(),
            rounds: self.rounds,
            ..Overrides::default()
        };
        require_no_places(&[resolve(&study, schema, &overrides).map_err(Failure::usage)?])?;
        Ok(path.into())
    }
}

/// Requires that no configuration names programs, a place or settings of a server: they reach beyond the directory.
fn require_no_places(studies: &[StudyPlan]) -> Result<(), Failure> {
    if let Some(named) = named_place(studies) {
        return Err(names_places(&named));
    }
    for study in studies {
        let Ok(schema) = workload::schema(&study.workload) else { continue };
        for parameter in schema.all().filter(|parameter| parameter.kind == ParameterKind::Settings) {
            let values = study.configurations.iter().filter_map(|values| values.text(parameter.name).ok());
            if values.into_iter().any(|value| value != parameter.default) {
                return Err(names_places(parameter.name));
            }
        }
    }
    Ok(())
}

pub(super) fn names_places(what: &str) -> Failure {
    Failure::Usage(format!(
        "{what}: a tool takes no programs, places and settings of servers; use the command line for that"
    ))
}
