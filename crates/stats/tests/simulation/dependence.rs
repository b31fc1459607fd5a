//! What dependence between rounds does, and what widening intervals for it achieves: an arm that is slow for a while is slow in
//! the next round too.

use crate::autoregression::{Noise, assessed, numbers, study};
use crate::documented::{measured, require};
use crate::random::Source;
use crate::{share, slack};
use stats::Confidence;
use stats::contrast::{Ratio, ratio_of_logs};
use stats::equivalence::{Answer, Rule, decide};
use stats::interaction::interaction;
use stats::noise::noise_floor;
use stats::sequential::{Spending, plan_rounds};

const RUNS: u32 = 5_000;
/// The last arm against the first.
fn last_to_first(study: &[Vec<f64>], confidence: impl Into<Confidence>) -> Ratio {
    let last = &study[study.len() - 1];
    let logs: Vec<f64> = study[0].iter().zip(last).map(|(first, last)| last - first).collect();
    ratio_of_logs(&logs, confidence).unwrap()
}

/// The same beyond the noise floor.
fn is_beyond_noise(study: &[Vec<f64>], ratio: &Ratio, confidence: Confidence) -> bool {
    let itself: Vec<(f64, f64)> =
        study[0].iter().zip(&study[1]).map(|(first, again)| (first.exp(), again.exp())).collect();
    !noise_floor(&itself, confidence).unwrap().contains_effect(ratio.interval.estimate)
}

/// Shares in percent, without and with widening, for one number of arms and rounds and one correlation.
struct Row {
    /// Equal arms called different.
    false_differences: [f64; 2],
    /// Equal arms called different, with a noise floor.
    beyond_noise: [f64; 2],
    /// How much wider the interval is on average.
    growth: f64,
    /// Studies in which a dependence is found.
    found: f64,
}

fn row(seed: u64, noise: Noise, arms: usize, n: usize, rho: f64) -> Row {
    let mut source = Source::new(seed);
    let (mut different, mut beyond, mut growth, mut found) = ([0u32; 2], [0u32; 2], 0.0, 0u32);
    for _ in 0..RUNS {
        let study = study(&mut source, noise, &vec![rho; arms], n);
        let correlation = assessed(&study, &numbers(n)).counted();
        found += u32::from(correlation > 0.0);
        for (place, correlation) in [0.0, correlation].into_iter().enumerate() {
            let confidence = Confidence { level: 0.95, correlation };
            let ratio = last_to_first(&study, confidence);
            let is_different = ratio.p <= 0.05;
            different[place] += u32::from(is_different);
            beyond[place] += u32::from(is_different && is_beyond_noise(&study, &ratio, confidence));
            growth += ratio.widened_by - 1.0;
        }
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(RUNS);
    Row {
        false_differences: different.map(percent),
        beyond_noise: beyond.map(percent),
        growth: 100.0 * growth / f64::from(RUNS),
        found: percent(found),
    }
}

/// Measures and checks the documented rows of one number of arms.
fn table(arms: usize, rounds: &[usize]) {
    for (place, &n) in rounds.iter().enumerate() {
        let seed = 10_000 + 100 * arms as u64 + 10 * place as u64;
        let at = |step: u64, rho: f64| row(seed + step, Noise::Normal, arms, n, rho);
        let [none, weak, middle, strong] = [at(0, 0.0), at(1, 0.3), at(2, 0.5), at(3, 0.7)];
        let mut cells = vec![arms as f64, n as f64, none.growth];
        for row in [&none, &weak, &middle, &strong] {
            cells.extend(row.false_differences);
        }
        cells.extend(strong.beyond_noise);
        let cells: Vec<String> = cells
            .iter()
            .enumerate()
            .map(|(index, cell)| if index < 2 { format!("{cell:.0}") } else { format!("{cell:.1}") })
            .collect();
        let row = format!("| {} |", cells.join(" | "));
        println!("{row} found {:.1} {:.1} {:.1} {:.1}", none.found, weak.found, middle.found, strong.found);
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

#[test]
fn what_a_round_does_to_both_arms_cancels_however_long_it_lasts() {
    for n in [6, 10] {
        let rate = share(910 + n as u64, RUNS, |source| {
            last_to_first(&study(source, Noise::Normal, &[0.0; 2], n), 0.95).p <= 0.05
        });
        measured(
            &format!("no effect called different, rounds correlate by 0.7 in what both arms share, n = {n}"),
            rate,
        );
        assert!(rate <= 0.05 + slack(0.05, RUNS), "{rate}");
    }
}

#[test]
fn heavy_tails_change_little() {
    for (seed, rho) in [(920, 0.0), (921, 0.7)] {
        let row = row(seed, Noise::HeavyTailed, 5, 12, rho);
        for (how, rate) in ["not widened", "widened"].into_iter().zip(row.false_differences) {
            measured(
                &format!(
                    "no effect called different, heavy-tailed rounds correlate by {rho}, 5 arms, n = 12, {how}"
                ),
                rate / 100.0,
            );
        }
        assert!(row.found <= 5.0 + 100.0 * slack(0.05, RUNS) || rho > 0.0, "{}", row.found);
        let most = if rho > 0.0 { 15.0 } else { 5.0 };
        assert!(row.false_differences[1] <= most, "{:?}", row.false_differences);
    }
}

/// A study that ends at the look that finds a difference, as under a budget.
#[test]
fn looks_are_widened_too() {
    const LOOKS: [usize; 4] = [6, 9, 12, 18];
    let looks = plan_rounds(&LOOKS, 0.05, Spending::Pocock).unwrap();
    for (seed, arms, rho) in [(930, 3, 0.0), (931, 5, 0.0), (932, 3, 0.7), (933, 5, 0.7)] {
        let mut rates = [0.0; 4];
        for (place, (is_widened, has_floor)) in
            [(false, false), (true, false), (false, true), (true, true)].into_iter().enumerate()
        {
            rates[place] = share(seed, RUNS, |source| {
                let study = study(source, Noise::Normal, &vec![rho; arms], 18);
                LOOKS.iter().zip(&looks).any(|(&n, look)| {
                    let study: Vec<Vec<f64>> = study.iter().map(|arm| arm[..n].to_vec()).collect();
                    let correlation = if is_widened { assessed(&study, &numbers(n)).counted() } else { 0.0 };
                    let confidence = Confidence { level: 0.95, correlation };
                    let ratio = last_to_first(&study, confidence);
                    ratio.p <= look.nominal_alpha
                        && (!has_floor || is_beyond_noise(&study, &ratio, confidence))
                })
            });
        }
        for (rate, (floor, how)) in rates.into_iter().zip([
            ("", "not widened"),
            ("", "widened"),
            (", with a noise floor", "not widened"),
            (", with a noise floor", "widened"),
        ]) {
            measured(
                &format!(
                    "no effect called different at any of 4 looks, rounds correlate by {rho}, {arms} arms{floor}, {how}"
                ),
                rate,
            );
        }
        if rho > 0.0 {
            assert!(rates[1] < 0.7 * rates[0] && rates[3] < 0.7 * rates[2], "{rates:?}");
        } else {
            assert!(rates[1] <= 0.05 + slack(0.05, RUNS) && rates[1] <= rates[0], "{rates:?}");
        }
    }
}

/// The estimate is that of all arms, so an arm that depends on its past alone is seen less well.
#[test]
fn one_dependent_arm_among_others_is_seen_less_well() {
    let (arms, n) = (5, 12);
    let mut rho = vec![0.0; arms];
    rho[arms - 1] = 0.7;
    for (seed, is_widened) in [(940, false), (940, true)] {
        let rate = share(seed, RUNS, |source| {
            let study = study(source, Noise::Normal, &rho, n);
            let correlation = if is_widened { assessed(&study, &numbers(n)).counted() } else { 0.0 };
            last_to_first(&study, Confidence { level: 0.95, correlation }).p <= 0.05
        });
        let how = if is_widened { "widened" } else { "not widened" };
        measured(
            &format!("no effect called different, rounds of one arm of 5 correlate by 0.7, n = 12, {how}"),
            rate,
        );
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
            let correlation = assessed(&left, &rounds).counted();
            last_to_first(&left, Confidence { level: 0.95, correlation }).p <= 0.05
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
        for (how, count) in ["not widened", "widened"].into_iter().zip(counts) {
            let rate = f64::from(count) / f64::from(RUNS);
            measured(&format!("{what}, rounds correlate by 0.7, 5 arms, n = 12, {how}"), rate);
        }
        assert!(2 * counts[1] < counts[0], "{what}: {counts:?}");
    }
}
