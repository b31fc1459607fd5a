//! The memory study: buffered reads under caps compared with direct ones, and a level of the axis that is not a number.

use super::first;
use crate::analyse;
use crate::finding::{Outcome, Reason, Remark, Side, Subject};
use crate::verdict::Answer;
use model::study::{Ask, AskKind};
use model::{Configuration, Value};
use synthetic::{Synthetic, ask, name};

/// Buffered reads slow down with the square root of the cap, and fall below direct ones at a quarter of the file.
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

fn left_out() -> Remark {
    Remark::LevelsLeftOut(vec![name("none")])
}

#[test]
fn the_cap_where_buffered_falls_below_direct_has_an_interval() {
    let finding = first(&memory(AskKind::Crossover));
    assert_eq!(finding.answer(), Answer::Different, "{finding:?}");
    let Outcome::ChangePlaces { at, starts } = &finding.outcome else { panic!("{finding:?}") };
    let (low, high) = at.interval.unwrap();
    assert!(low < 25.0 && 25.0 < high && high < 30.0 && *starts == Side::Above, "{finding:?}");
    let Subject::Arms { arms, range } = &finding.subject else { panic!("{finding:?}") };
    assert_eq!((&arms.level, &arms.baseline), (&name("direct"), &name("buffered")));
    assert_eq!(*range, Some((Value::Percent(2.5), Value::Percent(100.0))));
    assert!(finding.remarks.contains(&left_out()), "{finding:?}");
    assert_eq!(finding.by_level.len(), 4);
}

#[test]
fn trends_and_knees_leave_out_what_is_no_number() {
    for kind in [AskKind::Trend, AskKind::Knee] {
        let finding = first(&memory(kind));
        assert_ne!(finding.answer(), Answer::NotAssessable, "{finding:?}");
        assert!(finding.remarks.contains(&left_out()), "{finding:?}");
    }
}

#[test]
fn an_axis_needs_two_numbers_of_one_unit() {
    let one = memory(AskKind::Trend).vary("memory_cap", vec![name("none"), Value::Percent(50.0)]);
    let why = |study: &Synthetic| first(study).outcome;
    let (factor, level) = ("memory_cap".to_owned(), name("none"));
    assert_eq!(why(&one), Outcome::NotAssessable(Reason::NotANumber { factor: factor.clone(), level }));
    let mixed = memory(AskKind::Trend).vary("memory_cap", vec![Value::Percent(50.0), Value::Bytes(1 << 30)]);
    let (one, other) = (Value::Percent(50.0), Value::Bytes(1 << 30));
    assert_eq!(why(&mixed), Outcome::NotAssessable(Reason::UnlikeUnits { factor, one, other }));
}

#[test]
fn a_knee_over_depth_is_the_smallest_depth_near_the_peak() {
    let levels = [1, 2, 4, 8, 16, 32].map(Value::Count).to_vec();
    let saturating =
        |values: &Configuration, _: u32| 1000.0 * values.count("iodepth").unwrap_or(1).min(8) as f64;
    let asks = vec![ask(AskKind::Knee, "iodepth", &["iops"])];
    let knee = first(&Synthetic::device().vary("iodepth", levels).asks(asks).rate(saturating));
    let Outcome::Enough { level, .. } = &knee.outcome else { panic!("{knee:?}") };
    assert_eq!(level.level, Value::Count(8));
}

#[test]
fn the_memory_study_as_designed_raises_no_alarm() {
    let study = analyse(&memory(AskKind::Crossover).run(), &synthetic::sidecar).studies.remove(0);
    let failed: Vec<_> = study.audits.iter().filter(|audit| audit.status <= crate::Status::Warn).collect();
    assert!(failed.is_empty(), "{failed:?}");
}
