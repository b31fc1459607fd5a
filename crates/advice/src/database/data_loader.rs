//! Programs that read datasets: which block size, and which hint to the page cache.
//!
//! Hints: posix_fadvise(2). If the dataset is larger than memory, each pass reads the disk again. The rule therefore
//! uses only those cells of the study that drop the cache before every pass.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::compared::Compared;
use crate::comparison::Comparison;
use crate::effect::Standing;
use crate::evidence::{Arms, Evidence};
use crate::level::{Level, listed, on_host};
use crate::measured_on::OfItself;
use crate::no_advice::NoAdvice;
use crate::rule::{Database, Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::units::format_bytes;
use settings::Syntax;
use workload::scan::{PARAMETERS as SCAN, PageCache, PassCache};

const BANDWIDTH: &str = "bandwidth_bytes_per_s";
/// The share of error is for one pair, and every pair of the plan's combinations draws as much.
const COMPARISONS: usize = 1;

const NO_READERS: Cause = Cause::NoStudy("compares block sizes and hints");
/// There is one reader only.
pub(crate) const NO_SECOND_READER: Cause = Cause::NoStudy("has a second block size or hint to compare with");

pub(super) const DATABASE: Database = Database {
    name: "Data loaders",
    program: "data loaders",
    id: "data-loader",
    aliases: &["dataloader", "data_loader", "pytorch"],
    fragment: "data-loader.txt",
    syntax: Syntax::Text,
    names: None,
    families: &[RULES],
    // The study's readers read as a loader does.
    of_itself: &[OfItself { workload: "scan", held: Vec::new }],
    hazards: &[],
    signs: Signs::NONE,
};

const RULES: &[Rule] = &[
    // One value of two parts: what a block size gains depends on the hint, so no ratio belongs to one of them. The best
    // arm is not known in advance, so every pair has its share.
    Rule {
        facts: Facts::new(
            "block_size, page_cache",
            ValueKind::Relative,
            DefaultValue::None(
                "every program has its own block size, and without a hint the kernel chooses the readahead",
            ),
            TakesEffect::AtOpenOfFile,
            "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
        ),
        source: Some(Source::study("scan", 1)),
        comparisons: COMPARISONS,
        decide: Decide::Study(best),
    },
];

const fn pairs(arms: usize) -> usize {
    arms * (arms - 1) / 2
}

/// An arm of the study: a block size and a hint.
#[derive(Clone, Copy)]
struct Arm {
    bandwidth: f64,
    block_size: u64,
    page_cache: PageCache,
}

impl Arm {
    fn levels(&self) -> [Level; 2] {
        [SCAN.block_size.at(self.block_size), SCAN.page_cache.at(self.page_cache)]
    }

    /// Both parts of the value.
    fn words(&self) -> String {
        format!("{}, {}", self.size(), self.page_cache)
    }

    fn name(&self) -> String {
        format!("{}, hint {}", self.size(), self.page_cache)
    }

    fn size(&self) -> String {
        if self.block_size == 0 { "whole files".to_owned() } else { format_bytes(self.block_size) }
    }
}

/// The arm with the highest bandwidth, if no other arm is more than 5 % faster. If several arms are, it is the fastest
/// one whose parts no finding proves slower.
fn best(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let mut arms = arms(evidence)?;
    arms.sort_by(|a, b| b.bandwidth.total_cmp(&a.bandwidth));
    let Some(fastest) = arms.first() else {
        return Err(NoAdvice::not_measured(NO_READERS));
    };
    if arms.len() < 2 {
        return Err(NoAdvice::not_measured(NO_SECOND_READER));
    }
    let evidence = evidence.sharing(COMPARISONS, pairs(arms.len()));
    require_grid(&evidence, &arms, fastest)?;
    let mut refused = None;
    for arm in &arms {
        match over_others(&evidence, &arms, arm) {
            Ok(compared) => return Ok(weighed(arm, &compared)),
            Err(none) => drop(refused.get_or_insert(none)),
        }
    }
    Err(refused.unwrap_or_else(|| NoAdvice::not_measured(NO_READERS)))
}

type OverOther<'a> = (&'a Arm, Comparison);

/// An arm against every other, if none is more than 5 % faster and no finding proves a part of it slower than another
/// level.
fn over_others<'a>(
    evidence: &Evidence<'_>,
    arms: &'a [Arm],
    arm: &Arm,
) -> Result<Vec<OverOther<'a>>, NoAdvice> {
    let mut compared: Vec<OverOther<'a>> = Vec::new();
    for other in arms.iter().filter(|other| other.levels() != arm.levels()) {
        let contrast = contrast(evidence, arm, other)?;
        let slowest = contrast.ratio.interval.map_or(0.0, |(low, _)| low);
        if slowest < 1.0 / stats::EQUIVALENCE_MARGIN {
            let pair = contrast.pair(arm.name(), other.name());
            return Err(NoAdvice { needs: contrast.needs, ..NoAdvice::undecided(Cause::MayBeSlower(pair)) });
        }
        compared.push((other, contrast));
    }
    for (_, contrast) in &compared {
        for level in arm.levels() {
            evidence.require_not_proven_lower(contrast, &level)?;
        }
    }
    // The first one stands for all: what is proven comes before what is only not slower.
    compared.sort_by_key(|(_, contrast)| contrast.outcome != Standing::Better);
    Ok(compared)
}

fn weighed(best: &Arm, compared: &[OverOther<'_>]) -> Weighed {
    let pair = |(other, contrast): &OverOther<'_>| Compared {
        is_close: match contrast.outcome {
            Standing::Equal | Standing::Open => true,
            Standing::Better | Standing::Worse => false,
        },
        ..contrast.pair(best.name(), other.name())
    };
    let words = best.words();
    let choose = Choose::Said { words: words.clone(), estimate: None };
    Weighed {
        effects: compared.iter().map(|(other, contrast)| contrast.effect(&words, &other.words())).collect(),
        grounds: compared.iter().map(|(_, contrast)| contrast.ground.clone()).collect(),
        caveats: vec![Caveat::Note(
            "This holds for data that is read from the disk in every pass, because it does not fit into memory, and \
             for this device's latency and read_ahead_kb: a hint acts through the readahead.",
        )],
        ..Weighed::new(choose, Statement::of_pairs(compared.iter().map(pair).collect()))
    }
}

fn held() -> [Level; 2] {
    [SCAN.cache.at(PassCache::ColdEachPass), on_host()]
}

/// Each block size with each hint that was measured, once. In a study with further factors an arm has several cells,
/// and a comparison averages over them.
fn arms(evidence: &Evidence<'_>) -> Result<Vec<Arm>, NoAdvice> {
    let found = evidence.cells("scan", &held())?;
    let mut arms: Vec<Arm> = Vec::new();
    for cell in &found.cells {
        let figure = evidence.figure(&found, cell, BANDWIDTH);
        let bandwidth = figure.ok().and_then(|figure| figure.mean.point).unwrap_or(0.0);
        let values = &found.plan.configurations[cell.configuration];
        let levels = SCAN.block_size.of(values).zip(SCAN.page_cache.of(values));
        let Some((block_size, page_cache)) = levels else { continue };
        let arm = Arm { bandwidth, block_size, page_cache };
        match arms.iter_mut().find(|known| known.levels() == arm.levels()) {
            Some(known) => known.bandwidth = known.bandwidth.max(arm.bandwidth),
            None => arms.push(arm),
        }
    }
    Ok(arms)
}

fn contrast(evidence: &Evidence<'_>, ours: &Arm, theirs: &Arm) -> Result<Comparison, NoAdvice> {
    let (ours, theirs) = (ours.levels(), theirs.levels());
    let arms = Arms { workload: "scan", held: &held(), base: &theirs, other: &ours, across_classes: false };
    evidence.contrast(arms, BANDWIDTH)
}

/// Refuses a best arm if a combination of a measured size and a measured hint may be better and was not measured:
/// another size with the best hint, or the best size with another hint, unless it is proven worse where both were
/// measured.
fn require_grid(evidence: &Evidence<'_>, arms: &[Arm], best: &Arm) -> Result<(), NoAdvice> {
    for arm in arms {
        let with_best_hint = Arm { page_cache: best.page_cache, ..*arm };
        let with_best_size = Arm { block_size: best.block_size, ..*arm };
        for (combination, partner) in [(&with_best_hint, &with_best_size), (&with_best_size, &with_best_hint)]
        {
            let is_measured = |wanted: &Arm| arms.iter().any(|known| known.levels() == wanted.levels());
            if is_measured(combination) {
                continue;
            }
            // The partner differs from this arm in the one level in which the combination differs from the best.
            let is_worse =
                is_measured(partner) && contrast(evidence, arm, partner)?.outcome == Standing::Worse;
            if !is_worse {
                let held = listed(&combination.levels());
                return Err(NoAdvice::not_measured(Cause::NoCells { workload: "scan".to_owned(), held }));
            }
        }
    }
    Ok(())
}
