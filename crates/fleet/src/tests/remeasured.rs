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
        made_up.measure(disk, 2, if disk < 2 { 0.5 } else { 1.0 });
    }
    let statement = made_up.state();
    assert_eq!(slow(&statement), ["node000", "node001"]);
    assert!(remeasure(&statement, 7).disks.is_empty());
}
