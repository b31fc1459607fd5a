//! The order of a memtable's records: a B+ tree that only grows, in memory from the kernel.

use super::node::{
    INNER_MAX, LEAF_MAX, NODE_WORDS, NONE, Node, Split, child, count, insert_entry, insert_separator,
    lower_bound, next,
};
use super::records::{CHUNK_BYTES, Place, Record, Records, region};
use crate::entry::Entry;
use crate::key_prefix::key_prefix;
use disk::region::Region;
use std::cmp::Ordering;

const CHUNK_NODES: usize = CHUNK_BYTES / (NODE_WORDS * size_of::<u64>());
/// More than there can be: each inner node of a split tree has at least half of its children.
const DEPTH_MAX: usize = 16;
/// Memory of an entry: leaves are about two thirds full.
pub(super) const ENTRY_BYTES: usize = 2 * size_of::<u64>() * 3 / 2;

/// A key and a moment. The newest version of a key comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position<'a> {
    prefix: u64,
    key: &'a [u8],
    sequence: u64,
}

impl<'a> Position<'a> {
    pub(super) fn new(key: &'a [u8], sequence: u64) -> Self {
        Self { prefix: key_prefix(key), key, sequence }
    }
}

/// Records in the order of their positions.
#[derive(Debug)]
pub(super) struct Tree {
    records: Records,
    chunks: Vec<Region>,
    nodes: u32,
    root: u32,
    /// Inner nodes above each leaf.
    depth: usize,
    entries: usize,
}

impl Tree {
    pub(super) fn new() -> Self {
        let mut tree =
            Self { records: Records::default(), chunks: Vec::new(), nodes: 0, root: 0, depth: 0, entries: 0 };
        tree.root = tree.add(&[0; NODE_WORDS]);
        tree
    }

    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// A later one with the same key and sequence number replaces an earlier one.
    pub(super) fn insert(&mut self, entry: Entry<'_>, sequence: u64) {
        let position = Position::new(entry.key, sequence);
        let place = self.records.push(Record { entry, sequence });
        let mut path = [(0, 0); DEPTH_MAX];
        let mut node = self.root;
        for step in &mut path[..self.depth] {
            let before = self.children_before(node, position);
            *step = (node, before);
            node = child(self.node(node), before);
        }
        let at = self.entries_before(node, position);
        let leaf = self.node_mut(node);
        let is_there = at < count(leaf) && leaf[1 + at] == position.prefix;
        let there = leaf[1 + LEAF_MAX + at.min(LEAF_MAX - 1)];
        if is_there && self.order(position.prefix, there, position) == Ordering::Equal {
            self.node_mut(node)[1 + LEAF_MAX + at] = place;
            return;
        }
        self.entries += 1;
        let mut split = self.insert_in_leaf(node, at, position.prefix, place);
        for (node, before) in path[..self.depth].iter().rev() {
            let Some(below) = split else { return };
            split = self.insert_in_inner(*node, *before, &below);
        }
        if let Some(below) = split {
            let mut root = [0; NODE_WORDS];
            root[1 + 2 * INNER_MAX] = u64::from(self.root);
            insert_separator(&mut root, 0, &below);
            self.root = self.add(&root);
            self.depth += 1;
        }
    }

    /// The records from a position on.
    pub(super) fn behind(&self, position: Position<'_>) -> Behind<'_> {
        let mut node = self.root;
        for _ in 0..self.depth {
            node = child(self.node(node), self.children_before(node, position));
        }
        Behind { tree: self, leaf: self.node(node), at: self.entries_before(node, position) }
    }

    fn node(&self, node: u32) -> &Node {
        let (chunk, at) = (node as usize / CHUNK_NODES, node as usize % CHUNK_NODES);
        &self.chunks[chunk].words().as_chunks().0[at]
    }

    fn node_mut(&mut self, node: u32) -> &mut Node {
        let (chunk, at) = (node as usize / CHUNK_NODES, node as usize % CHUNK_NODES);
        &mut self.chunks[chunk].words_mut().as_chunks_mut().0[at]
    }

    fn add(&mut self, node: &Node) -> u32 {
        let number = self.nodes;
        if (number as usize).is_multiple_of(CHUNK_NODES) {
            self.chunks.push(region(CHUNK_BYTES));
        }
        self.nodes += 1;
        *self.node_mut(number) = *node;
        number
    }

    /// Where an entry of a node is, seen from a position.
    #[inline]
    fn order(&self, prefix: u64, place: Place, position: Position<'_>) -> Ordering {
        // Two prefixes that differ decide without a look at the record, which is elsewhere in memory.
        prefix.cmp(&position.prefix).then_with(|| {
            let Record { entry, sequence } = self.records.at(place);
            entry.key.cmp(position.key).then_with(|| position.sequence.cmp(&sequence))
        })
    }

    /// Entries of a leaf that are before a position.
    fn entries_before(&self, node: u32, position: Position<'_>) -> usize {
        let leaf = self.node(node);
        lower_bound(count(leaf), |at| self.order(leaf[1 + at], leaf[1 + LEAF_MAX + at], position).is_lt())
    }

    /// Children of an inner node that are wholly before a position.
    fn children_before(&self, node: u32, position: Position<'_>) -> usize {
        let inner = self.node(node);
        lower_bound(count(inner), |at| self.order(inner[1 + at], inner[1 + INNER_MAX + at], position).is_le())
    }

    fn insert_in_leaf(&mut self, node: u32, at: usize, prefix: u64, place: Place) -> Option<Split> {
        let leaf = self.node_mut(node);
        if count(leaf) < LEAF_MAX {
            insert_entry(leaf, at, prefix, place);
            return None;
        }
        // Behind all others there are keys in their order: such leaves stay full.
        let kept = if at == LEAF_MAX && next(leaf) == NONE { LEAF_MAX } else { LEAF_MAX / 2 };
        let mut right = [0; NODE_WORDS];
        let moved = LEAF_MAX - kept;
        right[1..][..moved].copy_from_slice(&leaf[1 + kept..][..moved]);
        right[1 + LEAF_MAX..][..moved].copy_from_slice(&leaf[1 + LEAF_MAX + kept..][..moved]);
        right[0] = u64::from(next(leaf)) << 32 | moved as u64;
        leaf[0] = kept as u64;
        if at > kept || moved == 0 {
            insert_entry(&mut right, at - kept, prefix, place);
        } else {
            insert_entry(leaf, at, prefix, place);
        }
        let (prefix, place) = (right[1], right[1 + LEAF_MAX]);
        let right = self.add(&right);
        self.node_mut(node)[0] |= u64::from(right) << 32;
        Some(Split { prefix, place, node: right })
    }

    /// Takes a node that was split off from the child of this number.
    fn insert_in_inner(&mut self, node: u32, child: usize, below: &Split) -> Option<Split> {
        const KEPT: usize = INNER_MAX / 2;
        const MOVED: usize = INNER_MAX - KEPT - 1;
        let inner = self.node_mut(node);
        if count(inner) < INNER_MAX {
            insert_separator(inner, child, below);
            return None;
        }
        let (prefix, place) = (inner[1 + KEPT], inner[1 + INNER_MAX + KEPT]);
        let mut right = [0; NODE_WORDS];
        right[0] = MOVED as u64;
        for part in [1, 1 + INNER_MAX] {
            right[part..][..MOVED].copy_from_slice(&inner[part + KEPT + 1..][..MOVED]);
        }
        let children = 1 + 2 * INNER_MAX;
        right[children..][..=MOVED].copy_from_slice(&inner[children + KEPT + 1..][..=MOVED]);
        inner[0] = KEPT as u64;
        if child > KEPT {
            insert_separator(&mut right, child - KEPT - 1, below);
        } else {
            insert_separator(inner, child, below);
        }
        Some(Split { prefix, place, node: self.add(&right) })
    }
}

/// Walks over records.
#[derive(Clone, Debug)]
pub(super) struct Behind<'a> {
    tree: &'a Tree,
    leaf: &'a Node,
    at: usize,
}

impl<'a> Iterator for Behind<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        while self.at >= count(self.leaf) {
            match next(self.leaf) {
                NONE => return None,
                behind => (self.leaf, self.at) = (self.tree.node(behind), 0),
            }
        }
        let place = self.leaf[1 + LEAF_MAX + self.at];
        self.at += 1;
        Some(self.tree.records.at(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    /// A key and a sequence number, in the order of the tree.
    type At = (Vec<u8>, Reverse<u64>);
    type Expected = BTreeMap<At, [u8; 8]>;

    fn filled(writes: u64, key: impl Fn(u64) -> Vec<u8>) -> (Tree, Expected) {
        let (mut tree, mut expected) = (Tree::new(), Expected::new());
        for number in 0..writes {
            // Two writes have the same sequence number.
            let (key, sequence, value) = (key(number), number / 2, number.to_le_bytes());
            tree.insert(Entry { key: &key, kind: EntryKind::Put, value: &value }, sequence);
            expected.insert((key, Reverse(sequence)), value);
        }
        (tree, expected)
    }

    fn found<'a>(records: impl Iterator<Item = Record<'a>>) -> Vec<(&'a [u8], u64, &'a [u8])> {
        records.map(|Record { entry, sequence }| (entry.key, sequence, entry.value)).collect()
    }

    fn check(writes: u64, depth_min: usize, key: impl Fn(u64) -> Vec<u8>) {
        let (tree, expected) = filled(writes, &key);
        assert!(tree.depth >= depth_min, "{}", tree.depth);
        assert_eq!(tree.entries(), expected.len());
        let wanted = |from: &At, most: usize| -> Vec<_> {
            let wanted = expected.range::<At, _>(from..).take(most);
            wanted.map(|((key, sequence), value)| (&key[..], sequence.0, &value[..])).collect()
        };
        let start = (Vec::new(), Reverse(u64::MAX));
        assert!(found(tree.behind(Position::new(b"", u64::MAX))) == wanted(&start, usize::MAX));
        for number in (0..writes + 3).step_by(writes as usize / 500 + 1) {
            let from = (key(number), Reverse(number / 3));
            let position = Position::new(&from.0, from.1.0);
            assert_eq!(found(tree.behind(position).take(3)), wanted(&from, 3));
        }
    }

    #[test]
    fn records_are_in_order_whatever_the_order_of_the_writes() {
        check(0, 0, |_| Vec::new());
        check(20_000, 2, |number| number.to_be_bytes().to_vec());
        check(20_000, 2, |number| (u64::MAX - number).to_be_bytes().to_vec());
        // Prefixes that do not decide, and several versions of each key.
        check(20_000, 2, |number| {
            [&b"prefixes"[..], &((number * 7919 % 9973) as u32).to_be_bytes()].concat()
        });
        check(120_000, 3, |number| {
            Xoshiro256PlusPlus::seed_from_u64(number).next_u64().to_le_bytes().to_vec()
        });
    }

    #[test]
    fn leaves_of_ordered_writes_are_full() {
        let (tree, _) = filled(10_000, |number| number.to_be_bytes().to_vec());
        let leaves = 10_000_usize.div_ceil(LEAF_MAX);
        assert!((tree.nodes as usize) < leaves + leaves / 10, "{} of {leaves}", tree.nodes);
    }
}
