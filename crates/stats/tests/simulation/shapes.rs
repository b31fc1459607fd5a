//! How often a warning about shape comes, with reason and without.

use stats::comb::comb;
use stats::outlier::outliers;
use stats::shape::{Shape, shape};

use crate::documented::measured;
use crate::random::Distribution;
use crate::share;

const RUNS: u32 = 10_000;

#[test]
fn normal_trials_are_seldom_remarked_on_and_others_often() {
    let warned = |distribution: Distribution, n: usize| {
        share(n as u64, RUNS, |source| shape(&distribution.sample(source, n)) != Ok(Shape::Unremarkable))
    };
    for (n, skewed_from, bimodal_from) in [(6, 0.20, 0.45), (10, 0.40, 0.62), (20, 0.80, 0.85)] {
        let normal = warned(Distribution::Normal, n);
        let skewed = warned(Distribution::LogNormal(1.0), n);
        let bimodal = warned(Distribution::Bimodal(0.1), n);
        measured(&format!("shape warning on normal trials, n = {n}"), normal);
        measured(&format!("shape warning on log-normal, σ = 1, n = {n}"), skewed);
        measured(&format!("shape warning where one in ten is slow, n = {n}"), bimodal);
        assert!(normal <= 0.045, "{normal}");
        assert!(skewed >= skewed_from && bimodal >= bimodal_from, "{skewed} {bimodal}");
    }
}

#[test]
fn some_normal_trials_are_marked_as_outliers() {
    let marked = share(9, RUNS, |source| {
        outliers(&Distribution::Normal.sample(source, 10)).unwrap().iter().any(|mark| *mark)
    });
    measured("ten normal trials with an outlier mark among them", marked);
    assert!(marked <= 0.25, "{marked}");
}

#[test]
fn smooth_latencies_are_no_comb() {
    let runs = 50;
    for operations in [1_000u32, 20_000] {
        for distribution in
            [Distribution::LogNormal(0.3), Distribution::LogNormal(1.0), Distribution::Exponential]
        {
            let rate = share(u64::from(operations), runs, |source| {
                // Buckets of an HDR histogram with three digits or so: 1/1024 wide.
                let mut buckets = std::collections::BTreeMap::new();
                for _ in 0..operations {
                    let bucket = (distribution.draw(source).ln() * 1024.0).round() as i64;
                    *buckets.entry(bucket).or_insert(0u64) += 1;
                }
                let buckets: Vec<(f64, u64)> = buckets
                    .into_iter()
                    .map(|(bucket, count)| ((bucket as f64 / 1024.0).exp(), count))
                    .collect();
                comb(&buckets, 1.0 / 1024.0).is_some()
            });
            assert!(rate <= 0.0, "{distribution:?}, {operations} operations: {rate}");
        }
    }
}
