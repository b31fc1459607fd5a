//! A formula, what it is computed from, and what it may lack.

use super::server::ServerCounters;
use crate::takes_effect::TakesEffect;
use model::run::Run;
use serde::Serialize;

/// A value and its formula.
pub(super) type Found = Result<(String, String), Missing>;

/// A formula and what is the same for every machine.
pub(super) struct Formula {
    pub(super) name: &'static str,
    pub(super) found: fn(Machine, Option<&ServerCounters>) -> Found,
    pub(super) takes_effect: TakesEffect,
    pub(super) manual: &'static str,
    pub(super) source: &'static str,
    pub(super) requires: &'static str,
    pub(super) risk: &'static str,
    pub(super) is_provable: bool,
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

    pub(super) fn memory_bytes(self) -> Result<u64, Missing> {
        self.memory_bytes.ok_or(Missing::Memory)
    }
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
            Self::Server => "it follows from the log volume of a server, and no server was read".to_owned(),
            Self::WalVolume(why) => format!("the server's WAL volume is not known: {why}"),
        }
    }
}
