//! What was observed of a program, beside what an arm measures that repeats its load.

use crate::analyse;
use crate::study::Plots;
use crate::verdict::{Replayed, StudyVerdict};
use model::run::Run;
use model::study::{ARM_FACTOR, AskKind};
use model::{Configuration, Observed};
use std::collections::BTreeMap;
use synthetic::{Synthetic, ask, name};

/// One arm of 1000 operations/s with 31.04 in flight, and one of 4000.
fn run(figures: &[(&str, f64)]) -> Run {
    let rate = |c: &Configuration, _| if c.is(ARM_FACTOR, "flat_out") { 4000.0 } else { 1000.0 };
    let arms = vec![name("as_observed"), name("flat_out")];
    let asks = vec![ask(AskKind::Compare, ARM_FACTOR, &["iops"])];
    let study = Synthetic::device().vary("mode", vec![name("buffered")]).vary(ARM_FACTOR, arms).asks(asks);
    let mut run = study.rate(rate).scatter(0.0).run();
    if !figures.is_empty() {
        let figures: BTreeMap<String, f64> =
            figures.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect();
        run.plan.studies[0].observed =
            Some(Observed { arm: "as_observed".to_owned(), figures, rates_within: None });
    }
    run
}

fn study(run: &Run) -> StudyVerdict {
    analyse(run, &|_| None).studies.remove(0)
}

#[test]
fn what_was_observed_stands_beside_what_its_arm_measured() {
    let latency_us = 0.9 * 31_040.0;
    let figures = [
        ("iops", 900.0),
        ("in_flight_mean", 31.0),
        ("completion_latency_p50_us", latency_us / 1.15),
        ("sync_latency_mean_us", 5.0),
        ("bandwidth_bytes_per_s", 0.0),
    ];
    let run = run(&figures);
    let study = study(&run);
    let row =
        |of: &Replayed| (of.metric.clone(), of.ratio.map(|ratio| (ratio * 100.0).round()), of.is_within);
    let rows: Vec<_> = study.replayed.iter().map(row).collect();
    let expected = [
        ("iops", Some(111.0), Some(false)),
        // Nothing was read or written: there is no ratio.
        ("bandwidth_bytes_per_s", None, None),
        ("completion_latency_p50_us", Some(115.0), Some(true)),
        ("sync_latency_mean_us", None, None),
        ("in_flight_mean", Some(100.0), Some(true)),
    ];
    let sorted = |mut rows: Vec<(String, Option<f64>, Option<bool>)>| {
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        rows
    };
    let expected = expected.map(|(name, ratio, is_within)| (name.to_owned(), ratio, is_within));
    assert_eq!(sorted(rows), sorted(expected.to_vec()));
    assert_eq!((&*study.replayed[0].metric, study.replayed[0].replayed.point), ("iops", Some(1000.0)));
    let sync = study.replayed.iter().find(|of| of.metric == "sync_latency_mean_us").unwrap();
    assert_eq!(sync.unsupported.as_deref(), Some("there are none"));
    let parts = |run: &Run| self::study(run).section(run, 0, Plots::none()).sections.len();
    assert_eq!(parts(&run), parts(&self::run(&[])) + 1);
}

#[test]
fn an_arm_in_several_configurations_repeats_nothing() {
    let mut run = run(&[("iops", 900.0)]);
    for configuration in &mut run.plan.studies[0].configurations {
        configuration.0.insert(ARM_FACTOR.to_owned(), name("as_observed"));
    }
    assert_eq!(study(&run).replayed, []);
}
