//! Loads: what the clients of a server do while it is measured.

use model::Script;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Ends the name of a load with fresh segments.
const FRESH: &str = "-fresh";

/// A script and how many clients run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Load {
    /// What each client does.
    pub script: Script,
    /// How many there are.
    pub clients: u32,
    /// Whether each segment of the log is made when it is needed, 1 MiB large, and not before the measurement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_fresh_segments: bool,
}

impl Load {
    /// A load.
    pub const fn of(script: Script, clients: u32) -> Self {
        Self { script, clients, has_fresh_segments: false }
    }

    /// The same, with a log whose segments are made when they are needed.
    #[must_use]
    pub const fn with_fresh_segments(self) -> Self {
        Self { has_fresh_segments: true, ..self }
    }

    /// pgbench's scale for it: a commit-bound insert needs no data, and the others read tables that are larger than PostgreSQL's
    /// default `shared_buffers`.
    pub(crate) const fn scale(self) -> u32 {
        match self.script {
            Script::Insert => 1,
            Script::TpcbLike
            | Script::SimpleUpdate
            | Script::SelectOnly
            | Script::SequentialScan
            | Script::IndexScan
            | Script::Queries => 10,
        }
    }
}

/// Reads `insert-8`.
impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Script::NAMES.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().join(", ");
        let wrong = || format!("write it as SCRIPT-CLIENTS, such as insert-8; the scripts are {known}");
        let text = text.trim();
        let (text, has_fresh_segments) = text.strip_suffix(FRESH).map_or((text, false), |text| (text, true));
        let (script, clients) = text.rsplit_once('-').ok_or_else(wrong)?;
        let script = Script::from_name(script).ok_or_else(wrong)?;
        let clients = clients.parse().ok().filter(|clients| *clients > 0).ok_or_else(wrong)?;
        Ok(Self { script, clients, has_fresh_segments })
    }
}

/// `insert-8`: the name of the study that measures under it.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fresh = if self.has_fresh_segments { FRESH } else { "" };
        write!(f, "{}-{}{fresh}", self.script, self.clients)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_written_as_its_script_and_its_clients() {
        for text in ["insert-8", "tpcb_like-1", "sequential_scan-32", "insert-1-fresh"] {
            assert_eq!(text.parse::<Load>().unwrap().to_string(), text);
        }
        for wrong in ["insert", "insert-0", "insert-x", "inserts-1", "-1", "", "-fresh"] {
            assert!(wrong.parse::<Load>().is_err(), "{wrong}");
        }
    }
}
