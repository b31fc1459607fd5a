//! The tool `prove`.

use super::contract::{Effect, Input, Place, Words, seconds};
use crate::failure::Failure;
use crate::latest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// The budget of a proof.
const USUAL_BUDGET: Duration = Duration::from_mins(10);

/// Settings on a server of Syncline's own.
#[derive(Debug, Default, Deserialize, JsonSchema)]
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
}

impl Input for Prove {
    const NAME: &'static str = "prove";
    const DESCRIPTION: &'static str = "Prove settings on a real database of Syncline's own, in a directory that it \
        removes: proven, harmless, refuted or undecided, under each load. Touches no server of yours.";
    const EFFECT: Effect = Effect::Measures;
    const NEXT: Option<&'static str> =
        Some("what was measured is kept: syncline prove --resume latest continues it on the command line");

    fn words(self, place: &Place) -> Result<Words, Failure> {
        place.root.require_runs_inside()?;
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
}
