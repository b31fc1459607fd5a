//! Settings that follow from arithmetic, and from no measurement: from the machine's memory, from the kind of its disk,
//! and from counters of the user's server. One file for each setting or small family.
//!
//! - **Computed is not measured.** A computed value has no verb of a decision, and a settings file has it as a comment
//!   unless the user activates it. A setting that the run decided is not computed.
//! - **The formula is printed with its numbers**, and with its source: the manual of PostgreSQL, or pgtune's rule if the
//!   manual has no figure. What is Syncline's own choice says so.
//! - **What is missing is named.** A setting whose counter was not read has no value.

mod autovacuum;
mod checkpoints;
mod document;
mod effective_cache_size;
mod maintenance_work_mem;
mod server;
mod shared_buffers;
mod size;
#[cfg(test)]
mod tests;
mod work_mem;

pub(crate) use document::{comments, section};
pub use server::{Period, ServerCounters, WalVolume};

use crate::setting::TakesEffect;
use model::run::Run;
use serde::Serialize;

/// A setting that is computed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Computed {
    pub name: &'static str,
    pub computation: Computation,
    pub takes_effect: TakesEffect,
    /// Address of its description in the manual.
    pub manual: &'static str,
    /// What the manual says of the formula, and what else it comes from: a clause, printed whole.
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

/// What a computation lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The run does not record how much memory the machine has.
    Memory,
    /// The run does not record whether the disk rotates.
    Rotation,
    /// No server was named.
    Server,
    /// The server does not report its log volume: a clause.
    WalVolume(String),
}

impl Missing {
    /// As a clause.
    pub fn text(&self) -> String {
        match self {
            Self::Memory => "the run does not record the machine's memory".to_owned(),
            Self::Rotation => "the device does not report whether it rotates".to_owned(),
            Self::Server => {
                "it follows from the log volume of a server (pg_stat_wal), which syncline advise RUN --dsn … reads".to_owned()
            }
            Self::WalVolume(why) => format!("the server's WAL volume is not known: {why}"),
        }
    }
}

/// Facts of the machine that formulas use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Memory of the machine, bytes; `None` if it is not recorded.
    pub memory_bytes: Option<u64>,
    /// Whether its disk rotates; `None` if the device does not report it.
    pub rotates: Option<bool>,
}

impl Machine {
    /// The machine that a run measured.
    pub fn of(run: &Run) -> Self {
        let rotates = run.placement().and_then(|placement| placement.rotational.value().copied());
        Self { memory_bytes: Some(run.host.memory_bytes).filter(|bytes| *bytes > 0), rotates }
    }

    fn memory_bytes(self) -> Result<u64, Missing> {
        self.memory_bytes.ok_or(Missing::Memory)
    }
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

/// A value and its formula.
type Found = Result<(String, String), Missing>;

/// A formula and what is the same for every machine.
struct Formula {
    name: &'static str,
    found: fn(Machine, Option<&ServerCounters>) -> Found,
    takes_effect: TakesEffect,
    manual: &'static str,
    source: &'static str,
    requires: &'static str,
    risk: &'static str,
    is_provable: bool,
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
