//! The answer begins with the study's first ask, and claims no effect that its cells contradict.

use super::study;
use crate::finding::{Finding, Opposing, Outcome, Side};
use crate::verdict::StudyVerdict;
use model::study::{Ask, AskKind, Study};
use model::{Configuration, Value};
use synthetic::{Synthetic, ask, name};

fn answer(study: &StudyVerdict) -> Vec<&Finding> {
    study.answer.iter().map(|place| &study.findings[*place]).collect()
}

fn opposing(finding: &Finding) -> &Opposing {
    match &finding.outcome {
        Outcome::DependsOnCell(opposing) => opposing,
        _ => panic!("{finding:?}"),
    }
}

fn crossover() -> Ask {
    Ask { between: Some("mode".to_owned()), ..ask(AskKind::Crossover, "memory_cap", &["iops"]) }
}

/// Buffered reads slow down with the square root of the cap, and fall below direct ones at a quarter of the file.
fn capped(values: &Configuration, _: u32) -> f64 {
    let percent = values.get("memory_cap").and_then(Value::number);
    if values.is("mode", "direct") { 1000.0 } else { 1000.0 * (percent.unwrap_or(100.0) / 25.0).sqrt() }
}

/// The study asks about a cap, but the answer was a ratio over all caps.
#[test]
fn the_memory_study_answers_with_the_crossover() {
    let levels = [100.0, 50.0, 12.5, 2.5].map(Value::Percent).to_vec();
    let asks = vec![crossover(), ask(AskKind::Compare, "mode", &["iops"])];
    let study_of = |asks: Vec<Ask>| {
        let device = Synthetic::device().fix("cache", name("warm")).vary("memory_cap", levels.clone());
        study(&device.asks(asks).rate(capped))
    };
    let told = study_of(asks.clone());
    assert!(matches!(answer(&told)[0].outcome, Outcome::ChangePlaces { .. }), "{told:?}");
    assert_eq!(opposing(answer(&told)[1]).factor.as_deref(), Some("memory_cap"));
    let turned = study_of(asks.into_iter().rev().collect());
    assert_eq!(opposing(answer(&turned)[0]).factor.as_deref(), Some("memory_cap"));
}

#[test]
fn the_depth_study_answers_with_the_knee() {
    let levels = [1, 2, 4, 8, 16, 32].map(Value::Count).to_vec();
    let saturating =
        |values: &Configuration, _: u32| 1000.0 * values.count("iodepth").unwrap_or(1).min(8) as f64;
    let latencies = ["completion_latency_p50_us", "completion_latency_mean_us"];
    let asks = vec![ask(AskKind::Knee, "iodepth", &["iops"]), ask(AskKind::Trend, "iodepth", &latencies)];
    let depth = Synthetic::device().vary("mode", vec![name("buffered")]).vary("iodepth", levels);
    let study = study(&depth.asks(asks).rate(saturating));
    let kinds: Vec<(AskKind, &str)> =
        answer(&study).iter().map(|finding| (finding.ask.kind, finding.metric.as_str())).collect();
    assert_eq!(kinds, [(AskKind::Knee, "iops"), (AskKind::Trend, "completion_latency_p50_us")]);
}

/// Buffered writes end in memory, and buffered random reads read ahead in vain: a ratio over all four describes
/// neither.
#[test]
fn patterns_that_point_different_ways_are_told_one_by_one() {
    let patterns = ["randread", "randwrite", "read", "write"].map(name).to_vec();
    let rate = |values: &Configuration, _: u32| {
        if values.is("mode", "buffered") || values.is("rw", "read") {
            1000.0
        } else if values.is("rw", "randread") {
            1700.0
        } else {
            400.0
        }
    };
    let device = Synthetic::device().fix("end_fsync", Value::Flag(true)).vary("rw", patterns);
    let study = study(&device.rate(rate));
    let opposing = opposing(answer(&study)[0]);
    assert_eq!(opposing.factor.as_deref(), Some("rw"));
    let sides: Vec<_> = opposing.groups.iter().map(|group| (group.level.to_string(), group.proven)).collect();
    let expected = [
        ("randread", Some(Side::Above)),
        ("randwrite", Some(Side::Below)),
        ("read", None),
        ("write", Some(Side::Below)),
    ];
    assert_eq!(sides, expected.map(|(level, side)| (level.to_owned(), side)));
}

/// With two factors the finding names the one that decides, with the range of its cells' ratios.
#[test]
fn the_factor_that_decides_is_named() {
    let rate = |values: &Configuration, _: u32| match (values.is("mode", "direct"), values.is("rw", "write"))
    {
        (true, true) => {
            if values.bytes("bs") == Ok(4096) {
                300.0
            } else {
                700.0
            }
        }
        (true, false) => 2000.0,
        (false, _) => 1000.0,
    };
    let device = Synthetic::device()
        .fix("end_fsync", Value::Flag(true))
        .vary("bs", [4096, 65536].map(Value::Bytes).to_vec())
        .vary("rw", ["read", "write"].map(name).to_vec());
    let study = study(&device.rate(rate));
    let opposing = opposing(answer(&study)[0]);
    assert_eq!(opposing.factor.as_deref(), Some("rw"));
    let [read, write] = &opposing.groups[..] else { panic!("{opposing:?}") };
    assert_eq!((read.proven, write.proven), (Some(Side::Above), Some(Side::Below)));
    assert!(write.ratios.0 < 0.35 && write.ratios.1 > 0.6 && write.cells == 2, "{write:?}");
}

#[test]
fn what_is_undecided_is_told_of_the_first_ask_alone() {
    let asks = vec![
        ask(AskKind::Compare, "mode", &["commits_per_s"]),
        ask(AskKind::Compare, "group_size", &["commits_per_s"]),
    ];
    let study = study(&Synthetic::commit().scatter(0.12).asks(asks));
    let factors: Vec<&str> = answer(&study).iter().map(|finding| finding.ask.factor.as_str()).collect();
    assert_eq!(factors, ["mode"]);
}

/// The order of the asks is the study's own ranking.
#[test]
fn built_in_studies_ask_their_question_first() {
    let first = |name: &str, text: &str| Study::parse(name, text).unwrap().asks[0].kind;
    let memory = include_str!("../../../../studies/memory.toml");
    assert_eq!(first("memory", memory), AskKind::Crossover);
    assert_eq!(first("depth", include_str!("../../../../studies/depth.toml")), AskKind::Knee);
    assert_eq!(first("device", include_str!("../../../../studies/device.toml")), AskKind::Compare);
    assert_eq!(first("matrix", include_str!("../../../../studies/matrix.toml")), AskKind::Compare);
}
