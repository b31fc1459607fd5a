//! What commits cost beyond the disk's own syncs.

use crate::settings::Settings;
use crate::{Failure, load_span};
use model::IoMode;
use std::path::Path;
use std::time::{Duration, Instant};
use store::storage::{Directory, Durable, Storage, StorageFile};
use store::{BLOCK_BYTES, ReadEngine, Store};

const ROUNDS: u64 = 5;
/// How long one thread writes and syncs by itself in each round.
const ROUND: Duration = Duration::from_secs(1);
const FILE_BLOCKS: u64 = 1024;

/// Memory that direct I/O takes.
#[repr(C, align(4096))]
struct Block([u8; BLOCK_BYTES]);

/// In turns: one thread that writes a block and syncs, then the store's threads that put. Prints how many groups the
/// log commits for each sync that the disk makes by itself.
pub(crate) fn compare(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    let file = prefilled(directory)?;
    let store = Store::open(&directory.join("store"), &settings.options)?;
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let own = own_syncs_a_second(&*file)?;
        let before = store.statistics().counts;
        let began = Instant::now();
        let share = settings.keys / ROUNDS;
        load_span(&store, settings.threads, round * share..(round + 1) * share)?;
        let load_s = began.elapsed().as_secs_f64();
        let after = store.statistics().counts;
        let groups = after.log_groups - before.log_groups;
        let (groups_a_second, group_size) = (groups as f64 / load_s, share as f64 / groups as f64);
        println!(
            "the disk's own syncs {own:.0} /s, groups {groups_a_second:.0} /s of {group_size:.2} writes, \
             commits {:.0} /s: {:.2} times",
            share as f64 / load_s,
            groups_a_second / own
        );
        ratios.push(groups_a_second / own);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median {:.2} times", ratios[ratios.len() / 2]);
    store.close()?;
    Ok(())
}

/// A file as a segment of the log: its blocks are there.
fn prefilled(directory: &Path) -> Result<std::sync::Arc<dyn StorageFile>, Failure> {
    let storage = Directory::open(directory, ReadEngine::Psync, IoMode::Direct, 1, BLOCK_BYTES)?;
    let file = storage.create("own", IoMode::Direct)?;
    let block = Block([0; BLOCK_BYTES]);
    for at in 0..FILE_BLOCKS {
        file.write_at(&block.0, at * BLOCK_BYTES as u64, Durable::Later)?;
    }
    file.sync()?;
    storage.sync_names()?;
    Ok(file)
}

fn own_syncs_a_second(file: &dyn StorageFile) -> Result<f64, Failure> {
    let block = Block([1; BLOCK_BYTES]);
    let (began, mut syncs) = (Instant::now(), 0);
    while began.elapsed() < ROUND {
        file.write_at(&block.0, syncs % FILE_BLOCKS * BLOCK_BYTES as u64, Durable::Later)?;
        file.sync()?;
        syncs += 1;
    }
    Ok(syncs as f64 / began.elapsed().as_secs_f64())
}
