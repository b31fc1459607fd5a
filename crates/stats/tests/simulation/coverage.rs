//! Coverage of the three intervals a report prints, and the table of it in `docs/statistics.md`.

use std::fmt::Write as _;

use stats::contrast::paired_ratio;
use stats::interval::{mean_interval, median_interval};

use crate::documented;
use crate::random::{Distribution, Source};

const TRIALS: [usize; 3] = [6, 10, 20];
const RUNS: u32 = 20_000;
/// True ratio of the two arms.
const RATIO: f64 = 1.2;

/// Coverage of the mean's, the median's and the ratio's interval, in percent.
fn coverage(distribution: Distribution, n: usize, seed: u64) -> [f64; 3] {
    let mut source = Source::new(seed);
    let mut covered = [0u32; 3];
    for _ in 0..RUNS {
        let baseline = distribution.sample(&mut source, n);
        // Each round shifts both arms alike, by ±30 % or so: pairing has to take that out.
        let pairs: Vec<(f64, f64)> = baseline
            .iter()
            .map(|value| {
                let shift = (0.3 * source.normal()).exp();
                (value * shift, RATIO * shift * distribution.draw(&mut source))
            })
            .collect();
        covered[0] += u32::from(mean_interval(&baseline, 0.95).unwrap().contains(distribution.mean()));
        covered[1] += u32::from(median_interval(&baseline).unwrap().contains(distribution.median()));
        covered[2] += u32::from(paired_ratio(&pairs, 0.95).unwrap().interval.contains(RATIO));
    }
    covered.map(|count| 100.0 * f64::from(count) / f64::from(RUNS))
}

fn all() -> Vec<(&'static str, [[f64; 3]; 3])> {
    let row = |(seed, (name, distribution)): (u64, (&'static str, Distribution))| {
        (name, TRIALS.map(|n| coverage(distribution, n, 100 * seed + n as u64)))
    };
    (1..).zip(Distribution::ALL).map(row).collect()
}

fn table(rows: &[(&'static str, [[f64; 3]; 3])]) -> String {
    let mut text = String::from(
        "| trials come from | mean, t: n = 6 | 10 | 20 | median: n = 6 | 10 | 20 | paired ratio, t: n = 6 | 10 | 20 |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, by_trials) in rows {
        write!(text, "| {name} |").unwrap();
        for method in 0..3 {
            for covered in by_trials {
                write!(text, " {:.1} |", covered[method]).unwrap();
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn intervals_cover_what_they_say_and_the_documentation_says_how_much() {
    let rows = all();
    for (name, by_trials) in &rows {
        for (n, [mean, median, ratio]) in TRIALS.iter().zip(by_trials) {
            if *name == "normal" {
                assert!((94.0..=96.0).contains(mean), "t on normal, n = {n}: {mean}");
            }
            assert!(*median >= 94.6, "median on {name}, n = {n}: {median}");
            assert!(*ratio >= 94.0, "paired ratio on {name}, n = {n}: {ratio}");
        }
    }
    // What `shape` warns with is what happens.
    for (index, (_, log_normal, bimodal)) in stats::shape::MEAN_COVERAGE.iter().enumerate() {
        assert!((rows[3].1[index][0] - 100.0 * log_normal).abs() < 1.0, "{:?}", rows[3]);
        assert!((rows[5].1[index][0] - 100.0 * bimodal).abs() < 1.0, "{:?}", rows[5]);
    }
    let expected = table(&rows);
    for row in expected.lines() {
        documented::require(row, &expected);
    }
}
