//! Where two arms change places along a numeric factor.
//!
//! A level whose mean ratio lies inside the A/A noise floor counts as undecided, whatever its own interval says: neither
//! "always above" nor a change of places is claimed from it, and a crossover's interval reaches as far as it.

use super::along::Along;
use super::outlook::Outlook;
use super::{Draft, Share, Topic, behind, level_name};
use crate::arms::{self, Others};
use crate::audits;
use crate::blocks::{self, Block};
use crate::durability;
use crate::estimate;
use crate::noise::Floor;
use crate::phrase::{level, ratio, title};
use crate::verdict::{Answer, Estimate, Finding};
use model::Value;
use stats::contrast::{log_ratios, mean_over_cells};
use stats::crossover::{Crossover, Side, crossover, rounds_to_decide};
use stats::family::simultaneous_level;
use stats::{Interval, NoInterval, sample};

/// One draft per level of `between` that is not the baseline's.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let factor = &topic.ask.factor;
    let settled = |why: &str| vec![Draft::settled(topic, factor, why)];
    let Some(between) = &topic.ask.between else {
        return settled("it names no factor whose levels are the two arms");
    };
    let Some(arms) = topic.plan().factor(between).filter(|arms| arms.levels.len() > 1 && between != factor)
    else {
        return settled(&format!("{between} does not give two arms in this study"));
    };
    let Some(baseline) = arms::baseline_level(topic.plan(), arms) else {
        return settled(&format!("{between} has no level"));
    };
    let others = arms.levels.iter().filter(|level| *level != baseline);
    others.map(|level| draft(topic, between, baseline, level)).collect()
}

/// Two arms along a factor.
struct Crossing<'a> {
    topic: Topic<'a>,
    along: Along<'a>,
    baseline: String,
    arm: String,
    block: Block,
    /// Averaged over cells: `rounds[round][level]` of the log ratio arm ÷ baseline.
    logs: Vec<Vec<f64>>,
}

fn draft<'a>(topic: Topic<'a>, between: &'a str, baseline: &'a Value, level: &'a Value) -> Draft<'a> {
    let (baseline_name, arm) = (level_name(between, baseline), level_name(between, level));
    let subject = format!("{arm} against {baseline_name}");
    let crossing = Along::of(topic).and_then(|along| {
        let axes = [along.axis(topic), (between, vec![baseline, level])];
        let strips = arms::strips(topic.plan(), &axes, Others::AtBaseline);
        let (strips, withheld) = audits::comparable(topic.plan(), topic.ask, topic.metric, strips)?;
        let mut block = blocks::complete(topic.inquiry.observations, strips, topic.metric)?;
        block.left_out.extend(withheld);
        let logs = logs(&block).map_err(|why| why.to_string())?;
        Ok(Crossing { topic, along, baseline: baseline_name, arm, block, logs })
    });
    match crossing {
        Err(why) => Draft::settled(topic, &subject, &why),
        Ok(crossing) => Draft {
            p: None,
            rests_on: crossing.block.configurations(),
            finish: Box::new(move |share| crossing.finding(&subject, share)),
        },
    }
}

/// A strip's values are pairs (baseline, arm), level by level.
fn logs(block: &Block) -> Result<Vec<Vec<f64>>, NoInterval> {
    let of_round = |round: &Vec<Vec<f64>>| -> Result<Vec<f64>, NoInterval> {
        let cells: Vec<Vec<f64>> = round
            .iter()
            .map(|cell| log_ratios(&cell.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()))
            .collect::<Result<_, _>>()?;
        let levels = cells.first().map_or(0, Vec::len);
        let at = |index: usize| cells.iter().filter_map(|cell| cell.get(index).copied()).collect();
        mean_over_cells(&(0..levels).map(at).collect::<Vec<Vec<f64>>>())
    };
    block.values.iter().map(of_round).collect()
}

impl Crossing<'_> {
    fn finding(&self, subject: &str, share: Share) -> Finding {
        let mut finding = self.topic.blank(subject);
        finding.trials = self.block.trials();
        finding.caveats.extend(self.along.left_out.iter().cloned());
        finding.caveats.extend(self.block.left_out.iter().cloned());
        finding.by_cell = self.by_level();
        let confidence = simultaneous_level(share.level, share.asks);
        let floor = self.topic.inquiry.noise.of_metric(self.topic.metric);
        finding.caveats.extend(floor.caveat());
        finding.caveats.extend(self.noise_caveat(&floor));
        match self.beyond_noise(&floor, confidence) {
            Ok(found) => self.decided(&mut finding, &found, &floor, confidence),
            Err(why) => {
                let metric = title(self.topic.metric);
                finding.statement =
                    format!("Whether {subject} cross over in {metric} cannot be told: {why}.");
            }
        }
        if let Some((ours, theirs)) = self.durability_difference() {
            finding.caveats.push(format!(
                "Durability classes differ ({}: {ours}, {}: {theirs}): the arms do not promise the same.",
                self.baseline, self.arm
            ));
        }
        finding
    }

    /// Levels whose mean ratio lies inside the floor.
    fn inside_noise(&self, floor: &Floor) -> Vec<usize> {
        let inside = |&index: &usize| {
            sample::mean(&self.at_level(index)).is_some_and(|mean| floor.contains(mean.exp()))
        };
        (0..self.along.levels.len()).filter(inside).collect()
    }

    fn noise_caveat(&self, floor: &Floor) -> Option<String> {
        let inside: Vec<String> =
            self.inside_noise(floor).into_iter().map(|index| self.along.text(index)).collect();
        (!inside.is_empty()).then(|| {
            format!(
                "Inside the {}, so undecided there: {} = {}.",
                floor.words(),
                self.topic.ask.factor,
                inside.join(", ")
            )
        })
    }

    /// The crossover as far as the floor lets it be claimed: once as measured, once with the arms taken as equal at the
    /// levels inside the floor. The second decides whether they change places; both give its interval.
    fn beyond_noise(&self, floor: &Floor, confidence: f64) -> Result<Crossover, NoInterval> {
        let measured = crossover(&self.along.numbers, &self.logs, confidence)?;
        let cautious = crossover(&self.along.numbers, &self.cautious(floor), confidence)?;
        Ok(match (cautious, measured) {
            (Crossover::At { level: wide, .. }, Crossover::At { level, starts }) => {
                let (low, high) = (level.low.min(wide.low), level.high.max(wide.high));
                Crossover::At { level: Interval { low, high, ..level }, starts }
            }
            // Changes inside the floor lie between those beyond it: where the one that counts is cannot be told.
            (Crossover::At { .. }, _) => Crossover::Undecided,
            (Crossover::None { .. } | Crossover::Several { .. } | Crossover::Undecided, _) => cautious,
        })
    }

    /// The log ratios, with the arms taken as equal at the levels inside the floor.
    fn cautious(&self, floor: &Floor) -> Vec<Vec<f64>> {
        let mut cautious = self.logs.clone();
        for index in self.inside_noise(floor) {
            cautious.iter_mut().filter_map(|round| round.get_mut(index)).for_each(|log| *log = 0.0);
        }
        cautious
    }

    /// What would decide whether the arms change places beyond the floor.
    fn outlook(&self, floor: &Floor, confidence: f64) -> Outlook {
        let cautious = self.cautious(floor);
        let inside_noise = (!self.inside_noise(floor).is_empty()).then(|| floor.ratio());
        // They do, and where is hidden by the floor: more rounds do not lift it.
        let is_found = crossover(&self.along.numbers, &cautious, confidence)
            .is_ok_and(|found| found != Crossover::Undecided);
        let rounds = if is_found { None } else { rounds_to_decide(&cautious, confidence).ok().flatten() };
        Outlook::of_rounds(rounds, inside_noise)
    }

    fn decided(&self, finding: &mut Finding, found: &Crossover, floor: &Floor, confidence: f64) {
        let Self { baseline, arm, .. } = self;
        let factor = &self.topic.ask.factor;
        let metric = title(self.topic.metric);
        let behind = behind(self.block.rounds(), self.block.strips.len());
        let words = |side: Side| match side {
            Side::Above => "above",
            Side::Below => "below",
        };
        (finding.answer, finding.statement) = match found {
            Crossover::At { level: at, starts } => {
                finding.level = Some(estimate::of_interval(at));
                let statement = format!(
                    "{arm} and {baseline} change places in {metric} at {factor} between {} and {} (estimate {}, {} interval, \
                     {behind}): {arm} is {} before and {} after.",
                    self.along.place(at.low),
                    self.along.place(at.high),
                    self.along.place(at.estimate),
                    level(at.level),
                    words(*starts),
                    words(match starts {
                        Side::Above => Side::Below,
                        Side::Below => Side::Above,
                    })
                );
                (Answer::Different, statement)
            }
            Crossover::None { always } => {
                let statement = format!(
                    "{arm} and {baseline} do not change places in {metric} from {factor} = {}: {arm} is {} at every \
                     level ({behind}).",
                    self.along.range(),
                    words(*always)
                );
                (Answer::Different, statement)
            }
            Crossover::Several { changes } => {
                let statement = format!(
                    "{arm} and {baseline} change places in {metric} {changes} times from {factor} = {} ({behind}): \
                     there is no single crossover.",
                    self.along.range()
                );
                (Answer::Different, statement)
            }
            Crossover::Undecided => {
                let or_inside = if self.inside_noise(floor).is_empty() {
                    String::new()
                } else {
                    format!(", or lies inside the {}", floor.words())
                };
                let outlook = self.outlook(floor, confidence);
                outlook.leaves_open(finding, self.block.rounds());
                let statement = format!(
                    "Whether {arm} and {baseline} change places in {metric} from {factor} = {} is undecided ({behind}): \
                     at some levels the interval of their ratio includes {}{or_inside}; {}.",
                    self.along.range(),
                    ratio(1.0),
                    outlook.clause()
                );
                (Answer::Undecided, statement)
            }
        };
    }

    /// Log ratios at one level, one per round.
    fn at_level(&self, index: usize) -> Vec<f64> {
        self.logs.iter().filter_map(|round| round.get(index).copied()).collect()
    }

    /// The arms' ratio level by level, which is what a reader wants to see of a crossover.
    fn by_level(&self) -> Vec<(String, Estimate)> {
        let of_level = |index: usize| {
            let label = format!("{}={}", self.topic.ask.factor, self.along.text(index));
            (label, estimate::ratio(&self.at_level(index)))
        };
        (0..self.along.levels.len()).map(of_level).collect()
    }

    fn durability_difference(&self) -> Option<(String, String)> {
        let of = |place: usize| {
            self.block
                .strips
                .iter()
                .flat_map(move |strip| strip.configurations.iter().skip(place).step_by(2).copied())
        };
        durability::difference(self.topic.classes(), of(0), of(1))
    }
}
