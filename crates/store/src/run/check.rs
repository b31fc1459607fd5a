//! Reads every page of a run and checks all that can be checked.

use super::page::PageCursor;
use super::sorted::Run;
use crate::block::AlignedBuffer;
use crate::checksum::{key_hash, partition};
use crate::entry::{EntryKind, LargeValue};
use crate::error::StoreError;

/// Checks a run of one partition out of `partitions`. Hands over each problem, and the large values that entries name.
pub(crate) fn check(
    run: &Run,
    (of, partitions): (usize, usize),
    mut problem: impl FnMut(StoreError),
    mut large_value: impl FnMut(LargeValue),
) {
    let mut buffer = AlignedBuffer::zeroed(0);
    let mut cursor = PageCursor::default();
    let (mut entries, mut deletes) = (0, 0);
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
            match (entry.kind, LargeValue::decode(entry.value)) {
                (EntryKind::PutLarge, Some(value)) => {
                    if !run.large_values().contains(&value.number) {
                        wrong("a large value is not in the list of the run");
                    }
                    large_value(value);
                }
                (EntryKind::PutLarge, None) => wrong("the place of a large value cannot be decoded"),
                (EntryKind::Put | EntryKind::Delete, _) => {}
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
}
