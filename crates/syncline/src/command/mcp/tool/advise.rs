//! The tool `advise`.

use super::contract::{Effect, Input, Place, Words};
use crate::failure::Failure;
use crate::latest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// The settings that follow from a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Advise {
    /// A run directory, or latest: the newest one.
    run: String,
    /// Only the settings of this database: postgresql, rocksdb, mysql, mariadb, sqlite, etcd, data-loader or linux.
    database: Option<String>,
}

impl Input for Advise {
    const NAME: &'static str = "advise";
    const DESCRIPTION: &'static str = "The database settings that follow from a run, each with its measurement or the \
        reason for no advice. Writes them to RUN/advice as files that databases load; changes no server.";
    const EFFECT: Effect = Effect::Reads;
    const NEXT: Option<&'static str> = None;

    fn words(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        words.given("for", self.database);
        words.operand(place.root.resolve_result(&self.run, latest::run)?);
        Ok(words)
    }
}
