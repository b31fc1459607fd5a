//! Traced trials whose every nanosecond is known.

mod difference;
mod evidence;

use super::*;
use model::Configuration;
use model::plan::{Factor, Plan};
use model::traced::{SegmentTime, Stage, TracedNeighbour};

fn time(stage: Stage, duration_ns: u64) -> SegmentTime {
    SegmentTime { segment: Segment { stage, journal: false }, duration_ns }
}

fn spent(operations: u64, segments: &[(Stage, u64)]) -> TimeSpent {
    TimeSpent {
        operations,
        duration_ns: segments.iter().map(|(_, ns)| ns).sum(),
        foreign_requests: operations / 2,
        segments: segments.iter().map(|(stage, ns)| time(*stage, *ns)).collect(),
    }
}

fn family(name: &str, flush_ns: u64) -> TracedFamily {
    TracedFamily {
        family: name.to_owned(),
        unmatched: 2,
        unstamped: 0,
        all: spent(400, &[(Stage::Flush, flush_ns), (Stage::RunQueue, 1_000_000)]),
        slowest: spent(4, &[(Stage::RunQueue, 900_000), (Stage::Unknown, 100_000)]),
        slowest_operation: vec![time(Stage::FileSystem, 1_000), time(Stage::RunQueue, flush_ns)],
        neighbours: vec![
            TracedNeighbour { program: "cc1plus".to_owned(), ran_ns: 600_000, requests: 20 },
            TracedNeighbour { program: String::new(), ran_ns: 100_000, requests: 0 },
        ],
    }
}

fn traced(configuration: usize, repetition: u32, outcome: TracedOutcome) -> (TracedKey, TracedTrial) {
    let key = TracedKey { study: "commit".to_owned(), configuration, repetition };
    let trial = TracedTrial {
        format_version: model::FORMAT_VERSION,
        key: key.clone(),
        started_at: String::new(),
        outcome,
    };
    (key, trial)
}

fn phase(flush_ns: u64) -> TracedOutcome {
    TracedOutcome::Traced(vec![TracedPhase {
        name: "measure".to_owned(),
        traced_s: 2.0,
        events: 1000,
        lost_records: 5,
        events_beyond_limit: 0,
        missing_tracepoints: Vec::new(),
        families: vec![family("commit_latency", flush_ns), family("sync_latency", flush_ns)],
    }])
}

fn run() -> Run {
    let modes = ["direct", "buffered"].map(|mode| model::Value::Name(mode.to_owned()));
    let configuration = |mode: &model::Value| Configuration([("mode".to_owned(), mode.clone())].into());
    let study = StudyPlan {
        name: "commit".to_owned(),
        configurations: modes.iter().map(configuration).collect(),
        factors: vec![Factor { name: "mode".to_owned(), levels: modes.to_vec() }],
        responses: vec!["commits_per_s".to_owned()],
        rounds: 6,
        traced: 2,
        ..StudyPlan::default()
    };
    let run = synthetic::Synthetic::commit().run();
    Run { plan: Plan { studies: vec![study], ..run.plan }, records: Vec::new(), ..run }
}

fn explained(trials: Vec<(TracedKey, TracedTrial)>) -> Vec<Explanation> {
    let run = run();
    let mut verdict = crate::analyse(&run, &|_| None);
    explain(&run, &mut verdict, &trials.into_iter().collect())
}

#[test]
fn shares_are_of_the_time_of_all_trials() {
    let found = explained(vec![traced(0, 0, phase(3_000_000)), traced(0, 1, phase(1_000_000))]);
    let arm = &found[0].arms[0];
    assert_eq!(
        (arm.configuration, arm.label.as_str(), arm.trials, arm.lost_records),
        (0, "mode=direct", 2, 10)
    );
    let [commit] = &arm.families[..] else {
        panic!("the syncs are a part of the commits: {:?}", arm.families)
    };
    assert_eq!((commit.family.as_str(), commit.unmatched, commit.all.operations), ("commit_latency", 4, 800));
    let flush = commit.all.parts[0];
    assert_eq!(flush.segment, Segment { stage: Stage::Flush, journal: false });
    assert!((flush.share - 4.0 / 6.0).abs() < 1e-9 && (flush.mean_us - 5.0).abs() < 1e-9, "{flush:?}");
    assert!((flush.share_min - 0.5).abs() < 1e-9 && (flush.share_max - 0.75).abs() < 1e-9, "{flush:?}");
    assert!((commit.all.traced_mean_us - 7.5).abs() < 1e-9);
    assert!((commit.all.foreign_requests_per_operation - 0.5).abs() < 1e-9);
    assert_eq!(commit.slowest_operation[1].duration_ns, 3_000_000, "the slower of two trials");
    // It ran for 1.2 of 2 ms of waiting, and sent 40 of 400 requests.
    let [compiler] = &commit.neighbours[..] else { panic!("a neighbour without a name: {commit:?}") };
    assert_eq!((compiler.program.as_str(), compiler.waiting_share), ("cc1plus", 0.6));
    assert!((compiler.requests_share - 0.1).abs() < 1e-9, "{compiler:?}");
}

#[test]
fn a_trial_without_a_trace_has_its_reason_and_a_machine_without_one_has_it_once() {
    let failed = TracedOutcome::Failed("the disk is full".to_owned());
    let found = explained(vec![traced(0, 0, phase(1)), traced(0, 1, failed)]);
    assert_eq!((found[0].arms[0].trials, found[0].arms[0].failures.len()), (1, 1));
    let unsupported = TracedOutcome::Unsupported("run as root".to_owned());
    let found = explained(vec![traced(0, 0, unsupported)]);
    assert_eq!(found[0].unsupported.as_deref(), Some("run as root"));
    assert!(found[0].arms.is_empty());
    assert_eq!(sections(&found, &|_| None).len(), 1);
    assert!(explained(Vec::new()).is_empty());
}

#[test]
fn a_sentence_names_the_segments_and_what_is_unknown() {
    let found = explained(vec![traced(0, 0, phase(3_000_000))]);
    insta::assert_snapshot!(
        sentence(&found[0].arms[0].families[0]),
        @"The mean commit (10.0 µs while traced): flush in the device 75 %, waiting to run 25 %; the slowest 1 % (4 of 400 commits, 250 µs on average): waiting to run 90 %, unknown 10 %."
    );
}
