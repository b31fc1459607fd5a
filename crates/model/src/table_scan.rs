//! Scans of pgbench's accounts that read from the device: the way to the rows, and how many rows a query asks for.
//!
//! To add a way: its variant and its line in [`Access::definition`]. To add a size of a way: a [`crate::Script`].

use serde::{Deserialize, Serialize};

/// The table that is scanned.
pub const TABLE: &str = "pgbench_accounts";
/// Its primary key, which has the order of the table.
pub const KEY_INDEX: &str = "pgbench_accounts_pkey";
/// Its index by the hash of the key: an order in which neighbours lie on pages anywhere in the table.
pub const HASH_INDEX: &str = "pgbench_accounts_hash";
/// Accounts on a page of 8 KiB at pgbench's default fill factor of 100: rows of 97 bytes with a header of 24, aligned
/// to 8, and a line pointer of 4.
pub const ROWS_OF_PAGE: u32 = 61;

/// A way in which a server finds rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Page after page of the table.
    Sequential,
    /// The index first, then the pages that it names in the order of the table.
    Bitmap,
    /// Row after row of an index whose order is the table's.
    CorrelatedIndex,
    /// Row after row of an index whose neighbours lie anywhere in the table.
    UncorrelatedIndex,
}

/// What a query's two parameters bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Pages of the table.
    Pages,
    Keys,
    /// Hashes of keys.
    Hashes,
}

/// What a way consists of.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Its name in a sentence, in the plural.
    pub words: &'static str,
    /// What its range is of.
    pub range: Range,
    /// The query, for rows from `$1` on and before `$2`.
    pub query: &'static str,
    /// The index that it reads too.
    pub index: Option<&'static str>,
    /// The type of its node in a plan.
    pub node: &'static str,
    /// Settings without which the planner may choose another way.
    pub settings: &'static [(&'static str, &'static str)],
}

const BY_HASH: &str =
    "SELECT count(*), sum(abalance) FROM pgbench_accounts WHERE hashint4(aid) >= $1 AND hashint4(aid) < $2";
const NOT_BY_BITMAP: &[(&str, &str)] = &[("enable_bitmapscan", "off"), ("enable_seqscan", "off")];

impl Access {
    /// What it consists of.
    pub const fn definition(self) -> Definition {
        match self {
            Self::Sequential => Definition {
                words: "sequential scans",
                range: Range::Pages,
                query: "SELECT count(*), sum(abalance) FROM pgbench_accounts WHERE ctid >= $1 AND ctid < $2",
                index: None,
                node: "Tid Range Scan",
                settings: &[],
            },
            Self::Bitmap => Definition {
                words: "bitmap heap scans",
                range: Range::Hashes,
                query: BY_HASH,
                index: Some(HASH_INDEX),
                node: "Bitmap Heap Scan",
                settings: &[("enable_indexscan", "off"), ("enable_seqscan", "off")],
            },
            Self::CorrelatedIndex => Definition {
                words: "index scans in the order of the table",
                range: Range::Keys,
                query: "SELECT count(*), sum(abalance) FROM pgbench_accounts WHERE aid >= $1 AND aid < $2",
                index: Some(KEY_INDEX),
                node: "Index Scan",
                settings: NOT_BY_BITMAP,
            },
            Self::UncorrelatedIndex => Definition {
                words: "index scans in another order than the table's",
                range: Range::Hashes,
                query: BY_HASH,
                index: Some(HASH_INDEX),
                node: "Index Scan",
                settings: NOT_BY_BITMAP,
            },
        }
    }
}

/// A scan: the way, and how much each query reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableScan {
    /// The way to the rows.
    pub access: Access,
    /// Rows that a query asks for, about.
    pub rows: u32,
}

impl TableScan {
    /// Pages of the table that a query reads, about: those that lie together, or one for each row.
    pub const fn pages(self) -> u32 {
        match self.access.definition().range {
            Range::Pages | Range::Keys => self.rows.div_ceil(ROWS_OF_PAGE),
            Range::Hashes => self.rows,
        }
    }

    /// What is dropped from the page cache, so that a query reads it from the device: the table, and the index that the
    /// way leads over.
    pub fn relations(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(TABLE).chain(self.access.definition().index)
    }

    /// `bitmap heap scans of about 64 rows on 64 pages`.
    pub fn words(self) -> String {
        format!("{} of about {} rows on {} pages", self.access.definition().words, self.rows, self.pages())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_pages_and_scattered_rows_have_one_each() {
        let pages = |access, rows| TableScan { access, rows }.pages();
        assert_eq!(pages(Access::Sequential, 128 * ROWS_OF_PAGE), 128);
        assert_eq!(pages(Access::CorrelatedIndex, ROWS_OF_PAGE + 1), 2);
        assert_eq!((pages(Access::Bitmap, 64), pages(Access::UncorrelatedIndex, 64)), (64, 64));
    }

    #[test]
    fn what_a_way_leads_over_is_dropped_too() {
        let relations = |access| TableScan { access, rows: 64 }.relations().collect::<Vec<_>>();
        assert_eq!(relations(Access::Sequential), [TABLE]);
        assert_eq!(relations(Access::Bitmap), [TABLE, HASH_INDEX]);
        assert_eq!(relations(Access::CorrelatedIndex), [TABLE, KEY_INDEX]);
    }
}
