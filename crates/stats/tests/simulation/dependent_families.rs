//! What a whole study claims falsely if its rounds depend on each other: several arms, several metrics, several looks,
//! decided as a verdict decides them. And what the rule against that costs a study of independent rounds.

use crate::autoregression::{Noise, assessed, counted, log_ratios, numbers, study};
use crate::documented::measured;
use crate::random::Source;
use stats::Confidence;
use stats::dependence::are_suspected;
use stats::equivalence::{Answer, Rule, decide};
use stats::family::simultaneous_level;
use stats::noise::noise_floor;
use stats::sequential::{Look, Spending, plan_rounds};

const LOOKS: [usize; 4] = [6, 9, 12, 18];
const RUNS: u32 = 1_000;
/// Level of a noise floor.
const FLOOR: f64 = 0.95;

/// How many metrics a study has, and how many arms, the baseline and its repetition among them.
#[derive(Clone, Copy)]
struct Size {
    metrics: usize,
    arms: usize,
}

/// How many of the comparisons of one look are called different: of those that are not, and of the one that may be.
#[derive(Clone, Copy, Default)]
struct Called {
    falsely: usize,
    truly: bool,
    /// Whether the first ask is decided, which ends a study under a budget.
    ends: bool,
}

/// One look at a metric's arms, `[arm][round]`: each but the baseline and its repetition against the baseline. The last
/// arm may truly differ.
fn look_at(arms: &[Vec<f64>], level: f64, asks: usize, effect: f64, is_cautious: bool) -> Called {
    let rounds = numbers(arms[0].len());
    let one = simultaneous_level(level, asks);
    let itself: Vec<(f64, f64)> =
        arms[0].iter().zip(&arms[1]).map(|(first, again)| (first.exp(), again.exp())).collect();
    let correlation = counted(arms, &log_ratios(arms, 1), &rounds);
    let floor_level = if is_cautious { one.max(FLOOR) } else { FLOOR };
    let floor = noise_floor(&itself, Confidence { level: floor_level, correlation }).unwrap();
    let mut called = Called::default();
    for arm in 2..arms.len() {
        let logs = log_ratios(arms, arm);
        let rule = Rule::at(level, asks, floor.ratio).allowing_for(counted(arms, &logs, &rounds));
        let answer = decide(&logs, &rule).unwrap().answer;
        let (is_last, differs) = (arm == arms.len() - 1, answer == Answer::Different);
        called.falsely += usize::from(differs && !(is_last && effect > 0.0));
        called.truly |= differs && is_last && effect > 0.0;
        called.ends |= is_last && !matches!(answer, Answer::Undecided { .. });
    }
    called
}

/// All metrics of a study at each look; the first ask is about the last arm in the first metric.
fn looks_at(source: &mut Source, looks: &[Look], rho: f64, size: Size, effect: f64) -> [Vec<Called>; 2] {
    let Size { metrics, arms } = size;
    let asks = metrics * (arms - 2);
    let metrics: Vec<Vec<Vec<f64>>> = (0..metrics)
        .map(|_| {
            let mut arms = study(source, Noise::Normal, &vec![rho; arms], LOOKS[looks.len() - 1]);
            arms.last_mut().unwrap().iter_mut().for_each(|log| *log += effect);
            arms
        })
        .collect();
    [false, true].map(|is_cautious| {
        let of_look = |(n, look): (&usize, &Look)| {
            let so_far = |arms: &Vec<Vec<f64>>| arms.iter().map(|arm| arm[..*n].to_vec()).collect();
            let metrics: Vec<Vec<Vec<f64>>> = metrics.iter().map(so_far).collect();
            let found = metrics.iter().map(|arms| assessed(arms, &numbers(*n)));
            let is_cautious = is_cautious && are_suspected(found);
            let level = 1.0 - look.nominal_alpha;
            let all = metrics.iter().map(|arms| look_at(arms, level, asks, effect, is_cautious));
            let all: Vec<Called> = all.collect();
            Called {
                falsely: all.iter().map(|called| called.falsely).sum(),
                truly: all[0].truly,
                ends: all[0].ends,
            }
        };
        LOOKS.iter().zip(looks).map(of_look).collect()
    })
}

/// Studies in percent, with the floor at its own level and with that of the findings.
fn share(seed: u64, runs: u32, mut event: impl FnMut(&mut Source) -> [bool; 2]) -> [f64; 2] {
    let mut source = Source::new(seed);
    let mut counts = [0u32; 2];
    for _ in 0..runs {
        let found = event(&mut source);
        counts = [counts[0] + u32::from(found[0]), counts[1] + u32::from(found[1])];
    }
    counts.map(|count| f64::from(count) / f64::from(runs))
}

fn both_measured(what: &str, rates: [f64; 2]) {
    for (how, rate) in ["", ", cautious floor"].into_iter().zip(rates) {
        measured(&format!("{what}{how}"), rate);
    }
}

/// A pair of arms was documented, and a study has a family of them. A budget may end a study at any look.
#[test]
fn fewer_than_one_dependent_study_in_ten_claims_something_false() {
    let looks = plan_rounds(&LOOKS, 0.05, Spending::Pocock).unwrap();
    for (seed, metrics, arms) in [(980, 4, 3), (981, 4, 5), (984, 4, 9), (985, 1, 5)] {
        let mut source = Source::new(seed);
        let mut at_look = [[0u32; 2]; LOOKS.len()];
        let (mut at_end, mut ever) = ([0u32; 2], [0u32; 2]);
        for _ in 0..RUNS {
            let found = looks_at(&mut source, &looks, 0.7, Size { metrics, arms }, 0.0);
            for (way, called) in found.iter().enumerate() {
                let end = called.iter().position(|look| look.ends).unwrap_or(called.len() - 1);
                at_end[way] += u32::from(called[end].falsely > 0);
                ever[way] += u32::from(called.iter().any(|look| look.falsely > 0));
                for (count, look) in at_look.iter_mut().zip(called) {
                    count[way] += u32::from(look.falsely > 0);
                }
            }
        }
        let rates = |counts: [u32; 2]| counts.map(|count| f64::from(count) / f64::from(RUNS));
        let family = format!("metrics: {metrics}, arms: {arms}, rounds correlate by 0.7");
        let what = |when: &str| format!("something called different falsely {when}, {family}");
        both_measured(&what("at the look that ends the study"), rates(at_end));
        both_measured(&what("after six rounds"), rates(at_look[0]));
        both_measured(&what("at any of 4 looks"), rates(ever));
        for counts in at_look.into_iter().chain([at_end]) {
            assert!(rates(counts)[1] < 0.1, "{family}: {at_look:?} {at_end:?}");
        }
        assert!(ever[1] < ever[0], "{ever:?}");
    }
}

/// The price: a true difference that six independent rounds find.
#[test]
fn a_cautious_floor_costs_independent_rounds_little() {
    let once = [Look { fraction: 1.0, spent: 0.05, boundary: 1.96, nominal_alpha: 0.05 }];
    for (seed, metrics, arms) in [(982, 4, 3), (983, 4, 5), (986, 1, 5)] {
        for effect in [0.12, 0.18] {
            let found = share(seed, RUNS, |source| {
                looks_at(source, &once, 0.0, Size { metrics, arms }, effect).map(|called| called[0].truly)
            });
            let percent = 100.0 * effect;
            let what = format!(
                "difference of {percent:.0} % found by six independent rounds, spread of 7 %, metrics: {metrics}, arms: {arms}"
            );
            both_measured(&what, found);
            assert!(found[0] - found[1] < 0.06, "{what}: {found:?}");
        }
    }
}
