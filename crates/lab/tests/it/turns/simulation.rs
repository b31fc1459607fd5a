//! A study in virtual time: the arms of each round run on the real driver and a simulated device whose speed drifts
//! while a neighbour comes and goes; the lab's own cycles hand the turns over. The true ratios are known.

use disk::backend::simulated::{DeviceModel, ServiceTime, Simulated};
use driver::{Clock, Driver, SliceLength, VirtualClock};
use lab::cycles::{Cycles, TakesTurns};
use model::Nanos;
use model::plan::Turns;
use model::turns::{Arm, Slice, Turn};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use stats::carry_over;
use stats::contrast::{Ratio, paired_ratio};
use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;
use workload::device::{Device, Parameters, SCHEMA};

/// Rounds of a study: the fewest that have an interval.
pub(crate) const ROUNDS: u32 = 6;
/// Seconds that a trial measures.
const PHASE_S: f64 = 0.65;
/// What an operation of the baseline takes on a quiet device, usually.
pub(crate) const SERVICE_S: f64 = 1e-3;
/// Arrivals per second of the baseline, where the arms differ in that.
const RATE: f64 = 400.0;
/// How often the device's speed changes, seconds.
const STEP_S: f64 = 0.01;

/// True ratios of the arms' throughputs to the baseline's.
const RATIOS: [f64; 4] = [1.0, 1.05, 1.2, 2.0];

/// What the arms differ in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Factor {
    /// How long an operation takes, in a closed loop.
    Service,
    /// How many operations are due per second, in an open loop.
    Arrivals,
}

/// How an operation counts that an edge of a window cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cut {
    /// In the window in which it completes.
    Whole,
    /// In each window by the part of its time.
    Shared,
}

/// Work that an arm leaves in the device, as writeback would.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarryOver {
    /// The arm, 0 is the baseline.
    pub(crate) by: usize,
    /// How long into the next arm's turn.
    pub(crate) seconds: f64,
    /// How many times as long operations take until then.
    pub(crate) slowdown: f64,
}

/// A study of four arms beside the baseline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Study {
    pub(crate) factor: Factor,
    /// What an operation of the baseline takes on a quiet device, seconds.
    pub(crate) service_s: f64,
    /// How an operation counts that an edge of a window cuts.
    pub(crate) cut: Cut,
    /// How much operations differ: standard deviation of the logarithm.
    pub(crate) sigma: f64,
    /// Whether nobody else uses the device and its speed stays.
    pub(crate) is_quiet: bool,
    /// What an arm leaves behind.
    pub(crate) carry_over: Option<CarryOver>,
    pub(crate) turns: Turns,
    /// Blocks of a round, each with the baseline.
    pub(crate) blocks: u32,
    /// The arm that the others are compared with: 0 is the baseline.
    pub(crate) reference: usize,
}

impl Study {
    /// True throughputs, the baseline's first, as ratios to that of the reference.
    fn truth(&self) -> Vec<f64> {
        let rates: Vec<f64> = std::iter::once(1.0).chain(RATIOS).collect();
        rates.iter().map(|rate| rate / rates[self.reference]).collect()
    }

    /// Trials that follow each other: a slice as long as a trial.
    pub(crate) const ONE_AFTER_ANOTHER: Turns = Turns::Every(PHASE_S / lab::cycles::WINDOW_SHARE);
}

/// What a study measured.
pub(crate) struct Studied {
    /// Ratio of each other arm's throughput to the reference's, with its 95 % interval.
    pub(crate) contrasts: Vec<Ratio>,
    /// By round, or by block of a round, the arms and every slice of theirs that was measured.
    pub(crate) slices: Vec<Vec<(usize, Vec<Slice>)>>,
}

/// How many times as long an operation takes, by time: a drift, and a neighbour that is busy for seconds and idle for
/// seconds.
fn slowdown(random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let (mut drift, mut is_busy) = (0.0, false);
    let steps = 60.0 / STEP_S;
    (0..steps as usize)
        .map(|_| {
            drift += 0.03 * STEP_S.sqrt() * normal(random);
            let seconds = if is_busy { 1.5 } else { 2.5 };
            is_busy ^= unit(random) < STEP_S / seconds;
            f64::exp(drift) * if is_busy { 1.4 } else { 1.0 }
        })
        .collect()
}

fn unit(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Standard normal (Box & Muller 1958).
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (-2.0 * (1.0 - unit(random)).ln()).sqrt() * (std::f64::consts::TAU * unit(random)).cos()
}

/// One arm: a driver of its own on the device that all share.
struct Simulation {
    arm: Arm,
    driver: Driver<Device, Simulated, VirtualClock>,
    clock: VirtualClock,
    /// Until when what another arm left behind slows the device, and how much.
    left_behind: Rc<Cell<(Nanos, f64)>>,
    carry_over: Option<CarryOver>,
    /// Whether slices are as long as those of a deep queue.
    has_queue: bool,
    measured_s: f64,
    slices: Vec<Slice>,
}

impl TakesTurns for Simulation {
    type Stopped = Infallible;

    fn arm(&self) -> Arm {
        self.arm
    }

    fn needs_turn(&self) -> bool {
        self.measured_s < PHASE_S * 0.999
    }

    fn is_counted(&self) -> bool {
        false
    }

    fn has_queue(&self) -> bool {
        self.has_queue
    }

    fn take_turn(&mut self, turn: Turn) -> Result<Option<Slice>, Infallible> {
        let began = self.clock.now();
        if let Some(left) = self.carry_over
            && turn.predecessor.is_some_and(|before| before != self.arm && before.configuration == left.by)
        {
            self.left_behind.set((began + Nanos::from_seconds(left.seconds), left.slowdown));
        }
        let length = SliceLength {
            slice: Nanos::from_seconds(turn.slice_s),
            settle: Nanos::from_seconds(turn.settle_s),
        };
        let taken = self.driver.take_turn(length).expect("the simulated device does not fail");
        let slice = Slice {
            turn,
            began_s: began.seconds(),
            window_s: taken.window.seconds(),
            drain_s: taken.drain.seconds(),
            quarters: taken.quarters,
            latency_mean_s: taken.latency_mean().seconds(),
            is_over: taken.is_over,
            left_bytes: None,
            progress: None,
        };
        self.measured_s += slice.window_s;
        if slice.window_s > 0.0 {
            self.slices.push(slice.clone());
        }
        Ok(Some(slice))
    }
}

fn workload(factor: Factor, ratio: f64, seed: u64) -> Device {
    let defaults = Parameters::read(&SCHEMA.defaults()).expect("defaults are complete");
    let rate_iops = (factor == Factor::Arrivals).then_some((RATE * ratio).round() as u64);
    let iodepth = if rate_iops.is_some() { 32 } else { 1 };
    Device::new(Parameters { rate_iops, iodepth, runtime: Nanos::ZERO, ..defaults }, 0, seed)
}

pub(crate) fn run(study: &Study, seed: u64) -> Studied {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let clock = VirtualClock::default();
    let slowdown: Rc<[f64]> = if study.is_quiet { [1.0].into() } else { slowdown(&mut random).into() };
    let left_behind = Rc::new(Cell::new((Nanos::ZERO, 1.0)));
    let mut rates = vec![Vec::new(); RATIOS.len() + 1];
    let mut slices = Vec::new();
    for round in 0..ROUNDS {
        // By arm: its throughput in each block that has it, relative to the baseline there.
        let mut relative = vec![0.0; RATIOS.len() + 1];
        let mut baseline_logs = Vec::new();
        for (block, arms) in (0..).zip(blocks(study, seed, round)) {
            let simulate = |configuration: usize| {
                let ratio = if configuration == 0 { 1.0 } else { RATIOS[configuration - 1] };
                let service_s = match study.factor {
                    Factor::Service => study.service_s / ratio,
                    Factor::Arrivals => study.service_s / 2.0,
                };
                let device = DeviceModel {
                    seed: random.next_u64(),
                    channels: 4,
                    read: ServiceTime::LogNormal {
                        median: Nanos::from_seconds(service_s),
                        sigma: study.sigma,
                    },
                    ..DeviceModel::default()
                };
                let (speeds, left) = (Rc::clone(&slowdown), Rc::clone(&left_behind));
                let backend = Simulated::new(clock.clone(), device).slowed(move |at| {
                    let (until, factor) = left.get();
                    let step = (at.seconds() / STEP_S) as usize;
                    speeds[step % speeds.len()] * if at < until { factor } else { 1.0 }
                });
                let device = workload(study.factor, ratio, random.next_u64());
                Simulation {
                    arm: Arm { configuration, duplicate: false },
                    driver: Driver::new(device, backend, clock.clone()),
                    clock: clock.clone(),
                    left_behind: Rc::clone(&left_behind),
                    carry_over: study.carry_over,
                    has_queue: study.service_s <= SERVICE_S,
                    measured_s: 0.0,
                    slices: Vec::new(),
                }
            };
            let mut arms: Vec<Simulation> = arms.into_iter().map(simulate).collect();
            let Ok(()) = Cycles::of_block(study.turns, seed, "simulated", round, block).phase(&mut arms);
            let mut of_block = Vec::new();
            let mut logs = Vec::new();
            for Simulation { arm, driver, slices, .. } in arms {
                let driven = driver.finish();
                let operations = match study.cut {
                    Cut::Whole => driven.operations as f64,
                    Cut::Shared => driven.in_windows,
                };
                logs.push((arm.configuration, (operations / driven.elapsed().seconds()).ln()));
                of_block.push((arm.configuration, slices));
            }
            let of_baseline = |(arm, log): &(usize, f64)| (*arm == 0).then_some(*log);
            let baseline = logs.iter().find_map(of_baseline).expect("every block has the baseline");
            for (arm, log) in &logs {
                relative[*arm] = log - baseline;
            }
            baseline_logs.push(baseline);
            slices.push(of_block);
        }
        // As the crate `verdict` compares arms: each relative to the baseline of its block.
        let baseline = baseline_logs.iter().sum::<f64>() / baseline_logs.len() as f64;
        for (rates, relative) in rates.iter_mut().zip(relative) {
            rates.push((baseline + relative).exp());
        }
    }
    let reference = rates.remove(study.reference);
    let contrast = |rates: Vec<f64>| {
        let pairs: Vec<_> = reference.iter().copied().zip(rates).collect();
        paired_ratio(&pairs, 0.95).expect("six positive rates on each side")
    };
    Studied { contrasts: rates.into_iter().map(contrast).collect(), slices }
}

/// The arms of each block of a round, the baseline first: in one block all of them, in several a share that is drawn
/// for this round.
fn blocks(study: &Study, seed: u64, round: u32) -> Vec<Vec<usize>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ u64::from(round) << 32);
    let mut others: Vec<(u64, usize)> = (1..=RATIOS.len()).map(|arm| (random.next_u64(), arm)).collect();
    if study.blocks > 1 {
        others.sort_unstable();
    }
    let others: Vec<usize> = others.into_iter().map(|(_, arm)| arm).collect();
    let share = others.len().div_ceil(study.blocks as usize);
    others.chunks(share).map(|arms| std::iter::once(0).chain(arms.iter().copied()).collect()).collect()
}

impl Studied {
    /// Whether, by the audit's statistics on its slices, any arm's turns carry over something that matters.
    pub(crate) fn carries_over(&self) -> bool {
        let arms = self.contrasts.len() + 1;
        let turns = |(arm, slices): &(usize, Vec<Slice>)| {
            let arm = *arm;
            let turn = |slice: &Slice| {
                let predecessor = slice.turn.predecessor?.configuration;
                let (quarters, window_s) = (slice.quarters, slice.window_s);
                Some(carry_over::Turn { arm, predecessor, quarters, window_s })
            };
            slices.iter().filter_map(turn).collect::<Vec<_>>()
        };
        let rounds: Vec<Vec<_>> =
            self.slices.iter().map(|arms| arms.iter().flat_map(turns).collect()).collect();
        let found = carry_over::carry_over(&rounds, arms, 0.95);
        let mut effects = found.trends.into_iter().chain(found.predecessors);
        effects.any(|effect| effect.is_ok_and(|effect| effect.matters()))
    }
}

/// What many studies measured.
#[derive(Debug, Default)]
pub(crate) struct Performance {
    /// Intervals that contain the true ratio, by arm.
    pub(crate) covering: Vec<u32>,
    pub(crate) studies: u32,
    /// Studies of which the audit's statistics say that turns carry something over.
    pub(crate) alarms: u32,
    /// Half widths of log ratios, by study and arm together.
    half_widths: Vec<f64>,
    /// Log of estimate to truth, summed by arm.
    errors: Vec<f64>,
}

impl Performance {
    /// Runs the studies with these seeds.
    pub(crate) fn of(study: &Study, seeds: std::ops::Range<u64>) -> Self {
        let arms = RATIOS.len();
        let mut truth = study.truth();
        truth.remove(study.reference);
        let mut all = Self { covering: vec![0; arms], errors: vec![0.0; arms], ..Self::default() };
        for seed in seeds {
            all.studies += 1;
            let studied = run(study, seed);
            all.alarms += u32::from(studied.carries_over());
            for (place, contrast) in studied.contrasts.iter().enumerate() {
                all.covering[place] += u32::from(contrast.interval.contains(truth[place]));
                all.half_widths.push((contrast.interval.high / contrast.interval.low).ln() / 2.0);
                all.errors[place] += contrast.log_mean - truth[place].ln();
            }
        }
        all
    }

    /// Share of all intervals that contain the truth.
    pub(crate) fn coverage(&self) -> f64 {
        let covering: u32 = self.covering.iter().sum();
        f64::from(covering) / (f64::from(self.studies) * self.covering.len() as f64)
    }

    /// Median half width of an interval, as a logarithm: nearly the share of the ratio.
    pub(crate) fn half_width(&self) -> f64 {
        stats::sample::median(&self.half_widths).unwrap_or(f64::NAN)
    }

    /// How far the estimates are off on average, as a logarithm, by arm.
    pub(crate) fn biases(&self) -> Vec<f64> {
        self.errors.iter().map(|sum| sum / f64::from(self.studies)).collect()
    }
}
