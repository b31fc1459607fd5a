//! Local files: fio, page faults, memory.

use super::{MIB, median, parameters, pass, reading};
use dataset::directory::Directory;
use dataset::{Buffers, Dataset, Object};
use disk::counters::process;
use disk::work_directory::WorkDirectory;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use workload::scan::FileScan;

const ROUNDS: usize = 8;
const FILES: u64 = 32;
const FILE_BYTES: u64 = 16 * MIB;
/// Passes over the dataset that come to 1 GiB and to 8 GiB.
const FEW_PASSES: u64 = 2;
const MANY_PASSES: u64 = 16;

struct Prepared {
    work: WorkDirectory,
    directory: Directory,
    objects: Vec<Object>,
}

fn prepare(files: u64, bytes: u64) -> Result<Prepared, Box<dyn Error>> {
    let work = WorkDirectory::create(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let root = work.path().join("dataset");
    std::fs::create_dir(&root)?;
    let directory = Directory::at(root);
    let objects: Vec<Object> =
        (0..files).map(|index| Object { name: format!("file-{index:03}"), bytes }).collect();
    for (seed, object) in objects.iter().enumerate() {
        directory.write(object, seed as u64)?;
    }
    Ok(Prepared { work, directory, objects })
}

impl Prepared {
    fn evict(&self) -> Result<(), Box<dyn Error>> {
        for object in &self.objects {
            disk::page_cache::evict(&self.directory.path(object))?;
        }
        Ok(())
    }

    fn scan(&self, changes: &[(&str, &str)], buffers: Buffers, passes: u64) -> Result<f64, Box<dyn Error>> {
        let p = parameters(changes)?;
        let readers = self.directory.readers(&self.objects, reading(&p, self.objects[0].bytes, buffers))?;
        let mut rate = 0.0;
        for _ in 0..passes {
            rate = pass::<FileScan, Directory>(&readers, &self.objects, &p)?;
        }
        Ok(rate)
    }

    /// The same files one after another, by psync: bytes per second.
    fn fio(&self, jobs: u32) -> Result<f64, Box<dyn Error>> {
        // fio's jobs with a file list each: job k takes every so manieth file, as readers do.
        let mut command = Command::new("fio");
        command.args(["--output-format=json", "--thread", "--group_reporting"]);
        for job in 0..jobs as usize {
            let files: Vec<String> = (self.objects.iter().skip(job).step_by(jobs as usize))
                .map(|object| self.directory.path(object).display().to_string())
                .collect();
            command.args([
                &format!("--name=job{job}"),
                &format!("--filename={}", files.join(":")),
                "--rw=read",
                "--bs=1M",
                "--direct=1",
                "--ioengine=psync",
                "--file_service_type=sequential",
                "--invalidate=0",
            ]);
        }
        let output =
            command.output().map_err(|error| format!("cannot start fio: {error}; run make tools"))?;
        if !output.status.success() {
            return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let text = String::from_utf8(output.stdout)?;
        let value: serde_json::Value =
            serde_json::from_str(&text[text.find('{').ok_or("fio printed no JSON")?..])?;
        Ok(value["jobs"][0]["read"]["bw_bytes"].as_f64().ok_or("fio gives no bandwidth")?)
    }
}

/// Cold direct scans in blocks of 1 MiB beside fio's.
pub(super) fn against_fio() -> Result<(), Box<dyn Error>> {
    let prepared = prepare(FILES, FILE_BYTES)?;
    for readers in [1, 2] {
        let concurrency = readers.to_string();
        let changes = [("page_cache", "direct"), ("concurrency", concurrency.as_str())];
        let (mut ours, mut ratios) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            prepared.evict()?;
            let arms = |first: bool| -> Result<(f64, f64), Box<dyn Error>> {
                if first {
                    let rate = prepared.scan(&changes, Buffers::Pooled, 1)?;
                    Ok((rate, prepared.fio(readers)?))
                } else {
                    let fio = prepared.fio(readers)?;
                    Ok((prepared.scan(&changes, Buffers::Pooled, 1)?, fio))
                }
            };
            let (rate, fio) = arms(round % 2 == 0)?;
            ours.push(rate / MIB as f64);
            ratios.push(rate / fio);
        }
        println!(
            "direct, 1 MiB, {readers} readers   {:8.0} MiB/s   {:.3} × fio   (target 0.95)",
            median(ours),
            median(ratios)
        );
    }
    Ok(prepared.work.remove()?)
}

/// Minor faults of 1 GiB and of 8 GiB, by the source of the memory.
pub(super) fn faults() -> Result<(), Box<dyn Error>> {
    let prepared = prepare(FILES, FILE_BYTES)?;
    for (name, buffers) in
        [("pooled", Buffers::Pooled), ("malloc", Buffers::Malloc), ("fresh", Buffers::Fresh)]
    {
        let mut counted = Vec::new();
        for passes in [FEW_PASSES, MANY_PASSES] {
            let before = process::counters().minor_faults;
            prepared.scan(&[("page_cache", "normal")], buffers, passes)?;
            counted.push(process::counters().minor_faults - before);
        }
        println!("minor faults, {name}   {:8} for 1 GiB   {:8} for 8 GiB", counted[0], counted[1]);
    }
    Ok(prepared.work.remove()?)
}

/// Peak memory of whole-file reads: it goes with readers × file size.
pub(super) fn memory() -> Result<(), Box<dyn Error>> {
    for (files, readers) in [(8, "1"), (64, "1"), (64, "2")] {
        let prepared = prepare(files, 4 * MIB)?;
        let resident = || -> Result<u64, Box<dyn Error>> {
            let status = std::fs::read_to_string("/proc/self/status")?;
            let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
            Ok(line.split_whitespace().nth(1).ok_or("no figure")?.parse()?)
        };
        let p = parameters(&[("block_size", "0B"), ("concurrency", readers), ("files", "64")])?;
        let before = resident()?;
        let made = prepared.directory.readers(&prepared.objects, reading(&p, 4 * MIB, Buffers::Pooled))?;
        pass::<FileScan, Directory>(&made, &prepared.objects, &p)?;
        let grown = resident()?.saturating_sub(before) / 1024;
        println!("whole files of 4 MiB, {files} files, {readers} readers   {grown:5} MiB more resident");
        drop(made);
        prepared.work.remove()?;
    }
    Ok(())
}
