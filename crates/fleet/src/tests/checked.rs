//! What was to be measured and was not: it is never within its limits.

use super::made_up::MadeUp;
use crate::standing::DiskStatus;
use crate::{Digest, Disk, FailedTrials, MissingRanks, Overlap, Statement, Unread, Unused};
use model::rank::Rank;
use model::trial::TrialOutcome;

/// Twenty equal disks; the digest of the first is changed.
fn fleet(change: impl FnOnce(&mut Digest)) -> Statement {
    let mut made_up = MadeUp::new(1);
    let mut first = made_up.digest(0, 1, 1.0);
    change(&mut first);
    made_up.fleet.add(first);
    (1..20).for_each(|host| made_up.measure(host, 1, 1.0));
    made_up.state()
}

fn is_not_checked(statement: &Statement) -> bool {
    statement.is_incomplete()
        && statement.disks[0].standing == DiskStatus::NotChecked
        && statement.disks[1..].iter().all(|disk| disk.standing == DiskStatus::WithinLimits)
}

#[test]
fn a_whole_fleet_is_complete() {
    assert!(!fleet(|_| {}).is_incomplete());
}

#[test]
fn a_disk_with_a_failed_trial_is_not_checked() {
    let failed = FailedTrials { count: 1, first: Some(TrialOutcome::Killed(30.0)) };
    let statement = fleet(|digest| digest.failed = failed.clone());
    assert!(is_not_checked(&statement));
    assert_eq!(statement.disks[0].failed, failed);
}

/// A question without figures, or with too few rounds, was dropped without a word.
#[test]
fn a_disk_without_figures_for_a_question_is_not_checked() {
    for rounds in [0, 5] {
        let statement = fleet(|digest| digest.answers[2].1.truncate(rounds));
        assert!(is_not_checked(&statement), "{rounds} rounds");
        assert_eq!(statement.disks[0].unanswered, 1);
    }
}

/// Its questions are another study's, which nobody else answers: nothing about it is compared.
#[test]
fn a_disk_with_other_questions_is_not_checked() {
    let statement = fleet(|digest| {
        for (question, _) in &mut digest.answers {
            question.study = "other".to_owned();
        }
    });
    assert!(is_not_checked(&statement));
    assert_eq!(
        (statement.disks[0].judged, statement.disks[0].unanswered, statement.disks[1].judged),
        (0, 0, 4)
    );
}

/// Nobody answers it, so the stratum is not judged in it, and nothing is missing.
#[test]
fn a_question_without_figures_anywhere_is_not_missing() {
    let mut made_up = MadeUp::new(1);
    for host in 0..20 {
        let mut digest = made_up.digest(host, 1, 1.0);
        digest.answers[2].1.clear();
        made_up.fleet.add(digest);
    }
    assert!(!made_up.state().is_incomplete());
}

/// A budget that ended on every host before the sixth round: all were within their limits, and nothing said that one
/// question has none.
#[test]
fn a_question_with_too_few_rounds_anywhere_is_not_judged() {
    let mut made_up = MadeUp::new(1);
    for host in 0..20 {
        let mut digest = made_up.digest(host, 1, 1.0);
        digest.answers[2].1.truncate(1);
        made_up.fleet.add(digest);
    }
    let statement = made_up.state();
    assert!(statement.is_incomplete());
    assert_eq!(statement.unjudged().count(), 1);
    assert!(statement.disks.iter().all(|disk| disk.judged == 3 && disk.standing == DiskStatus::WithinLimits));
}

/// The latest run has nothing to compare: that an earlier one was good says nothing about today.
#[test]
fn a_disk_whose_latest_run_measured_nothing_is_not_checked() {
    let mut made_up = MadeUp::new(1);
    (0..20).for_each(|host| made_up.measure(host, 1, 1.0));
    measured_nothing(&mut made_up, 0, 9, None);
    assert!(is_not_checked(&made_up.state()));
}

/// It was measured since: what an earlier run lacks is past.
#[test]
fn a_run_that_measured_nothing_is_past_after_another_one() {
    let mut made_up = MadeUp::new(1);
    (0..20).for_each(|host| made_up.measure(host, 10, 1.0));
    measured_nothing(&mut made_up, 0, 1, None);
    assert!(!made_up.state().is_incomplete());
    measured_nothing(&mut made_up, 77, 1, None);
    assert!(made_up.state().is_incomplete(), "nobody measured the other disk");
}

fn measured_nothing(made_up: &mut MadeUp, host: usize, day: u32, rank: Option<Rank>) {
    let disk = Disk { host: format!("node{host:03}"), directory: "/srv/data".to_owned() };
    let failed = FailedTrials { count: 12, first: Some(TrialOutcome::Failed("EIO".to_owned())) };
    let began_at = format!("2026-11-{day:02}T10:00:00Z");
    let why = Unused::MeasuredNothing { disk, began_at, rank, failed };
    made_up.fleet.add_unread(Unread { run: format!("fleet/failed-{host}-{day}"), why });
}

fn rank(rank: u32) -> Rank {
    Rank::new(rank, Some(20))
}

/// Adds a rank's run that began in this minute of a day.
fn launch(made_up: &mut MadeUp, folder: &str, host: usize, (day, minute): (u32, usize)) {
    let digest = made_up.digest(host, day, 1.0);
    let run = format!("{folder}/rank-{host:02}-{day}-{minute}");
    let began_at = format!("2026-11-{day:02}T10:{minute:02}:00Z");
    let last_trial_at = format!("2026-11-{day:02}T10:{minute:02}:30Z");
    made_up.fleet.add(Digest { run, rank: Some(rank(host as u32)), began_at, last_trial_at, ..digest });
}

/// Ranks 3 and 7 of the second launch left nothing. The first launch, of which other ranks are missing, is past.
#[test]
fn missing_ranks_of_the_latest_launch_are_listed() {
    let mut made_up = MadeUp::new(1);
    for (day, absent) in [(1, [1, 2]), (5, [3, 7])] {
        for host in (0..20).filter(|host| !absent.contains(host)) {
            launch(&mut made_up, "fleet", host, (day, 0));
        }
    }
    let statement = made_up.state();
    let missing = MissingRanks {
        folder: "fleet".to_owned(),
        began_at: "2026-11-05T10:00:00Z".to_owned(),
        size: 20,
        missing: 2,
        first: vec![3, 7],
        earlier: 2,
    };
    assert_eq!(statement.missing_ranks, [missing]);
    assert!(statement.is_incomplete());
}

/// Rank 3 is missing in the first launch and begins the second one, ten minutes later: it is of the second one.
#[test]
fn launches_of_one_day_are_told_apart() {
    for (absent, missing) in [(3, vec![]), (5, vec![5])] {
        let mut made_up = MadeUp::new(1);
        for host in (0..20).filter(|host| *host != 3) {
            launch(&mut made_up, "fleet", host, (1, host % 3));
        }
        for host in (0..20).filter(|host| absent == 3 || *host != absent) {
            launch(&mut made_up, "fleet", host, (1, if host == 3 { 13 } else { 14 + host % 3 }));
        }
        let statement = made_up.state();
        let found: Vec<u32> = statement.missing_ranks.into_iter().flat_map(|ranks| ranks.first).collect();
        assert_eq!(found, missing);
    }
}

/// A scheduler starts a pod again that failed. It is not a launch of its own, of which 19 ranks are missing.
#[test]
fn a_rank_that_was_started_again_is_of_the_same_launch() {
    let mut made_up = MadeUp::new(1);
    measured_nothing(&mut made_up, 0, 1, Some(rank(0)));
    for host in 0..20 {
        launch(&mut made_up, "fleet", host, (1, if host == 0 { 30 } else { 1 }));
    }
    assert!(!made_up.state().is_incomplete());
}

/// Each rank wrote below its own disk, and its folder was copied: each folder seemed to lack all other ranks.
#[test]
fn folders_of_one_host_are_of_one_launch() {
    let mut made_up = MadeUp::new(1);
    for host in (0..20).filter(|host| *host != 4) {
        launch(&mut made_up, &format!("fleet/node{host:03}"), host, (1, 0));
    }
    let missing = made_up.state().missing_ranks;
    assert_eq!((missing.len(), &*missing[0].folder, &missing[0].first[..]), (1, "fleet", &[4][..]));
}

/// They ran one after another, so they did not disturb each other, and were taken for two runs of one disk.
#[test]
fn hosts_of_one_name_are_not_one_disk() {
    let mut made_up = MadeUp::new(1);
    for host in 0..20 {
        let mut digest = made_up.digest(host, 1, if host == 0 { 0.5 } else { 1.0 });
        (digest.rank, digest.run) = (Some(rank(host as u32)), format!("fleet/rank-{host:02}-localhost"));
        if host < 2 {
            digest.disk.host = "localhost".to_owned();
            digest.began_at = format!("2026-11-01T10:0{host}:00Z");
            digest.last_trial_at = format!("2026-11-01T10:0{host}:30Z");
        }
        made_up.fleet.add(digest);
    }
    let statement = made_up.state();
    let run = |rank: u32| format!("fleet/rank-{rank:02}-localhost");
    let overlap = Overlap { first: run(0), other: run(1), is_one_launch: true };
    assert_eq!(statement.overlaps, [overlap]);
    let localhost = statement.disks.iter().find(|disk| disk.disk.host == "localhost").unwrap();
    assert_eq!(localhost.standing, DiskStatus::NotChecked);
}
