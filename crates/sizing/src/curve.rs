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
}

/// Whether a cap suffices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Proven within the tolerances.
    Enough,
    /// Proven beyond one of them.
    TooTight,
    /// Neither is proven.
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
            let levels: Vec<Level> = metrics.iter().map(|metric| level(base, own, metric)).collect();
            let standing = standing(&levels);
            Rung { name, cap, levels, standing }
        };
        let mut rungs: Vec<Rung> =
            caps.iter().filter(|(of, _)| *of == kind).map(|(_, cap)| rung(*cap)).collect();
        rungs.sort_by(|a, b| a.cap.total_cmp(&b.cap));
        let knee = knee(&rungs);
        Self { kind, demand: demand.of_kind(kind), rungs, knee }
    }

    /// The rung at the knee.
    pub fn at_knee(&self) -> Option<&Rung> {
        self.rungs.get(self.knee?)
    }

    /// The curve with the rungs of another stage outside of its own range, from which no knee follows.
    #[must_use]
    pub fn widened(mut self, other: &Self) -> Self {
        let bounds = self.rungs.first().zip(self.rungs.last()).map(|(low, high)| (low.cap, high.cap));
        let is_outside =
            |rung: &&Rung| bounds.is_none_or(|(low, high)| rung.cap < low / 1.01 || rung.cap > high * 1.01);
        let at_knee = self.at_knee().map(|rung| rung.cap);
        self.rungs.extend(other.rungs.iter().filter(is_outside).cloned());
        self.rungs.sort_by(|a, b| a.cap.total_cmp(&b.cap));
        self.knee = at_knee.and_then(|cap| self.rungs.iter().position(|rung| (rung.cap - cap).abs() < 1e-9));
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
}

/// Going down from the largest cap, the last one that suffices: a fixed order, so that all claims together err as
/// often as one ([`stats::knee`]).
fn knee(rungs: &[Rung]) -> Option<usize> {
    let enough = rungs.iter().rev().take_while(|rung| rung.standing == Standing::Enough).count();
    (enough > 0).then(|| rungs.len() - enough)
}

/// A metric without a figure (a p99 of too few operations) decides nothing, but one at least has to.
fn standing(levels: &[Level]) -> Standing {
    let Some((throughput, p99)) = levels.split_first() else { return Standing::Undecided };
    let known = |level: &Level| level.interval;
    let is_slower = known(throughput).is_some_and(|(_, high)| high < 1.0 - THROUGHPUT_TOLERANCE);
    let is_later = p99.iter().filter_map(known).any(|(low, _)| low > 1.0 + P99_TOLERANCE);
    if is_slower || is_later {
        return Standing::TooTight;
    }
    let is_as_fast = known(throughput).is_some_and(|(low, _)| low >= 1.0 - THROUGHPUT_TOLERANCE);
    let mut measured = p99.iter().filter(|level| level.ratio.is_some()).peekable();
    let is_as_soon = measured.peek().is_some()
        && measured.all(|level| known(level).is_some_and(|(_, high)| high <= 1.0 + P99_TOLERANCE));
    if is_as_fast && is_as_soon { Standing::Enough } else { Standing::Undecided }
}

pub(crate) fn cell<'a>(verdict: &'a StudyVerdict, arm: &str) -> Option<&'a Cell> {
    verdict.cells.iter().find(|cell| cell.levels.iter().any(|level| level == arm))
}

fn level(base: Option<&Cell>, own: Option<&Cell>, metric: &str) -> Level {
    let figure = |cell: Option<&'_ Cell>| cell.and_then(|cell| cell.figures.get(metric)).cloned();
    let Some(own) = figure(own) else { return Level::default() };
    let pairs = figure(base).map_or_else(Vec::new, |base| pairs(&base, &own));
    let logs = stats::contrast::log_ratios(&pairs).unwrap_or_default();
    let ratio = stats::sample::mean(&logs).map(f64::exp);
    let interval =
        paired_ratio(&pairs, CONFIDENCE).ok().map(|found| (found.interval.low, found.interval.high));
    Level { mean: own.mean.point, ratio, interval }
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

    fn level(low: f64, high: f64) -> Level {
        Level { mean: Some(1.0), ratio: Some((low * high).sqrt()), interval: Some((low, high)) }
    }

    #[test]
    fn a_cap_suffices_only_if_that_is_proven() {
        let same = || level(0.98, 1.02);
        assert_eq!(standing(&[same(), level(0.9, 1.2)]), Enough);
        assert_eq!(standing(&[level(0.94, 1.0), same()]), Undecided);
        assert_eq!(standing(&[level(0.8, 0.94), same()]), TooTight);
        assert_eq!(standing(&[same(), level(0.9, 1.3)]), Undecided);
        assert_eq!(standing(&[same(), level(0.9, 1.2), level(1.3, 2.0)]), TooTight);
        // A p99 of too few operations decides nothing.
        assert_eq!(standing(&[same(), Level::default()]), Undecided);
        assert_eq!(standing(&[same(), Level::default(), same()]), Enough);
    }

    #[test]
    fn the_knee_is_the_smallest_cap_from_which_on_all_suffice() {
        let rungs = |standings: &[Standing]| -> Vec<Rung> {
            let rung = |(cap, standing): (usize, &Standing)| Rung {
                name: String::new(),
                cap: cap as f64,
                levels: Vec::new(),
                standing: *standing,
            };
            standings.iter().enumerate().map(rung).collect()
        };
        assert_eq!(knee(&rungs(&[TooTight, Undecided, Enough, Enough])), Some(2));
        assert_eq!(knee(&rungs(&[Enough, Undecided, Enough])), Some(2));
        assert_eq!(knee(&rungs(&[Enough, Enough, Undecided])), None);
    }
}
