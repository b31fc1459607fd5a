//! Trials that do not fit together into the machine: they take turns in blocks, in as few as will do, or one after
//! another.

use crate::toy;
use lab::capacity::{Machine, lacking_alone, take_turns_where_they_fit};
use lab::space::{space_needed_bytes, total_bytes};
use model::description::{Direction, FileSet, Interleaving, Stream};
use model::plan::{Resource, Shortage, StudyPlan, Turns};
use model::{Cache, Configuration, Description, IoMode, Layout};
use proptest::prelude::*;

const GIB: u64 = 1 << 30;

const ROOMY: Machine = Machine {
    memory_bytes: Some(1000 * GIB),
    locked_bytes: None,
    room_bytes: 1000 * GIB,
    open_files: Some(1024),
};

/// Warm configurations of this many GiB each; the A/A arm is the first one's.
fn warm(gib: &[u64]) -> StudyPlan {
    let mut study = toy::study("toy", 0, 6);
    study.turns = Turns::Auto;
    let description = |gib: &u64| Description {
        turns: Interleaving::of(true),
        cache: Cache::Warm,
        data_bytes: Some(gib * GIB),
        ..Description::default()
    };
    study.descriptions = gib.iter().map(description).collect();
    study.configurations = vec![Configuration::default(); gib.len()];
    study
}

/// Blocks in a round, if the study takes turns on this machine.
fn blocks(study: StudyPlan, machine: Machine) -> Option<u32> {
    let mut studies = [study];
    take_turns_where_they_fit(&mut studies, machine);
    studies[0].turns.are_taken().then(|| studies[0].blocks_per_round())
}

/// So much memory, of which trials may fill four fifths.
fn memory(gib: u64) -> Machine {
    Machine { memory_bytes: Some(gib * GIB * 5 / 4 + GIB / 100), ..ROOMY }
}

#[test]
fn a_round_has_as_few_blocks_as_fit_into_memory() {
    // The baseline, four others and the A/A arm.
    let study = || warm(&[1; 5]);
    for (gib, expected) in [(6, Some(1)), (5, Some(2)), (4, Some(2)), (3, Some(3)), (2, Some(5)), (1, None)] {
        assert_eq!(blocks(study(), memory(gib)), expected, "{gib} GiB");
    }
    let unknown = Machine { memory_bytes: None, ..ROOMY };
    assert_eq!(blocks(study(), unknown), Some(1));
}

#[test]
fn the_largest_may_meet_in_one_block() {
    // Beside the baseline 1, 1, 1 (A/A), 4, 4: two of the four would meet in one of two blocks.
    let study = || warm(&[1, 1, 1, 4, 4]);
    assert_eq!(blocks(study(), memory(9)), Some(3));
    assert_eq!(blocks(study(), memory(10)), Some(2));
}

#[test]
fn the_plan_keeps_what_all_trials_of_a_round_lacked() {
    let mut studies = [warm(&[1; 5]), warm(&[3, 3])];
    take_turns_where_they_fit(&mut studies, memory(3));
    let available = ((3 * GIB * 5 / 4 + GIB / 100) as f64 * 0.8) as u64;
    let blocks = studies[0].blocks.unwrap();
    assert_eq!(blocks.shortage, Shortage { short: Resource::Memory, needed: 6 * GIB, available });
    assert_eq!(
        studies[1].turns,
        Turns::DoNotFit(Shortage { short: Resource::Memory, needed: 9 * GIB, available })
    );
    assert_eq!(studies[1].blocks, None);
}

#[test]
fn a_baseline_that_runs_alone_is_no_control_of_blocks() {
    let mut study = warm(&[1; 4]);
    study.descriptions[0].turns.interleavable = false;
    assert_eq!(blocks(study, memory(2)), None);
}

#[test]
fn the_lab_has_three_open_files_for_each_worker() {
    let files = |open_files| Machine { open_files: Some(open_files), ..ROOMY };
    assert_eq!(blocks(warm(&[0; 5]), files(64 + 18)), Some(1));
    assert_eq!(blocks(warm(&[0; 5]), files(64 + 17)), Some(2));
    assert_eq!(blocks(warm(&[0; 5]), files(64 + 6)), Some(5));
    assert_eq!(blocks(warm(&[0; 5]), files(64 + 5)), None);
    let unlimited = Machine { open_files: None, ..ROOMY };
    assert_eq!(blocks(warm(&[0; 5]), unlimited), Some(1));
}

/// Eight operations of 1 MiB in flight; their buffers are registered.
#[test]
fn registered_buffers_are_locked_together() {
    let study = |registers_buffers| {
        let mut study = warm(&[0; 3]);
        for description in &mut study.descriptions {
            description.room.registers_buffers = registers_buffers;
            description.streams = vec![Stream {
                direction: Direction::Read,
                role: "data".to_owned(),
                mode: IoMode::Direct,
                is_random: None,
                block_bytes: Some(1 << 20),
                share: None,
                in_flight_max: Some(8),
                size_parameter: None,
                trial_bytes_max: None,
            }];
        }
        study
    };
    let locked = |mib: u64| Machine { locked_bytes: Some(mib << 20), ..ROOMY };
    assert_eq!(blocks(study(true), locked(32)), Some(1));
    assert_eq!(blocks(study(true), locked(24)), Some(2));
    assert_eq!(blocks(study(true), locked(8)), None, "not even two fit");
    assert_eq!(blocks(study(false), locked(8)), Some(1));
    assert_eq!(blocks(study(true), ROOMY), Some(1));
}

/// Configurations that each write a log of one GiB.
fn with_logs(configurations: usize) -> StudyPlan {
    let mut study = warm(&vec![0; configurations]);
    for description in &mut study.descriptions {
        description.room.files = vec![FileSet {
            name: "log".to_owned(),
            role: "wal".to_owned(),
            layout: Layout::Prefilled,
            size_bytes: GIB,
            count: 1,
        }];
    }
    study
}

#[test]
fn blocks_use_the_files_of_the_blocks_before() {
    let room = |room_gib: u64| Machine { room_bytes: room_gib * GIB, ..ROOMY };
    let logs = || with_logs(5);
    assert_eq!(total_bytes(&space_needed_bytes(&[logs()])), 6 * GIB);
    for (gib, expected) in [(6, Some(1)), (5, Some(2)), (4, Some(2)), (3, Some(3)), (2, Some(5)), (1, None)] {
        assert_eq!(blocks(logs(), room(gib)), expected, "{gib} GiB");
    }
    // The study that takes more room is divided, and not the other.
    let mut studies = [with_logs(2), with_logs(5)];
    take_turns_where_they_fit(&mut studies, room(4));
    assert_eq!((studies[0].blocks_per_round(), studies[1].blocks_per_round()), (1, 2));
    assert_eq!(total_bytes(&space_needed_bytes(&studies)), 4 * GIB);
}

/// A server with a pool and tables of these sizes.
fn server(pool_bytes: u64, tables_bytes: u64) -> StudyPlan {
    let mut study = warm(&[0; 3]);
    for description in &mut study.descriptions {
        description.room.own_memory_bytes = pool_bytes;
        description.room.store_bytes = tables_bytes;
        description.data_bytes = Some(tables_bytes);
    }
    study
}

proptest! {
    /// What lacks is above its bound, what fits is not, and more of either never makes something lack.
    #[test]
    fn a_trial_alone_lacks_what_it_needs_more_of_than_there_is(
        [pool, tables, memory, room, more_memory, more_room] in proptest::array::uniform6(0..64 * GIB),
    ) {
        let study = server(pool, tables / 8);
        let alone = StudyPlan { turns: Turns::Off, ..study.clone() };
        let needed_room = total_bytes(&space_needed_bytes(&[alone]));
        let machine = Machine { memory_bytes: Some(memory), room_bytes: room, ..ROOMY };
        let usable = machine.usable_memory_bytes().unwrap();
        prop_assert!(usable <= memory);
        let found = lacking_alone(&study, machine);
        match found {
            None => prop_assert!(pool <= usable && needed_room <= room),
            Some(Shortage { short: Resource::Memory, needed, available }) => {
                prop_assert!((needed, available) == (pool, usable) && needed > available);
            }
            Some(Shortage { short: Resource::Room, needed, available }) => {
                prop_assert!((needed, available) == (needed_room, room) && needed > available && pool <= usable);
            }
            Some(other) => prop_assert!(false, "{other:?}"),
        }
        let (memory, room) = (memory + more_memory, room + more_room);
        let larger = Machine { memory_bytes: Some(memory), room_bytes: room, ..ROOMY };
        prop_assert!(found.is_some() || lacking_alone(&study, larger).is_none());
        let unknown = Machine { memory_bytes: None, ..larger };
        prop_assert_eq!(lacking_alone(&study, unknown).is_some(), needed_room > room);
    }
}
