//! Whether all trials of a round fit together into the machine: only then they take turns. Pure.

use crate::alone::alone;
use crate::space::{space_needed_bytes, total_bytes};
use model::plan::{Resource, StudyPlan, Turns};
use model::{Cache, Description};

/// The part of the free memory that trials may fill together.
const MEMORY_SHARE_MAX: f64 = 0.8;

/// Lets those studies run their trials one after another whose trials do not fit together into this memory, or for which there is no
/// room for files of their own: of these the ones first that take most.
pub fn take_turns_where_they_fit(studies: &mut [StudyPlan], memory_bytes: Option<u64>, room_bytes: u64) {
    for study in studies.iter_mut().filter(|study| study.turns.are_taken()) {
        study.alone = alone(study);
        let needed_bytes = memory_needed_bytes(study);
        let available_bytes = memory_bytes.map_or(u64::MAX, |bytes| (bytes as f64 * MEMORY_SHARE_MAX) as u64);
        if needed_bytes > available_bytes {
            study.turns = Turns::DoNotFit { short: Resource::Memory, needed_bytes, available_bytes };
        }
    }
    loop {
        let needed_bytes = room_needed_bytes(studies);
        let takes_turns = studies.iter_mut().filter(|study| study.turns.are_taken());
        let largest = takes_turns.max_by_key(|study| room_needed_bytes(std::slice::from_ref(study)));
        match largest {
            Some(study) if needed_bytes > room_bytes => {
                study.turns =
                    Turns::DoNotFit { short: Resource::Room, needed_bytes, available_bytes: room_bytes };
            }
            Some(_) | None => return,
        }
    }
}

fn room_needed_bytes(studies: &[StudyPlan]) -> u64 {
    total_bytes(&space_needed_bytes(studies))
}

/// Memory that the trials of a round need together: their buffers, and the page cache that each may fill.
fn memory_needed_bytes(study: &StudyPlan) -> u64 {
    let duplicate = study.has_duplicate().then_some(study.duplicate);
    let taking = (0..study.configurations.len()).chain(duplicate).filter(|index| study.takes_turns(*index));
    taking
        .filter_map(|index| study.description(index))
        .map(memory_of_trial_bytes)
        .fold(0, u64::saturating_add)
}

fn memory_of_trial_bytes(description: &Description) -> u64 {
    let buffers = description.streams.iter().filter_map(|stream| {
        let in_flight = stream.in_flight_max.unwrap_or(description.in_flight_max);
        Some(stream.block_bytes?.saturating_mul(in_flight))
    });
    let is_cached = !description.is_all_direct() || description.cache == Cache::Warm;
    let cached =
        if is_cached { description.data_bytes.unwrap_or_else(|| description.file_bytes()) } else { 0 };
    let bytes = buffers.fold(cached.saturating_add(description.own_memory_bytes), u64::saturating_add);
    description.memory_cap_bytes.map_or(bytes, |cap| cap.min(bytes))
}
