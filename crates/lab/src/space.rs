//! How much room a run needs below its directory, known before it begins. Pure.

use model::parameter::Schema;
use model::plan::StudyPlan;
use std::collections::BTreeMap;

/// Space that a store may take for each byte of its entries: two trees while one is rewritten into the other, half-full
/// pages, and a log.
const STORE_FACTOR: u64 = 4;
/// What an engine preallocates whatever it holds.
const STORE_BASE_BYTES: u64 = 256 << 20;

/// Bytes below the work directory for each level of `filesystem`: every file that some configuration names exists
/// until the end, beside those of studies that prepare theirs again each round, and what the largest trial needs for
/// itself: a store, or what a process writes until it is killed. Another file system than the host's is an image that holds
/// them all.
pub fn space_needed_bytes(
    studies: &[StudyPlan],
    schema: impl Fn(&str) -> Option<&'static Schema>,
) -> BTreeMap<String, u64> {
    let mut needs: BTreeMap<String, Need> = BTreeMap::new();
    for study in studies {
        let Some(schema) = schema(&study.workload) else { continue };
        for values in &study.configurations {
            let need = needs.entry(values.text("filesystem").unwrap_or_default()).or_default();
            for file in (schema.files)(values) {
                need.files.insert((study.fresh_placement, file.name), file.size_bytes);
            }
            let (store_bytes, killed_bytes) = ((schema.store_bytes)(values), (schema.killed_bytes)(values));
            let room = match store_bytes {
                // The process that is killed rewrites the trial's own file.
                0 => killed_bytes,
                _ => {
                    let bytes = store_bytes.max(killed_bytes);
                    bytes.saturating_mul(STORE_FACTOR).saturating_add(STORE_BASE_BYTES)
                }
            };
            need.own_bytes = need.own_bytes.max(room);
        }
    }
    needs
        .into_iter()
        .filter(|(_, need)| need.own_bytes > 0 || !need.files.is_empty())
        .map(|(filesystem, need)| {
            let bytes = image_bytes(&filesystem, need.files.values().sum::<u64>() + need.own_bytes);
            (filesystem, bytes)
        })
        .collect()
}

/// The studies, by index, without which the others find room: whichever takes most by itself goes first, of equal ones
/// the last.
pub fn too_many(
    studies: &[StudyPlan],
    schema: impl Fn(&str) -> Option<&'static Schema>,
    available_bytes: u64,
) -> Vec<usize> {
    let needed = |indices: &[usize]| -> u64 {
        let studies: Vec<StudyPlan> = indices.iter().map(|index| studies[*index].clone()).collect();
        space_needed_bytes(&studies, &schema).values().sum()
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
    /// By name, and whether they are placed again each round.
    files: BTreeMap<(bool, String), u64>,
    /// What one trial needs for itself, at most: there is one at a time.
    own_bytes: u64,
}

/// Bytes of the loop image for a file system that holds files of this many bytes; on the host the files themselves.
fn image_bytes(filesystem: &str, files_bytes: u64) -> u64 {
    const LOG_AND_METADATA: u64 = 320 << 20;
    match filesystem {
        "host" => files_bytes,
        _ => (files_bytes + files_bytes / 8 + LOG_AND_METADATA).next_multiple_of(64 << 20),
    }
}
