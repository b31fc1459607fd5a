//! How much room a run needs below its directory, known before it begins. Pure.

use crate::seats::{seats_of_any_round, together_max};
use model::description::{FileSet, Room};
use model::plan::StudyPlan;
use model::turns::Arm;
use model::{Description, FileSystem};
use std::collections::BTreeMap;

/// Space that a store may take for each byte of its entries: two trees while one is rewritten into the other, half-full
/// pages, and a log.
const STORE_FACTOR: u64 = 4;
/// What an engine preallocates whatever it holds.
const STORE_BASE_BYTES: u64 = 256 << 20;

/// Bytes below the work directory for each level of `filesystem`: every file that some configuration names exists until
/// the end, beside those of studies that prepare theirs again each round, and what the largest trial needs for itself:
/// a store, or what a process writes until it is killed. Another file system than the host's is an image that holds
/// them all.
pub fn space_needed_bytes(studies: &[StudyPlan]) -> BTreeMap<FileSystem, u64> {
    let mut needs: BTreeMap<FileSystem, Need> = BTreeMap::new();
    for study in studies {
        let mut together: BTreeMap<FileSystem, Vec<u64>> = BTreeMap::new();
        for (arm, seat) in seated(study) {
            let Some(description) = study.description(arm.configuration) else { continue };
            let need = needs.entry(description.filesystem).or_default();
            for files in &description.room.files {
                let seat = seat_of_files(description, files, seat);
                let bytes = need.files.entry((study.fresh_placement, seat, files.name.clone())).or_default();
                *bytes = files.bytes().max(*bytes);
            }
            for folder in &description.room.folders {
                let place = (study.fresh_placement, seat.unwrap_or(0), folder.name.clone());
                let bytes = need.files.entry(place).or_default();
                *bytes = folder.bytes.max(*bytes);
            }
            let own_bytes = own_bytes(description);
            // Those that are alive together on one file system.
            let together = together.entry(description.filesystem).or_default();
            together.extend(seat.map(|_| own_bytes));
            together.sort_unstable_by_key(|bytes| std::cmp::Reverse(*bytes));
            together.truncate(together_max(study));
            let of_block = together.iter().copied().fold(0, u64::saturating_add);
            need.own_bytes = need.own_bytes.max(own_bytes).max(of_block);
        }
    }
    needs
        .into_iter()
        .filter(|(_, need)| need.own_bytes > 0 || !need.files.is_empty())
        .map(|(filesystem, need)| {
            let bytes = image_bytes(
                filesystem,
                need.files.values().copied().fold(need.own_bytes, u64::saturating_add),
            );
            (filesystem, bytes)
        })
        .collect()
}

/// The seat whose files of this kind a trial uses: files that trials share are at the first.
pub(crate) fn seat_of_files(description: &Description, files: &FileSet, seat: Option<u32>) -> u32 {
    seat.filter(|_| !description.shares_files(&files.role)).unwrap_or(0)
}

/// Every trial of a round, with its seat if it takes turns.
pub(crate) fn seated(study: &StudyPlan) -> impl Iterator<Item = (Arm, Option<u32>)> {
    let arm = |configuration| Arm { configuration, duplicate: false };
    let alone = (0..study.configurations.len()).filter(|index| !study.takes_turns(*index)).map(arm);
    let seats = seats_of_any_round(study).into_iter();
    seats.map(|(arm, seat)| (arm, Some(seat))).chain(alone.map(|arm| (arm, None)))
}

/// All file systems together. A plan may come from a stranger: no sum overflows.
pub fn total_bytes(by_filesystem: &BTreeMap<FileSystem, u64>) -> u64 {
    by_filesystem.values().copied().fold(0, u64::saturating_add)
}

/// What a trial needs for itself, beside its files.
fn own_bytes(description: &Description) -> u64 {
    let Room { store_bytes, killed_bytes, .. } = description.room;
    match store_bytes {
        // The process that is killed rewrites the trial's own file.
        0 => killed_bytes,
        _ => store_bytes.max(killed_bytes).saturating_mul(STORE_FACTOR).saturating_add(STORE_BASE_BYTES),
    }
}

/// The studies, by index, without which the others find room: whichever takes most by itself goes first, of equal ones
/// the last.
pub fn too_many(studies: &[StudyPlan], available_bytes: u64) -> Vec<usize> {
    let needed = |indices: &[usize]| -> u64 {
        let studies: Vec<StudyPlan> = indices.iter().map(|index| studies[*index].clone()).collect();
        total_bytes(&space_needed_bytes(&studies))
    };
    let mut kept: Vec<usize> = (0..studies.len()).collect();
    let mut without = Vec::new();
    while needed(&kept) > available_bytes {
        let Some(largest) = kept.iter().copied().max_by_key(|index| needed(&[*index])) else { break };
        kept.retain(|index| *index != largest);
        without.push(largest);
    }
    without
}

/// What one file system has to hold.
#[derive(Default)]
struct Need {
    /// By name, by seat, and whether they are placed again each round.
    files: BTreeMap<(bool, u32, String), u64>,
    /// What one trial needs for itself, at most, or what those need together that are alive together.
    own_bytes: u64,
}

/// Bytes of the loop image for a file system that holds files of this many bytes; on the host the files themselves.
fn image_bytes(filesystem: FileSystem, files_bytes: u64) -> u64 {
    const LOG_AND_METADATA: u64 = 320 << 20;
    match filesystem {
        FileSystem::Host => files_bytes,
        FileSystem::Fresh(fresh) => {
            let bytes = files_bytes.saturating_add(files_bytes / 8).saturating_add(LOG_AND_METADATA);
            let bytes = bytes.saturating_add(fresh.room_for_log_bytes());
            bytes.checked_next_multiple_of(64 << 20).unwrap_or(u64::MAX)
        }
    }
}
