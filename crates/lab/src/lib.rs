//! Plan → rounds → worker → record: runs an experiment with one process per trial, and can be killed at any instant.
//!
//! The lab does no I/O on the disk under test. Preparing files, evicting and mounting are requests to a worker process;
//! the binary tells the lab where the files are ([`premises::Premises`]). [`next`] chooses the next trial, as a pure
//! function.
//!
//! - **A record is on disk before the next trial starts.** A torn last line is dropped and reported.
//! - **All arms of a round share a seed**, so they differ in the factor and not in the pages that they read.
//! - **Trials of a round that can take turns are alive together** (`ensemble`): each is prepared and waits, and the lab
//!   hands the turn from one to the next, in slices and in a fresh random order each cycle. n is still the round. A
//!   trial's record has the shape it has alone; its window is the sum of its slices. A worker that dies, hangs or stays
//!   stopped fails its own trial and no other. An incomplete ensemble is repeated whole. Whether all fit together is
//!   decided when the plan is made (`together`); if they do not, a round is divided into blocks that share the baseline
//!   (`order`), and an ensemble is a block.
//! - **A trial that takes turns has a seat** (`seats`): files of its own, unless nothing is written to them and nothing
//!   of them is cached. Trials with the same files change seats from round to round.
//! - **Failed and killed trials stay recorded and are due again on `--resume`**; the later record replaces the earlier
//!   one. A run is resumed only on the machine, disk and server, and by the program, with which it began, because other
//!   trials are not replicates. `--allow-different` permits a difference by name.
//! - **n is fixed before the run** (`--rounds`), or the looks are, under a `--budget`: after 6, 9, 12 and 18 rounds.
//!   The pure function `interim::by_looks` chooses the study that continues. The binary asks the verdict whether a
//!   study is decided, because the lab draws no conclusions. `verdict` computes the error of each look from the plan's
//!   looks and the recorded rounds, so a later report has the same intervals. Nothing else stops because of
//!   significance.
//! - **Traced trials come last and have no records** ([`traced`]): a trace costs time, so no figure is made from one.
//!   The lab knows how a trial is traced, and not what a trace is ([`traced::Tracing`]).
//! - **A skipped study is data.** If the machine does not permit a study of the answer, the plan contains it with the
//!   reason, and every report prints it. A study that the user named is refused instead. If only some levels need
//!   O_DIRECT and the file system lacks it, those levels are left out and the study is resolved again, so its
//!   comparisons and its baseline follow. If room is short, the largest studies are left out until the others fit
//!   (`space::too_many`).
//! - **Laps account for the time of a session** (`spent`), so the shares add up to the wall time. Loading pages into
//!   the cache or evicting them is preparation; waiting for a quiet device is not. Under a budget, the time that a
//!   trial waits for a busy device halves each time the wait is in vain (`patience`).
//! - **A run is opened with every configuration described.** Plans of earlier versions lack the descriptions; `lab`
//!   derives them when it reads the plan. Every reader opens its runs here, so none can forget this.
//! - **On shared storage all ranks take the same turn at the same time** ([`in_step`]), in the order that the plan
//!   gives to each of them. The rates of all together are those of the time in which all measured ([`shared_trial`]),
//!   on the clock of rank 0.
//! - **Ranks come from the launcher's variables** ([`launcher`]), a pure function of them: `mpirun`, `srun` and
//!   Kubernetes start a program and configure it by nothing else.
//! - **A run directory is created, never taken over.** One that contains anything except an unfinished beginning of a
//!   run is refused.
//! - **A run directory may belong to somebody else.** It is opened once, and its files are reached through that
//!   descriptor ([`run_directory::RunFiles`]): regular files only, and never through a link. A file is replaced by a
//!   new one that takes its name.

pub mod absent;
mod added_histograms;
mod asks;
pub mod capacity;
pub mod clocks;
pub mod conduct;
pub mod cycles;
mod death;
mod ensemble;
pub mod estimate;
pub mod host;
pub mod in_step;
pub mod interim;
pub mod launcher;
pub mod minimum;
pub mod next;
pub mod open_directory;
mod operation_log;
pub mod order;
pub mod plan;
pub mod premises;
#[cfg(test)]
mod quick;
mod quiesce_budget;
mod repeats;
pub mod run_directory;
mod seats;
mod serial;
pub mod shared_plan;
pub mod shared_run;
pub mod shared_trial;
pub mod space;
pub mod time_account;
pub mod timeout;
pub mod traced;
mod under_way;
mod watch;
pub mod worker;
