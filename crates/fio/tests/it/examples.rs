//! The examples that come with fio: which of them Syncline measures, and which option of each other it refuses first.
//!
//! `scripts/install-fio-examples` brings those of fio 3.33 into the cache folder; `FIO_EXAMPLES` names another
//! directory. The lists have those of fio 3.42 too, and the outcomes are the same.

use fio::job::{self, Reader};
use fio::translate::{Existing, translate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

const INSTALLED: &str = "syncline/fio-examples-3.33";

/// The examples of fio 3.33 that the lists have.
const FOUND_MIN: usize = 81;

/// The examples that are measured.
const MEASURED: &[&str] = &[
    "1mbs_clients",
    "aio-read",
    "atomic-verify",
    "backwards-read",
    "basic-verify",
    "butterfly",
    "cmdprio-bssplit",
    "cmdprio-percentage",
    "dedupe-global",
    "dev-dax",
    "dfs",
    "disk-zone-profile",
    "example_latency_steadystate",
    "exitwhat",
    "fio-rand-RW",
    "fio-rand-read",
    "fio-rand-write",
    "fio-seq-RW",
    "fio-seq-read",
    "fio-seq-write",
    "fixed-rate-submission",
    "flow",
    "fsx",
    "gfapi",
    "ime",
    "iometer-file-access-server",
    "jesd219",
    "latency-profile",
    "libblkio-io_uring",
    "libblkio-virtio-blk-vfio-pci",
    "libcufile-cufile",
    "libcufile-posix",
    "libhdfs",
    "libhipfile-hipfile",
    "libhipfile-posix",
    "libiscsi",
    "libpmem",
    "libzbc-rand-write",
    "libzbc-seq-read",
    "nbd",
    "nfs",
    "numa",
    "poisson-rate-submission",
    "rados",
    "rand-zones",
    "rbd",
    "ssd-steadystate",
    "ssd-test",
    "steadystate",
    "tiobench-example",
    "uring-cmd-ng",
    "uring-cmd-trim-multi-range",
    "uring-cmd-zoned",
    "waitfor",
    "xnvme-compare",
    "xnvme-zoned",
    "zbd-rand-write",
    "zbd-rand-write-zone-reset-gc",
    "zbd-seq-read",
    "zipf",
];

/// What refuses the others: a part of the first line, and the examples.
const REFUSED: &[(&str, &[&str])] = &[
    ("offset=", &["cross-stripe-verify"]),
    ("verify=", &["surface-scan"]),
    ("would run beside", &["enospc-pressure"]),
    ("option \"writefua", &["uring-cmd-bsg"]),
    ("ioengine=cpp_null ", &["cpp_null"]),
    ("ioengine=cpuio ", &["cpuio"]),
    ("ioengine=dircreate ", &["dircreate-ioengine"]),
    ("ioengine=dirdelete ", &["dirdelete-ioengine"]),
    ("ioengine=dirstat ", &["dirstat-ioengine"]),
    ("zonemode=", &["zbd-rand-write-trim-gc"]),
    ("ioengine=e4defrag ", &["e4defrag", "e4defrag2"]),
    ("ioengine=exec ", &["exec"]),
    ("ioengine=falloc ", &["falloc"]),
    ("ioengine=filecreate ", &["filecreate-ioengine"]),
    ("ioengine=filedelete ", &["filedelete-ioengine"]),
    ("ioengine=filestat ", &["filestat-ioengine"]),
    ("ioengine=ftruncate ", &["ftruncate"]),
    (
        "ioengine=rdma ",
        &["gpudirect-rdmaio-client", "gpudirect-rdmaio-server", "rdmaio-client", "rdmaio-server"],
    ),
    ("ioengine=http ", &["http-s3-crypto", "http-s3-storage-class", "http-s3", "http-swift", "http-webdav"]),
    ("ioengine=mtd ", &["mtd"]),
    (
        "ioengine=net ",
        &["netio", "netio_multicast", "netio_vsock", "netio_vsock_receiver", "netio_vsock_sender"],
    ),
    ("ioengine=null ", &["null"]),
    ("random_distribution=", &["sequence-distribution"]),
    ("ioengine=page_fault ", &["page_fault"]),
    ("sg_write_mode=", &["sg_verify-fail", "sg_verify", "sg_write_same_ndob"]),
    ("option \"sprandom", &["sprandom"]),
    ("option \"fdp", &["uring-cmd-fdp", "xnvme-fdp"]),
    ("option \"pi_chk", &["uring-cmd-pi-ext"]),
    ("option \"md_per_io_size", &["uring-cmd-pi-sb", "xnvme-pi"]),
    ("option \"write_mode", &["uring-cmd-write-mode", "uring-cmd-zoned-append"]),
];

fn directory() -> PathBuf {
    let cache = || {
        let home = || env::home_dir().map(|home| home.join(".cache"));
        env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap_or_default()
    };
    env::var_os("FIO_EXAMPLES").map_or_else(|| cache().join(INSTALLED), PathBuf::from)
}

/// How the head of an example says to run it: options beside the file.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("xnvme-compare", &["--section=default", "--ioengine=io_uring", "--filename=/dev/nvme0n1"]),
    ("xnvme-fdp", &["--section=default", "--ioengine=xnvme", "--filename=/dev/ng0n1"]),
    ("xnvme-pi", &["--section=write", "--ioengine=xnvme", "--filename=/dev/ng0n1"]),
    ("xnvme-zoned", &["--section=default", "--ioengine=xnvme", "--filename=/dev/nvme0n1"]),
];

/// The variables that heads of examples say to set.
fn variable(name: &str) -> Option<String> {
    let value = match name {
        "FIO_DIR" => "/data",
        "GPU_DEV_IDS" => "0",
        "FIO_BS" => "4096",
        _ => return None,
    };
    Some(value.to_owned())
}

/// What becomes of a job file: `None` if it is measured, or the first line of its refusal.
fn refusal(path: &Path) -> Option<String> {
    let name = path.file_stem().unwrap().to_string_lossy();
    let arguments =
        ARGUMENTS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, arguments)| arguments);
    let mut reader = Reader::new(&job::no_include);
    reader.read_arguments(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>());
    reader.read_file("JOB", &fs::read(path).unwrap());
    let mut file = reader.finish("JOB");
    fio::expand(&mut file, &[], variable);
    let errors = translate(&file, |_| Existing::Nothing).err()?;
    Some(errors.0[0].what.clone())
}

fn examples(directory: &Path) -> BTreeMap<String, PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return BTreeMap::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let jobs = paths.filter(|path| path.extension().is_some_and(|extension| extension == "fio"));
    jobs.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path)).collect()
}

#[test]
fn the_examples_of_fio_are_measured_or_refused_for_a_stated_reason() {
    let examples = examples(&directory());
    if examples.is_empty() {
        skip::because("fio's examples are not installed: run scripts/install-fio-examples");
        return;
    }
    let mut wrong = Vec::new();
    for name in MEASURED {
        if let Some(why) = examples.get(*name).and_then(|path| refusal(path)) {
            wrong.push(format!("{name} is refused: {why}"));
        }
    }
    for (part, names) in REFUSED {
        for name in *names {
            let Some(path) = examples.get(*name) else { continue };
            match refusal(path) {
                None => wrong.push(format!("{name} is measured; move it to MEASURED")),
                Some(why) if !why.contains(part) => wrong.push(format!("{name} is refused otherwise: {why}")),
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let listed =
        |name: &str| MEASURED.contains(&name) || REFUSED.iter().any(|(_, names)| names.contains(&name));
    let found = examples.keys().filter(|name| listed(name)).count();
    assert!(found >= FOUND_MIN, "only {found} of the listed examples are in the directory");
}

/// Each example is listed once.
#[test]
fn no_example_is_listed_twice() {
    let mut all: Vec<&str> = MEASURED.to_vec();
    all.extend(REFUSED.iter().flat_map(|(_, names)| names.iter()));
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!((all.len(), count), (107, 107));
}
