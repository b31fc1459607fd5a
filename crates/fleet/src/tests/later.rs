//! Runs of different times.

use super::made_up::{MadeUp, slow};
use crate::standing::DiskStatus;
use crate::suspect::SuspectOutcome;
use crate::{Digest, RunUse, Statement};
use std::ops::Range;

fn standing(statement: &Statement, standing: DiskStatus) -> Vec<&str> {
    statement.standing(standing).map(|disk| disk.disk.host.as_str()).collect()
}

/// Measures 20 disks on a day, of which one may be slow.
fn measure_all(made_up: &mut MadeUp, day: u32, slow: Option<usize>) {
    for host in 0..20 {
        made_up.measure(host, day, if Some(host) == slow { 0.5 } else { 1.0 });
    }
}

/// Only the earliest run of each disk was screened, so this disk was within its limits for ever.
#[test]
fn a_disk_that_became_slow_later_is_found() {
    for seed in 0..20 {
        let mut made_up = MadeUp::new(seed);
        measure_all(&mut made_up, 1, None);
        measure_all(&mut made_up, 10, Some(7));
        assert_eq!(standing(&made_up.state(), DiskStatus::Suspect), ["node007"], "seed {seed}");
        for host in 5..12 {
            made_up.measure_again(host, 11, if host == 7 { 0.5 } else { 1.0 });
        }
        assert_eq!(slow(&made_up.state()), ["node007"], "seed {seed}");
        // It was replaced, and everybody is measured again later.
        measure_all(&mut made_up, 20, None);
        let statement = made_up.state();
        assert_eq!(standing(&statement, DiskStatus::WithinLimits).len(), 20, "seed {seed}");
        let runs = &statement.disks[7].runs;
        let used: Vec<RunUse> = runs.iter().map(|run| run.used).collect();
        assert_eq!(used, [RunUse::Unused, RunUse::Unused, RunUse::Unused, RunUse::First]);
    }
}

/// On day 10 all disks have half their speed. The controls of day 3 do not show that.
#[test]
fn controls_of_another_day_are_not_controls() {
    for seed in 0..20 {
        let mut made_up = MadeUp::new(seed);
        measure_all(&mut made_up, 1, Some(7));
        for host in 0..7 {
            made_up.measure_again(host, 3, 1.0);
        }
        made_up.measure_again(7, 10, 0.5);
        let statement = made_up.state();
        assert_eq!(slow(&statement), Vec::<&str>::new(), "seed {seed}");
        let outcome = &statement.suspects[0].outcome;
        assert!(matches!(outcome, SuspectOutcome::TooFewControls { controls: 0 }), "{outcome:?}");
    }
}

/// Four disks were measured on a slow day, the others before it. They are suspects, and the second measurement names
/// none of them, whether that day is slow as well or not: the controls show it.
#[test]
fn a_slow_day_of_a_few_disks_names_nobody() {
    for seed in 0..20 {
        for of_second_day in [0.5, 1.0] {
            let mut made_up = MadeUp::new(seed);
            measure_all(&mut made_up, 1, None);
            (0..4).for_each(|host| made_up.measure(host, 10, 0.5));
            assert_eq!(standing(&made_up.state(), DiskStatus::Suspect).len(), 4, "seed {seed}");
            (0..12).for_each(|host| made_up.measure_again(host, 11, of_second_day));
            assert_eq!(slow(&made_up.state()), Vec::<&str>::new(), "seed {seed}");
        }
    }
}

/// Half of a disk's questions are of another run: each counts with the latest run that asks it.
#[test]
fn each_question_has_its_latest_run() {
    let mut made_up = MadeUp::new(1);
    for host in 0..20 {
        let Digest { answers, .. } = made_up.digest(host, 1, 1.0);
        for (day, answers) in [(1, answers[..2].to_vec()), (2, answers[2..].to_vec())] {
            let digest = made_up.digest(host, day, 1.0);
            made_up.fleet.add(Digest { answers, ..digest });
        }
    }
    let statement = made_up.state();
    assert!(statement.distributions.iter().all(|distribution| distribution.figures.len() == 20));
    assert!(statement.disks[0].runs.iter().all(|run| run.used == RunUse::First));
    assert_eq!(standing(&statement, DiskStatus::WithinLimits).len(), 20);
}

/// The suspects of the old kernel were suspects for ever, because each disk stayed in its stratum too.
#[test]
fn a_disk_is_in_the_stratum_of_its_latest_run() {
    let mut made_up = MadeUp::new(1);
    measure_all(&mut made_up, 1, Some(7));
    let upgraded = |made_up: &mut MadeUp, hosts: Range<usize>| {
        for host in hosts {
            let mut digest = made_up.digest(host, 10, 1.0);
            digest.stratum.kernel = Some("6.19.0".to_owned());
            made_up.fleet.add(digest);
        }
    };
    upgraded(&mut made_up, 0..10);
    let statement = made_up.state();
    let strata: Vec<usize> = statement.strata.iter().map(|stratum| stratum.disks).collect();
    assert_eq!((strata, statement.disks.len()), (vec![10, 10], 20));
    assert_eq!(standing(&statement, DiskStatus::WithinLimits).len(), 20);
    upgraded(&mut made_up, 10..20);
    assert_eq!(made_up.state().strata.len(), 1);
}
