//! What object stores charge for requests and for bytes that leave them: data with its sources and dates.

use serde::{Deserialize, Serialize};

const PRICES: &str = include_str!("../../object_prices.toml");

/// The prices of one store. Deletes cost nothing in any of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub name: String,
    /// Class of storage, and region.
    pub tier: String,
    /// US dollars for a million puts, begins, parts and ends of puts in parts.
    pub usd_per_million_writes: f64,
    /// US dollars for a million pages of lists.
    pub usd_per_million_lists: f64,
    /// US dollars for a million gets and stats.
    pub usd_per_million_reads: f64,
    /// US dollars for each GB that leaves the store for what `within` names.
    pub usd_per_gb_within: f64,
    /// Where bytes go at that price: a clause.
    pub within: String,
    /// US dollars for each GB that goes to the internet.
    pub usd_per_gb_to_internet: f64,
    /// Bytes of a GB of this store.
    pub gb_bytes: f64,
    /// Where the prices were read.
    pub source: String,
    /// Whether somebody else than the provider states them.
    pub is_secondary: bool,
    /// When: `2026-11-28`.
    pub read_on: String,
}

/// What an operation of a mix takes, on average.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) writes: f64,
    pub(super) lists: f64,
    pub(super) reads: f64,
    pub(super) bytes_out: f64,
}

impl Prices {
    /// US dollars of a million operations, if their bytes go to what `within` names.
    pub(super) fn usd_per_million_within(&self, taken: Taken) -> f64 {
        self.requests(taken) + self.bytes(taken, self.usd_per_gb_within)
    }

    /// US dollars of a million operations, if their bytes go to the internet.
    pub(super) fn usd_per_million_to_internet(&self, taken: Taken) -> f64 {
        self.requests(taken) + self.bytes(taken, self.usd_per_gb_to_internet)
    }

    fn requests(&self, taken: Taken) -> f64 {
        taken.writes * self.usd_per_million_writes
            + taken.lists * self.usd_per_million_lists
            + taken.reads * self.usd_per_million_reads
    }

    fn bytes(&self, taken: Taken, usd_per_gb: f64) -> f64 {
        1e6 * taken.bytes_out / self.gb_bytes * usd_per_gb
    }
}

/// The stores of the table.
pub(crate) fn stores() -> Vec<Prices> {
    // A test reads the same text.
    parse(PRICES).unwrap_or_default()
}

fn parse(text: &str) -> Result<Vec<Prices>, toml::de::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        store: Vec<Prices>,
    }
    toml::from_str::<Table>(text).map(|table| table.store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_store_has_a_source_and_a_date() {
        let stores = parse(PRICES).unwrap();
        assert!(stores.len() >= 5);
        for store in &stores {
            assert!(store.source.starts_with("https://"), "{}", store.name);
            let date: Vec<usize> = store.read_on.split('-').map(str::len).collect();
            assert_eq!(date, [4, 2, 2], "{}", store.name);
            let prices = [
                store.usd_per_million_writes,
                store.usd_per_million_lists,
                store.usd_per_million_reads,
                store.usd_per_gb_within,
                store.usd_per_gb_to_internet,
            ];
            assert!(prices.iter().all(|price| (0.0..100.0).contains(price)), "{}", store.name);
            assert!(store.gb_bytes >= 1e9 && store.usd_per_gb_within <= store.usd_per_gb_to_internet);
        }
        assert_eq!(super::stores(), stores);
    }

    #[test]
    fn a_price_is_of_the_requests_and_of_the_bytes() {
        let stores = stores();
        let s3 = stores.iter().find(|store| store.name == "AWS S3").unwrap();
        // Half gets, a quarter puts in three parts (five requests), a quarter lists; 1 MiB out for each get.
        let taken = Taken { writes: 1.25, lists: 0.25, reads: 0.5, bytes_out: 524_288.0 };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(s3.usd_per_million_within(taken), 1.25 * 5.0 + 0.25 * 5.0 + 0.5 * 0.4);
        close(s3.usd_per_million_to_internet(taken), 7.7 + 1e6 / 2048.0 * 0.09);
    }
}
