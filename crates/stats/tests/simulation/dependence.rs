//! What dependence between rounds does, and what widening intervals for it achieves: an arm that is slow for a while is
//! slow in the next round too.

use crate::autoregression::{Noise, assessed, counted, log_ratios, numbers, study};
use crate::documented::{measured, require};
use crate::random::Source;
use crate::{share, slack};
use stats::Confidence;
use stats::contrast::ratio_of_logs;
use stats::equivalence::{Answer, Rule, decide};
use stats::interaction::interaction;
use stats::noise::noise_floor;
use stats::sequential::{Look, Spending, plan_rounds};

const RUNS: u32 = 5_000;
/// Whether two equal arms are called different, by themselves and beyond the noise floor.
#[derive(Clone, Copy)]
struct Called {
    different: bool,
    beyond_noise: bool,
    widened_by: f64,
}

/// The last arm against the first, with the p-value that suffices, with intervals widened or as of independent rounds.
fn judged(study: &[Vec<f64>], rounds: &[u32], alpha: f64, is_widened: bool) -> Called {
    let confidence = |logs: &[f64]| {
        let correlation = if is_widened { counted(study, logs, rounds) } else { 0.0 };
        Confidence { level: 0.95, correlation }
    };
    let logs = log_ratios(study, study.len() - 1);
    let ratio = ratio_of_logs(&logs, confidence(&logs)).unwrap();
    let itself: Vec<(f64, f64)> =
        study[0].iter().zip(&study[1]).map(|(first, again)| (first.exp(), again.exp())).collect();
    let floor = noise_floor(&itself, confidence(&log_ratios(study, 1))).unwrap();
    let different = ratio.p <= alpha;
    Called {
        different,
        beyond_noise: different && !floor.contains_effect(ratio.interval.estimate),
        widened_by: ratio.widened_by,
    }
}

/// Shares in percent, without and with widening, for one number of arms and rounds.
struct Row {
    /// Equal arms called different.
    false_differences: [f64; 2],
    /// Equal arms called different, with a noise floor.
    beyond_noise: [f64; 2],
    /// How much wider the interval is on average.
    growth: f64,
}

/// Neighbouring rounds of each arm correlate by `rho[arm]`.
fn row(seed: u64, noise: Noise, n: usize, rho: &[f64]) -> Row {
    let mut source = Source::new(seed);
    let (mut different, mut beyond, mut growth) = ([0u32; 2], [0u32; 2], 0.0);
    for _ in 0..RUNS {
        let study = study(&mut source, noise, rho, n);
        for (place, is_widened) in [false, true].into_iter().enumerate() {
            let called = judged(&study, &numbers(n), 0.05, is_widened);
            different[place] += u32::from(called.different);
            beyond[place] += u32::from(called.beyond_noise);
            growth += called.widened_by - 1.0;
        }
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(RUNS);
    Row {
        false_differences: different.map(percent),
        beyond_noise: beyond.map(percent),
        growth: 100.0 * growth / f64::from(RUNS),
    }
}

/// Measures and checks the documented rows of one number of arms.
fn table(arms: usize, rounds: &[usize]) {
    for (place, &n) in rounds.iter().enumerate() {
        let seed = 10_000 + 100 * arms as u64 + 10 * place as u64;
        let at = |step: u64, rho: f64| row(seed + step, Noise::Normal, n, &vec![rho; arms]);
        let [none, weak, middle, strong] = [at(0, 0.0), at(1, 0.3), at(2, 0.5), at(3, 0.7)];
        let mut cells = vec![none.growth];
        for row in [&none, &weak, &middle, &strong] {
            cells.extend(row.false_differences);
        }
        cells.extend(strong.beyond_noise);
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.1}")).collect();
        let row = format!("| {arms} | {n} | {} |", cells.join(" | "));
        println!("{row}");
        // Independent rounds keep their level, and pay less than a twentieth of their width for it.
        let allowed = 5.0 + 100.0 * slack(0.05, RUNS);
        assert!(none.false_differences[1] <= allowed && none.growth < 5.0, "{row}");
        for dependent in [&weak, &middle, &strong] {
            assert!(dependent.false_differences[1] < dependent.false_differences[0], "{row}");
            assert!(dependent.beyond_noise[1] <= dependent.beyond_noise[0], "{row}");
        }
        require(&row, &row);
    }
}

#[test]
fn widening_takes_back_what_dependence_adds_three_arms() {
    table(3, &[6, 9, 12, 18, 30]);
}

#[test]
fn widening_takes_back_what_dependence_adds_five_arms() {
    table(5, &[6, 9, 12, 18, 30]);
}

#[test]
fn widening_takes_back_what_dependence_adds_nine_arms() {
    table(9, &[6, 9, 12, 18, 30]);
}

/// Documents what was called different without and with widening.
fn both_measured(what: &str, rates: [f64; 2]) {
    for (how, rate) in ["not widened", "widened"].into_iter().zip(rates) {
        measured(&format!("{what}, {how}"), rate / 100.0);
    }
}

#[test]
fn what_a_round_does_to_both_arms_cancels_however_long_it_lasts() {
    for n in [6, 10] {
        let rate = row(910 + n as u64, Noise::Normal, n, &[0.0; 3]).false_differences[0] / 100.0;
        measured(
            &format!("no effect called different, rounds correlate by 0.7 in what both arms share, n = {n}"),
            rate,
        );
        assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
    }
}

#[test]
fn heavy_tails_change_little() {
    for (seed, rho, most) in [(920, 0.0, 5.0), (921, 0.7, 15.0)] {
        let rates = row(seed, Noise::HeavyTailed, 12, &[rho; 5]).false_differences;
        let what =
            format!("no effect called different, heavy-tailed rounds correlate by {rho}, 5 arms, n = 12");
        both_measured(&what, rates);
        assert!(rates[1] <= most, "{rates:?}");
    }
}

/// The estimate over all arms misses a dependence of few arms; the comparison's own ratios show some of it.
#[test]
fn few_dependent_arms_among_others_are_seen_less_well() {
    for (seed, n) in [(940, 12), (942, 18)] {
        let one = row(seed, Noise::Normal, n, &[0.0, 0.0, 0.0, 0.0, 0.7]).false_differences;
        both_measured(
            &format!("no effect called different, rounds of one compared arm of 5 correlate by 0.7, n = {n}"),
            one,
        );
        let two = row(seed + 1, Noise::Normal, n, &[0.7, 0.0, 0.0, 0.0, 0.7]).false_differences;
        both_measured(
            &format!(
                "no effect called different, rounds of both compared arms of 5 correlate by 0.7, n = {n}"
            ),
            two,
        );
        assert!(one[1] < one[0] && two[1] < 0.8 * two[0], "{one:?} {two:?}");
    }
}

/// A study that ends at the look that finds a difference, as under a budget.
#[test]
fn looks_are_widened_too() {
    const LOOKS: [usize; 4] = [6, 9, 12, 18];
    let looks = plan_rounds(&LOOKS, 0.05, Spending::Pocock).unwrap();
    for (seed, arms, rho) in [(930, 3, 0.0), (931, 5, 0.0), (932, 3, 0.7), (933, 5, 0.7)] {
        let (mut different, mut beyond) = ([0u32; 2], [0u32; 2]);
        let mut source = Source::new(seed);
        for _ in 0..RUNS {
            let study = study(&mut source, Noise::Normal, &vec![rho; arms], 18);
            for (place, is_widened) in [false, true].into_iter().enumerate() {
                let at = |(&n, look): (&usize, &Look)| {
                    let study: Vec<Vec<f64>> = study.iter().map(|arm| arm[..n].to_vec()).collect();
                    judged(&study, &numbers(n), look.nominal_alpha, is_widened)
                };
                let called: Vec<Called> = LOOKS.iter().zip(&looks).map(at).collect();
                different[place] += u32::from(called.iter().any(|called| called.different));
                beyond[place] += u32::from(called.iter().any(|called| called.beyond_noise));
            }
        }
        let what =
            format!("no effect called different at any of 4 looks, rounds correlate by {rho}, {arms} arms");
        let percent = |counts: [u32; 2]| counts.map(|count| 100.0 * f64::from(count) / f64::from(RUNS));
        let (different, beyond) = (percent(different), percent(beyond));
        both_measured(&what, different);
        both_measured(&format!("{what}, with a noise floor"), beyond);
        if rho > 0.0 {
            assert!(different[1] < 0.7 * different[0] && beyond[1] < 0.6 * beyond[0], "{what}");
        } else {
            assert!(different[1] <= 5.0 + 100.0 * slack(0.05, RUNS), "{what}");
        }
    }
}

#[test]
fn missing_rounds_cost_little() {
    let rounds: Vec<u32> = (0..14).filter(|round| *round != 4 && *round != 9).collect();
    for (seed, rho, most) in [(950, 0.0, 0.05 + slack(0.05, RUNS)), (951, 0.7, 0.15)] {
        let rate = share(seed, RUNS, |source| {
            let whole = study(source, Noise::Normal, &[rho; 5], 14);
            let at = |arm: &Vec<f64>| rounds.iter().map(|round| arm[*round as usize]).collect();
            let left: Vec<Vec<f64>> = whole.iter().map(at).collect();
            judged(&left, &rounds, 0.05, true).different
        });
        measured(
            &format!(
                "no effect called different, rounds correlate by {rho}, 2 of 14 missing, 5 arms, widened"
            ),
            rate,
        );
        assert!(rate <= most, "{rate}");
    }
}

/// A verdict states the smallest correlation that is found four times in five.
#[test]
fn the_detectable_correlation_is_the_one_that_is_found() {
    for (seed, arms, n) in [(960, 3, 12), (961, 5, 9), (962, 9, 9), (963, 5, 18)] {
        let mut detectable = 0.0;
        let runs = 1_000;
        for seed in 0..runs {
            let study = study(&mut Source::new(seed), Noise::Normal, &vec![0.0; arms], n);
            detectable += assessed(&study, &numbers(n)).detectable() / runs as f64;
        }
        let rate = share(seed, RUNS, |source| {
            assessed(&study(source, Noise::Normal, &vec![detectable; arms], n), &numbers(n)).counted() > 0.0
        });
        println!("{arms} arms, n = {n}: {detectable:.2} found in {:.1} %", 100.0 * rate);
        assert!((0.7..0.9).contains(&rate), "{rate}");
    }
}

#[test]
fn equivalence_and_interaction_are_widened_too() {
    let (n, rho) = (12, 0.7);
    let rule = Rule::for_asks(1, 1.0);
    let (mut equivalent, mut interacting) = ([0u32; 2], [0u32; 2]);
    let mut source = Source::new(970);
    for _ in 0..RUNS {
        let study = study(&mut source, Noise::Normal, &[rho; 5], n);
        let found = assessed(&study, &numbers(n)).counted();
        // An effect on the margin, with noise small enough to prove equivalence.
        let logs: Vec<f64> = study[0]
            .iter()
            .zip(&study[4])
            .map(|(first, last)| stats::EQUIVALENCE_MARGIN.ln() + 0.3 * (last - first))
            .collect();
        let cells: Vec<Vec<f64>> =
            (0..n).map(|round| (1..5).map(|arm| study[arm][round] - study[0][round]).collect()).collect();
        for (place, correlation) in [0.0, found].into_iter().enumerate() {
            let answer = decide(&logs, &rule.allowing_for(correlation)).unwrap();
            equivalent[place] += u32::from(answer.equivalence.equivalent);
            interacting[place] += u32::from(interaction(&cells, correlation).unwrap().p <= 0.05);
            assert!(answer.answer != Answer::Different || answer.ratio.p <= 0.05);
        }
    }
    for (what, counts) in [
        ("effect on the margin called equivalent", equivalent),
        ("interaction found where there is none", interacting),
    ] {
        let rates = counts.map(|count| 100.0 * f64::from(count) / f64::from(RUNS));
        both_measured(&format!("{what}, rounds correlate by 0.7, 5 arms, n = 12"), rates);
        assert!(2 * counts[1] < counts[0], "{what}: {counts:?}");
    }
}
