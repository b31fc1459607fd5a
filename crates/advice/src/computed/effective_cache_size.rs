//! `effective_cache_size` is an estimate of what the buffers and the page cache hold together. It allocates nothing.

use super::formula::{Formula, Found, Machine};
use super::server::ServerCounters;
use super::shared_buffers::SMALL_MEMORY_BYTES;
use super::size;
use crate::takes_effect::TakesEffect;
use model::units::format_bytes_approximate;

pub(super) const FORMULA: Formula = Formula {
    name: "effective_cache_size",
    found,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-query.html#GUC-EFFECTIVE-CACHE-SIZE",
    source: "the manual counts the buffers and the page cache, without a figure; 75 % is pgtune's, and 50 % below \
             1 GiB is Syncline's choice",
    requires: "a machine that PostgreSQL has to itself",
    risk: "a value above what is cached makes the planner prefer index scans that then read the disk",
    is_provable: true,
};

fn found(machine: Machine, _: Option<&ServerCounters>) -> Found {
    let memory = machine.memory_bytes()?;
    let (share, bytes) =
        if memory < SMALL_MEMORY_BYTES { ("50 %", memory / 2) } else { ("75 %", memory / 4 * 3) };
    let formula = format!("{share} of {} of memory", format_bytes_approximate(memory as f64));
    Ok((size::rounded_down(bytes), formula))
}
