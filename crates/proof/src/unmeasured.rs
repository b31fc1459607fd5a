//! What the machine, the budget or the user's server does not let a proof measure, and what would let it.

use crate::change::Change;
use crate::load::Load;
use crate::work::Work;
use model::plan::Shortage;
use model::units::{format_bytes_approximate, format_elapsed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why loads or settings cannot be measured. What the user can remove comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// The server is reached by TCP, so its device is unknown, and whether a commit flushed it.
    Tcp {
        /// The directory of its socket, if the role may read it.
        socket: Option<String>,
    },
    /// The role may not read where the server's files are.
    HiddenDirectory { role: String },
    /// The role may not write a checkpoint, and each trial that writes begins with one.
    NoCheckpoint { role: String },
    /// The role may not change the setting.
    NoRight { role: String },
    /// A reload does not bring the setting into force.
    NotReloadable {
        /// What does: a clause, such as `the server starts`.
        when: String,
    },
    /// Only files of a server of Syncline's own are evicted from the page cache.
    ColdFiles,
    /// Checkpoints of a server that others use begin when it decides.
    Cycles,
    /// Small segments need a cluster of their own.
    FreshSegments,
    /// The machine does not have what a trial of the load needs, even alone.
    Shortage(Shortage),
    /// The tables of the load take all the time that there is.
    Time {
        /// Bytes of the tables.
        tables_bytes: u64,
        /// To load them and to copy them for the first rounds, seconds.
        needed_s: u64,
        budget_s: u64,
    },
}

/// What of a question is not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unmeasured {
    pub obstacle: Obstacle,
    /// Loads under which nothing is measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// Changes that no arm has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// What is not permitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What prevents all loads of a kind; the first that prevents a load is the reason.
    pub of_loads: Vec<Obstacle>,
    /// What prevents a load by itself.
    pub of_each_load: BTreeMap<Load, Obstacle>,
    /// What prevents settings, by their names.
    pub of_settings: BTreeMap<String, Obstacle>,
}

impl Limits {
    /// The limits that every user's server has. What no connection and no right makes possible is the reason if both
    /// hold.
    pub fn of_users_server() -> Self {
        let of_loads = vec![Obstacle::ColdFiles, Obstacle::Cycles, Obstacle::FreshSegments];
        Self { of_loads, ..Self::default() }
    }

    /// Why nothing can be measured under a load; `None` if it can.
    pub(crate) fn of_load(&self, load: Load) -> Option<&Obstacle> {
        let of_kind = self.of_loads.iter().find(|obstacle| obstacle.prevents(load));
        of_kind.or_else(|| self.of_each_load.get(&load))
    }
}

impl Obstacle {
    /// Whether it prevents every load of this kind.
    fn prevents(&self, load: Load) -> bool {
        let Work::Transactions(script) = load.work else { return false };
        match self {
            Self::ColdFiles => script.is_cold(),
            Self::Cycles => load.has_checkpoints,
            Self::FreshSegments => load.has_fresh_segments,
            Self::Tcp { .. } | Self::HiddenDirectory { .. } | Self::NoCheckpoint { .. } => script.writes(),
            Self::NoRight { .. } | Self::NotReloadable { .. } | Self::Shortage(_) | Self::Time { .. } => {
                false
            }
        }
    }

    /// What is impossible, and what would make it possible: a clause.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Tcp { socket } => {
                let socket = match socket {
                    Some(directory) => format!("host={directory}"),
                    None => "the directory of its socket, such as host=/run/postgresql".to_owned(),
                };
                format!(
                    "by TCP Syncline cannot see whether a commit flushed the server's device; on the server's machine, connect \
                     by its Unix socket: {socket}"
                )
            }
            Self::HiddenDirectory { role } => format!(
                "the role {role} may not read where the server's files are, so Syncline cannot see whether a commit flushed its \
                 device; GRANT pg_read_all_settings, or connect as a superuser"
            ),
            Self::NoCheckpoint { role } => format!(
                "the role {role} may not use CHECKPOINT, and each trial that writes begins with one; GRANT pg_checkpoint, or \
                 connect as a superuser"
            ),
            Self::NoRight { role } => format!(
                "the role {role} may not change it; GRANT SET, ALTER SYSTEM ON PARAMETER …, or connect as a superuser"
            ),
            Self::NotReloadable { when } => {
                format!("it takes effect only when {when}; servers of Syncline's own can have it")
            }
            Self::ColdFiles => "Syncline cannot evict the files of the user's server from the page cache; servers of Syncline's own \
                                can have cold reads"
                .to_owned(),
            Self::Cycles => "Syncline does not set when the checkpoints of the user's server begin; servers of Syncline's own can \
                             have cycles of checkpoints"
                .to_owned(),
            Self::FreshSegments => {
                "fresh segments need a cluster of their own; servers of Syncline's own have one".to_owned()
            }
            Self::Shortage(shortage) => {
                format!("even one after another its trials {}", verdict::turns::lack(shortage))
            }
            Self::Time { tables_bytes, needed_s, budget_s } => {
                let [needed, budget] = [needed_s, budget_s].map(|seconds| format_elapsed(*seconds as f64));
                format!(
                    "to load its tables of {} and to copy them for six rounds takes about {needed}, and the budget is \
                     {budget}",
                    format_bytes_approximate(*tables_bytes as f64)
                )
            }
        }
    }
}

impl Unmeasured {
    /// What is not measured, and why: a line.
    pub fn text(&self) -> String {
        let changes = self.changes.iter().map(|change| format!("{} = {}", change.name, change.value));
        let what: Vec<String> = changes.chain(self.loads.iter().map(Load::to_string)).collect();
        format!("not measured: {}: {}", what.join(", "), self.obstacle.text())
    }
}
