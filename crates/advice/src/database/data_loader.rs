//! Programs that read datasets: which block size, and which hint to the page cache.
//!
//! Hints: posix_fadvise(2). If the dataset is larger than memory, each pass reads the disk again. The rule therefore uses
//! only those cells of the study that drop the cache before every pass.

use crate::cause::{Cause, Missing};
use crate::caveat::Caveat;
use crate::comparison::{Comparison, Outcome};
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, text};
use crate::measured_on::OfItself;
use crate::no_advice::NoAdvice;
use crate::rule::{Database, Decide, Rule};
use crate::setting::{DefaultValue, Facts, Kind, Syntax, TakesEffect};
use crate::source::Source;
use crate::statement::{self, Compared, Statement};
use crate::weighed::{Choose, Weighed};

const BANDWIDTH: &str = "bandwidth_bytes_per_s";
/// Pairs of the study `scan`'s six combinations of block size and hint; a study with more divides the same share of error.
const COMPARISONS: usize = pairs(6);

pub(super) const DATABASE: Database = Database {
    name: "Data loaders",
    id: "data-loader",
    fragment: "data-loader.txt",
    syntax: Syntax::Text,
    families: &[RULES],
    // The study's readers read as a loader does.
    of_itself: &[OfItself { workload: "scan", held: &[] }],
    hazards: &[],
};

const RULES: &[Rule] = &[
    // The best arm is not known in advance, so every pair has its share.
    Rule {
        facts: Facts::new(
            "block_size",
            Kind::Relative,
            DefaultValue::None("every program has its own"),
            TakesEffect::AtOpen,
            "https://man7.org/linux/man-pages/man2/read.2.html",
        ),
        source: Some(Source::study("scan", 1)),
        comparisons: COMPARISONS,
        decide: Decide::Study(|evidence| best(evidence, "block_size")),
    },
    Rule {
        facts: Facts::new(
            "page_cache",
            Kind::Relative,
            DefaultValue::None("without a hint the kernel chooses the readahead"),
            TakesEffect::AtOpen,
            "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
        ),
        source: Some(Source::study("scan", 1)),
        comparisons: 0,
        decide: Decide::Study(|evidence| best(evidence, "page_cache")),
    },
];

const fn pairs(arms: usize) -> usize {
    arms * (arms - 1) / 2
}

/// An arm of the study: a block size and a hint.
struct Arm {
    bandwidth: f64,
    block_size: String,
    page_cache: String,
}

impl Arm {
    fn levels(&self) -> [Level<'_>; 2] {
        [("block_size", &self.block_size), ("page_cache", &self.page_cache)]
    }

    fn name(&self) -> statement::Arm {
        statement::Arm::Reader { block_size: self.block_size.clone(), hint: self.page_cache.clone() }
    }
}

/// The arm with the highest bandwidth, if no other arm is more than 5 % faster.
fn best(evidence: &Evidence<'_>, setting: &str) -> Result<Weighed, NoAdvice> {
    let held: &[Level<'_>] = &[("cache", "cold_each_pass"), ("filesystem", "host")];
    let found = evidence.cells("scan", held)?;
    let arm = |cell| {
        let figure = evidence.figure(&found, cell, BANDWIDTH);
        let bandwidth = figure.ok().and_then(|figure| figure.mean.point).unwrap_or(0.0);
        let values = &found.plan.configurations[cell.configuration];
        let (block_size, page_cache) = (text(values, "block_size")?, text(values, "page_cache")?);
        Some(Arm { bandwidth, block_size, page_cache })
    };
    let arms: Vec<Arm> = found.cells.iter().copied().filter_map(arm).collect();
    let Some(best) = arms.iter().max_by(|a, b| a.bandwidth.total_cmp(&b.bandwidth)) else {
        return Err(NoAdvice::not_measured(Cause::Missing(Missing::BlocksAndHints)));
    };
    let mut others: Vec<&Arm> = Vec::new();
    for arm in &arms {
        // In a study with further factors an arm has several cells, and a comparison averages over them.
        if [best].iter().chain(&others).all(|known| known.levels() != arm.levels()) {
            others.push(arm);
        }
    }
    if others.is_empty() {
        return Err(NoAdvice::not_measured(Cause::Missing(Missing::SecondReader)));
    }
    let evidence = evidence.sharing(COMPARISONS, pairs(others.len() + 1));
    let mut compared: Vec<(&Arm, Comparison)> = Vec::new();
    for other in others {
        let (base, ours) = (other.levels(), best.levels());
        let arms = Arms { workload: "scan", held, base: &base, other: &ours, across_classes: false };
        let contrast = evidence.contrast(arms, BANDWIDTH)?;
        let slowest = contrast.ratio.interval.map_or(0.0, |(low, _)| low);
        if slowest < 1.0 / stats::EQUIVALENCE_MARGIN {
            let pair = contrast.pair(best.name(), other.name());
            return Err(NoAdvice { needs: contrast.needs, ..NoAdvice::undecided(Cause::MayBeSlower(pair)) });
        }
        compared.push((other, contrast));
    }
    let level = |arm: &Arm| match (setting, arm.block_size.as_str()) {
        ("block_size", "0B") => "whole files".to_owned(),
        ("block_size", size) => size.to_owned(),
        _ => arm.page_cache.clone(),
    };
    let differing = compared.iter().filter(|(other, _)| level(other) != level(best));
    let pair = |(other, contrast): &(&Arm, Comparison)| Compared {
        is_close: match contrast.outcome {
            Outcome::Equal | Outcome::Undecided => true,
            Outcome::Better | Outcome::Worse => false,
        },
        ..contrast.pair(best.name(), other.name())
    };
    let words = level(best);
    let effects = differing.map(|(other, contrast)| contrast.effect(&words, &level(other))).collect();
    let choose = Choose::Said { words, estimate: None };
    Ok(Weighed {
        effects,
        grounds: compared.iter().map(|(_, contrast)| contrast.ground.clone()).collect(),
        caveats: vec![Caveat::Note(
            "Block size and hint were measured in these pairs only: set both, not one of them. This holds for \
             data that is read from the disk in every pass, because it does not fit into memory.",
        )],
        ..Weighed::new(choose, Statement::of_pairs(compared.iter().map(pair).collect()))
    })
}
