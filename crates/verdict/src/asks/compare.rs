//! Each level against the baseline, or against the reference of its durability class: the main effect as a ratio, paired
//! within rounds.

use super::interacting::{self, Interacting};
use super::ladder::{self, Rung};
use super::opposing::{self, Opposing};
use super::outlook::{Outlook, conclude};
use super::{Draft, Inquiry, Share, Topic, behind, interval_words, level_name, within_class};
use crate::arms::{self, Others};
use crate::audits;
use crate::blocks::{self, Block};
use crate::durability;
use crate::estimate;
use crate::mechanism::{self, Arm};
use crate::phrase::{bounds, judgement, ratio, title};
use crate::references::References;
use crate::verdict::{Answer, Finding};
use model::Value;
use stats::contrast::{log_ratios, mean_over_cells, ratio_of_logs};
use stats::{Decision, NoInterval, Rule};

/// One draft per level that is not the baseline's.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let name = &topic.ask.factor;
    let Some(factor) = topic.plan().factor(name) else {
        return vec![Draft::settled(topic, name, "it is no factor of this study")];
    };
    let Some(baseline) = arms::baseline_level(topic.plan(), factor).filter(|_| factor.levels.len() > 1)
    else {
        return vec![Draft::settled(topic, name, "it has one level only, so there is nothing to compare")];
    };
    if let Some(references) = References::of(topic.plan(), topic.classes(), topic.ask, factor) {
        return within_class::drafts(topic, &references);
    }
    let others = factor.levels.iter().filter(|level| *level != baseline);
    others.map(|level| draft(topic, baseline, level, None)).collect()
}

/// A comparison that can be made: names of the arms and the log ratios.
struct Contrast<'a> {
    topic: Topic<'a>,
    baseline: Arm,
    level: Arm,
    /// Where both are references of durability classes.
    rung: Option<Rung>,
    block: Block,
    /// `rounds[round][cell]` of natural-log ratios.
    logs: Vec<Vec<f64>>,
    /// Averaged over cells, one per round.
    means: Vec<f64>,
}

/// One level against another, which may be a step of the durability ladder.
pub(super) fn draft<'a>(
    topic: Topic<'a>,
    baseline: &'a Value,
    level: &'a Value,
    rung: Option<Rung>,
) -> Draft<'a> {
    let factor = &topic.ask.factor;
    let subject = format!("{} against {}", level_name(factor, level), level_name(factor, baseline));
    match contrast(topic, baseline, level, rung) {
        Err(why) => Draft::settled(topic, &subject, &why),
        Ok(contrast) => {
            let p = ratio_of_logs(&contrast.means, 0.95).ok().map(|ratio| ratio.p);
            let rests_on = contrast.block.configurations();
            Draft { p, rests_on, finish: Box::new(move |share| contrast.finding(&subject, share)) }
        }
    }
}

fn contrast<'a>(
    topic: Topic<'a>,
    baseline: &Value,
    level: &Value,
    rung: Option<Rung>,
) -> Result<Contrast<'a>, String> {
    let factor = &topic.ask.factor;
    let strips = arms::strips(topic.plan(), &[(factor, vec![baseline, level])], Others::AtBaseline);
    let (strips, withheld) = audits::comparable(topic.plan(), topic.ask, topic.metric, strips)?;
    let mut block = blocks::complete(topic.inquiry.observations, strips, topic.metric)?;
    block.left_out.extend(withheld);
    let of_round = |round: &Vec<Vec<f64>>| {
        let pairs: Vec<(f64, f64)> =
            round.iter().filter_map(|cell| Some((*cell.first()?, *cell.get(1)?))).collect();
        log_ratios(&pairs)
    };
    let reason = |error: NoInterval| error.to_string();
    let logs: Vec<Vec<f64>> = block.values.iter().map(of_round).collect::<Result<_, _>>().map_err(reason)?;
    let means = mean_over_cells(&logs).map_err(reason)?;
    let arm = |value: &Value, place: usize| Arm {
        name: level_name(factor, value),
        configurations: block
            .strips
            .iter()
            .filter_map(|strip| strip.configurations.get(place).copied())
            .collect(),
    };
    Ok(Contrast { baseline: arm(baseline, 0), level: arm(level, 1), rung, topic, logs, means, block })
}

impl Contrast<'_> {
    fn finding(&self, subject: &str, share: Share) -> Finding {
        let mut finding = self.topic.blank(subject);
        finding.trials = self.block.trials();
        finding.caveats.extend(self.block.left_out.iter().cloned());
        finding.by_cell = self.by_cell();
        let Inquiry { cells, audits, .. } = self.topic.inquiry;
        finding.mechanism = mechanism::sentences(cells, &audits.foreign, &self.baseline, &self.level);
        finding.p_adjusted = share.p_adjusted;
        let floor = self.topic.inquiry.noise.of_metric(self.topic.metric);
        finding.caveats.extend(floor.caveat());
        let rule = Rule::at(share.level, share.asks, floor.ratio());
        match stats::equivalence::decide(&self.means, &rule) {
            Ok(decision) => self.decided(&mut finding, &decision, &rule, share),
            Err(why) => {
                let point = estimate::ratio_point(&self.means);
                finding.ratio = Some(estimate::without_interval(point, &why));
                finding.statement = self.without_interval(point, why);
            }
        }
        if self.rung.is_some() {
            ladder::NAME.clone_into(&mut finding.ask);
        } else if let Some((ours, theirs)) = self.durability_difference() {
            let (baseline, level) = (&self.baseline.name, &self.level.name);
            finding.statement = format!(
                "Durability classes differ ({baseline}: {ours}, {level}: {theirs}), so this is the price of a \
                 promise: {}",
                finding.statement
            );
        }
        finding
    }

    fn decided(&self, finding: &mut Finding, decision: &Decision, rule: &Rule, share: Share) {
        let interacting = interacting::check(&self.logs, &self.block);
        let opposing = interacting
            .as_ref()
            .and_then(|_| opposing::check(self.topic.plan(), &self.logs, &self.block, rule));
        if let Some(opposing) = opposing {
            self.opposed(finding, &opposing, rule);
            finding.caveats.extend(interacting.map(|it| it.caveat(&self.topic.ask.factor)));
            return;
        }
        conclude(finding, decision, decision.answer, rule, self.block.rounds());
        let range = interacting.as_ref().and_then(Interacting::range);
        let price = self.rung.and_then(|rung| self.price(rung, decision, rule, share, range.clone()));
        finding.statement = price.unwrap_or_else(|| self.statement(decision, rule, share, range));
        finding.caveats.extend(interacting.map(|it| it.caveat(&self.topic.ask.factor)));
    }

    /// Cells that point different ways: the arms differ, and there is no effect that holds for all.
    fn opposed(&self, finding: &mut Finding, opposing: &Opposing, rule: &Rule) {
        let mut open = String::new();
        if opposing.is_decided() {
            finding.answer = Answer::Different;
        } else {
            let outlook = Outlook::of_rounds(opposing::rounds_to_prove(&self.logs, rule), None);
            outlook.leaves_open(finding, self.block.rounds());
            open = format!("; not proven of both directions: {}", outlook.clause());
        }
        finding.p_adjusted = None;
        finding.statement = format!(
            "{}: {} against {} {} ({}){open}.",
            self.level.name,
            title(self.topic.metric),
            self.baseline.name,
            opposing.words(self.topic.metric),
            behind(self.block.rounds(), self.block.strips.len())
        );
    }

    fn statement(&self, decision: &Decision, rule: &Rule, share: Share, range: Option<String>) -> String {
        let interval = &decision.ratio.interval;
        let (level, baseline) = (&self.level.name, &self.baseline.name);
        let metric = title(self.topic.metric);
        let effect = ratio(interval.estimate);
        let figures = format!(
            "{} {}, {}",
            interval_words(interval, share.asks),
            bounds((interval.low, interval.high)),
            behind(self.block.rounds(), self.block.strips.len())
        );
        let range = range.map_or_else(String::new, |range| format!("; it depends on the cell: {range}"));
        match decision.answer {
            stats::Answer::Different => {
                let judged = judgement(self.topic.metric, interval.estimate);
                let judged = judged.map_or_else(String::new, |word| format!(", {word}"));
                let small = if decision.equivalence.equivalent { "; real, and smaller than 5 %" } else { "" };
                format!("{level}: {metric} is {effect} that of {baseline}{judged} ({figures}){small}{range}.")
            }
            stats::Answer::Equivalent => {
                format!(
                    "{level}: {metric} equals that of {baseline} within 5 % ({effect}, {figures}){range}."
                )
            }
            stats::Answer::Undecided { rounds_needed } => {
                let way_out = Outlook::of(decision, rounds_needed, rule).words();
                format!(
                    "{level}: {metric} is {effect} that of {baseline} ({figures}): the data decide neither a \
                     difference nor equivalence within 5 %; {way_out}{range}."
                )
            }
        }
    }

    /// What a step of the durability ladder costs.
    fn price(
        &self,
        rung: Rung,
        decision: &Decision,
        rule: &Rule,
        share: Share,
        range: Option<String>,
    ) -> Option<String> {
        let metric = self.topic.metric;
        let mean = |arm: &Arm| match arm.configurations[..] {
            [only] => self.topic.inquiry.cells.get(only)?.figures.get(metric)?.mean.point,
            _ => None,
        };
        let words = ladder::Words {
            metric,
            arms: (&self.baseline.name, &self.level.name),
            means: mean(&self.baseline).zip(mean(&self.level)),
            interval: interval_words(&decision.ratio.interval, share.asks),
            behind: behind(self.block.rounds(), self.block.strips.len()),
            range,
        };
        rung.statement(&words, decision, rule)
    }

    fn without_interval(&self, point: Option<f64>, why: NoInterval) -> String {
        let (level, baseline) = (&self.level.name, &self.baseline.name);
        let metric = title(self.topic.metric);
        let seen =
            point.map_or_else(String::new, |point| format!(" came to {} that of {baseline}", ratio(point)));
        format!("{level}: {metric}{seen}, without an interval, so nothing is claimed: {why}.")
    }

    fn by_cell(&self) -> Vec<(String, crate::verdict::Estimate)> {
        let of_cell = |(index, strip): (usize, &arms::Strip)| {
            let logs: Vec<f64> = self.logs.iter().filter_map(|round| round.get(index).copied()).collect();
            (strip.label.clone(), estimate::ratio(&logs))
        };
        self.block.strips.iter().enumerate().map(of_cell).collect()
    }

    fn durability_difference(&self) -> Option<(String, String)> {
        let of = |arm: &Arm| arm.configurations.clone().into_iter();
        durability::difference(self.topic.classes(), of(&self.baseline), of(&self.level))
    }
}
