//! The memory study: buffered reads under caps against direct ones, and what of its axis is no number.

use super::first;
use crate::analyse;
use crate::synthetic::{self, Synthetic, ask, name};
use crate::verdict::Answer;
use model::study::{Ask, AskKind};
use model::{Configuration, Value};

/// Buffered reads lose with the square root of the cap and fall below direct ones at a quarter of the file.
fn rate(values: &Configuration, _: u32) -> f64 {
    match (values.is("mode", "direct"), values.get("memory_cap").and_then(Value::number)) {
        (true, _) => 1000.0,
        (false, Some(percent)) => 1000.0 * (percent / 25.0).sqrt(),
        (false, None) => 9000.0,
    }
}

fn memory(kind: AskKind) -> Synthetic {
    let mut levels = vec![name("none")];
    levels.extend([100.0, 50.0, 12.5, 2.5].map(Value::Percent));
    let between = (kind == AskKind::Crossover).then(|| "mode".to_owned());
    let asks = vec![Ask { between, ..ask(kind, "memory_cap", &["iops"]) }];
    Synthetic::device().fix("cache", name("warm")).vary("memory_cap", levels).asks(asks).rate(rate)
}

const LEFT_OUT: &str = "memory_cap = none is no place on the axis and is left out.";

#[test]
fn the_cap_where_buffered_falls_below_direct_has_an_interval() {
    let finding = first(&memory(AskKind::Crossover));
    assert_eq!(finding.answer, Answer::Different, "{}", finding.statement);
    let (low, high) = finding.level.clone().unwrap().interval.unwrap();
    assert!(low < 25.0 && 25.0 < high && high < 30.0, "{}", finding.statement);
    assert!(
        finding.statement.starts_with("direct and buffered change places in IOPS at memory_cap between 2"),
        "{}",
        finding.statement
    );
    assert!(
        finding.statement.contains(" % (estimate 2")
            && finding.statement.contains(" %, 95 % interval, 10 rounds"),
        "{}",
        finding.statement
    );
    assert!(finding.statement.ends_with("direct is above before and below after."), "{}", finding.statement);
    assert!(finding.caveats.iter().any(|caveat| caveat == LEFT_OUT), "{:?}", finding.caveats);
    assert_eq!(finding.by_cell.len(), 4);
}

#[test]
fn trends_and_knees_leave_out_what_is_no_number() {
    for kind in [AskKind::Trend, AskKind::Knee] {
        let finding = first(&memory(kind));
        assert_ne!(finding.answer, Answer::NotAssessable, "{}", finding.statement);
        assert!(finding.caveats.iter().any(|caveat| caveat == LEFT_OUT), "{:?}", finding.caveats);
    }
}

#[test]
fn an_axis_needs_two_numbers_of_one_unit() {
    let one = memory(AskKind::Trend).vary("memory_cap", vec![name("none"), Value::Percent(50.0)]);
    assert!(first(&one).statement.contains("memory_cap = none is no number"), "{}", first(&one).statement);
    let mixed = memory(AskKind::Trend).vary("memory_cap", vec![Value::Percent(50.0), Value::Bytes(1 << 30)]);
    assert!(first(&mixed).statement.contains("not of one unit"), "{}", first(&mixed).statement);
}

#[test]
fn levels_in_bytes_and_seconds_carry_their_units() {
    let levels = [1_u64 << 30, 4 << 30, 16 << 30].map(Value::Bytes).to_vec();
    let crossing = |values: &Configuration, _: u32| {
        let cap = values.bytes("memory_cap").unwrap_or(1) as f64;
        if values.is("mode", "direct") { 1000.0 } else { 1000.0 * (cap / 4e9).sqrt() }
    };
    let finding = first(&memory(AskKind::Crossover).vary("memory_cap", levels).rate(crossing));
    assert!(
        finding.statement.contains("at memory_cap between 3.") && finding.statement.contains("GiB"),
        "{}",
        finding.statement
    );
}

#[test]
fn a_knee_over_depth_is_the_smallest_depth_near_the_peak() {
    let levels = [1, 2, 4, 8, 16, 32].map(Value::Count).to_vec();
    let saturating =
        |values: &Configuration, _: u32| 1000.0 * values.count("iodepth").unwrap_or(1).min(8) as f64;
    let asks = vec![ask(AskKind::Knee, "iodepth", &["iops"])];
    let knee = first(&Synthetic::device().vary("iodepth", levels).asks(asks).rate(saturating));
    assert!(knee.statement.starts_with("iodepth = 8 is enough for IOPS"), "{}", knee.statement);
}

#[test]
fn the_memory_study_as_designed_raises_no_alarm() {
    let study = analyse(&memory(AskKind::Crossover).run(), &synthetic::sidecar).studies.remove(0);
    let failed: Vec<_> = study.audits.iter().filter(|audit| audit.status <= crate::Status::Warn).collect();
    assert!(failed.is_empty(), "{failed:?}");
}
