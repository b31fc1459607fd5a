//! `work_mem` divides what the buffers leave among all connections.

use super::formula::{Formula, Found, Machine};
use super::server::ServerCounters;
use super::{shared_buffers, size};
use crate::takes_effect::TakesEffect;
use model::units::{KIB, format_bytes_approximate};

/// The default of `max_connections`.
const CONNECTIONS_MAX_DEFAULT: u64 = 100;
/// Sorts and hashes that a query has at once, as pgtune counts them.
const OPERATIONS: u64 = 3;
/// `hash_mem_multiplier` since PostgreSQL 15: a hash may use twice as much.
const HASH_MULTIPLIER: u64 = 2;
/// PostgreSQL's minimum.
const BYTES_MIN: u64 = 64 * KIB;

pub(super) const FORMULA: Formula = Formula {
    name: "work_mem",
    found,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-WORK-MEM",
    source: "the manual: several operations of each session may use it at once, without a figure; pgtune counts 3 of \
             them, and twice as much for hashes is hash_mem_multiplier",
    requires: "no more connections than max_connections had when it was computed",
    risk: "if every connection runs larger queries at once, the memory does not suffice",
    is_provable: false,
};

fn found(machine: Machine, counters: Option<&ServerCounters>) -> Found {
    let memory = machine.memory_bytes()?;
    let left = memory - shared_buffers::bytes(memory);
    let (connections, assumed) = match counters {
        Some(counters) => (counters.connections_max.max(1), ""),
        None => (CONNECTIONS_MAX_DEFAULT, ", the default, because no server was read"),
    };
    let bytes = left / connections.saturating_mul(OPERATIONS * HASH_MULTIPLIER);
    let formula = format!(
        "{} that shared_buffers leaves ÷ ({connections} connections × {OPERATIONS} operations × {HASH_MULTIPLIER} for \
         hashes); max_connections is {connections}{assumed}",
        format_bytes_approximate(left as f64)
    );
    Ok((size::rounded_down(bytes.max(BYTES_MIN)), formula))
}
