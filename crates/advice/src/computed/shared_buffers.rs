//! `shared_buffers` is a quarter of the memory.

use super::formula::{Formula, Found, Machine};
use super::server::ServerCounters;
use super::size;
use crate::takes_effect::TakesEffect;
use model::units::{GIB, format_bytes_approximate};

/// Below this memory the manual asks for a smaller share than a quarter.
pub(super) const SMALL_MEMORY_BYTES: u64 = GIB;
/// The page tables of one process for this much are 128 MiB (8 bytes for each page of 4 KiB), unless the pages are
/// huge.
const BUFFERS_BYTES_MAX: u64 = 64 * GIB;

pub(super) const FORMULA: Formula = Formula {
    name: "shared_buffers",
    found,
    takes_effect: TakesEffect::Restart,
    manual: "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-SHARED-BUFFERS",
    source: "the manual: 25 % from 1 GB of memory, a smaller share below; an eighth there, and at most 64 GB, are \
             Syncline's choice",
    requires: "a machine that PostgreSQL has to itself; huge_pages if it is many GB",
    risk: "memory that the page cache and the sessions then lack",
    is_provable: true,
};

fn found(machine: Machine, _: Option<&ServerCounters>) -> Found {
    let memory = machine.memory_bytes()?;
    let (share, divisor) = share(memory);
    let limit = if memory / divisor > BUFFERS_BYTES_MAX { ", at most 64.0 GiB" } else { "" };
    let formula = format!("{share} of {} of memory{limit}", format_bytes_approximate(memory as f64));
    Ok((size::rounded_down(bytes(memory)), formula))
}

/// What it is on a machine with this memory.
pub(super) fn bytes(memory: u64) -> u64 {
    (memory / share(memory).1).min(BUFFERS_BYTES_MAX)
}

/// The share of this memory, in words and as a divisor.
const fn share(memory: u64) -> (&'static str, u64) {
    if memory < SMALL_MEMORY_BYTES { ("12.5 %", 8) } else { ("25 %", 4) }
}
