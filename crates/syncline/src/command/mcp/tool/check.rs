//! The tool `check`.

use super::contract::{Effect, Input, Place, Words};
use crate::failure::Failure;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// Half a minute on one disk.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Check {
    /// Directory on the disk to measure, relative to the server's directory [default: that directory].
    dir: Option<String>,
    /// Number of rounds, 1 to 1000; fewer than 6 give no intervals [default: 6, for commits 7].
    rounds: Option<u32>,
    /// Seed of everything random.
    seed: Option<u64>,
}

impl Input for Check {
    const NAME: &'static str = "check";
    const DESCRIPTION: &'static str = "Check a disk in half a minute: durable commits, their p99, flushes, fitness \
        for etcd, random reads. Uses the disk, in a directory of its own that it removes.";
    const EFFECT: Effect = Effect::Measures;
    const NEXT: Option<&'static str> =
        Some("what was measured is kept: continue it with the tool run, resume = latest");

    fn words(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        words.option("dir", place.directory(self.dir.as_deref())?);
        words.option("out", place.new_run("check")?);
        words.given("rounds", self.rounds);
        words.given("seed", self.seed);
        Ok(words)
    }
}
