//! The tool `report`.

use super::contract::{Effect, Input, Place, Words};
use crate::failure::Failure;
use crate::latest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// A run or a proof that was measured before.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Report {
    /// A run directory or a proof's, or latest: the newest run.
    run: String,
}

impl Input for Report {
    const NAME: &'static str = "report";
    const DESCRIPTION: &'static str = "Analyse a run or a proof again, also one that was stopped: figures with \
        intervals, findings, audits, ratings, advice. Writes RUN/report.html and RUN/advice.";
    const EFFECT: Effect = Effect::Reads;
    const NEXT: Option<&'static str> = None;

    fn words(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        words.operand(place.root.resolve_result(&self.run, latest::run)?);
        Ok(words)
    }
}
