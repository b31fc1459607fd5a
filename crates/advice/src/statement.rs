//! What was measured for a value: the arms and their ratio, or the figures that a rule decides by.

use crate::compared::Compared;
use crate::syncs::Syncs;
use model::figure::{count, exact_percent, percent, ratios, round};
use model::metric::Unit;
use model::units::format_bytes_approximate;
use serde::Serialize;
use verdict::Estimate;
use verdict::quantity::{times, with_interval};

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// Arms against each other.
    Compared {
        /// In the order in which the rule compared them.
        pairs: Vec<Compared>,
        /// What follows beyond the value: a clause of the rule.
        #[serde(skip_serializing_if = "Option::is_none")]
        follows: Option<&'static str>,
    },
    /// The advised value keeps what was acknowledged, and the rule says what that survives: a clause. What other values
    /// would save is an alternative.
    Keeps(&'static str),
    /// Commits that wait for flushes.
    SharedFlush {
        /// Many committers against one.
        pair: Box<Compared>,
        /// Time of one commit by itself, µs.
        alone_us: Estimate,
    },
    /// A ratio under other assumptions than the advised value's.
    Assuming {
        /// The assumptions, in the words of the rule.
        what: &'static str,
        /// The ratio.
        ratio: Estimate,
    },
    /// A depth that is enough.
    Depth {
        depth: f64,
        /// Random reads per second there.
        reads_per_s: f64,
        /// That over the best depth's.
        of_best: Option<Estimate>,
    },
    /// Random writes per second, each of this size.
    WritesPerSecond {
        /// `16KiB`.
        block: String,
        /// Writes per second.
        iops: Estimate,
    },
    /// What an engine wrote while it loaded and drained.
    WritesWhileLoading {
        /// Bytes per second, what flushes and compactions wrote again included.
        bytes_per_s: f64,
    },
    /// Buffers in which a second read found every page.
    Buffers {
        /// Buffers ÷ pages of the table, at least.
        headroom: f64,
        /// Pages of the tables.
        table_pages: Vec<u64>,
        /// Trials, in each of which it found all.
        trials: usize,
        /// Share of trials that could miss a page, at 95 %.
        share_missing_at_most: f64,
    },
    /// How many trials kept a limit of their syncs.
    Syncs(Syncs),
}

impl Statement {
    pub(crate) fn of_pair(pair: Compared) -> Self {
        Self::of_pairs(vec![pair])
    }

    pub(crate) fn of_pairs(pairs: Vec<Compared>) -> Self {
        Self::Compared { pairs, follows: None }
    }

    /// Pairs, and what follows from them.
    pub(crate) fn with(pairs: Vec<Compared>, follows: &'static str) -> Self {
        Self::Compared { pairs, follows: Some(follows) }
    }

    /// In words, without a full stop.
    pub fn text(&self) -> String {
        match self {
            Self::Compared { pairs, follows } => {
                let pairs = pairs.iter().map(Compared::text).collect::<Vec<_>>().join("; ");
                follows.map_or(pairs.clone(), |follows| format!("{pairs}: {follows}"))
            }
            Self::Keeps(clause) => (*clause).to_owned(),
            Self::SharedFlush { pair, alone_us } => shared_flush(pair, alone_us),
            Self::Assuming { what, ratio } => format!("{what}: {}", with_level(ratio)),
            Self::Depth { depth, reads_per_s, of_best } => {
                let near = of_best
                    .as_ref()
                    .map_or_else(String::new, |near| format!("; it gives {}", of_the_best(near)));
                format!("{depth} reads in flight are enough: {} IOPS{near}", round(*reads_per_s))
            }
            Self::WritesPerSecond { block, iops } => {
                format!("random writes of {block}: {} a second", with_interval(iops, Unit::Count))
            }
            Self::WritesWhileLoading { bytes_per_s } => format!(
                "{} a second are written while keys are loaded and compacted, without a limit",
                format_bytes_approximate(*bytes_per_s)
            ),
            Self::Buffers { headroom, table_pages, trials, share_missing_at_most } => {
                let sizes: Vec<String> = table_pages.iter().map(u64::to_string).collect();
                format!(
                    "with temp_buffers of {headroom} times the table, or more, a second read found every page in them, \
                     in each of {} with tables of {} pages; at most {} of trials could miss one (95 %)",
                    count(*trials, "trial"),
                    sizes.join(", "),
                    percent(*share_missing_at_most)
                )
            }
            Self::Syncs(found) => found.text(),
        }
    }
}

fn shared_flush(pair: &Compared, alone_us: &Estimate) -> String {
    format!(
        "{}: flushes delay commits; the manual's starting point is half of the {} that a single commit takes",
        pair.text(),
        with_interval(alone_us, Unit::Microseconds)
    )
}

/// `31.2× (30.1–32.4, 99.38 %)`.
fn with_level(estimate: &Estimate) -> String {
    match (estimate.interval, estimate.level) {
        (Some(interval), Some(level)) => {
            format!("{} ({}, {})", times(estimate), ratios(interval), exact_percent(level))
        }
        (_, _) => times(estimate),
    }
}

/// `0.970× of the best depth's IOPS (0.955–0.985, 99.4 %)`.
fn of_the_best(estimate: &Estimate) -> String {
    let proof = match (estimate.interval, estimate.level) {
        (Some(interval), Some(level)) => format!(" ({}, {})", ratios(interval), exact_percent(level)),
        (_, _) => String::new(),
    };
    format!("{} of the best depth's IOPS{proof}", times(estimate))
}
