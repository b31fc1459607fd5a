//! The smallest level that already gives nearly all there is: from it on, up to the best, every one is proven to.
//!
//! "Enough" is a proof of nearness, like "equivalent" of a comparison, so the A/A noise floor does not take it away. "Only
//! the best level is enough" says that the others are worse: while a smaller level lies inside the floor of the best, that
//! is undecided. Where a knee is found, smaller levels inside the floor are named as not told apart from the best.

use super::along::{Along, mean_over_cells};
use super::outlook::Outlook;
use super::{Draft, Share, Topic, behind};
use crate::blocks::Block;
use crate::estimate;
use crate::noise::Floor;
use crate::phrase::{self, level, limit, ratio, title};
use crate::verdict::{Answer, Estimate, Finding};
use model::metric::Better;
use stats::contrast::log_ratios;
use stats::family::simultaneous_level;
use stats::knee::{KNEE_TOLERANCE, Knee, knee};

/// One draft.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let factor = &topic.ask.factor;
    let found = direction(topic.metric).and_then(|better| {
        let along = Along::of(topic)?;
        let block = along.block(topic)?;
        Ok((better, along, block))
    });
    let draft = match found {
        Err(why) => Draft::settled(topic, factor, &why),
        Ok((better, along, block)) => Draft {
            p: None,
            rests_on: block.configurations(),
            finish: Box::new(move |share| finding(topic, better, &along, &block, share)),
        },
    };
    vec![draft]
}

/// Which way a metric is better, as the statistics need it.
pub(super) fn direction(metric: &str) -> Result<stats::Better, String> {
    match phrase::better(metric) {
        Better::Higher => Ok(stats::Better::Higher),
        Better::Lower => Ok(stats::Better::Lower),
        Better::Neither => {
            Err(format!("{} explains and is not judged: no level of it is best", title(metric)))
        }
    }
}

fn finding(
    topic: Topic<'_>,
    better: stats::Better,
    along: &Along<'_>,
    block: &Block,
    share: Share,
) -> Finding {
    let factor = &topic.ask.factor;
    let mut finding = topic.blank(&format!("{factor} {}", along.range()));
    finding.trials = block.trials();
    finding.caveats.extend(along.left_out.iter().cloned());
    finding.caveats.extend(block.left_out.iter().cloned());
    let floor = topic.inquiry.noise.of_metric(topic.metric);
    finding.caveats.extend(floor.caveat());
    let confidence = simultaneous_level(share.level, share.asks);
    let responses = mean_over_cells(block);
    match knee(&along.numbers, &responses, better, KNEE_TOLERANCE, confidence) {
        Err(why) => finding.statement = format!("{factor}: {} has no knee: {why}.", title(topic.metric)),
        Ok(knee) => {
            let untold = untold(&knee, along, &floor);
            let is_decided = knee.column < knee.peak_column || untold.is_empty();
            let outlook = Outlook::of_rounds(
                knee.rounds_to_lower(KNEE_TOLERANCE, confidence),
                Some(floor.ratio()).filter(|ratio| *ratio > 1.0),
            );
            if is_decided {
                finding.answer = Answer::Different;
            } else {
                outlook.leaves_open(&mut finding, block.rounds());
            }
            finding.level = is_decided.then(|| Estimate {
                point: Some(knee.level),
                interval: None,
                level: None,
                reason: Some(NO_INTERVAL.to_owned()),
            });
            finding.by_cell = knee
                .relative
                .iter()
                .enumerate()
                .map(|(column, ratio)| {
                    let label = format!("{factor}={}", along.text(column));
                    (label, estimate::of_interval(&ratio.interval))
                })
                .collect();
            finding.statement = statement(
                topic,
                along,
                block,
                &knee,
                if is_decided { Ok(()) } else { Err(outlook) },
                confidence,
            );
            finding.caveats.extend(noise_caveats(factor, &untold, &floor));
            finding.caveats.extend(cells_caveat(topic, along, block, &knee, better).filter(|_| is_decided));
            if knee.peak_at_edge {
                finding.caveats.push(format!(
                    "The best level, {factor} = {}, is the last of the range: it may go on improving beyond.",
                    along.text(knee.peak_column)
                ));
            }
        }
    }
    finding
}

/// The knee is one of the levels that were run; what has an interval is each level's distance from the best.
const NO_INTERVAL: &str = "a knee is one of the levels that were run";

/// Smaller levels than the knee that lie inside the floor of the best.
fn untold(knee: &Knee, along: &Along<'_>, floor: &Floor) -> Vec<String> {
    let below = knee.relative.iter().enumerate().take(knee.column);
    let inside = below.filter(|(_, ratio)| floor.contains(ratio.interval.estimate));
    inside.map(|(column, _)| along.text(column)).collect()
}

fn noise_caveats(factor: &str, untold: &[String], floor: &Floor) -> Vec<String> {
    let inside = (!untold.is_empty()).then(|| {
        format!(
            "Inside the {} of the best level, so neither proven to be enough nor too little: {factor} = {}.",
            floor.words(),
            untold.join(", ")
        )
    });
    let wide = (floor.ratio() * (1.0 - KNEE_TOLERANCE) > 1.0).then(|| {
        format!(
            "The {} is wider than the {} that counts as near the best: identical levels may differ by more.",
            floor.words(),
            limit(KNEE_TOLERANCE)
        )
    });
    inside.into_iter().chain(wide).collect()
}

/// Cells in which the level that is enough on average gives clearly less than the best one: no proof, and worth a look.
fn cells_caveat(
    topic: Topic<'_>,
    along: &Along<'_>,
    block: &Block,
    knee: &Knee,
    better: stats::Better,
) -> Option<String> {
    if block.strips.len() < 2 || knee.column == knee.peak_column {
        return None;
    }
    let goodness = |cell: usize| {
        let rounds = block.cell(cell);
        let pairs =
            rounds.iter().filter_map(|row| Some((*row.get(knee.peak_column)?, *row.get(knee.column)?)));
        let logs = log_ratios(&pairs.collect::<Vec<_>>()).ok()?;
        let ratio = estimate::ratio_point(&logs)?;
        Some(match better {
            stats::Better::Higher => ratio,
            stats::Better::Lower => 1.0 / ratio,
        })
    };
    let short = block.strips.iter().enumerate().filter_map(|(cell, strip)| {
        let goodness = goodness(cell).filter(|goodness| *goodness < 1.0 - KNEE_TOLERANCE)?;
        Some(format!("{} of it in {}", ratio(goodness), strip.label))
    });
    let short: Vec<String> = short.collect();
    (!short.is_empty()).then(|| {
        format!(
            "That is so on average over the cells; {} = {} came to less of the best level in some: {}.",
            topic.ask.factor,
            along.text(knee.column),
            short.join(", ")
        )
    })
}

fn statement(
    topic: Topic<'_>,
    along: &Along<'_>,
    block: &Block,
    knee: &Knee,
    decided: Result<(), Outlook>,
    confidence: f64,
) -> String {
    let metric = title(topic.metric);
    let behind = behind(block.rounds(), block.strips.len());
    let factor = &topic.ask.factor;
    if let Err(outlook) = decided {
        return format!(
            "Whether less than {factor} = {} is enough for {metric} is undecided: no smaller level is proven to come \
             within {} of it, and not all are told apart from it ({} level, {behind}); {}.",
            along.text(knee.peak_column),
            limit(KNEE_TOLERANCE),
            level(confidence),
            outlook.clause()
        );
    }
    if knee.column == knee.peak_column {
        return format!(
            "{factor} = {} is best for {metric}, and no smaller level is proven to come within {} of it ({} level, \
             {behind}).",
            along.text(knee.peak_column),
            limit(KNEE_TOLERANCE),
            level(confidence)
        );
    }
    format!(
        "{factor} = {} is enough for {metric}: within {} of the best level, {} ({} level, {behind}).",
        along.text(knee.column),
        limit(KNEE_TOLERANCE),
        along.text(knee.peak_column),
        level(confidence)
    )
}
