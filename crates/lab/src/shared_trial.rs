//! A trial on many ranks: what all of them did in the time in which all of them measured. Pure.
//!
//! Ranks begin and end a turn a little apart. The rate of all ranks together is that of the time in which all measured:
//! from the start of the last to the end of the first. Beyond, some are alone and faster. The starts and ends of ranks
//! are put on the clock of rank 0.
//!
//! Trials complete what is unlike, commits and reads or the operations of several phases, and each has a metric. So the
//! figure of a rank is its own figure of that metric, times what the rank completed per second while all measured over
//! what it completed per second in its windows of the same phase. That takes the mix of operations to be the same in
//! both: they differ by the moments in which a rank is alone.

#[cfg(test)]
mod tests;

use crate::added_histograms::p99_us;
use crate::clocks::Clocks;
use model::FORMAT_VERSION;
use model::mechanism::Measured;
use model::metric;
use model::shared::{ClockOffset, RankShare, SharedTrial, Skew};
use model::sidecar::Sidecar;
use model::trial::{Measurement, TrialKey};
use model::turns::Slice;
use std::collections::BTreeMap;

/// What a rank recorded of a trial.
#[derive(Clone, Debug)]
pub struct Recorded<'a> {
    /// Its phases in order, each with its metrics.
    pub phases: Vec<(&'a str, &'a BTreeMap<String, Measured<f64>>)>,
    /// Its histograms, and the slices of the phases that took turns. All ranks took the same turns.
    pub sidecar: &'a Sidecar,
}

impl<'a> Recorded<'a> {
    /// The same of a measurement; `None` without a sidecar, which every trial in turns has.
    pub fn of(measurement: &'a Measurement) -> Option<Self> {
        let phases = measurement.phases.iter().map(|phase| (phase.name.as_str(), &phase.metrics));
        Some(Self { phases: phases.collect(), sidecar: measurement.sidecar.as_ref()? })
    }

    /// Its rates in a phase.
    fn rates(&self, phase: &str) -> impl Iterator<Item = (&'static str, f64)> {
        let metrics = self.phases.iter().find(|(name, _)| *name == phase).map(|(_, metrics)| *metrics);
        let rates = metric::FAMILIES.iter().filter(|family| family.unit.is_rate());
        rates.filter_map(move |family| Some((family.name, *metrics?.get(family.name)?.value()?)))
    }
}

/// A rank's window on the clock of rank 0.
struct Window<'a> {
    rank: u32,
    from_s: f64,
    to_s: f64,
    done_s: f64,
    slice: &'a Slice,
}

/// The trial with this key, of which these ranks have recorded this.
pub fn shared_trial(key: TrialKey, ranks: &BTreeMap<u32, Recorded<'_>>, clocks: &Clocks) -> SharedTrial {
    let mut rates: BTreeMap<u32, BTreeMap<String, f64>> = BTreeMap::new();
    let mut turns = Turns::default();
    for (phase, _) in ranks.values().next().into_iter().flat_map(|first| &first.phases) {
        let completed = turns.of_phase(phase, ranks, clocks);
        for (rank, recorded) in ranks {
            let Some(times) = completed.get(rank).and_then(Completed::times) else { continue };
            let own = rates.entry(*rank).or_default();
            for (name, figure) in recorded.rates(phase) {
                own.entry(name.to_owned()).or_insert(figure * times);
            }
        }
    }
    let share = |(rank, recorded): (&u32, &Recorded<'_>)| RankShare {
        rank: *rank,
        rates: rates.remove(rank).unwrap_or_default(),
        last_done: turns.last_done.get(rank).copied().unwrap_or(0),
        latency_p99_us: p99_us([recorded.sidecar]),
    };
    let by_rank: Vec<RankShare> = ranks.iter().map(share).collect();
    let clocks = clocks.offsets();
    let uncertainty_s = uncertainty_s(&by_rank, &clocks);
    SharedTrial {
        format_version: FORMAT_VERSION,
        key,
        ranks: by_rank.len() as u32,
        clocks,
        slices: turns.slices,
        apart: turns.apart,
        common_s: turns.common_s,
        rates: sums(&by_rank),
        start_skew: skew(&turns.starts, uncertainty_s),
        end_skew: skew(&turns.ends, uncertainty_s),
        latency_p99_us: p99_us(ranks.values().map(|recorded| recorded.sidecar)),
        by_rank,
    }
}

/// The rates that every rank has.
fn sums(ranks: &[RankShare]) -> BTreeMap<String, f64> {
    let sum = |name: &String| -> Option<(String, f64)> {
        let sum: Option<f64> = ranks.iter().map(|share| share.rates.get(name).copied()).sum();
        Some((name.clone(), sum?))
    };
    ranks.first().into_iter().flat_map(|first| first.rates.keys()).filter_map(sum).collect()
}

/// What the turns of all phases show.
#[derive(Default)]
struct Turns {
    slices: u32,
    apart: u32,
    common_s: f64,
    starts: Vec<f64>,
    ends: Vec<f64>,
    /// Turns in which a rank was the last to be done.
    last_done: BTreeMap<u32, u32>,
}

/// What a rank completed in a phase.
#[derive(Default)]
struct Completed {
    in_windows: f64,
    windows_s: f64,
    in_common: f64,
    common_s: f64,
}

impl Completed {
    /// What it completed per second while all ranks measured, relative to its windows; `None` if they never did.
    fn times(&self) -> Option<f64> {
        let in_common_per_s = (self.common_s > 0.0).then(|| self.in_common / self.common_s)?;
        // Without operations, its own figure is zero already.
        Some(if self.in_windows > 0.0 { in_common_per_s / (self.in_windows / self.windows_s) } else { 1.0 })
    }
}

impl Turns {
    /// Counts the turns of a phase. Returns what each rank completed there.
    fn of_phase(
        &mut self,
        phase: &str,
        ranks: &BTreeMap<u32, Recorded<'_>>,
        clocks: &Clocks,
    ) -> BTreeMap<u32, Completed> {
        let mut completed: BTreeMap<u32, Completed> = BTreeMap::new();
        for turn in turns(phase, ranks, clocks) {
            let common = self.count(&turn);
            for window in turn.iter().filter(|window| window.slice.window_s > 0.0) {
                let of_rank = completed.entry(window.rank).or_default();
                of_rank.in_windows += window.slice.quarters.iter().sum::<u64>() as f64;
                of_rank.windows_s += window.slice.window_s;
                if let Some(common) = &common {
                    of_rank.in_common += operations_between(window, common.first_s, common.last_s);
                    of_rank.common_s += common.width_s();
                }
            }
        }
        completed
    }

    /// Counts a turn. Returns the time in which all ranks measured, if there is any.
    fn count(&mut self, windows: &[Window<'_>]) -> Option<Range> {
        // The pilot measures nothing, and a turn that one rank could not measure says nothing about all.
        if windows.is_empty() || windows.iter().any(|window| window.slice.window_s <= 0.0) {
            return None;
        }
        let begins = Range::of(windows.iter().map(|window| window.from_s));
        let stops = Range::of(windows.iter().map(|window| window.to_s));
        let dones = Range::of(windows.iter().map(|window| window.done_s));
        let common = Range { first_s: begins.last_s, last_s: stops.first_s };
        if common.width_s() <= 0.0 {
            self.apart += 1;
            return None;
        }
        self.slices += 1;
        self.common_s += common.width_s();
        self.starts.push(begins.width_s());
        self.ends.push(dones.width_s());
        if windows.len() > 1 {
            for window in windows.iter().filter(|window| window.done_s >= dones.last_s) {
                *self.last_done.entry(window.rank).or_insert(0) += 1;
            }
        }
        Some(common)
    }
}

/// The turns of a phase, each with the windows of all ranks.
fn turns<'a>(phase: &str, ranks: &BTreeMap<u32, Recorded<'a>>, clocks: &Clocks) -> Vec<Vec<Window<'a>>> {
    let slices = |recorded: &Recorded<'a>| recorded.sidecar.slices.get(phase).map(Vec::as_slice);
    let slices: Option<Vec<&'a [Slice]>> = ranks.values().map(slices).collect();
    let slices = slices.unwrap_or_default();
    let count = slices.iter().map(|slices| slices.len()).min().unwrap_or(0);
    let windows = |turn: usize| -> Vec<Window<'a>> {
        ranks.keys().zip(&slices).map(|(rank, slices)| window(*rank, &slices[turn], clocks)).collect()
    };
    (0..count).map(windows).collect()
}

fn window<'a>(rank: u32, slice: &'a Slice, clocks: &Clocks) -> Window<'a> {
    let from_s = slice.began_s + slice.turn.settle_s - clocks.offset_s(rank, slice.began_s);
    let to_s = from_s + slice.window_s;
    Window { rank, from_s, to_s, done_s: to_s + slice.drain_s, slice }
}

/// Operations that a rank completed between two moments: a part of its window that they cut counts by its share. Parts
/// are quarters of the window that was ordered, so that the end of the workload may cut the last one of them. A whole
/// turn has more: its ranks end it far apart, and one that is not done is faster without the others.
fn operations_between(window: &Window<'_>, from_s: f64, to_s: f64) -> f64 {
    let ordered_s = window.slice.turn.slice_s - window.slice.turn.settle_s;
    let (part_s, parts) = match &window.slice.progress {
        Some(progress) => (progress.part_s, &progress.operations[..]),
        None => (ordered_s.max(window.to_s - window.from_s) / 4.0, &window.slice.quarters[..]),
    };
    let completed = |(index, operations): (u32, &u64)| {
        let began_s = window.from_s + f64::from(index) * part_s;
        let ended_s = (began_s + part_s).min(window.to_s);
        let inside_s = ended_s.min(to_s) - began_s.max(from_s);
        if ended_s > began_s {
            *operations as f64 * (inside_s / (ended_s - began_s)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    (0..).zip(parts).map(completed).sum()
}

/// Two clocks may each be off.
fn uncertainty_s(by_rank: &[RankShare], clocks: &[ClockOffset]) -> f64 {
    let of_ranks = clocks.iter().filter(|clock| by_rank.iter().any(|share| share.rank == clock.rank));
    let mut uncertainties: Vec<f64> = of_ranks.map(|clock| clock.uncertainty_s).collect();
    uncertainties.sort_by(|a, b| b.total_cmp(a));
    uncertainties.iter().take(2).sum()
}

fn skew(seconds: &[f64], uncertainty_s: f64) -> Skew {
    let mean_s = stats::sample::mean(seconds).unwrap_or(0.0);
    Skew { mean_s, max_s: seconds.iter().copied().fold(0.0, f64::max), uncertainty_s }
}

/// The first and the last of some moments.
struct Range {
    first_s: f64,
    last_s: f64,
}

impl Range {
    fn of(moments: impl Iterator<Item = f64>) -> Self {
        let all = Self { first_s: f64::INFINITY, last_s: f64::NEG_INFINITY };
        moments.fold(all, |range, moment| Self {
            first_s: range.first_s.min(moment),
            last_s: range.last_s.max(moment),
        })
    }

    fn width_s(&self) -> f64 {
        self.last_s - self.first_s
    }
}
