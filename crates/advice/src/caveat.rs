//! What limits an advice, as data: `report` has the words, except those of a rule's notes and of an audit.

use serde::Serialize;
use verdict::finding::Remark;

/// What limits an advice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// What the database's manual or the rule's own method says, whatever was measured: a note of the rule, printed whole.
    Note(&'static str),
    /// Reads of another size than the database's pages.
    OtherReadSize {
        /// The reads' size.
        measured: String,
        /// The size of the database's pages.
        page: &'static str,
    },
    /// The deepest queue that was measured gave the most.
    DeepestIsBest,
    /// What limits a comparison in a study.
    OfStudy {
        /// The study.
        study: String,
        /// The parameters that the arms differ in.
        parameters: Vec<String>,
        /// What limits it.
        remark: Remark,
    },
    /// An audit warns.
    Warning {
        /// The study.
        study: String,
        /// The audit.
        audit: String,
        /// What it found.
        summary: String,
    },
}
