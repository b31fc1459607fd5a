//! The list of disks to measure again.

use super::made_up::{MadeUp, slow};
use crate::{Again, CONTROLS_MIN, Role, remeasure};

fn fleet() -> MadeUp {
    let mut made_up = MadeUp::new(1);
    for host in 0..40 {
        made_up.measure(host, 1, if host < 2 { 0.5 } else { 1.0 });
    }
    made_up
}

fn of(role: Role, again: &[Again]) -> Vec<usize> {
    let mut disks: Vec<usize> = again.iter().filter(|it| it.role == role).map(|it| it.disk).collect();
    disks.sort_unstable();
    disks
}

#[test]
fn suspects_are_measured_again_with_random_controls() {
    let statement = fleet().state();
    let again = remeasure(&statement, 1).disks;
    assert_eq!(of(Role::Suspect, &again), [0, 1]);
    assert_eq!(of(Role::Control, &again).len(), CONTROLS_MIN);
    assert!(of(Role::Control, &again).iter().all(|disk| *disk >= 2));
    assert_eq!(remeasure(&statement, 1).disks, again, "the same seed, the same list");
    assert_ne!(remeasure(&statement, 2).disks, again);
}

/// The whole procedure: the list is enough to name the slow disks, and then nothing is left to measure.
#[test]
fn the_list_is_what_a_name_requires() {
    let mut made_up = fleet();
    for Again { disk, role: _ } in remeasure(&made_up.state(), 7).disks {
        made_up.measure_again(disk, 2, if disk < 2 { 0.5 } else { 1.0 });
    }
    let statement = made_up.state();
    assert_eq!(slow(&statement), ["node000", "node001"]);
    assert!(remeasure(&statement, 7).disks.is_empty());
}

/// An audit of the first run failed: another second run would be withheld as well.
#[test]
fn a_doubted_first_run_is_replaced() {
    let mut made_up = fleet();
    for host in 0..8 {
        made_up.measure_again(host, 2, if host < 2 { 0.5 } else { 1.0 });
    }
    let doubted = |made_up: &MadeUp, doubted: &str| {
        let failed = |run: &str| (run == doubted).then(|| "foreign-io".to_owned());
        made_up.fleet.state(&mut |run, _| failed(run).into_iter().collect())
    };
    let statement = doubted(&made_up, "day-2/node000");
    let again = remeasure(&statement, 1).disks;
    assert_eq!((of(Role::Suspect, &again), of(Role::First, &again)), (vec![0], vec![]));
    let statement = doubted(&made_up, "day-1/node000");
    let again = remeasure(&statement, 1).disks;
    assert_eq!(again, [Again { disk: 0, role: Role::First }], "it needs no controls");
    made_up.measure(0, 3, 0.5);
    for host in (0..1).chain(8..14) {
        made_up.measure_again(host, 4, if host == 0 { 0.5 } else { 1.0 });
    }
    let statement = doubted(&made_up, "day-1/node000");
    assert_eq!(slow(&statement), ["node000", "node001"]);
}

/// Three of eight disks are slow: five are left, and no conclusion can be drawn from five controls.
#[test]
fn a_stratum_without_enough_controls_is_not_measured_in_vain() {
    let mut made_up = MadeUp { scatter: 0.01, ..MadeUp::new(1) };
    for host in 0..8 {
        made_up.measure(host, 1, if host < 3 { 0.1 } else { 1.0 });
    }
    let statement = made_up.state();
    let again = remeasure(&statement, 1);
    assert_eq!((again.disks, again.without_controls), (vec![], vec![0, 1, 2]), "{:?}", statement.suspects);
}
