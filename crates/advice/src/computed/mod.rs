//! Settings that follow from arithmetic, and from no measurement: from the machine's memory, from the kind of its disk,
//! and from counters of the user's server. One file for each setting or small family.
//!
//! - **Computed is not measured.** A computed value has no verb of a decision, and a settings file has it as a comment
//!   unless the user activates it. A setting that the run decided is not computed.
//! - **The formula is printed with its numbers**, and with its source: the manual of PostgreSQL, or pgtune's rule if
//!   the manual has no figure. What is Syncline's own choice says so.
//! - **What is missing is named.** A setting whose counter was not read has no value.

mod autovacuum;
mod checkpoints;
mod effective_cache_size;
mod formula;
mod maintenance_work_mem;
mod server;
mod shared_buffers;
mod size;
#[cfg(test)]
mod tests;
mod work_mem;

pub use formula::{Machine, Missing};
pub use server::{Period, ServerCounters, WalVolume};

use crate::takes_effect::TakesEffect;
use formula::Formula;
use serde::Serialize;

/// A setting that is computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Computed {
    pub name: &'static str,
    pub computation: Computation,
    pub takes_effect: TakesEffect,
    /// Address of its description in the manual.
    pub manual: &'static str,
    /// Where the formula comes from: the manual, or what else: a clause, printed whole.
    pub source: &'static str,
    /// What it requires: a clause, printed whole; empty if nothing.
    pub requires: &'static str,
    /// What it risks: a clause, printed whole.
    pub risk: &'static str,
    /// Whether a load of `syncline prove` shows what it does.
    pub is_provable: bool,
}

/// A value with its formula, or what is missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Computation {
    Value {
        /// In the syntax of PostgreSQL, without quotes.
        value: String,
        /// With its numbers: `25 % of 24.0 GiB of memory`.
        formula: String,
    },
    Missing(Missing),
}

impl Computed {
    /// The value, if it was computed.
    pub fn value(&self) -> Option<&str> {
        match &self.computation {
            Computation::Value { value, .. } => Some(value),
            Computation::Missing(_) => None,
        }
    }
}

/// In the order in which they are printed.
const FORMULAS: &[Formula] = &[
    shared_buffers::FORMULA,
    effective_cache_size::FORMULA,
    work_mem::FORMULA,
    maintenance_work_mem::FORMULA,
    checkpoints::TIMEOUT,
    checkpoints::MAX_WAL_SIZE,
    checkpoints::COMPLETION_TARGET,
    autovacuum::COST_LIMIT,
    autovacuum::COST_DELAY,
];

/// Every setting of PostgreSQL that is computed, for a machine and a server with these counters.
pub fn computed(machine: Machine, counters: Option<&ServerCounters>) -> Vec<Computed> {
    let of = |formula: &Formula| Computed {
        name: formula.name,
        computation: match (formula.found)(machine, counters) {
            Ok((value, formula)) => Computation::Value { value, formula },
            Err(missing) => Computation::Missing(missing),
        },
        takes_effect: formula.takes_effect,
        manual: formula.manual,
        source: formula.source,
        requires: formula.requires,
        risk: formula.risk,
        is_provable: formula.is_provable,
    };
    FORMULAS.iter().map(of).collect()
}
