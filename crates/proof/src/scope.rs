//! To what a figure is limited: a ratio of one kind of scan, of one size, says nothing of another one.

use crate::load::Load;
use crate::work::Work;
use model::TableScan;
use model::figure::count;
use model::server::Circumstances;
use serde::Serialize;

/// How many work at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Workers {
    /// Clients of a server.
    Clients(u32),
    /// Threads that share a store.
    Threads(u32),
}

/// What was measured, and in which circumstances.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scope {
    /// The clients or threads.
    #[serde(flatten)]
    pub workers: Workers,
    /// What each query scans, if the load is a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<TableScan>,
    /// Pages of the table that a query reads, about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// What the server of the base recorded; `None` for a store, if nothing is measured, and in records of before it
    /// was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Circumstances>,
}

impl Scope {
    /// That of a load in these circumstances.
    pub fn new(load: Load, circumstances: Option<Circumstances>) -> Self {
        let (workers, scan) = match load.work {
            Work::Transactions(script) => (Workers::Clients(load.clients), script.scan()),
            Work::Requests(_) => (Workers::Clients(load.clients), None),
            Work::Store(_) => (Workers::Threads(load.clients), None),
        };
        Self { workers, scan, pages: scan.map(TableScan::pages), circumstances }
    }

    /// As a clause: `1 client; bitmap heap scans of about 64 rows on 64 pages; …`.
    pub fn words(&self) -> String {
        let workers = match self.workers {
            Workers::Clients(clients) => count(clients as usize, "client"),
            Workers::Threads(threads) => count(threads as usize, "thread"),
        };
        let scan = self.scan.map(TableScan::words);
        let circumstances = self.circumstances.as_ref().map(Circumstances::words);
        std::iter::once(workers).chain(scan).chain(circumstances).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Script;
    use model::server::Pinned;

    #[test]
    fn the_words_have_every_fact() {
        let circumstances = Circumstances {
            shared_buffers: "64MB".to_owned(),
            buffers: std::collections::BTreeMap::new(),
            drops_after_turns: false,
            dropped: vec!["accounts".to_owned(), "accounts_hash".to_owned()],
            pinned: Pinned::Nothing,
            cpus: Some(2),
        };
        let scope = Scope::new(Load::of(Script::LargeIndexScan, 1), Some(circumstances));
        assert_eq!((scope.scan, scope.pages), (Script::LargeIndexScan.scan(), Some(1024)));
        let words = scope.words();
        for fact in ["1 client", "1024 rows", "1024 pages", "accounts_hash", "64MB", "2 CPUs"] {
            assert!(words.contains(fact), "{words}");
        }
    }
}
