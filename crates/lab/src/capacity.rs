//! Whether all trials of a round fit together into the machine: if not, they take turns in blocks, or not at all. Pure.

use crate::order::share_of_block;
use crate::seats::taking_turns;
use crate::serial::serial;
use crate::space::{space_needed_bytes, total_bytes};
use model::plan::{Blocks, Resource, Shortage, StudyPlan, Turns};
use model::turns::Arm;
use model::{Cache, Description};

/// The part of the free memory that trials may fill together.
const MEMORY_SHARE_MAX: f64 = 0.8;
/// Files that the lab holds open for each worker that is alive: its three pipes.
const OPEN_FILES_OF_WORKER: u64 = 3;
/// Files that it holds open beside those, at most.
const OPEN_FILES_OF_LAB: u64 = 64;

/// What trials that are alive together share.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Free memory; `None` if it is unknown.
    pub memory_bytes: Option<u64>,
    /// Memory that processes of this user may lock; `None` if that has no limit.
    pub locked_bytes: Option<u64>,
    /// Free bytes on the file system.
    pub room_bytes: u64,
    /// Files that this process may have open; `None` if that has no limit.
    pub open_files: Option<u64>,
}

impl Machine {
    /// Memory that trials may fill.
    pub fn usable_memory_bytes(self) -> Option<u64> {
        self.memory_bytes.map(|bytes| (bytes as f64 * MEMORY_SHARE_MAX) as u64)
    }
}

/// Divides the rounds of those studies into blocks whose trials do not fit together into this machine: into as few as
/// will do, and if none will, their trials run one after another. If there is no room for files, the studies first that
/// take most.
pub fn take_turns_where_they_fit(studies: &mut [StudyPlan], machine: Machine) {
    for study in studies.iter_mut().filter(|study| study.turns.are_taken()) {
        study.alone = serial(study);
        while let Some(shortage) = shortage(study, machine) {
            divide_further(study, shortage);
        }
    }
    loop {
        let needed = room_needed_bytes(studies);
        let takes_turns = studies.iter_mut().filter(|study| study.turns.are_taken());
        let largest = takes_turns.max_by_key(|study| room_needed_bytes(std::slice::from_ref(study)));
        match largest {
            Some(study) if needed > machine.room_bytes => {
                divide_further(
                    study,
                    Shortage { short: Resource::Room, needed, available: machine.room_bytes },
                );
            }
            Some(_) | None => return,
        }
    }
}

/// Memory that the trials of a study need that are alive together, if those meet that need most: what they hold
/// themselves and the page cache that they may fill.
pub fn memory_needed_bytes(study: &StudyPlan) -> u64 {
    if taking_turns(study).is_empty() {
        return study.descriptions.iter().map(memory_of_trial_bytes).max().unwrap_or(0);
    }
    together(study, memory_of_trial_bytes)
}

/// What a trial of a study lacks even if no other is alive: memory that it takes for itself, or room for its files and
/// stores. `None` if it has both. The page cache gives way, so a trial alone does not need it.
pub fn lacking_alone(study: &StudyPlan, machine: Machine) -> Option<Shortage> {
    let capped = |description: &Description| {
        let own = own_bytes(description);
        description.memory_cap_bytes.map_or(own, |cap| cap.min(own))
    };
    let memory = study.descriptions.iter().map(capped).max().unwrap_or(0);
    let alone = StudyPlan { turns: Turns::Off, ..study.clone() };
    let room = room_needed_bytes(std::slice::from_ref(&alone));
    first_shortage([
        (Resource::Memory, machine.usable_memory_bytes(), memory),
        (Resource::Room, Some(machine.room_bytes), room),
    ])
}

/// What the trials of a block lack; `None` if they fit into the machine, whichever arms meet.
fn shortage(study: &StudyPlan, machine: Machine) -> Option<Shortage> {
    if !study.turns.are_taken() || taking_turns(study).is_empty() {
        return None;
    }
    let files = |_: &Description| OPEN_FILES_OF_WORKER;
    let locked = |description: &Description| {
        if description.room.registers_buffers { own_bytes(description) } else { 0 }
    };
    first_shortage([
        (Resource::Memory, machine.usable_memory_bytes(), together(study, memory_of_trial_bytes)),
        (Resource::LockedMemory, machine.locked_bytes, together(study, locked)),
        (Resource::OpenFiles, machine.open_files, together(study, files).saturating_add(OPEN_FILES_OF_LAB)),
    ])
}

/// The first resource of which more is needed than there is; what is unknown or has no limit suffices.
fn first_shortage<const N: usize>(needs: [(Resource, Option<u64>, u64); N]) -> Option<Shortage> {
    let lacks = |(short, available, needed): (Resource, Option<u64>, u64)| {
        Some(Shortage { short, needed, available: available? })
    };
    needs.into_iter().filter_map(lacks).find(|shortage| shortage.needed > shortage.available)
}

/// One block more, or no turns if a block has only one arm beside the baseline already. The plan keeps what all trials
/// of a round lacked.
fn divide_further(study: &mut StudyPlan, shortage: Shortage) {
    let (shared, members) = parts(study);
    let members = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let shortage = study.blocks.map_or(shortage, |blocks| blocks.shortage);
    let count = study.blocks.map_or(2, |blocks| blocks.count.saturating_add(1));
    if shared.is_none() || count > members {
        study.turns = Turns::DoNotFit(shortage);
        study.blocks = None;
    } else {
        study.blocks = Some(Blocks { count, shortage });
    }
}

/// The arm that every block has, if it takes turns, and the others that take turns.
fn parts(study: &StudyPlan) -> (Option<Arm>, Vec<Arm>) {
    let (shared, members): (Vec<Arm>, Vec<Arm>) =
        taking_turns(study).into_iter().partition(|arm| study.is_in_every_block(*arm));
    (shared.first().copied(), members)
}

/// What the trials of a block need together, if those meet that need most.
fn together(study: &StudyPlan, of_trial: impl Fn(&Description) -> u64) -> u64 {
    let (shared, members) = parts(study);
    let needed = |arm: Arm| study.description(arm.configuration).map_or(0, &of_trial);
    let share = share_of_block(members.len(), study.blocks_per_round());
    let mut needs: Vec<u64> = members.into_iter().map(needed).collect();
    needs.sort_unstable_by_key(|need| std::cmp::Reverse(*need));
    needs.into_iter().take(share).fold(shared.map_or(0, needed), u64::saturating_add)
}

fn room_needed_bytes(studies: &[StudyPlan]) -> u64 {
    total_bytes(&space_needed_bytes(studies))
}

/// Memory that a trial needs: its own, and the page cache that it may fill.
fn memory_of_trial_bytes(description: &Description) -> u64 {
    let is_cached = !description.is_all_direct() || description.cache == Cache::Warm;
    let cached =
        if is_cached { description.data_bytes.unwrap_or_else(|| description.room.file_bytes()) } else { 0 };
    let bytes = own_bytes(description).saturating_add(cached);
    description.memory_cap_bytes.map_or(bytes, |cap| cap.min(bytes))
}

/// The buffers of its operations, and what it takes beside them.
fn own_bytes(description: &Description) -> u64 {
    let buffers = description.streams.iter().filter_map(|stream| {
        let in_flight = stream.in_flight_max.unwrap_or(description.in_flight_max);
        Some(stream.block_bytes?.saturating_mul(in_flight))
    });
    buffers.fold(description.room.own_memory_bytes, u64::saturating_add)
}
