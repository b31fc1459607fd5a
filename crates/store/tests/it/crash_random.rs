//! Random histories, options and faults: beyond what can be tried exhaustively.

use crate::support::{Model, Random, Step, content, history, leveled, logs, open, small, tiered};
use model::DurabilityClass;
use store::Options;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};

fn options(random: &mut Random) -> Options {
    let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    let mut options = small(classes[random.below(3) as usize]);
    let (layout, packing, sync, io) = logs()[random.below(4) as usize];
    (options.log.layout, options.log.packing, options.log.sync, options.log.io) = (layout, packing, sync, io);
    options.partitions = 1 + random.below(3) as usize;
    options.compaction = if random.below(2) == 0 { tiered() } else { leveled() };
    options.memtable_bytes = 60 + random.below(600);
    options.data.write_depth = random.below(4) as usize;
    options.data.compaction_read_depth = random.below(3) as usize;
    options.data.compaction_read_bytes = 4096;
    options
}

/// One store over several lives, each ended by a fault. After each, its content is what some prefix of the life's steps makes of
/// what it began with, and no acknowledged step of its class is missing.
fn lives(seed: u64) {
    let mut random = Random::new(seed);
    let options = options(&mut random);
    let disk = Disk::new();
    let mut began = Model::new();
    for life in 0..4 {
        let story = format!("seed {seed}, life {life}, {}", options.durability);
        let steps = history(random.below(1 << 30), 60, 30);
        let kind = [FaultKind::Stop, FaultKind::InputOutput, FaultKind::NoSpace][random.below(3) as usize];
        disk.plan(Fault { at: disk.operations() + random.below(200), kind });
        let (mut acknowledged, mut durable) = (0, 0);
        if let Ok(store) = open(&disk, &options) {
            for (index, step) in steps.iter().enumerate() {
                if step.perform(&store).is_err() {
                    break;
                }
                acknowledged = index + 1;
                if options.durability == DurabilityClass::Power || !matches!(step, Step::Write(_)) {
                    durable = acknowledged;
                }
            }
        }
        let survival = match random.below(3) {
            0 => Survival::Everything,
            1 => Survival::Synced,
            _ => Survival::Chance(random.below(1 << 30)),
        };
        disk.restart(survival);
        let is_alive = survival == Survival::Everything && options.durability != DurabilityClass::None;
        let at_least = if is_alive { acknowledged } else { durable };
        let store = open(&disk, &options).unwrap_or_else(|error| panic!("{story}: {error}"));
        let found = content(&store).unwrap_or_else(|error| panic!("{story}: {error}"));
        store.sync().unwrap();
        drop(store);
        let mut state = began.clone();
        let mut held = at_least == 0 && state == found;
        for (index, step) in steps.iter().take(acknowledged + 1).enumerate() {
            step.apply(&mut state);
            held |= index + 1 >= at_least && state == found;
        }
        assert!(held, "{story}: {kind:?} {survival:?}: {acknowledged} acknowledged, {durable} durable");
        began = found;
    }
}

#[test]
fn no_history_loses_what_it_promised() {
    for seed in 0..400 {
        lives(seed);
    }
}
