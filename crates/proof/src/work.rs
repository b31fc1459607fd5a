//! What the clients of a database do while it is measured, and the figure that decides.

use model::{RequestKind, Script, levels};
use serde::{Deserialize, Serialize};

levels! {
    /// What the threads that share a key-value store do. A trial of the workload `kv` loads, drains, reads and mixes,
    /// so works with the same levels are measured by the same trials.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum StoreWork {
        /// Every key is put once, as the engine acknowledges by default; then the store drains.
        Fill = "fill",
        /// Loaded keys are read from a store that memory can hold.
        ReadWarm = "read_warm",
        /// Loaded keys are read under a memory cap below the size of the store.
        ReadCold = "read_cold",
        /// Every key is put once, and each put survives a power loss when it is acknowledged.
        PutDurable = "put_durable",
        /// Half of the operations read a key, the others put one that survives a power loss.
        MixDurable = "mix_durable",
    }
}

impl StoreWork {
    /// What this many threads do: a verb with what follows it.
    pub(crate) const fn does(self, threads: usize) -> &'static str {
        match (self, threads) {
            (Self::Fill, 1) => "fills a store and waits until it has drained",
            (Self::Fill, _) => "fill a store and wait until it has drained",
            (Self::ReadWarm, 1) => "reads a store that memory can hold",
            (Self::ReadWarm, _) => "read a store that memory can hold",
            (Self::ReadCold, 1) => "reads a store that the memory cap cannot hold",
            (Self::ReadCold, _) => "read a store that the memory cap cannot hold",
            (Self::PutDurable, 1) => "puts entries durably",
            (Self::PutDurable, _) => "put entries durably",
            (Self::MixDurable, 1) => "reads entries and puts them durably",
            (Self::MixDurable, _) => "read entries and put them durably",
        }
    }
}

levels! {
    /// What the clients of a server of the workload `requests` ask.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RequestWork {
        /// Each adds rows, each row in a transaction of its own.
        InsertRow = "insert_row",
        /// The same with a binary log that each commit syncs.
        InsertRowLogged = "insert_row_logged",
        /// Each changes rows anywhere, which the server's memory does not hold.
        UpdateRow = "update_row",
        /// Each reads rows anywhere, which the server's memory does not hold.
        ReadRow = "read_row",
        /// Each puts new keys.
        PutKey = "put_key",
        /// Each reads ranges of keys, and changes keys; one has the server drop old revisions now and then.
        RangeKeys = "range_keys",
    }
}

impl RequestWork {
    pub const fn request(self) -> RequestKind {
        match self {
            Self::InsertRow | Self::InsertRowLogged | Self::PutKey => RequestKind::Insert,
            Self::UpdateRow => RequestKind::Update,
            Self::ReadRow => RequestKind::Read,
            Self::RangeKeys => RequestKind::Range,
        }
    }

    /// What this many clients do: a verb with what follows it.
    pub(crate) const fn does(self, clients: usize) -> &'static str {
        match (self, clients) {
            (Self::InsertRow, 1) => "inserts rows",
            (Self::InsertRow, _) => "insert rows",
            (Self::InsertRowLogged, 1) => "inserts rows, with a binary log that each commit syncs",
            (Self::InsertRowLogged, _) => "insert rows, with a binary log that each commit syncs",
            (Self::UpdateRow, 1) => "updates rows anywhere in a table three times the buffer pool",
            (Self::UpdateRow, _) => "update rows anywhere in a table three times the buffer pool",
            (Self::ReadRow, 1) => "reads rows anywhere in a table three times the buffer pool",
            (Self::ReadRow, _) => "read rows anywhere in a table three times the buffer pool",
            (Self::PutKey, 1) => "puts new keys",
            (Self::PutKey, _) => "put new keys",
            (Self::RangeKeys, 1) => "reads ranges of keys beside updates and compactions",
            (Self::RangeKeys, _) => "read ranges of keys beside updates and compactions",
        }
    }
}

/// What clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Work {
    /// Transactions of a server: the workload `transactions`.
    Transactions(Script),
    /// Operations of a key-value store: the workload `kv`.
    Store(StoreWork),
    /// Requests to a server: the workload `requests`.
    Requests(RequestWork),
}

impl Work {
    /// Its name on the command line; no two works have the same.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transactions(script) => script.name(),
            Self::Store(work) => work.name(),
            Self::Requests(work) => work.name(),
        }
    }

    /// Whether clients write.
    pub(crate) const fn writes(self) -> bool {
        match self {
            Self::Transactions(script) => script.writes(),
            Self::Requests(work) => work.request().writes(),
            Self::Store(_) => false,
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        let script = Script::from_name(name).map(Self::Transactions);
        let store = || StoreWork::from_name(name).map(Self::Store);
        script.or_else(store).or_else(|| RequestWork::from_name(name).map(Self::Requests))
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Script::NAMES
            .iter()
            .chain(StoreWork::NAMES)
            .chain(RequestWork::NAMES)
            .filter_map(|name| Self::from_name(name))
    }

    /// Full name of the metric that decides; more is better.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::Transactions(_) => "transactions_per_s",
            Self::Requests(_) => "requests_per_s",
            Self::Store(StoreWork::Fill) => "load_and_drain_operations_per_s",
            Self::Store(StoreWork::ReadWarm | StoreWork::ReadCold) => "hit_operations_per_s",
            Self::Store(StoreWork::PutDurable) => "load_operations_per_s",
            Self::Store(StoreWork::MixDurable) => "mixed_operations_per_s",
        }
    }

    /// Metrics that the study shows beside it.
    pub(crate) const fn responses(self) -> [&'static str; 2] {
        match self {
            Self::Transactions(_) => ["transaction_latency_p50_us", "transaction_latency_p99_us"],
            Self::Requests(_) => ["request_latency_p50_us", "request_latency_p99_us"],
            Self::Store(StoreWork::Fill | StoreWork::PutDurable) => {
                ["load_latency_p50_us", "load_latency_p99_us"]
            }
            Self::Store(StoreWork::ReadWarm | StoreWork::ReadCold) => {
                ["hit_latency_p50_us", "hit_latency_p99_us"]
            }
            Self::Store(StoreWork::MixDurable) => ["mixed_latency_p50_us", "mixed_latency_p99_us"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_works_have_the_same_name_and_each_is_written_as_its_name() {
        for work in Work::all() {
            assert_eq!(Work::all().filter(|other| other.name() == work.name()).count(), 1);
            let text = serde_json::to_string(&work).unwrap();
            assert_eq!(text, format!("{:?}", work.name()));
            assert_eq!(serde_json::from_str::<Work>(&text).unwrap(), work);
        }
    }
}
