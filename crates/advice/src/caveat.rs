//! What limits an advice.

use crate::compared::Compared;
use model::figure::count;
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
    /// With other numbers of readers, other block sizes are proven faster than the advised one.
    BlockDependsOnReaders {
        /// The advised block size.
        block: String,
        /// Readers, and the fastest block size there against the advised one.
        faster: Vec<(u32, Compared)>,
    },
    /// It is undecided whether another block size is more than 5 % faster with another number of readers.
    BlockMayDependOnReaders { block: String },
    /// No other block size is more than 5 % faster with any number of readers.
    BlockForAllReaders { block: String },
    /// Which parameters of a loader change what it does.
    Parameters(Vec<LoaderParameter>),
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
            Self::BlockDependsOnReaders { block, faster } => {
                let told = faster.iter().map(|(readers, pair)| {
                    let readers = count(usize::try_from(*readers).unwrap_or(usize::MAX), "reader");
                    format!("With {readers}, {}.", pair.text())
                });
                let told = told.collect::<Vec<_>>().join(" ");
                format!(
                    "The best block size depends on the readers; {block} is not the best with each number. {told}"
                )
            }
            Self::BlockMayDependOnReaders { block } => format!(
                "It is undecided whether the best block size depends on the readers: with another number of them, \
                 another size may be more than 5 % faster than {block}."
            ),
            Self::BlockForAllReaders { block } => format!(
                "The best block size does not depend on the readers: with each number of them that was measured, no \
                 other size is more than 5 % faster than {block}."
            ),
            Self::Parameters(parameters) => {
                parameters.iter().map(LoaderParameter::text).collect::<Vec<_>>().join(" ")
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

/// A parameter of which several levels were measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoaderParameter {
    pub name: String,
    pub matters: Matters,
}

/// Whether the level of a parameter matters, over all levels of the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Matters {
    /// Two of its levels are proven to differ.
    Yes(Box<Compared>),
    /// All levels are within 5 % of each other.
    No,
    /// What a level changes depends on the other parameters.
    Depends,
    Undecided,
}

impl LoaderParameter {
    fn text(&self) -> String {
        let name = &self.name;
        match &self.matters {
            Matters::Yes(pair) => format!("{name} matters: {}.", pair.text()),
            Matters::No => format!("{name} does not matter here: its levels are within 5 % of each other."),
            Matters::Depends => format!("What {name} changes depends on the other parameters."),
            Matters::Undecided => format!("It is undecided whether {name} matters."),
        }
    }
}
