//! What a load gives at each cap of a ladder, relative to the same load without a cap.

use crate::demand::{CapKind, Demand, UNCAPPED, arm_name};
use model::figure::exact_percent;
use serde::Serialize;
use stats::contrast::paired_ratio;
use verdict::{Cell, Figure, StudyVerdict};

/// How far below the throughput without a cap still counts as the same.
pub const THROUGHPUT_TOLERANCE: f64 = stats::knee::KNEE_TOLERANCE;
/// How far above the p99 without a cap still counts as the same. Two p99 of the same load in rounds of a few seconds
/// differ by more than throughputs do.
pub const P99_TOLERANCE: f64 = 0.25;
/// Beyond this many times the p99 without a cap, two rounds are enough to see it.
const P99_CLEARLY_ABOVE: f64 = 2.0;
const CONFIDENCE: f64 = 0.95;

/// The load under caps of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    pub kind: CapKind,
    /// What the load asks for without a cap, of this kind a second.
    pub demand: f64,
    /// From the smallest cap.
    pub rungs: Vec<Rung>,
    /// The rung of the smallest cap from which on every one suffices; `None` if none does.
    pub knee: Option<usize>,
    /// The same by each metric alone, in the order of a rung's levels.
    pub knees: Vec<Option<usize>>,
}

/// One cap.
#[derive(Clone, Debug, Serialize)]
pub struct Rung {
    /// `1500 IOPS`.
    pub name: String,
    /// Reads and writes together, a second.
    pub cap: f64,
    /// By metric: the throughput first, then every p99.
    pub levels: Vec<Level>,
    pub standing: Standing,
}

/// A metric at a cap.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Level {
    /// Arithmetic mean over trials, in the metric's unit.
    pub mean: Option<f64>,
    /// How many times it is the figure without a cap: geometric mean of the rounds' ratios.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio; `None` for fewer than six rounds.
    pub interval: Option<(f64, f64)>,
    /// By this metric alone.
    pub standing: Standing,
}

/// Whether a cap suffices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Proven within the tolerances.
    Enough,
    /// Proven beyond one of them.
    TooTight,
    /// Neither is proven.
    #[default]
    Undecided,
}

impl Curve {
    /// The curves that a stage measured, by kind.
    pub fn of_stage(
        caps: &[(CapKind, f64)],
        demand: &Demand,
        metrics: &[String],
        verdict: &StudyVerdict,
    ) -> Vec<Self> {
        CapKind::ALL.map(|kind| Self::of_kind(kind, caps, demand, metrics, verdict)).into()
    }

    fn of_kind(
        kind: CapKind,
        caps: &[(CapKind, f64)],
        demand: &Demand,
        metrics: &[String],
        verdict: &StudyVerdict,
    ) -> Self {
        let base = cell(verdict, UNCAPPED);
        let rung = |cap: f64| {
            let name = arm_name(kind, cap);
            let own = cell(verdict, &name);
            let level = |(place, metric): (usize, &String)| level(base, own, metric, place > 0);
            let levels: Vec<Level> = metrics.iter().enumerate().map(level).collect();
            let standing = standing(&levels);
            Rung { name, cap, levels, standing }
        };
        let mut rungs: Vec<Rung> =
            caps.iter().filter(|(of, _)| *of == kind).map(|(_, cap)| rung(*cap)).collect();
        rungs.sort_by(|a, b| a.cap.total_cmp(&b.cap));
        let by_metric = |place: usize| knee(rungs.iter().map(|rung| rung.levels[place].standing));
        let knees = (0..metrics.len()).map(by_metric).collect();
        let knee = knee(rungs.iter().map(|rung| rung.standing));
        Self { kind, demand: demand.of_kind(kind), rungs, knee, knees }
    }

    /// The rung at a knee.
    pub fn at(&self, knee: Option<usize>) -> Option<&Rung> {
        self.rungs.get(knee?)
    }

    /// The curve with the rungs of another stage outside of its own range, from which no knee follows.
    #[must_use]
    pub fn widened(mut self, other: &Self) -> Self {
        let bounds = self.rungs.first().zip(self.rungs.last()).map(|(low, high)| (low.cap, high.cap));
        let is_outside =
            |rung: &&Rung| bounds.is_none_or(|(low, high)| rung.cap < low / 1.01 || rung.cap > high * 1.01);
        let below = other
            .rungs
            .iter()
            .filter(is_outside)
            .filter(|rung| bounds.is_some_and(|(low, _)| rung.cap < low));
        let moved = below.count();
        self.rungs.extend(other.rungs.iter().filter(is_outside).cloned());
        self.rungs.sort_by(|a, b| a.cap.total_cmp(&b.cap));
        let knees = self.knees.iter_mut().chain([&mut self.knee]);
        knees.flatten().for_each(|knee| *knee += moved);
        self
    }
}

impl Rung {
    /// Whether the estimates are within the tolerances, proven or not.
    pub fn seems_enough(&self) -> bool {
        let Some((throughput, p99)) = self.levels.split_first() else { return false };
        throughput.ratio.is_some_and(|ratio| ratio >= 1.0 - THROUGHPUT_TOLERANCE)
            && p99.iter().all(|level| level.ratio.is_none_or(|ratio| ratio <= 1.0 + P99_TOLERANCE))
    }

    /// Whether the estimates of a few rounds leave no doubt: operations do not get through, or they wait for longer
    /// than they are served.
    pub(crate) fn is_clearly_too_tight(&self) -> bool {
        let Some((throughput, p99)) = self.levels.split_first() else { return false };
        throughput.ratio.is_some_and(|ratio| ratio < 1.0 - THROUGHPUT_TOLERANCE)
            || p99.iter().any(|level| level.ratio.is_some_and(|ratio| ratio > P99_CLEARLY_ABOVE))
    }
}

/// Going down from the largest cap, the last one that suffices: a fixed order, so that all claims together err as
/// often as one ([`stats::knee`]). From the smallest cap.
fn knee(standings: impl DoubleEndedIterator<Item = Standing> + ExactSizeIterator) -> Option<usize> {
    let caps = standings.len();
    let enough = standings.rev().take_while(|standing| *standing == Standing::Enough).count();
    (enough > 0).then(|| caps - enough)
}

/// A metric without a figure (a p99 of too few operations) decides nothing, but one at least has to.
fn standing(levels: &[Level]) -> Standing {
    let Some((throughput, p99)) = levels.split_first() else { return Standing::Undecided };
    let mut all = levels.iter().map(|level| level.standing);
    let mut measured = p99.iter().filter(|level| level.ratio.is_some()).peekable();
    if all.any(|standing| standing == Standing::TooTight) {
        Standing::TooTight
    } else if throughput.standing == Standing::Enough
        && measured.peek().is_some()
        && measured.all(|level| level.standing == Standing::Enough)
    {
        Standing::Enough
    } else {
        Standing::Undecided
    }
}

pub(crate) fn cell<'a>(verdict: &'a StudyVerdict, arm: &str) -> Option<&'a Cell> {
    verdict.cells.iter().find(|cell| cell.levels.iter().any(|level| level == arm))
}

fn level(base: Option<&Cell>, own: Option<&Cell>, metric: &str, is_p99: bool) -> Level {
    let figure = |cell: Option<&'_ Cell>| cell.and_then(|cell| cell.figures.get(metric)).cloned();
    let Some(own) = figure(own) else { return Level::default() };
    let pairs = figure(base).map_or_else(Vec::new, |base| pairs(&base, &own));
    let logs = stats::contrast::log_ratios(&pairs).unwrap_or_default();
    let ratio = stats::sample::mean(&logs).map(f64::exp);
    let interval =
        paired_ratio(&pairs, CONFIDENCE).ok().map(|found| (found.interval.low, found.interval.high));
    let standing = interval.map_or(Standing::Undecided, |interval| of_interval(interval, is_p99));
    Level { mean: own.mean.point, ratio, interval, standing }
}

/// Whether the interval of a ratio lies on one side of its limit.
fn of_interval((low, high): (f64, f64), is_p99: bool) -> Standing {
    let (suffices, is_beyond) = if is_p99 {
        (high <= 1.0 + P99_TOLERANCE, low > 1.0 + P99_TOLERANCE)
    } else {
        (low >= 1.0 - THROUGHPUT_TOLERANCE, high < 1.0 - THROUGHPUT_TOLERANCE)
    };
    match (suffices, is_beyond) {
        (true, _) => Standing::Enough,
        (false, true) => Standing::TooTight,
        (false, false) => Standing::Undecided,
    }
}

/// The first value of each round that both have, without and with the cap.
fn pairs(base: &Figure, own: &Figure) -> Vec<(f64, f64)> {
    let of_round = |figure: &Figure, round: u32| {
        figure.values.iter().find_map(|(of, value)| value.filter(|_| *of == round))
    };
    let mut rounds: Vec<u32> = base.values.iter().map(|(round, _)| *round).collect();
    rounds.dedup();
    rounds.into_iter().filter_map(|round| Some((of_round(base, round)?, of_round(own, round)?))).collect()
}

/// What a cap has to keep to suffice, as a clause.
pub(crate) fn rule() -> String {
    format!(
        "the throughput is proven within {} of that without a cap, and each p99 at most {} above it",
        exact_percent(THROUGHPUT_TOLERANCE),
        exact_percent(P99_TOLERANCE)
    )
}

#[cfg(test)]
mod tests {
    use super::Standing::{Enough, TooTight, Undecided};
    use super::*;

    fn level(low: f64, high: f64, is_p99: bool) -> Level {
        let standing = of_interval((low, high), is_p99);
        Level { mean: Some(1.0), ratio: Some((low * high).sqrt()), interval: Some((low, high)), standing }
    }

    #[test]
    fn a_cap_suffices_only_if_that_is_proven() {
        let same = || level(0.98, 1.02, false);
        let p99 = |low, high| level(low, high, true);
        assert_eq!(standing(&[same(), p99(0.9, 1.2)]), Enough);
        assert_eq!(standing(&[level(0.94, 1.0, false), p99(0.98, 1.02)]), Undecided);
        assert_eq!(standing(&[level(0.8, 0.94, false), p99(0.98, 1.02)]), TooTight);
        assert_eq!(standing(&[same(), p99(0.9, 1.3)]), Undecided);
        assert_eq!(standing(&[same(), p99(0.9, 1.2), p99(1.3, 2.0)]), TooTight);
        // A p99 of too few operations decides nothing.
        assert_eq!(standing(&[same(), Level::default()]), Undecided);
        assert_eq!(standing(&[same(), Level::default(), p99(0.98, 1.02)]), Enough);
    }

    #[test]
    fn the_knee_is_the_smallest_cap_from_which_on_all_suffice() {
        assert_eq!(knee([TooTight, Undecided, Enough, Enough].into_iter()), Some(2));
        assert_eq!(knee([Enough, Undecided, Enough].into_iter()), Some(2));
        assert_eq!(knee([Enough, Enough, Undecided].into_iter()), None);
    }

    #[test]
    fn each_metric_has_a_knee_of_its_own_and_keeps_it_among_other_rungs() {
        let rung = |cap: f64, throughput: Standing, p99: Standing| {
            let of = |standing| Level { standing, ratio: Some(1.0), ..Level::default() };
            let levels = vec![of(throughput), of(p99)];
            Rung { name: String::new(), cap, standing: standing(&levels), levels }
        };
        let rungs =
            vec![rung(100.0, Enough, TooTight), rung(200.0, Enough, Undecided), rung(400.0, Enough, Enough)];
        let fine =
            Curve { kind: CapKind::Iops, demand: 100.0, rungs, knee: Some(2), knees: vec![Some(0), Some(2)] };
        let other = |caps: &[f64]| Curve {
            rungs: caps.iter().map(|cap| rung(*cap, Undecided, Undecided)).collect(),
            knee: None,
            knees: vec![None, None],
            ..fine.clone()
        };
        let widened = fine.clone().widened(&other(&[25.0, 50.0, 100.0, 200.0, 400.0, 800.0]));
        assert_eq!(widened.rungs.len(), 6);
        assert_eq!((widened.knee, widened.knees), (Some(4), vec![Some(2), Some(4)]));
    }
}
