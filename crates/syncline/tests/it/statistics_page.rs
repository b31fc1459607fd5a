//! The experiment that docs/statistics.md works through: what the page says about its table follows from the table.

use model::units::format_significant;
use stats::contrast::{log_ratios, paired_ratio};
use stats::equivalence::{Answer, Rule, decide};
use stats::family::holm;
use stats::interval::mean_interval;
use stats::noise::noise_floor;
use std::fs;
use std::path::Path;

const ROUNDS: usize = 10;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/statistics.md")).unwrap()
}

/// The columns of the table: 4 KiB, again, 8 KiB, 64 KiB, and the ratio.
fn columns(page: &str) -> [Vec<f64>; 5] {
    let mut columns: [Vec<f64>; 5] = Default::default();
    for row in page.lines().skip_while(|line| !line.starts_with("| round |")).skip(2).take(ROUNDS) {
        let cells: Vec<f64> =
            row.trim_matches('|').split('|').map(|cell| cell.trim().parse().unwrap()).collect();
        for (column, cell) in columns.iter_mut().zip(&cells[1..]) {
            column.push(*cell);
        }
    }
    columns
}

fn pairs(baseline: &[f64], treatment: &[f64]) -> Vec<(f64, f64)> {
    baseline.iter().copied().zip(treatment.iter().copied()).collect()
}

#[test]
fn the_worked_example_is_worked_out() {
    let page = page();
    let [baseline, again, middle, large, ratios] = columns(&page);
    assert_eq!(large.len(), ROUNDS);
    // One line: where the text breaks its lines is no matter.
    let said = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = |text: &str| assert!(said.contains(text), "the page does not say: {text}");
    let bounds = |low: f64, high: f64| format!("{}–{}", format_significant(low), format_significant(high));

    for ((small, large), ratio) in baseline.iter().zip(&large).zip(&ratios) {
        assert!((large / small - ratio).abs() < 0.0005, "{large} ÷ {small}");
    }
    let mean = mean_interval(&baseline, 0.95).unwrap();
    assert_eq!(format!("{:.0} ± {:.0}", mean.estimate, mean.half_width()), "13880 ± 1237");
    says("the mean is 13 880, and the 95 % interval ± 1 237");

    let floor = noise_floor(&pairs(&baseline, &again), 0.95).unwrap();
    says(&format!("its interval {}", bounds(floor.interval.low, floor.interval.high)));
    says(&format!("beyond the floor of {}", format_significant(floor.ratio)));

    let rule = Rule::for_asks(2, floor.ratio);
    let decided =
        [&middle, &large].map(|arm| decide(&log_ratios(&pairs(&baseline, arm)).unwrap(), &rule).unwrap());
    let p_values = [&middle, &large].map(|arm| paired_ratio(&pairs(&baseline, arm), 0.95).unwrap().p);
    let adjusted = holm(&p_values).unwrap();
    let [of_middle, of_large] = decided.map(|decision| decision.ratio.interval);
    assert!((rule.level - 0.975).abs() < 1e-12);
    says(&format!("Their geometric mean is {}", format_significant(of_large.estimate)));
    assert!(adjusted[1] < 0.001);
    says(&format!(
        "For 64 KiB that interval is {} (adjusted p < 0.001)",
        bounds(of_large.low, of_large.high)
    ));
    says(&format!(
        "for 8 KiB it is {} (adjusted p = {:.3})",
        bounds(of_middle.low, of_middle.high),
        adjusted[0]
    ));
    assert_eq!(decided[1].answer, Answer::Different);
    says(&format!("a change by a factor of {}", format_significant(1.0 / of_large.estimate)));
    says("between 16 and 40 % of the commits");
    assert_eq!(
        [of_large.high, of_large.low].map(|bound| format!("{:.0}", (1.0 - bound) * 100.0)),
        ["16", "40"]
    );
    assert_eq!(decided[0].answer, Answer::Undecided { rounds_needed: None });
    assert!(decided[0].inside_noise);
    let proof = decided[0].equivalence.interval;
    says(&format!("the 95 % interval, {}, lies within 0.952–1.05", bounds(proof.low, proof.high)));
}
