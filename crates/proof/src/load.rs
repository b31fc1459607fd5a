//! Loads: what the clients of a database do while it is measured, and how many there are.

use crate::work::{RequestWork, StoreWork, Work};
use model::figure::count;
use model::{Action, Script};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Ends the name of a load with fresh segments.
const FRESH: &str = "-fresh";
/// Ends the name of a load with cycles of checkpoints.
const CYCLE: &str = "-cycle";

/// A work and how many clients do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Load {
    /// What each client does.
    pub work: Work,
    /// How many there are: sessions of a server, or threads that share a store.
    pub clients: u32,
    /// Whether each segment of the log is made when it is needed, 1 MiB large, and not before the measurement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_fresh_segments: bool,
    /// Whether a trial has whole cycles of checkpoints, and not none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_checkpoints: bool,
}

impl Load {
    /// Clients of a server.
    pub const fn of(script: Script, clients: u32) -> Self {
        Self { work: Work::Transactions(script), clients, has_fresh_segments: false, has_checkpoints: false }
    }

    /// The same, with a log whose segments are made when they are needed.
    #[must_use]
    pub const fn with_fresh_segments(self) -> Self {
        Self { has_fresh_segments: true, ..self }
    }

    /// The same, with whole cycles of checkpoints.
    #[must_use]
    pub const fn with_checkpoints(self) -> Self {
        Self { has_checkpoints: true, ..self }
    }

    /// `8 clients of simple_update`, `2 threads that read a store in memory`.
    pub(crate) fn text(self) -> String {
        let clients = self.clients as usize;
        let work = match self.work {
            Work::Transactions(script) => {
                let fresh = if self.has_fresh_segments { ", into fresh segments of the log" } else { "" };
                let cycles = if self.has_checkpoints {
                    ", over whole cycles of checkpoints (sizes of the log divided by cycle_scale)"
                } else {
                    ""
                };
                return format!("{} of {script}{}{fresh}{cycles}", count(clients, "client"), reads(script));
            }
            Work::Requests(work) => {
                if self.has_checkpoints {
                    let does = if clients == 1 { "updates" } else { "update" };
                    return format!(
                        "{} that {does} rows anywhere in a table that the buffer pool holds, over whole cycles of the \
                         log (sizes of the log divided by log_scale)",
                        count(clients, "client")
                    );
                }
                return format!("{} that {}", count(clients, "client"), work.does(clients));
            }
            Work::Store(work) => work,
        };
        format!("{} that {}", count(clients, "thread"), work.does(clients))
    }

    /// Whether another load does the same, with any number of clients.
    pub(crate) fn is_alike(self, other: Self) -> bool {
        Self { clients: other.clients, ..self } == other
    }

    /// Clients of a server of the workload `requests`.
    pub const fn asking(work: RequestWork, clients: u32) -> Self {
        Self { work: Work::Requests(work), clients, has_fresh_segments: false, has_checkpoints: false }
    }

    /// Threads that share a store.
    pub const fn on_store(work: StoreWork, threads: u32) -> Self {
        Self { work: Work::Store(work), clients: threads, has_fresh_segments: false, has_checkpoints: false }
    }
}

/// What a script that reads from the device reads.
fn reads(script: Script) -> String {
    match script.action() {
        Action::Scan(scan) => format!(" ({})", scan.words()),
        Action::Analyze => " (300 pages anywhere)".to_owned(),
        Action::TpcbLike | Action::SimpleUpdate | Action::SelectOnly | Action::Insert | Action::Queries => {
            String::new()
        }
    }
}

/// Reads `insert-8`.
impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let known: Vec<&str> = Work::all().map(Work::name).collect();
            format!("write it as WORK-CLIENTS, such as insert-8; the works are {}", known.join(", "))
        };
        let text = text.trim();
        let (text, has_checkpoints) = text.strip_suffix(CYCLE).map_or((text, false), |text| (text, true));
        let (text, has_fresh_segments) = text.strip_suffix(FRESH).map_or((text, false), |text| (text, true));
        let (work, clients) = text.rsplit_once('-').ok_or_else(wrong)?;
        let work = Work::from_name(work).ok_or_else(wrong)?;
        let clients = clients.parse().ok().filter(|clients| *clients > 0).ok_or_else(wrong)?;
        Ok(Self { work, clients, has_fresh_segments, has_checkpoints })
    }
}

/// `insert-8`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fresh = if self.has_fresh_segments { FRESH } else { "" };
        let cycle = if self.has_checkpoints { CYCLE } else { "" };
        write!(f, "{}-{}{fresh}{cycle}", self.work.name(), self.clients)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_written_as_its_work_and_its_clients() {
        for text in [
            "insert-8",
            "tpcb_like-1",
            "sequential_scan-32",
            "insert-1-fresh",
            "simple_update-8-cycle",
            "put_durable-2",
            "update_row-8",
        ] {
            assert_eq!(text.parse::<Load>().unwrap().to_string(), text);
        }
        for wrong in ["insert", "insert-0", "insert-x", "inserts-1", "-1", "", "-fresh"] {
            assert!(wrong.parse::<Load>().is_err(), "{wrong}");
        }
    }
}
