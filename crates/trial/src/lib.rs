//! What runs inside a worker process: it prepares files, proves cache states, drives a workload on its subject,
//! measures, and answers with figures or with the reason why there are none.
//!
//! [`answer`] is the entry point. [`WorkerRequest::Prepare`](model::trial::WorkerRequest) leads to `prepare`,
//! [`WorkerRequest::Trial`](model::trial::WorkerRequest) to `measure`; both look up the workload in `SUBJECTS`
//! (`subject.rs`).
//!
//! This crate obeys these rules:
//!
//! - **It knows one trial.** It sees no study, plan, order of trials, finding or report. The lab starts a process for
//!   each request and records the reply.
//! - **One process prepares, another one measures.** Data that the first one writes leaves no trace in the memory or
//!   the counters of the second one.
//! - **The order is fixed**: make and precondition the files, wait for a quiet device, evict, enter the memory group,
//!   warm, prove the cached share, ramp up, measure. A capped trial warms its pages after it has entered its group,
//!   because the kernel charges a page to the group that reads it first. `ramp_time` is part of the trial and reads
//!   other blocks.
//! - **A subject's `measure` finds the files that preparation made** and makes none, except an engine's store: it
//!   creates the store before its first phase and removes it after its last.
//! - **What leaves work behind runs alone, before or between the phases that take turns**: an engine's load and drain,
//!   puts that are not durable at once, a pool's writes. `Description::interleavable` says whether a configuration
//!   takes turns at all. One that does not, but `begins_when_told`, is given one whole turn a phase if ranks measure
//!   together.
//! - **A missing capability is a value.** `Refusal::Unsupported` carries the reason; no subject falls back to another
//!   mode, engine or size.
//! - **A worker dies with the lab that started it**, and so do its load, its mounts and its PostgreSQL server.
//! - **The compression canary runs once on each file system of a run.** Its figures are in the record of the first
//!   trial that Syncline prepares there, so the audit that reads them stays a pure function of the records.
//! - **A trial kills its own process.** To learn what an acknowledgement survives, the trial starts a process that
//!   appends, kills it at a random moment, and starts a third one that looks for the acknowledged entries. The lab
//!   cannot do that: it has no engine and performs no I/O. The bytes that the killed process may write are bounded, so
//!   the run knows in advance how much room it needs.
//! - **A workload declares the class `power`; no kill can prove it.** A missing flush before the acknowledgement
//!   refutes it.
//! - **Syncline's own PostgreSQL server belongs to one trial.** A run initialises one cluster (2 s) and keeps it as a
//!   template. A trial starts a server on a copy of it. If the trial succeeds, it drops its tables, stops the server
//!   cleanly and marks the copy as given back, and the next trial reuses it. Without the mark, preparation makes a
//!   fresh copy (40 MB, reflinked if the file system supports it). So a trial finds no data of the previous trial, and
//!   none starts with crash recovery. A trial on a permanent table gives nothing back, because a log that PostgreSQL
//!   reuses costs less than a new one.
//! - **A server of the workload `requests` stands still between its turns** (`SIGSTOP`): InnoDB writes pages and etcd
//!   commits its transactions by their own clocks, and would do so in the turns of others. Its data is a copy of a
//!   directory that a run loads once.
//! - **On the user's server, a trial touches temporary tables only.** They end with the session. A trial changes only
//!   settings of its session.

mod age;
mod answer;
mod append;
mod block_team;
mod cache;
mod canary;
mod commit;
mod dataset_pages;
mod device;
mod direct;
mod engine_team;
mod entries_file;
mod exposure;
mod kill;
mod kv;
mod line;
mod measure;
mod object;
mod operation_log;
mod outcome;
mod pool;
mod prepare;
mod prepared_objects;
mod readback;
mod refusal;
mod requests;
mod scan;
#[cfg(feature = "postgresql")]
mod server_clients;
#[cfg(feature = "postgresql")]
mod server_files;
mod site;
mod steady;
mod store;
mod stretches;
mod subject;
mod team;
#[cfg(test)]
mod tests;
mod transactions;
mod turns;

pub use answer::answer;
pub use line::TurnChannel;
pub use operation_log::read_operation_log;
#[cfg(not(feature = "postgresql"))]
pub use pool::NO_POSTGRESQL;
pub use pool::beyond_a_session;
pub use prepared_objects::remove_prepared_objects;
pub use requests::NO_SERVERS;
pub use scan::{Extent, Listing, reach_store};
pub use transactions::NEEDS_OWN_SERVERS;
