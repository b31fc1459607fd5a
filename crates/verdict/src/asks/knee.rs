//! The smallest level that already gives nearly all there is.

use super::along::{Along, mean_over_cells};
use super::{Draft, Share, Topic, behind};
use crate::blocks::Block;
use crate::phrase::{self, level, limit, title};
use crate::verdict::{Answer, Estimate, Finding};
use model::metric::Better;
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
        Ok((better, along, block)) => {
            Draft { p: None, finish: Box::new(move |share| finding(topic, better, &along, &block, share)) }
        }
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
    finding.caveats.extend(block.left_out.iter().cloned());
    let confidence = simultaneous_level(0.95, share.asks);
    let responses = mean_over_cells(block);
    match knee(&along.numbers, &responses, better, KNEE_TOLERANCE, confidence) {
        Err(why) => finding.statement = format!("{factor}: {} has no knee: {why}.", title(topic.metric)),
        Ok(knee) => {
            finding.answer = Answer::Different;
            finding.level = Some(Estimate {
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
                    (label, crate::estimate::of_interval(&ratio.interval))
                })
                .collect();
            finding.statement = statement(topic, along, block, &knee, confidence);
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
const NO_INTERVAL: &str = "a knee is the first of the levels proven to be near the best";

fn statement(topic: Topic<'_>, along: &Along<'_>, block: &Block, knee: &Knee, confidence: f64) -> String {
    let metric = title(topic.metric);
    let behind = behind(block.rounds(), block.strips.len());
    let factor = &topic.ask.factor;
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
