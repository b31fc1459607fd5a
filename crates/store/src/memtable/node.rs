//! A node of a memtable's tree: 128 words.
//!
//! Each entry of a node has the first bytes of a key beside the place of the record, so that a search seldom looks at a
//! record.
//!
//! ```text
//! leaf    number of entries and, in the upper half, the leaf behind it; prefixes; places
//! inner   number of separators; prefixes; places; children, one more than separators
//! ```
//!
//! A separator is the first record of the child behind it.

use super::records::Place;

pub(super) const NODE_WORDS: usize = 128;
/// Entries of a leaf, and separators of an inner node.
pub(super) const LEAF_MAX: usize = (NODE_WORDS - 1) / 2;
pub(super) const INNER_MAX: usize = (NODE_WORDS - 2) / 3;
/// No leaf is behind the last one. (The first node is the first leaf.)
pub(super) const NONE: u32 = 0;

pub(super) type Node = [u64; NODE_WORDS];

/// A node and the first record in it, for the node above.
pub(super) struct Split {
    pub(super) prefix: u64,
    pub(super) place: Place,
    pub(super) node: u32,
}

/// Entries of a leaf, or separators of an inner node.
pub(super) fn count(node: &Node) -> usize {
    node[0] as u32 as usize
}

/// The leaf behind this one.
pub(super) fn next(leaf: &Node) -> u32 {
    (leaf[0] >> 32) as u32
}

/// The child of this number.
pub(super) fn child(inner: &Node, number: usize) -> u32 {
    inner[1 + 2 * INNER_MAX + number] as u32
}

/// The first number below `count` that is not before something.
#[inline]
pub(super) fn lower_bound(count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

pub(super) fn insert_entry(leaf: &mut Node, at: usize, prefix: u64, place: Place) {
    let count = count(leaf);
    insert_word(&mut leaf[1..], count, at, prefix);
    insert_word(&mut leaf[1 + LEAF_MAX..], count, at, place);
    leaf[0] += 1;
}

/// Puts a node behind the child of this number.
pub(super) fn insert_separator(inner: &mut Node, child: usize, behind: &Split) {
    let count = count(inner);
    insert_word(&mut inner[1..], count, child, behind.prefix);
    insert_word(&mut inner[1 + INNER_MAX..], count, child, behind.place);
    insert_word(&mut inner[1 + 2 * INNER_MAX..], count + 1, child + 1, u64::from(behind.node));
    inner[0] += 1;
}

/// Puts a word before one of the first `count` words, or behind them.
fn insert_word(words: &mut [u64], count: usize, at: usize, word: u64) {
    words.copy_within(at..count, at + 1);
    words[at] = word;
}
