//! What a conclusion requires.

use super::made_up::{MadeUp, slow};
use crate::fact::Fact;
use crate::standing::DiskStatus;
use crate::suspect::SuspectOutcome;
use crate::{CONTROLS_MIN, Difference, Digest, Overlap};

/// Twenty disks, of which the first is slow; `again` were measured a second time.
fn fleet(again: std::ops::Range<usize>) -> MadeUp {
    let mut made_up = MadeUp::new(1);
    for host in 0..20 {
        made_up.measure(host, 1, if host == 0 { 0.5 } else { 1.0 });
    }
    for host in again {
        made_up.measure_again(host, 2, if host == 0 { 0.5 } else { 1.0 });
    }
    made_up
}

fn first_outcome(made_up: &MadeUp) -> SuspectOutcome {
    made_up.state().suspects.remove(0).outcome
}

#[test]
fn a_suspect_is_not_named_before_it_was_measured_again() {
    let statement = fleet(0..0).state();
    assert_eq!(statement.disks[0].standing, DiskStatus::Suspect);
    assert!(statement.disks[1..].iter().all(|disk| disk.standing == DiskStatus::WithinLimits));
    assert_eq!(statement.suspects.len(), 4, "every question shows it");
    assert!(statement.suspects.iter().all(|suspect| matches!(suspect.outcome, SuspectOutcome::MeasureAgain)));
    let (_, times) = statement.disks[0].slowest.unwrap();
    assert!((times - 0.5).abs() < 0.05, "{times}");
}

#[test]
fn a_second_measurement_with_controls_names_it() {
    let statement = fleet(0..7).state();
    assert_eq!(slow(&statement), ["node000"]);
    let SuspectOutcome::Slow(confirmation) = &statement.suspects[0].outcome else { panic!("{statement:?}") };
    assert_eq!((confirmation.controls, confirmation.figure.rounds), (CONTROLS_MIN, 6));
    assert_eq!(confirmation.run, "day-2/node000");
}

#[test]
fn without_controls_nothing_is_named() {
    let outcome = first_outcome(&fleet(0..6));
    assert!(matches!(outcome, SuspectOutcome::TooFewControls { controls: 5 }), "{outcome:?}");
}

#[test]
fn a_short_second_run_proves_nothing() {
    let mut made_up = fleet(1..8);
    made_up.rounds = 5;
    made_up.measure_again(0, 2, 0.5);
    let outcome = first_outcome(&made_up);
    assert!(matches!(outcome, SuspectOutcome::TooFewRounds { rounds: 5 }), "{outcome:?}");
}

#[test]
fn a_failed_audit_withholds_the_name() {
    let mut judged = Vec::new();
    let statement = fleet(0..7).fleet.state(&mut |run, study| {
        judged.push((run.to_owned(), study.to_owned()));
        let failed = run == "day-2/node000";
        failed.then(|| "foreign-io".to_owned()).into_iter().collect()
    });
    assert_eq!(slow(&statement), Vec::<&str>::new());
    let SuspectOutcome::Doubted { runs, .. } = &statement.suspects[0].outcome else {
        panic!("{statement:?}")
    };
    assert_eq!((runs.len(), &runs[0].audits[..]), (1, &["foreign-io".to_owned()][..]));
    assert_eq!(statement.disks[0].standing, DiskStatus::Suspect);
    assert!(judged.iter().all(|(run, _)| run.ends_with("node000")), "only the runs of a suspect are judged");
}

#[test]
fn a_small_stratum_is_not_assessable() {
    let mut made_up = MadeUp::new(1);
    for host in 0..7 {
        made_up.measure(host, 1, if host == 0 { 0.1 } else { 1.0 });
    }
    let statement = made_up.state();
    assert!(!statement.strata[0].assessable && statement.suspects.is_empty());
    assert!(statement.disks.iter().all(|disk| disk.standing == DiskStatus::NotAssessable));
    assert_eq!((statement.tests, statement.distributions[0].limit), (0, None));
}

#[test]
fn disks_are_compared_within_their_stratum() {
    let mut made_up = fleet(0..0);
    for host in 100..110 {
        let mut digest = made_up.digest(host, 1, 0.3);
        digest.stratum.model = Some("another disk".to_owned());
        made_up.fleet.add(digest);
    }
    let statement = made_up.state();
    let hosts: Vec<&str> =
        statement.suspects.iter().map(|it| statement.disks[it.disk].disk.host.as_str()).collect();
    assert_eq!(hosts, ["node000"; 4]);
    assert_eq!(statement.strata.iter().map(|stratum| stratum.disks).collect::<Vec<_>>(), [10, 20]);
}

/// Two ranks on one machine with the same directory measure each other.
#[test]
fn runs_at_the_same_time_on_one_disk_are_not_used() {
    let mut made_up = fleet(1..8);
    let mut second = made_up.digest(0, 1, 0.5);
    second.run.push_str("-again");
    made_up.fleet.add(second);
    let statement = made_up.state();
    let (first, other) = ("day-1/node000".to_owned(), "day-1/node000-again".to_owned());
    assert_eq!(statement.overlaps, [Overlap { first, other, is_one_launch: false }]);
    assert!(statement.suspects.is_empty());
    assert_eq!(statement.disks[0].standing, DiskStatus::NotChecked);
    assert!(statement.is_incomplete());
}

#[test]
fn what_distinguishes_a_suspect_is_listed() {
    let mut made_up = MadeUp::new(1);
    for host in 0..20 {
        let mut digest = made_up.digest(host, 1, if host == 0 { 0.5 } else { 1.0 });
        if host == 0 {
            digest.facts.insert(Fact::Scheduler, "mq-deadline".to_owned());
        }
        made_up.fleet.add(digest);
    }
    let statement = made_up.state();
    let (here, most) = (Some("mq-deadline".to_owned()), "none".to_owned());
    assert_eq!(statement.disks[0].differences, [Difference { fact: Fact::Scheduler, here, most }]);
    assert!(statement.disks[1].differences.is_empty());
}

#[test]
fn the_order_of_the_runs_does_not_matter() {
    let (mut made_up, mut digests) = (MadeUp::new(3), Vec::new());
    for host in 0..20 {
        for (day, again) in [(1, false), (2, true)] {
            let digest = made_up.digest(host, day, if host == 0 { 0.5 } else { 1.0 });
            digests.push(Digest { again, ..digest });
        }
    }
    digests.iter().cloned().for_each(|digest| made_up.fleet.add(digest));
    let mut reversed = MadeUp::new(3);
    digests.into_iter().rev().for_each(|digest| reversed.fleet.add(digest));
    assert_eq!(slow(&made_up.state()), ["node000"]);
    assert_eq!(slow(&reversed.state()), ["node000"]);
}

/// Averages of percentiles would be 1 and 2 ms here.
#[test]
fn histograms_of_what_is_screened_are_added() {
    let mut made_up = MadeUp::new(1);
    for host in 0..10 {
        let mut later = made_up.digest(host, 9, 1.0);
        let question = later.answers[1].0.clone();
        let latencies = crate::Latencies::behind(&question).unwrap();
        let nanos = if host == 0 { 10_000_000 } else { 100_000 };
        later.histograms.push((latencies.clone(), vec![(nanos, 1000)]));
        // Neither another run of the same disk nor one that measures it again counts twice.
        let mut other = made_up.digest(host, 1, 1.0);
        other.histograms.push((latencies.clone(), vec![(1, 500)]));
        let again = Digest { again: true, ..made_up.digest(host, 10, 1.0) };
        let mut digests = vec![other, later, again];
        if host % 2 == 0 {
            digests.reverse();
        }
        for digest in digests {
            made_up.fleet.add(digest);
        }
    }
    let statement = made_up.state();
    let distribution = &statement.distributions[1];
    assert_eq!((distribution.added, distribution.operations), (10, 10_000));
    assert_eq!(distribution.latencies, [(0.5, 100.0), (0.9, 100.0), (0.99, 10_000.0), (0.999, 10_000.0)]);
    assert_eq!(statement.distributions[0].operations, 0, "a rate has no histogram");
}
