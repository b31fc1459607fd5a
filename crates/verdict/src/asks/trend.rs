//! The effect over a numeric factor's whole range, averaged over the cells of the other factors. "No effect" only by an
//! equivalence test over that range.

use super::along::{Along, mean_over_cells};
use super::outlook::{Outlook, conclude};
use super::{Draft, Inquiry, Share, Topic, behind, interacting, interval_words};
use crate::blocks::Block;
use crate::estimate;
use crate::mechanism::{self, Arm};
use crate::phrase::{bounds, judgement, ratio, title};
use crate::verdict::{Estimate, Finding};
use stats::Rule;
use stats::contrast::log_ratios;
use stats::trend::{Trend, trend};

/// One draft.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let factor = &topic.ask.factor;
    let sweep = Along::of(topic).and_then(|along| {
        let block = along.block(topic)?;
        Ok(Sweep { topic, responses: mean_over_cells(&block), along, block })
    });
    let draft = match sweep {
        Err(why) => Draft::settled(topic, factor, &why),
        Ok(sweep) => {
            let p = sweep.trend(&Rule::for_asks(1, 1.0)).ok().map(|trend| trend.total.ratio.p);
            let rests_on = sweep.block.configurations();
            Draft { p, rests_on, finish: Box::new(move |share| sweep.finding(share)) }
        }
    };
    vec![draft]
}

/// A metric along a factor.
struct Sweep<'a> {
    topic: Topic<'a>,
    along: Along<'a>,
    block: Block,
    /// `rounds[round][level]`, averaged over cells.
    responses: Vec<Vec<f64>>,
}

impl Sweep<'_> {
    fn trend(&self, rule: &Rule) -> Result<Trend, stats::NoInterval> {
        trend(&self.along.numbers, &self.responses, rule)
    }

    fn finding(&self, share: Share) -> Finding {
        let factor = &self.topic.ask.factor;
        let mut finding = self.topic.blank(&format!("{factor} {}", self.along.range()));
        finding.trials = self.block.trials();
        finding.caveats.extend(self.along.left_out.iter().cloned());
        finding.caveats.extend(self.block.left_out.iter().cloned());
        finding.by_cell = self.by_cell();
        let last = self.along.levels.len() - 1;
        let Inquiry { cells, audits, .. } = self.topic.inquiry;
        finding.mechanism = mechanism::sentences(cells, &audits.foreign, &self.arm(0), &self.arm(last));
        finding.p_adjusted = share.p_adjusted;
        let floor = self.topic.inquiry.noise.of_metric(self.topic.metric);
        finding.caveats.extend(floor.caveat());
        let rule = Rule::at(share.level, share.asks, floor.ratio());
        match self.trend(&rule) {
            Ok(trend) => self.decided(&mut finding, &trend, &rule, share),
            Err(why) => {
                finding.ratio = Some(estimate::without_interval(None, &why));
                finding.statement = format!(
                    "{factor} {}: {} has no trend: {why}.",
                    self.along.range(),
                    title(self.topic.metric)
                );
            }
        }
        finding
    }

    fn decided(&self, finding: &mut Finding, trend: &Trend, rule: &Rule, share: Share) {
        let interacting = interacting::check(&self.whole_range(), &self.block);
        conclude(finding, &trend.total, trend.answer, rule, self.block.rounds());
        let range = interacting.as_ref().and_then(interacting::Interacting::range);
        finding.statement = self.statement(trend, rule, share, range);
        finding.caveats.extend(interacting.map(|it| it.caveat(&self.topic.ask.factor)));
        finding.caveats.extend(self.bend(trend));
    }

    fn statement(&self, trend: &Trend, rule: &Rule, share: Share, range: Option<String>) -> String {
        let interval = &trend.total.ratio.interval;
        let factor = &self.topic.ask.factor;
        let metric = title(self.topic.metric);
        let (first, last) = (self.along.text(0), self.along.text(self.along.levels.len() - 1));
        let effect = ratio(interval.estimate);
        let figures = format!(
            "{} {}, {}",
            interval_words(interval, share.asks),
            bounds((interval.low, interval.high)),
            behind(self.block.rounds(), self.block.strips.len())
        );
        let range = range.map_or_else(String::new, |range| format!("; it depends on the cell: {range}"));
        let straight = trend.total.answer == stats::Answer::Different;
        match trend.answer {
            stats::Answer::Different if straight => {
                let judged = judgement(self.topic.metric, interval.estimate);
                let judged = judged.map_or_else(String::new, |word| format!(", {word}"));
                let small =
                    if trend.total.equivalence.equivalent { "; real, and smaller than 5 %" } else { "" };
                format!(
                    "From {factor} = {first} to {last}, {metric} becomes {effect} what it was{judged} \
                     ({figures}){small}{range}."
                )
            }
            stats::Answer::Different => format!(
                "{factor} changes {metric} between {first} and {last}, though not steadily: over the whole range it \
                 comes to {effect} ({figures}){range}."
            ),
            stats::Answer::Equivalent => format!(
                "{factor} has no effect on {metric} from {first} to {last}: the same within 5 % over the whole range \
                 ({effect}, {figures}){range}."
            ),
            stats::Answer::Undecided { rounds_needed } => {
                let way_out = Outlook::of(&trend.total, rounds_needed, rule).words();
                format!(
                    "From {factor} = {first} to {last}, {metric} becomes {effect} what it was ({figures}): the data \
                     decide neither an effect nor its absence within 5 %; {way_out}{range}."
                )
            }
        }
    }

    /// How far the levels are off the line, where that is more than chance.
    fn bend(&self, trend: &Trend) -> Option<String> {
        let line =
            trend.linearity.filter(|line| line.p <= 0.05 && line.departure > stats::EQUIVALENCE_MARGIN)?;
        let turns = if trend.monotone { "" } else { ", and it turns" };
        Some(format!(
            "The trend is not a straight line on logarithmic axes{turns}: {} = {} is {} off it.",
            self.topic.ask.factor,
            self.along.text(line.departure_column),
            ratio(line.departure)
        ))
    }

    /// Log ratio of the last level to the first, `rounds[round][cell]`.
    fn whole_range(&self) -> Vec<Vec<f64>> {
        let of_round = |round: &Vec<Vec<f64>>| {
            let ends: Vec<(f64, f64)> =
                round.iter().filter_map(|cell| Some((*cell.first()?, *cell.last()?))).collect();
            log_ratios(&ends).ok()
        };
        self.block.values.iter().filter_map(of_round).collect()
    }

    fn by_cell(&self) -> Vec<(String, Estimate)> {
        let rule = Rule::for_asks(1, 1.0);
        let of_cell = |(index, strip): (usize, &crate::arms::Strip)| {
            let estimate = match trend(&self.along.numbers, &self.block.cell(index), &rule) {
                Ok(trend) => estimate::of_interval(&trend.total.ratio.interval),
                Err(why) => estimate::without_interval(None, &why),
            };
            (strip.label.clone(), estimate)
        };
        self.block.strips.iter().enumerate().map(of_cell).collect()
    }

    fn arm(&self, level: usize) -> Arm {
        let configurations =
            self.block.strips.iter().filter_map(|strip| strip.configurations.get(level).copied());
        Arm {
            name: format!("{} = {}", self.topic.ask.factor, self.along.text(level)),
            configurations: configurations.collect(),
        }
    }
}
