//! The tool `prove`.

use super::contract::{Effect, Input, Place, Words, seconds};
use super::run::names_places;
use crate::defaults::reaches_outside;
use crate::failure::Failure;
use crate::latest;
use crate::proofs::ProofDirectory;
use proof::Design;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// The budget of a proof.
const USUAL_BUDGET: Duration = Duration::from_mins(10);

/// Settings on a server of Syncline's own, or what is missing of a proof.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Prove {
    /// The run whose advice to prove: a run directory, or latest.
    run: Option<String>,
    /// The database: postgresql, mariadb, mysql, etcd, rocksdb or sqlite [default: postgresql].
    database: Option<String>,
    /// What to prove: advised, computed, all, or names of settings to race.
    settings: Vec<String>,
    /// Measure under these loads only, such as simple_update-16.
    loads: Vec<String>,
    /// Time for the whole proof, such as 10m [default: 10m, or as the server permits].
    budget: Option<String>,
    /// Directory on the disk to measure, relative to the server's directory [default: that directory].
    dir: Option<String>,
    /// Seed of everything random.
    seed: Option<u64>,
    /// Continue this proof: its directory, or latest. Takes budget and dir alone.
    resume: Option<String>,
}

impl Input for Prove {
    const NAME: &'static str = "prove";
    const DESCRIPTION: &'static str = "Prove settings on a real database of Syncline's own, in a directory that it \
        removes: proven, harmless, refuted or undecided, under each load. Touches no server of yours.";
    const EFFECT: Effect = Effect::Measures;
    const NEXT: Option<&'static str> = Some("what was measured is kept: continue it with resume = latest");

    fn words(self, place: &Place) -> Result<Words, Failure> {
        place.root.require_runs_inside()?;
        match &self.resume {
            Some(path) => self.resumed(path, place),
            None => self.begun(place),
        }
    }
}

impl Prove {
    fn begun(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        words.given("for", self.database);
        self.settings.iter().for_each(|name| words.option("settings", name));
        self.loads.iter().for_each(|load| words.option("load", load));
        words.option("budget", seconds(place.budget(self.budget.as_deref(), Some(USUAL_BUDGET))?));
        words.option("dir", place.directory(self.dir.as_deref())?);
        words.given("seed", self.seed);
        if let Some(run) = &self.run {
            words.operand(place.root.resolve_result(run, latest::run)?);
        }
        Ok(words)
    }

    fn resumed(&self, path: &str, place: &Place) -> Result<Words, Failure> {
        let rest = Self { resume: None, budget: None, dir: None, ..self.clone() };
        if rest != Self::default() {
            return Err(Failure::Usage(
                "resume takes budget and dir alone: the proof has the rest".to_owned(),
            ));
        }
        let path = place.root.resolve_result(path, latest::proof)?;
        let proof = ProofDirectory::open(&path)?;
        require_own_settings(proof.design())?;
        let measured = proof.measured();
        place.resumed(path, (self.dir.as_deref(), measured.as_deref()), self.budget.as_deref())
    }
}

/// Requires that a proof, which anybody may have put there, names no programs and no places, and only storage settings:
/// others can run programs.
fn require_own_settings(design: &Design) -> Result<(), Failure> {
    if let Some(named) = design.named_place() {
        return Err(names_places(&named));
    }
    if let Some(name) = design.fixed.keys().find(|name| reaches_outside(name)) {
        return Err(names_places(name));
    }
    match design.settings_asked_about().into_iter().find(|name| !design.database.knows(name)) {
        Some(name) => Err(names_places(name)),
        None => Ok(()),
    }
}
