//! The transactions workload's parameters and their meaning.

use super::levels::{Checkpoints, Subject, WalSegments};
use model::parameter::{Kind, Parameter};
use model::{Definitions, Script};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

const PARAMETERS: &[Parameter] = &[
    parameter(
        "subject",
        Kind::Choice(Subject::NAMES),
        "postgres",
        "the server that the clients are connected to",
    ),
    parameter(
        "script",
        Kind::Choice(Script::NAMES),
        "tpcb_like",
        "what each client does again and again; the first three are pgbench's",
    ),
    parameter(
        "clients",
        Kind::Count { min: 1, max: 256 },
        "1",
        "connections, each with one transaction at a time, and a thread for each",
    ),
    parameter(
        "scale",
        Kind::Count { min: 1, max: 20_000 },
        "4",
        "pgbench's scale: 100000 accounts for each unit, 15 MB; beyond shared_buffers, transactions read and write the files",
    ),
    parameter(
        "prepared",
        Kind::Flag,
        "true",
        "each client prepares its statements once (pgbench -M prepared); otherwise it sends their text (pgbench -M simple)",
    ),
    parameter(
        "rate",
        Kind::OptionalCount { max: 10_000_000 },
        "none",
        "arrivals per second of all clients together, Poisson: an open loop, whose latencies count from the intended start",
    ),
    parameter("runtime", Kind::Duration, "2s", "length of the measurement"),
    parameter(
        "settings",
        Kind::Settings,
        "none",
        "the server's settings, over PostgreSQL's defaults and those that keep trials apart",
    ),
    parameter(
        "programs",
        Kind::Place,
        "none",
        "directory of another server's programs postgres and initdb; none = those of the run",
    ),
    parameter(
        "directory",
        Kind::Place,
        "none",
        "directory on another file system for the server's files; none = that of the run",
    ),
    parameter(
        "checkpoints",
        Kind::Choice(Checkpoints::NAMES),
        "none",
        "none: no checkpoint while a trial is measured, and every page has been written to the log whole before; cycle: whole \
         cycles, from the beginning of a checkpoint to the beginning of a later one",
    ),
    parameter(
        "cycle_scale",
        Kind::Count { min: 1, max: 1024 },
        "64",
        "with checkpoints = cycle, the server's max_wal_size and min_wal_size are those of its settings divided by this number, so \
         that cycles take seconds; 1 = as they are",
    ),
    parameter(
        "wal_segments",
        Kind::Choice(WalSegments::NAMES),
        "prefilled",
        "prefilled: the log's segments are there before the measurement; fresh: each is made when it is needed, 1 MiB large",
    ),
    parameter(
        "pinned",
        Kind::Flag,
        "false",
        "each client stays on a CPU, and the server process that serves it on the next one: equal servers then differ less, but a \
         setting that moves work to other processes is not measured as it would run",
    ),
];

/// Every parameter of the transactions workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "transactions",
    parameters: PARAMETERS,
    placement: &["filesystem"],
    sizes: &["scale"],
    without_effect: &[],
};
