//! `maintenance_work_mem` is what VACUUM, CREATE INDEX and ALTER TABLE may use.

use super::formula::{Formula, Found, Machine};
use super::server::ServerCounters;
use super::size;
use crate::takes_effect::TakesEffect;
use model::units::{GIB, format_bytes_approximate};

const BYTES_MAX: u64 = 2 * GIB;

pub(super) const FORMULA: Formula = Formula {
    name: "maintenance_work_mem",
    found,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-MAINTENANCE-WORK-MEM",
    source: "pgtune's rule (https://github.com/le0pard/pgtune); the manual has no figure",
    requires: "memory for autovacuum_max_workers times as much, unless autovacuum_work_mem is set",
    risk: "several workers of autovacuum use it at once",
    is_provable: false,
};

fn found(machine: Machine, _: Option<&ServerCounters>) -> Found {
    let memory = machine.memory_bytes()?;
    let limit = if memory / 16 > BYTES_MAX { ", at most 2.00 GiB" } else { "" };
    let formula = format!("a 16th of {} of memory{limit}", format_bytes_approximate(memory as f64));
    Ok((size::rounded_down((memory / 16).min(BYTES_MAX)), formula))
}
