//! Engines of fio that have no equal here, and what measures the same storage instead.

use super::read::Options;
use super::refusal::Refusal;

const PASSES_COMMANDS: &str = "passes commands to a device, and Syncline opens no device: take ioengine=io_uring, \
    direct=1 and a file system of it";
const NETWORK: &str = "measures a network and no disk: use a program for networks, such as iperf3";
const NAMES: &str = "makes, looks up or removes files and moves no data: run this job with fio";
const EXTENTS: &str =
    "moves or frees the extents of a file and reads and writes no data: run this job with fio";
const NO_IO: &str = "does no I/O and measures fio itself: Syncline reports its own cost in every trial \
    (instrument_overhead_ns)";
const CPU: &str = "keeps the CPU busy and reads and writes nothing: run that program beside Syncline";

/// Engines and why they have no equal.
const WITHOUT_EQUAL: [(&[&str], &str); 9] = [
    (
        &["http"],
        "moves objects over HTTP: `syncline run scan` reads objects of S3, and fio measures the rest",
    ),
    (&["mtd"], PASSES_COMMANDS),
    (
        &[
            "net",
            "netsplice",
            "rdma",
            "librpma_apm_client",
            "librpma_apm_server",
            "librpma_gpspm_client",
            "librpma_gpspm_server",
        ],
        NETWORK,
    ),
    (&["dircreate", "dirdelete", "dirstat", "filecreate", "filedelete", "filestat"], NAMES),
    (&["e4defrag", "ftruncate"], EXTENTS),
    (
        &["falloc"],
        "allocates blocks and writes no data: rw=trim and rw=randtrim are measured, run the rest with fio",
    ),
    (&["cpp_null", "null"], NO_IO),
    (&["cpuio", "exec"], CPU),
    (&["page_fault"], "measures memory without a file: ioengine=mmap measures page faults of a mapped file"),
];

/// How a file takes the place of storage that fio reaches past the kernel's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InPlace {
    /// The backend: the ring, if the engine can have several operations in flight.
    pub(super) backend: &'static str,
    /// The sentence about it.
    pub(super) why: &'static str,
}

const BY_LIBRARY: &str = "reaches storage through a library and without the page cache: a file takes its place, with \
    direct=1, so measure a directory that is mounted from that storage";
const BY_COMMANDS: &str = "passes commands to a device, which is never opened: io_uring with direct=1 and a file take \
    its place, so the file system takes part";
const BY_COMMANDS_ONE_BY_ONE: &str = "passes commands to a device, which is never opened: psync with direct=1 and a \
    file take its place, so the file system takes part";

/// How storage that fio reaches past the kernel's files is measured here; `None` for other engines.
pub(super) fn in_place(options: &Options<'_>) -> Option<InPlace> {
    match options.text("ioengine")? {
        "dfs" | "gfapi_async" | "ime_aio" | "libiscsi" | "nbd" | "nfs" | "rados" | "rbd" => {
            Some(InPlace { backend: "uring", why: BY_LIBRARY })
        }
        "gfapi" | "ime_psync" | "ime_psyncv" | "libhdfs" => {
            Some(InPlace { backend: "psync", why: BY_LIBRARY })
        }
        "io_uring_cmd" | "sg" | "xnvme" => Some(InPlace { backend: "uring", why: BY_COMMANDS }),
        // With the driver io_uring it reads a file as io_uring does.
        "libblkio" if options.text("libblkio_driver") != Some("io_uring") => {
            Some(InPlace { backend: "uring", why: BY_COMMANDS })
        }
        "libzbc" => Some(InPlace { backend: "psync", why: BY_COMMANDS_ONE_BY_ONE }),
        _ => None,
    }
}

/// The refusal of a section's engine, if the engine has no equal. Most other options of such a section are the engine's
/// own, so it has no other refusal.
pub(super) fn refusal(options: &Options<'_>) -> Option<Refusal> {
    let engine = options.text("ioengine")?;
    let mode = options.text("sg_write_mode").filter(|mode| engine == "sg" && *mode != "write");
    if let Some(mode) = mode {
        let what = format!(
            "sg_write_mode={} is a command of the device, and a file takes reads and writes only: remove it to measure \
             the writes, or run this job with fio",
            model::printable(mode)
        );
        return Some(Refusal { line: options.line("sg_write_mode"), what });
    }
    // Such a job is about its pattern, which a file can have.
    if options.text("random_distribution").is_some_and(|name| name != "random") && engine == "null" {
        return None;
    }
    // Such a job punches holes, which every backend does.
    if engine == "falloc" && matches!(options.text("rw"), Some("trim" | "randtrim")) {
        return None;
    }
    let (_, why) = WITHOUT_EQUAL.iter().find(|(names, _)| names.contains(&engine))?;
    Some(Refusal { line: options.line("ioengine"), what: format!("ioengine={engine} {why}") })
}
