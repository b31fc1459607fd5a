//! The tool `audit`.

use super::contract::{Effect, Input, Place, Words};
use crate::failure::Failure;
use crate::latest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// Published numbers, or a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Audit {
    /// A file with a table, output of fio, pgbench, sysbench and others, or a run directory; latest is the newest run.
    file: String,
    /// Roles of columns that Syncline guesses wrongly, each as NAME=ROLE.
    #[serde(default)]
    column: Vec<String>,
}

impl Input for Audit {
    const NAME: &'static str = "audit";
    const DESCRIPTION: &'static str = "Check which numbers can be believed: of a table, a page, the output of fio and other tools, or a run.";
    const EFFECT: Effect = Effect::Reads;
    const NEXT: Option<&'static str> = None;

    fn words(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        self.column.iter().for_each(|column| words.option("column", column));
        words.operand(place.root.resolve_result(&self.file, latest::run)?);
        Ok(words)
    }
}
