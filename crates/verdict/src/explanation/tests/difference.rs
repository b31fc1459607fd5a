//! Sides whose segments differ by a planted time, or by chance alone.

use super::{explain, spent};
use crate::analyse;
use crate::finding::{Answer, SegmentDifference, TimeDifference};
use crate::verdict::Verdict;
use model::run::Run;
use model::traced::{Stage, TracedFamily, TracedKey, TracedOutcome, TracedPhase, TracedTrial};
use std::collections::BTreeMap;
use synthetic::{Synthetic, normal};

const OPERATIONS: u64 = 400;
/// Standard deviation of a segment's logarithm over trials.
const SCATTER: f64 = 0.1;
/// Time of each segment in the mean commit with buffered, microseconds.
const SEGMENTS: [(Stage, f64); 4] =
    [(Stage::Flush, 300.0), (Stage::FileSystem, 200.0), (Stage::RunQueue, 100.0), (Stage::Return, 5.0)];

/// Commits with direct take two thirds of the time: 533 µs and not 800 µs.
fn run() -> Run {
    let rate = |configuration: &model::Configuration, _| {
        if configuration.is("mode", "direct") { 1500.0 } else { 1000.0 }
    };
    Synthetic::commit().rounds(6).rate(rate).run()
}

/// The traced trials of a run: with direct, a stage takes this many times as long.
fn traced(run: &Run, repetitions: u32, seed: u64, longer: (Stage, f64)) -> BTreeMap<TracedKey, TracedTrial> {
    let study = &run.plan.studies[0];
    let trial = |(configuration, repetition): (usize, u32)| {
        let is_direct = study.configurations[configuration].is("mode", "direct");
        let segment = |(place, (stage, us)): (usize, &(Stage, f64))| {
            let times = if is_direct && *stage == longer.0 { longer.1 } else { 1.0 };
            let seed = seed << 16 | (configuration as u64) << 12 | u64::from(repetition) << 8 | place as u64;
            let us = us * times * (SCATTER * normal(seed)).exp();
            (*stage, (us * 1e3) as u64 * OPERATIONS)
        };
        let segments: Vec<(Stage, u64)> = SEGMENTS.iter().enumerate().map(segment).collect();
        let family = TracedFamily {
            family: "commit_latency".to_owned(),
            unmatched: 0,
            unstamped: 0,
            all: spent(OPERATIONS, &segments),
            slowest: spent(4, &segments),
            slowest_operation: Vec::new(),
            neighbours: Vec::new(),
        };
        let phase = TracedPhase {
            name: "measure".to_owned(),
            traced_s: 2.0,
            events: 1000,
            lost_records: 0,
            events_beyond_limit: 0,
            missing_tracepoints: Vec::new(),
            families: vec![family],
        };
        let key = TracedKey { study: study.name.clone(), configuration, repetition };
        let outcome = TracedOutcome::Traced(vec![phase]);
        (key.clone(), TracedTrial { format_version: 1, key, started_at: String::new(), outcome })
    };
    let configurations = 0..study.configurations.len();
    configurations.flat_map(|index| (0..repetitions).map(move |number| (index, number))).map(trial).collect()
}

fn explained(run: &Run, traced: &BTreeMap<TracedKey, TracedTrial>) -> Verdict {
    let mut verdict = analyse(run, &|_| None);
    explain(run, &mut verdict, traced);
    verdict
}

fn first(verdict: &Verdict) -> Option<&TimeDifference> {
    verdict.studies[0].findings[0].traced.as_ref()
}

fn of_stage(difference: &TimeDifference, stage: Stage) -> Option<&SegmentDifference> {
    difference.segments.iter().find(|segment| segment.segment.stage == stage)
}

#[test]
fn a_planted_segment_is_found_and_the_others_are_undecided() {
    let run = run();
    let verdict = explained(&run, &traced(&run, 3, 1, (Stage::FileSystem, 0.1)));
    let found = first(&verdict).unwrap();
    assert_eq!((found.family.as_str(), found.level_trials, found.baseline_trials), ("commit_latency", 3, 3));
    let planted = &found.segments[0];
    assert_eq!((planted.segment.stage, planted.answer), (Stage::FileSystem, Answer::Different), "{found:?}");
    assert!((planted.us() + 180.0).abs() < 25.0, "{planted:?}");
    for stage in [Stage::Flush, Stage::RunQueue] {
        assert_eq!(of_stage(found, stage).unwrap().answer, Answer::Undecided, "{found:?}");
    }
    assert!(of_stage(found, Stage::Return).is_none(), "too short to be compared");
    assert!(found.others_us.abs() < 2.0, "{found:?}");
    // Each of the three has a third of the error.
    assert!(found.segments.iter().all(|segment| segment.difference_us.level > Some(0.98)), "{found:?}");
    let measured_us = found.measured_us.unwrap();
    assert!((measured_us + 267.0).abs() < 20.0, "{measured_us}");
    assert!((found.proven_us() - planted.us()).abs() < 1e-9);
    assert!((found.share().unwrap() - planted.us() / measured_us).abs() < 1e-9);
}

/// The trials are seeded, so the rate is the same in every run.
#[test]
fn segments_that_differ_by_chance_alone_are_rarely_proven_to_differ() {
    const RUNS: u64 = 400;
    let run = run();
    let mut verdict = analyse(&run, &|_| None);
    let is_false = |seed: &u64| {
        explain(&run, &mut verdict, &traced(&run, 3, *seed, (Stage::Flush, 1.0)));
        let segments = &first(&verdict).unwrap().segments;
        segments.iter().any(|segment| segment.answer == Answer::Different)
    };
    let alarms = (0..RUNS).filter(is_false).count();
    assert!(alarms as f64 <= 0.05 * RUNS as f64, "{alarms} of {RUNS}");
}

#[test]
fn a_finding_without_traced_trials_on_both_sides_has_no_mechanism_of_them() {
    let run = run();
    let all = traced(&run, 3, 1, (Stage::FileSystem, 0.1));
    let study = &run.plan.studies[0];
    let is_buffered = |key: &TracedKey| study.configurations[key.configuration].is("mode", "buffered");
    let one_side = all.clone().into_iter().filter(|(key, _)| is_buffered(key)).collect();
    assert!(first(&explained(&run, &one_side)).is_none());
    // A repetition counts if all configurations of its side were traced.
    let mut torn = all;
    torn.retain(|key, _| key.repetition == 0 || key.configuration > 0);
    let verdict = explained(&run, &torn);
    assert_eq!(first(&verdict).map(|found| found.level_trials.min(found.baseline_trials)), Some(1));
}

#[test]
fn two_traced_trials_show_a_difference_without_an_interval() {
    let run = run();
    let verdict = explained(&run, &traced(&run, 2, 1, (Stage::FileSystem, 0.1)));
    let found = first(&verdict).unwrap();
    assert!(found.segments.iter().all(|segment| segment.answer == Answer::NotAssessable), "{found:?}");
    assert!(found.segments.iter().all(|segment| segment.difference_us.reason.is_some()));
    assert_eq!(found.share(), Some(0.0));
}

/// No figure comes from a traced trial: but for what they add, the verdict is the same.
#[test]
fn traced_trials_change_nothing_in_a_verdict() {
    let run = run();
    let without = analyse(&run, &|_| None);
    let mut with = explained(&run, &traced(&run, 3, 1, (Stage::FileSystem, 0.1)));
    for (with, without) in with.studies[0].audits.iter_mut().zip(&without.studies[0].audits) {
        with.evidence.truncate(without.evidence.len());
    }
    let mut with = serde_json::to_value(with).unwrap();
    let finding = with["studies"][0]["findings"][0].as_object_mut().unwrap();
    let traced = finding.remove("traced").unwrap();
    assert_eq!(with, serde_json::to_value(without).unwrap());
    let planted = &traced["segments"][0];
    assert_eq!(
        (planted["stage"].as_str(), planted["answer"].as_str()),
        (Some("file_system"), Some("different"))
    );
    assert!(planted["difference_us"]["interval"].as_array().is_some_and(|bounds| bounds.len() == 2));
}

#[test]
fn the_sentences_name_what_differs_and_what_it_accounts_for() {
    let run = run();
    let sentences = |repetitions, times| {
        let verdict = explained(&run, &traced(&run, repetitions, 1, (Stage::FileSystem, times)));
        verdict.studies[0].findings[0].time_difference().unwrap()
    };
    insta::assert_snapshot!(
        [sentences(3, 0.1), sentences(3, 1.0), sentences(3, 9.0), sentences(2, 0.1)].join("\n"),
        @r"
    The mean commit, direct minus buffered: in the file system −196 µs (−277 µs to −115 µs). Together these are −196 µs, 74.6 % of the −263 µs by which the mean commits of the measured trials differ. Source: 3 traced trials with direct and 3 with buffered, which are not the measured trials; 95 % intervals, simultaneous over 3 segments.
    No segment of the mean commit is proven to differ. The largest difference, direct minus buffered: in the file system −25.0 µs (−103 µs to +53.5 µs). Source: 3 traced trials with direct and 3 with buffered, which are not the measured trials; 95 % intervals, simultaneous over 3 segments.
    The mean commit, direct minus buffered: in the file system +1.50 ms (+1.44 ms to +1.56 ms). These do not account for the −263 µs by which the mean commits of the measured trials differ. Source: 3 traced trials with direct and 3 with buffered, which are not the measured trials; 95 % intervals, simultaneous over 3 segments.
    No segment of the mean commit is proven to differ. The largest difference, direct minus buffered: in the file system −186 µs (no interval: 2 trials, an interval needs 3). Source: 2 traced trials with direct and 2 with buffered, which are not the measured trials; 95 % intervals, simultaneous over 3 segments.
    "
    );
}
