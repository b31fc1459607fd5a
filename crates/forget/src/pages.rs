//! The content of a disk, sparse: pages that were never written, or hold only zeros, take no memory. A clone shares
//! every page with its original until one of the two writes to it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A page, bytes: the block size of the file systems that are made here, so that their writes replace whole pages.
pub(crate) const PAGE_BYTES: usize = 4096;
/// Pages of a group. A clone costs one reference a group: 2048 for a disk of 4 GiB.
const GROUP_PAGES: usize = 512;

type Page = Arc<[u8; PAGE_BYTES]>;
type Group = Arc<[Option<Page>]>;

/// What is on a disk.
#[derive(Clone)]
pub(crate) struct Pages {
    size_bytes: u64,
    groups: Vec<Option<Group>>,
}

impl Pages {
    /// A disk full of zeros.
    pub(crate) fn new(size_bytes: u64) -> Self {
        let groups = size_bytes.div_ceil((GROUP_PAGES * PAGE_BYTES) as u64);
        Self { size_bytes, groups: vec![None; groups as usize] }
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Fills `into` from `offset` on. The range lies on the disk: the caller has checked it.
    pub(crate) fn read(&self, offset: u64, into: &mut [u8]) {
        for piece in pieces(offset, into.len() as u64) {
            let target = &mut into[piece.in_range];
            match self.page(piece.page) {
                Some(page) => target.copy_from_slice(&page[piece.in_page]),
                None => target.fill(0),
            }
        }
    }

    /// Writes `bytes` from `offset` on.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        for piece in pieces(offset, bytes.len() as u64) {
            let source = &bytes[piece.in_range];
            if let Ok(whole) = <&[u8; PAGE_BYTES]>::try_from(source) {
                let is_empty = whole.iter().all(|&byte| byte == 0);
                self.set(piece.page, (!is_empty).then(|| Arc::new(*whole)));
            } else {
                self.change(piece.page)[piece.in_page].copy_from_slice(source);
            }
        }
    }

    /// Writes `length` zeros from `offset` on.
    pub(crate) fn clear(&mut self, offset: u64, length: u64) {
        for piece in pieces(offset, length) {
            if piece.in_page.len() == PAGE_BYTES {
                self.set(piece.page, None);
            } else if self.page(piece.page).is_some() {
                self.change(piece.page)[piece.in_page].fill(0);
            }
        }
    }

    /// Takes over the pages that a range touches: those of `other`, a disk of the same size.
    pub(crate) fn take_over(&mut self, other: &Self, offset: u64, length: u64) {
        for piece in pieces(offset, length) {
            self.set(piece.page, other.page(piece.page).cloned());
        }
    }

    fn page(&self, page: usize) -> Option<&Page> {
        self.groups[page / GROUP_PAGES].as_ref()?[page % GROUP_PAGES].as_ref()
    }

    fn set(&mut self, page: usize, content: Option<Page>) {
        if content.is_some() || self.page(page).is_some() {
            *self.slot(page) = content;
        }
    }

    fn change(&mut self, page: usize) -> &mut [u8; PAGE_BYTES] {
        let page = self.slot(page).get_or_insert_with(|| Arc::new([0; PAGE_BYTES]));
        Arc::make_mut(page)
    }

    fn slot(&mut self, page: usize) -> &mut Option<Page> {
        let group = &mut self.groups[page / GROUP_PAGES];
        let group = group.get_or_insert_with(|| Arc::from(vec![None; GROUP_PAGES]));
        &mut Arc::make_mut(group)[page % GROUP_PAGES]
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pages = self.groups.iter().flatten().flat_map(|group| group.iter()).flatten().count();
        f.debug_struct("Pages").field("size_bytes", &self.size_bytes).field("pages", &pages).finish()
    }
}

impl PartialEq for Pages {
    /// Whether both hold the same bytes.
    fn eq(&self, other: &Self) -> bool {
        let zeros = [0; PAGE_BYTES];
        let pages = self.groups.len() * GROUP_PAGES;
        self.size_bytes == other.size_bytes
            && (0..pages).all(|page| match (self.page(page), other.page(page)) {
                (Some(one), Some(two)) => Arc::ptr_eq(one, two) || one == two,
                (Some(page), None) | (None, Some(page)) => **page == zeros,
                (None, None) => true,
            })
    }
}

impl Eq for Pages {}

/// The part of a range that one page holds.
struct Piece {
    page: usize,
    in_page: Range<usize>,
    in_range: Range<usize>,
}

/// A range, cut at the borders of pages.
fn pieces(offset: u64, length: u64) -> impl Iterator<Item = Piece> {
    units(offset, length, PAGE_BYTES as u64).map(move |unit| {
        let in_page = (unit.start % PAGE_BYTES as u64) as usize;
        let bytes = (unit.end - unit.start) as usize;
        let before = (unit.start - offset) as usize;
        Piece {
            page: (unit.start / PAGE_BYTES as u64) as usize,
            in_page: in_page..in_page + bytes,
            in_range: before..before + bytes,
        }
    })
}

/// A range, cut where a multiple of `unit` lies inside it.
pub(crate) fn units(offset: u64, length: u64, unit: u64) -> impl Iterator<Item = Range<u64>> {
    let end = offset + length;
    let border = move |start: u64| ((start / unit + 1) * unit).min(end);
    let first = (length > 0).then(|| offset..border(offset));
    std::iter::successors(first, move |before| (before.end < end).then(|| before.end..border(before.end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_cut_at_multiples_of_the_unit() {
        let cut = |offset, length| {
            units(offset, length, 512).map(|unit| (unit.start, unit.end)).collect::<Vec<_>>()
        };
        assert_eq!(cut(0, 512), [(0, 512)]);
        assert_eq!(cut(500, 30), [(500, 512), (512, 530)]);
        assert_eq!(cut(512, 1024), [(512, 1024), (1024, 1536)]);
        assert_eq!(cut(700, 0), []);
    }

    #[test]
    fn zeros_take_no_memory() {
        let mut pages = Pages::new(4 << 30);
        pages.write(1 << 30, &[0; 3 * PAGE_BYTES]);
        pages.clear(3, 2 << 30);
        assert!(pages.groups.iter().all(Option::is_none));
    }

    #[test]
    fn a_clone_shares_what_neither_writes() {
        let mut one = Pages::new(1 << 30);
        one.write(0, &[1; 2 * PAGE_BYTES]);
        let two = one.clone();
        one.write(1, &[2; 1]);
        assert_ne!(one, two);
        let shared = |page| Arc::ptr_eq(one.page(page).expect("written"), two.page(page).expect("written"));
        assert!(shared(1) && !shared(0));
    }
}
