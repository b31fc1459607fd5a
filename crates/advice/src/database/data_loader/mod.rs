//! Programs that read datasets: which block size, which hint to the page cache, and how many readers.
//!
//! Hints: posix_fadvise(2). If the dataset is larger than memory, each pass reads the disk again. The rule therefore
//! uses only those cells of the study that drop the cache before every pass. For an accelerator that waits for batches
//! the same follows from its utilization, with the batches that are read ahead of it as a fourth part.

mod arm;
mod matters;
mod readers;

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::compared::Compared;
use crate::comparison::Comparison;
use crate::effect::Standing;
use crate::evidence::Evidence;
use crate::level::listed;
use crate::measured_on::OfItself;
use crate::no_advice::{Command, Needs, NoAdvice};
use crate::rule::{Database, Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::signs::Signs;
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use arm::{Arm, Measured};
use settings::Syntax;

/// The share of error is for one pair, and every pair of the plan's combinations draws as much.
const COMPARISONS: usize = 1;

/// There is no accelerator.
pub(crate) const NO_ACCELERATOR: Cause = Cause::NoStudy("has readers that an accelerator waits for");
const NO_ARM: Cause = Cause::NoStudy("compares block sizes, hints and readers");
/// There is one arm only.
pub(crate) const NO_SECOND_ARM: Cause =
    Cause::NoStudy("has a second block size, hint or number of readers to compare with");

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
    // One value of three parts: what a block size gains depends on the hint and on the readers, so no ratio belongs to
    // one of them. The best arm is not known in advance, so every pair has its share.
    Rule {
        facts: Facts::new(
            "block_size, page_cache, concurrency",
            ValueKind::Relative,
            DefaultValue::None(
                "every program has its own block size and readers, and without a hint the kernel chooses the readahead",
            ),
            TakesEffect::AtOpenOfFile,
            "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
        ),
        source: Some(Source::study("scan-grid", 1)),
        comparisons: COMPARISONS,
        decide: Decide::Study(fastest),
    },
    // The same for readers that are fast enough if their accelerator does not wait.
    Rule {
        facts: Facts::new(
            "block_size, page_cache, concurrency, prefetch",
            ValueKind::Relative,
            DefaultValue::None("every loader has its own workers, and reads as far ahead as it is set to"),
            TakesEffect::AtOpenOfFile,
            "https://docs.pytorch.org/docs/stable/data.html",
        ),
        // It takes minutes, and not every loader feeds an accelerator: a run has it if the user asked for it.
        source: None,
        comparisons: COMPARISONS,
        decide: Decide::Study(enough_for_accelerator),
    },
];

/// Seconds that `loader-files` takes about, in its usual profile.
const ACCELERATOR_S: f64 = 120.0;

const fn pairs(arms: usize) -> usize {
    arms * arms.saturating_sub(1) / 2
}

/// The arm of readers that are as fast as they can be.
fn fastest(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let measured = Measured::as_fast_as_possible(evidence)?;
    best(&evidence.sharing(COMPARISONS, pairs(measured.arms.len())), &measured)
}

/// The arm of readers that an accelerator waits for.
fn enough_for_accelerator(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let needs = || Some(Needs::new(Command::Run { study: "loader-files".to_owned() }, Some(ACCELERATOR_S)));
    let none = || NoAdvice { needs: needs(), ..NoAdvice::not_measured(NO_ACCELERATOR) };
    let measured = Measured::for_accelerator(evidence).unwrap_or_else(|| Err(none()))?;
    let evidence =
        evidence.sharing(COMPARISONS, pairs(measured.arms.len()) + matters::comparisons(&measured));
    let mut weighed = best(&evidence, &measured)?;
    weighed.caveats.extend(matters::caveat(&evidence, &measured));
    Ok(weighed)
}

/// An arm that no other arm beats by more than 5 % and whose parts no finding about it proves slower. If several are,
/// it is the fastest of those with the fewest readers, which read the fewest batches ahead.
fn best(evidence: &Evidence<'_>, measured: &Measured) -> Result<Weighed, NoAdvice> {
    let Some(fastest) = measured.arms.first() else {
        return Err(NoAdvice::not_measured(NO_ARM));
    };
    if measured.arms.len() < 2 {
        return Err(NoAdvice::not_measured(NO_SECOND_ARM));
    }
    require_grid(evidence, measured, fastest)?;
    let (mut fit, mut refused) = (Vec::new(), None);
    for arm in &measured.arms {
        match over_others(evidence, measured, arm) {
            Ok(compared) => fit.push((arm, compared)),
            Err(none) => drop(refused.get_or_insert(none)),
        }
    }
    // The fastest comes first, and stays before those with as many readers.
    fit.sort_by_key(|(arm, _)| (arm.readers, arm.prefetch));
    let Some((arm, compared)) = fit.first() else {
        return Err(refused.unwrap_or_else(|| NoAdvice::not_measured(NO_ARM)));
    };
    let mut weighed = weighed(measured, arm, compared);
    weighed.caveats.extend(readers::caveat(evidence, measured, arm)?);
    Ok(weighed)
}

type OverOther<'a> = (&'a Arm, Comparison);

/// An arm against every other, if none is more than 5 % faster and no finding about it proves a part of it slower than
/// another level.
fn over_others<'a>(
    evidence: &Evidence<'_>,
    measured: &'a Measured,
    arm: &Arm,
) -> Result<Vec<OverOther<'a>>, NoAdvice> {
    let mut compared: Vec<OverOther<'a>> = Vec::new();
    for other in measured.arms.iter().filter(|other| other.levels() != arm.levels()) {
        let contrast = measured.over(evidence, arm, other)?;
        let slowest = contrast.ratio.interval.map_or(0.0, |(low, _)| low);
        if slowest < 1.0 / stats::EQUIVALENCE_MARGIN {
            let pair = contrast.pair(measured.name(arm), measured.name(other));
            return Err(NoAdvice { needs: contrast.needs, ..NoAdvice::undecided(Cause::MayBeSlower(pair)) });
        }
        compared.push((other, contrast));
    }
    for (_, contrast) in &compared {
        evidence.require_not_proven_lower(contrast, &arm.levels())?;
    }
    // The first one stands for all: what is proven comes before what is only not slower.
    compared.sort_by_key(|(_, contrast)| contrast.outcome != Standing::Better);
    Ok(compared)
}

fn weighed(measured: &Measured, best: &Arm, compared: &[OverOther<'_>]) -> Weighed {
    let pair = |(other, contrast): &OverOther<'_>| Compared {
        is_close: match contrast.outcome {
            Standing::Equal | Standing::Open => true,
            Standing::Better | Standing::Worse => false,
        },
        ..contrast.pair(measured.name(best), measured.name(other))
    };
    let words = measured.words(best);
    let choose = Choose::Said { words: words.clone(), estimate: None };
    let effects = compared.iter().map(|(other, contrast)| contrast.effect(&words, &measured.words(other)));
    Weighed {
        effects: effects.collect(),
        grounds: compared.iter().map(|(_, contrast)| contrast.ground.clone()).collect(),
        caveats: measured.notes().into_iter().map(Caveat::Note).collect(),
        ..Weighed::new(choose, Statement::of_pairs(compared.iter().map(pair).collect()))
    }
}

/// Refuses a best arm if a combination that differs from it in one part may be better and was not measured, unless that
/// part is proven worse where both were measured.
fn require_grid(evidence: &Evidence<'_>, measured: &Measured, best: &Arm) -> Result<(), NoAdvice> {
    let arms = &measured.arms;
    for arm in arms {
        // The partner differs from this arm in the one part in which the combination differs from the best.
        for (combination, partner) in best.each_with_part_of(arm).iter().zip(arm.each_with_part_of(best)) {
            if combination.is_measured(arms) {
                continue;
            }
            let is_worse = partner.is_measured(arms)
                && measured.over(evidence, arm, &partner)?.outcome == Standing::Worse;
            if !is_worse {
                let held = listed(&combination.levels());
                return Err(NoAdvice::not_measured(Cause::NoCells { workload: "scan".to_owned(), held }));
            }
        }
    }
    Ok(())
}
