//! What limits an advice.

use serde::Serialize;
use verdict::finding::{Limited, Remark};

/// What limits an advice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// What the database's manual or the rule's own method says, whatever was measured: a note of the rule, printed
    /// whole.
    Note(&'static str),
    /// Reads of another size than the database's pages.
    OtherReadSize {
        measured: String,
        /// The size of the database's pages.
        page: &'static str,
    },
    /// The deepest queue that was measured gave the most.
    DeepestIsBest,
    /// What limits a comparison in a study.
    OfStudy {
        study: String,
        /// The parameters that the arms differ in.
        parameters: Vec<String>,
        remark: Remark,
    },
    /// An audit warns.
    Warning { study: String, audit: String, summary: String },
}

impl Caveat {
    pub fn text(&self) -> String {
        match self {
            Self::Note(sentence) => (*sentence).to_owned(),
            Self::OtherReadSize { measured, page } => {
                format!("Measured with reads of {measured}; a PostgreSQL page has {page}.")
            }
            Self::DeepestIsBest => {
                "The deepest measured queue was the fastest: a deeper one may be faster still.".to_owned()
            }
            Self::OfStudy { study, parameters, remark } => {
                let limited =
                    Limited { factor: &parameters.join(", "), title: "the metric", noise_floor: None };
                format!("Study {study}: {}", remark.text(&limited))
            }
            Self::Warning { study, audit, summary } => {
                format!("A warning of audit {audit} of study {study}: {summary}")
            }
        }
    }
}
