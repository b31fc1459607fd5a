//! How far a factor may go before a metric passes its limit: the largest level that keeps a latency, the smallest that
//! gives a rate. Where there are cells of other factors, every one of them has to: an average keeps what some of them
//! break.
//!
//! The A/A noise floor bounds what may be claimed of the ratio of two arms. A limit is no arm: each level is proven by the
//! interval of its own mean, which holds the same scatter already. So the floor takes no level away; where a level that
//! the answer rests on lies closer to the limit than the floor, the finding says so.

use super::along::Along;
use super::knee::direction;
use super::outlook::Outlook;
use super::{Draft, Share, Topic, behind, level_name};
use crate::arms::{self, Others, Strip};
use crate::blocks::{self, Block};
use crate::phrase::{self, count, figure, level, percent, title};
use crate::verdict::{Answer, Estimate, Finding};
use model::Value;
use stats::family::simultaneous_level;
use stats::threshold::{Extreme, Limit, Threshold, Verdict, in_every_cell};
use stats::{Count, sample};

/// One draft, or one for each level of another factor.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let Some(each) = topic.ask.each.as_deref() else { return vec![draft(topic, None)] };
    match topic.plan().factor(each) {
        None => vec![Draft::settled(topic, &topic.ask.factor, &format!("{each} is no factor of this study"))],
        Some(factor) => factor.levels.iter().map(|level| draft(topic, Some((each, level)))).collect(),
    }
}

fn draft<'a>(topic: Topic<'a>, at: Option<(&'a str, &'a Value)>) -> Draft<'a> {
    let found = limit(topic).and_then(|(limit, extreme)| {
        let along = Along::of(topic)?;
        let strips = strips(topic, &along, at);
        // What is compared with a limit may be zero: no ratio of it is taken.
        let block = blocks::with_zeros(topic.inquiry.observations, strips, topic.metric)?;
        Ok(Search {
            topic,
            at: at.map(|(each, level)| level_name(each, level)),
            limit,
            extreme,
            along,
            block,
        })
    });
    match found {
        Err(why) => {
            let factor = &topic.ask.factor;
            let subject = at.map_or_else(|| factor.clone(), |(each, level)| level_name(each, level));
            Draft::settled(topic, &subject, &why)
        }
        Ok(search) => Draft {
            p: None,
            rests_on: search.block.configurations(),
            finish: Box::new(move |share| search.finding(share)),
        },
    }
}

/// The cells that an answer is from: all of them, or at one level of the other factor those at the baseline.
fn strips<'a>(topic: Topic<'a>, along: &Along<'a>, at: Option<(&'a str, &'a Value)>) -> Vec<Strip> {
    match at {
        None => arms::strips(topic.plan(), &[along.axis(topic)], Others::All),
        Some((each, level)) => {
            let axes = [(each, vec![level]), along.axis(topic)];
            arms::strips(topic.plan(), &axes, Others::AtBaseline)
        }
    }
}

fn limit(topic: Topic<'_>) -> Result<(Limit, Extreme), String> {
    let limit = topic.ask.limit.ok_or("it names no limit")?;
    Ok(match direction(topic.metric)? {
        stats::Better::Lower => (Limit::AtMost(limit), Extreme::Largest),
        stats::Better::Higher => (Limit::AtLeast(limit), Extreme::Smallest),
    })
}

struct Search<'a> {
    topic: Topic<'a>,
    /// The other factor's level, where it is told for each.
    at: Option<String>,
    limit: Limit,
    extreme: Extreme,
    along: Along<'a>,
    block: Block,
}

impl Search<'_> {
    fn finding(&self, share: Share) -> Finding {
        let factor = &self.topic.ask.factor;
        let at = self.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
        let mut finding = self.topic.blank(&format!("{factor} {}{at}", self.along.range()));
        finding.trials = self.block.trials();
        finding.mechanism.extend(self.mechanism());
        finding.caveats.extend(self.along.left_out.iter().cloned());
        finding.caveats.extend(self.block.left_out.iter().cloned());
        finding.caveats.extend(self.topic.inquiry.noise.of_metric(self.topic.metric).caveat());
        // Every level is judged, so every level takes its share of the error.
        let confidence = simultaneous_level(share.level, share.asks.saturating_mul(self.along.levels.len()));
        let cells: Vec<Vec<Vec<f64>>> =
            (0..self.block.strips.len()).map(|cell| self.block.cell(cell)).collect();
        let cells: Vec<&[Vec<f64>]> = cells.iter().map(Vec::as_slice).collect();
        match in_every_cell(&cells, self.limit, self.extreme, confidence) {
            Err(why) => {
                finding.statement = format!(
                    "{factor}: whether {} keeps its limit cannot be told: {why}.",
                    title(self.topic.metric)
                );
            }
            Ok(found) => self.decided(&mut finding, &found, confidence),
        }
        if let Some(at) = &self.at {
            finding.statement = format!("At {at}: {}", finding.statement);
        }
        finding
    }

    /// What tells why, level by level: means over rounds and cells.
    fn mechanism(&self) -> Option<String> {
        let metric = self.topic.ask.mechanism.as_deref()?;
        let observations = self.topic.inquiry.observations;
        let block = blocks::with_zeros(observations, self.block.strips.clone(), metric).ok()?;
        let of_level = |level: usize| {
            let values = block.values.iter().flatten().filter_map(|cell| cell.get(level).copied());
            let mean = sample::mean(&values.collect::<Vec<f64>>())?;
            Some(format!("{} at {}", figure(metric, mean), self.along.text(level)))
        };
        let levels: Vec<String> = (0..self.along.levels.len()).filter_map(of_level).collect();
        let factor = &self.topic.ask.factor;
        (!levels.is_empty()).then(|| format!("{} by {factor}: {}", title(metric), levels.join(", ")))
    }

    fn decided(&self, finding: &mut Finding, found: &Threshold, confidence: f64) {
        let factor = &self.topic.ask.factor;
        let metric = title(self.topic.metric);
        let (relation, bound) = match self.limit {
            Limit::AtMost(bound) => ("at most", bound),
            Limit::AtLeast(bound) => ("at least", bound),
        };
        let everywhere = if self.block.strips.len() > 1 { " in every cell" } else { "" };
        let limit = format!("{metric} of {relation} {}{everywhere}", figure(self.topic.metric, bound));
        let extreme = match self.extreme {
            Extreme::Smallest => "smallest",
            Extreme::Largest => "largest",
        };
        let behind =
            format!("{} level, {}", level(confidence), behind(self.block.rounds(), self.block.strips.len()));
        if let Some(column) = found.column {
            finding.caveats.extend(self.noise_caveat(found, &[column], bound));
            finding.answer = Answer::Different;
            finding.level = Some(Estimate {
                point: self.along.numbers.get(column).copied(),
                interval: None,
                level: None,
                reason: Some("a threshold is one of the levels that were run".to_owned()),
            });
            let at = self.along.text(column);
            finding.statement = match found.verdicts.get(column) {
                Some(Verdict::KeptByAll) => format!(
                    "{factor} = {at} is the {extreme} level that kept {limit} {}.",
                    self.in_all_trials("break")
                ),
                Some(Verdict::Keeps | Verdict::Breaks | Verdict::BrokenByAll | Verdict::Undecided) | None => {
                    format!(
                        "{factor} = {at} is the {extreme} level that is proven to keep {limit} ({behind})."
                    )
                }
            };
            if found.gaps {
                finding.caveats.push(
                    "Levels on the way there are not proven to keep the limit: it is a level that works, not a border."
                        .to_owned(),
                );
            }
        } else if found.verdicts.iter().all(|verdict| verdict.breaks()) {
            let all: Vec<usize> = (0..found.verdicts.len()).collect();
            finding.caveats.extend(self.noise_caveat(found, &all, bound));
            finding.answer = Answer::Different;
            let counted = found.verdicts.contains(&Verdict::BrokenByAll);
            let counted =
                if counted { format!(", some {}", self.in_all_trials("keep")) } else { String::new() };
            finding.statement = format!(
                "No level of {factor} from {} keeps {limit}: all break it{counted} ({behind}).",
                self.along.range()
            );
        } else {
            let outlook = Outlook::of_rounds(found.rounds_needed, None);
            outlook.leaves_open(finding, self.block.rounds());
            finding.statement = format!(
                "No level of {factor} from {} is proven to keep {limit}, and not all are proven to break it ({behind}); {}.",
                self.along.range(),
                outlook.clause()
            );
        }
    }

    /// `in all 6 trials; at most 39.3 % could break it (95 %)`: what equal outcomes say, which have no interval.
    fn in_all_trials(&self, otherwise: &str) -> String {
        const LEVEL: f64 = 0.95;
        let n = self.block.rounds();
        let of_each = if self.block.strips.len() > 1 { " of every cell" } else { "" };
        format!(
            "in all {}{of_each}; at most {} could {otherwise} it ({})",
            count(n, "trial"),
            percent(Count { of: 0, n }.share_at_most(LEVEL)),
            phrase::limit(LEVEL)
        )
    }

    /// Which of the levels that an answer rests on lie closer to the limit than two identical arms to each other.
    fn noise_caveat(&self, found: &Threshold, columns: &[usize], bound: f64) -> Option<String> {
        let floor = self.topic.inquiry.noise.of_metric(self.topic.metric);
        let is_close = |column: &&usize| {
            found.intervals.get(**column).is_some_and(|interval| {
                // Just the limit in every trial, as a share of 1 is: nothing scatters that a floor could be of.
                let is_exact = interval.low >= bound && interval.high <= bound;
                !is_exact && floor.contains(interval.estimate / bound)
            })
        };
        let close: Vec<String> =
            columns.iter().filter(is_close).map(|column| self.along.text(*column)).collect();
        (!close.is_empty()).then(|| {
            format!(
                "Closer to the limit than the {}: {} = {}; another session may find it on the other side.",
                floor.words(),
                self.topic.ask.factor,
                close.join(", ")
            )
        })
    }
}
