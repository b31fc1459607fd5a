//! Reads every page of a run and checks all that can be checked.

use super::page::PageCursor;
use super::sorted::Run;
use crate::block::AlignedBuffer;
use crate::checksum::{key_hash, partition};
use crate::entry::{Entry, EntryKind, ValuePlace};
use crate::error::StoreError;
use std::collections::BTreeMap;

/// Checks a run of one partition out of `partitions`. Hands over each problem, and where the values are that are not
/// beside their keys.
pub(crate) fn check(
    run: &Run,
    (of, partitions): (usize, usize),
    mut problem: impl FnMut(StoreError),
    mut elsewhere: impl FnMut(EntryKind, ValuePlace),
) {
    let mut buffer = AlignedBuffer::zeroed(0);
    let mut cursor = PageCursor::default();
    let (mut entries, mut deletes) = (0, 0);
    let mut live_bytes: BTreeMap<u64, u64> = BTreeMap::new();
    let mut before: Vec<u8> = Vec::new();
    let mut is_whole = true;
    for page in 0..run.index().pages() {
        let (offset, bytes) = run.index().place(page);
        let mut wrong = |what| problem(run.file.damaged(offset, what));
        let pages = buffer.require(bytes);
        if let Err(error) = run.file.read_at(pages, offset) {
            is_whole = false;
            problem(error);
            continue;
        }
        if let Err(what) = cursor.load(pages, run.page_place(offset)) {
            is_whole = false;
            wrong(what);
            continue;
        }
        while let Some(entry) = cursor.entry(pages) {
            entries += 1;
            deletes += u64::from(entry.kind == EntryKind::Delete);
            if !before.is_empty() && before.as_slice() >= entry.key {
                wrong("a key is not larger than the key before it");
            }
            if run.index().page_of(entry.key) != page {
                wrong("the page index leads to another page for a key");
            }
            let hash = key_hash(entry.key);
            if !run.may_contain(entry.key, hash) {
                wrong("the filter or the outer keys deny a key");
            }
            if partition(hash, partitions) != of {
                wrong("a key belongs to another partition");
            }
            match value_elsewhere(run, entry) {
                Ok(None) => {}
                Ok(Some(place)) => {
                    if entry.kind == EntryKind::PutSeparated {
                        let live = live_bytes.entry(place.number).or_default();
                        *live = live.saturating_add(place.bytes);
                    }
                    elsewhere(entry.kind, place);
                }
                Err(what) => wrong(what),
            }
            before.clear();
            before.extend_from_slice(entry.key);
            if let Err(what) = cursor.step(pages) {
                is_whole = false;
                wrong(what);
                break;
            }
        }
    }
    if is_whole && (entries, deletes) != (run.entries(), run.deletes()) {
        problem(
            run.file.damaged(run.index().data_bytes(), "the footer counts other entries than the pages have"),
        );
    }
    let listed = run.values.iter().map(|value_use| (value_use.file.number, value_use.live_bytes));
    if is_whole && !listed.eq(live_bytes) {
        let what = "the run lists other bytes of value files than its entries name";
        problem(run.file.damaged(run.index().data_bytes(), what));
    }
}

/// Where the value of an entry is, if it is not there.
fn value_elsewhere(run: &Run, entry: Entry<'_>) -> Result<Option<ValuePlace>, &'static str> {
    let place = entry.value_place();
    match (entry.kind, place) {
        (EntryKind::Put | EntryKind::Delete, _) => Ok(None),
        (EntryKind::PutLarge | EntryKind::PutSeparated, None) => {
            Err("the place of a value cannot be decoded")
        }
        (EntryKind::PutLarge, Some(place)) if !run.large_values().contains(&place.number) => {
            Err("a large value is not in the list of the run")
        }
        (EntryKind::PutSeparated, Some(place)) if run.values.get(place.number).is_none() => {
            Err("the file of a value is not in the list of the run")
        }
        (EntryKind::PutLarge | EntryKind::PutSeparated, Some(_)) => Ok(place),
    }
}
