//! How many pages of free-space and visibility maps PostgreSQL keeps beside a table's own pages. They need buffers too;
//! this is why a pool of exactly the table's size is too small.
//!
//! The figures follow from the page formats (`fsm_internals.h`, `freespace.c` and `visibilitymap.c` of PostgreSQL 18).

/// Bytes of a page's header, aligned (`SizeOfPageHeaderData`).
const PAGE_HEADER_BYTES: u64 = 24;
/// Bytes before the nodes of a free-space map page (`offsetof(FSMPageData, fp_nodes)`).
const FREE_SPACE_HEADER_BYTES: u64 = 4;
/// The visibility map has two bits for each page of the table.
const VISIBILITY_BITS: u64 = 2;

/// Map pages of a table with this number of pages: the free-space map's leaves and the two levels above them, and the
/// visibility map.
pub fn map_pages(blocks: u64, page_size: u64) -> u64 {
    // One byte for each page of the table, in the leaves of a binary tree.
    let inner_nodes = page_size / 2 - 1;
    let leaves = page_size - PAGE_HEADER_BYTES - FREE_SPACE_HEADER_BYTES - inner_nodes;
    let bottom = blocks.div_ceil(leaves);
    let free_space = bottom + bottom.div_ceil(leaves) + 1;
    let visibility = blocks.div_ceil((page_size - PAGE_HEADER_BYTES) * 8 / VISIBILITY_BITS);
    free_space + visibility
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With pages of 8 KiB, a free-space map page covers 4069 pages and a visibility map page covers 32672.
    #[test]
    fn maps_are_as_large_as_postgresql_makes_them() {
        for (blocks, expected) in [
            (1, 4),
            (128, 4),
            (4069, 4),
            (4070, 5),
            (32_672, 9 + 2 + 1),
            (32_673, 9 + 2 + 2),
            (131_072, 33 + 2 + 5),
        ] {
            assert_eq!(map_pages(blocks, 8192), expected, "{blocks}");
        }
    }
}
