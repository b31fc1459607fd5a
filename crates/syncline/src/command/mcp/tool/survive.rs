//! The tool `survive`.

use super::contract::{Effect, Input, Place, Words};
use crate::failure::Failure;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// Crashes of fresh databases.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Survive {
    /// The databases: postgresql, mariadb, mysql, etcd, valkey, nats, clickhouse, sqlite, rocksdb, store, fjall, redb,
    /// lmdb.
    databases: Vec<String>,
    /// Only promises whose settings contain one of these texts.
    #[serde(default)]
    promises: Vec<String>,
    /// Kills, and as many power losses, for each promise [default: 10].
    crashes: Option<u32>,
    /// Rounds in which commits are measured on the disk; 0 measures none [default: 6].
    rounds: Option<u32>,
    /// Directory on the disk to measure, relative to the server's directory [default: that directory].
    dir: Option<String>,
}

impl Input for Survive {
    const NAME: &'static str = "survive";
    const DESCRIPTION: &'static str = "Start a fresh copy of each database, kill it, cut the power of its disk in \
        memory, count which acknowledged writes survive, and measure what each promise costs. Touches no server of \
        yours. Needs root.";
    const EFFECT: Effect = Effect::Measures;
    const NEXT: Option<&'static str> = None;

    fn words(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        self.databases.iter().for_each(|name| words.option("for", name));
        self.promises.iter().for_each(|promise| words.option("promise", promise));
        words.given("crashes", self.crashes);
        words.given("rounds", self.rounds);
        words.option("dir", place.directory(self.dir.as_deref())?);
        Ok(words)
    }
}
