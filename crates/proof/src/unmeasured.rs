//! What a user's server does not let a proof measure, and what would let it.

use crate::change::Change;
use crate::load::Load;
use crate::work::Work;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a server does not let loads or settings be measured. What the user can remove comes first.
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

/// What a server does not permit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What prevents loads, besides the limits that every user's server has.
    pub of_loads: Vec<Obstacle>,
    /// What prevents settings, by their names.
    pub of_settings: BTreeMap<String, Obstacle>,
}

impl Obstacle {
    /// Whether nothing can be measured under this load.
    pub(crate) fn prevents(&self, load: Load) -> bool {
        let Work::Transactions(script) = load.work else { return false };
        match self {
            Self::ColdFiles => script.is_cold(),
            Self::Cycles => load.has_checkpoints,
            Self::FreshSegments => load.has_fresh_segments,
            Self::Tcp { .. } | Self::HiddenDirectory { .. } | Self::NoCheckpoint { .. } => script.writes(),
            Self::NoRight { .. } | Self::NotReloadable { .. } => false,
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
