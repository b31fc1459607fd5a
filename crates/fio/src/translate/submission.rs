//! How a job's operations reach the kernel: engine, mode, depth, advice.

use super::engine::{self, InPlace};
use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;

pub(super) fn submission(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let engine = options.text("ioengine").unwrap_or("psync");
    let here = backend(options, engine, job)?;
    let mode = mode(options, here)?;
    if here == "mmap" {
        job.set("mode", "mmap");
    } else {
        job.set("ioengine", here);
        job.set("mode", mode);
    }
    let asked = options.count("iodepth")?.unwrap_or(1);
    let depth = if here == "uring" { asked } else { 1 };
    if asked > 1 && depth == 1 && !matches!(engine, "libaio" | "posixaio") {
        job.remark(format!("iodepth={asked} is 1 with ioengine={engine}, as in fio"));
    }
    job.set("iodepth", &depth);
    if here == "uring" {
        let (buffers, files) = (registers(options, "fixedbufs")?, registers(options, "registerfiles")?);
        job.set("registered", &(buffers && files));
        if buffers != files {
            job.remark("fixedbufs and registerfiles go together here: neither is done");
        }
    }
    if atomic(options, pattern, mode)? {
        job.set("atomic", &true);
    }
    if let Some(memory) = options.text("iomem") {
        job.set("buffer_pages", buffer_pages(options, memory)?);
    }
    let advice = match options.text("fadvise_hint").unwrap_or("1") {
        "0" => "normal",
        "1" if pattern.is_random() => "random",
        "random" => "random",
        "1" | "sequential" => "sequential",
        other => {
            let what = format!("fadvise_hint={other} is not supported; use 0, 1, random or sequential");
            return options.refuse("fadvise_hint", what);
        }
    };
    job.set("advice", advice);
    if options.text("io_submit_mode") == Some("offload") {
        job.remark("io_submit_mode=offload has no effect: a job submits by itself, and with a rate its latencies count \
            from the intended start");
    }
    if options.switch("sqthread_poll")?.unwrap_or(false) {
        job.remark(
            "sqthread_poll has no effect: each job submits to its ring itself, which costs it system calls",
        );
    }
    if options.switch("gtod_reduce")?.unwrap_or(false) {
        job.remark(
            "gtod_reduce has no effect: Syncline reads the clock once for each batch, and reports latencies",
        );
    }
    if options.switch("thread")? != Some(true) && options.jobs()? > 1 {
        job.remark("jobs are threads, as with fio's option thread");
    }
    Ok(())
}

/// The backend that stands for an engine of fio.
fn backend(options: &Options<'_>, engine: &str, job: &mut Job) -> Answer<&'static str> {
    if let Some(InPlace { backend, why }) = engine::in_place(options) {
        job.remark(format!("ioengine={engine} {why}"));
        return Ok(backend);
    }
    match engine {
        "io_uring" => Ok("uring"),
        "psync" => Ok("psync"),
        "sync" | "vsync" | "pvsync" | "pvsync2" => {
            job.remark(format!("ioengine={engine} runs as psync: pread and pwrite"));
            Ok("psync")
        }
        "mmap" => Ok("mmap"),
        "dev-dax" | "libpmem" => {
            job.remark(format!("ioengine={engine} runs as mmap: loads and stores in a mapped file"));
            Ok("mmap")
        }
        "null" => {
            job.remark(
                "ioengine=null does no I/O: psync and a file take its place, so the disk is measured with this \
                 random_distribution",
            );
            Ok("psync")
        }
        // `engine` refuses it if anything but a trim is requested.
        "falloc" => {
            job.remark("ioengine=falloc punches holes by fallocate, and psync punches them by the same call");
            Ok("psync")
        }
        "libcufile" | "libhipfile" => {
            job.remark(format!(
                "ioengine={engine} copies between storage and a GPU: psync takes its place, so the storage is measured \
                 without the GPU"
            ));
            Ok("psync")
        }
        // With this driver libblkio is a ring.
        "libblkio" => {
            job.remark("ioengine=libblkio with the driver io_uring runs as io_uring");
            Ok("uring")
        }
        // fio's HOWTO, ioengine libaio: "Linux may only support queued behavior with non-buffered I/O". `io_submit`
        // waits for a buffered operation, so the next one is submitted when it is done.
        "libaio" if mode(options, "uring")? != "direct" => {
            let depth = options.count("iodepth")?.unwrap_or(1);
            job.remark(format!(
                "ioengine=libaio without direct=1 waits in each submission, so fio has one operation in flight with \
                 iodepth={depth}; it runs as psync, which is the same"
            ));
            Ok("psync")
        }
        // glibc's aio_misc.c: requests for one file descriptor wait for each other in a queue of its own.
        "posixaio" => {
            let depth = options.count("iodepth")?.unwrap_or(1);
            job.remark(format!(
                "ioengine=posixaio works on one operation of a file at a time, so fio has one in flight with \
                 iodepth={depth}; it runs as psync, which is the same"
            ));
            Ok("psync")
        }
        "libaio" => {
            job.remark("ioengine=libaio runs on io_uring, which submits with less work of the CPU".to_owned());
            Ok("uring")
        }
        _ => options.refuse(
            "ioengine",
            format!(
                "ioengine={} is not supported; use io_uring, libaio, posixaio, psync, sync, vsync, pvsync, pvsync2 or \
                 mmap",
                model::printable(engine)
            ),
        ),
    }
}

/// Whether writes are atomic.
fn atomic(options: &Options<'_>, pattern: &Pattern, mode: &str) -> Answer<bool> {
    let is_atomic = options.switch("atomic")?.unwrap_or(false) && pattern.writes();
    if is_atomic && mode != "direct" {
        return options.refuse("atomic", "atomic=1 is for direct I/O, as in fio: add direct=1");
    }
    Ok(is_atomic)
}

/// What distinguishes fio's kinds of memory for a device: the pages. A file to map may follow the kind.
fn buffer_pages(options: &Options<'_>, memory: &str) -> Answer<&'static str> {
    match memory.split(':').next().unwrap_or_default() {
        "malloc" | "shm" | "mmap" | "mmapshared" => Ok("small"),
        "shmhuge" | "mmaphuge" => Ok("huge"),
        _ => options.refuse(
            "iomem",
            format!("iomem={memory} is not supported; use malloc for small pages or mmaphuge for huge ones"),
        ),
    }
}

fn registers(options: &Options<'_>, name: &str) -> Answer<bool> {
    Ok(options.switch(name)?.unwrap_or(false))
}

fn mode(options: &Options<'_>, engine: &str) -> Answer<&'static str> {
    // `buffered` is `direct` the other way round, and fio keeps the later.
    let (direct, buffered) = (options.switch("direct")?, options.switch("buffered")?);
    let is_direct = match (direct, buffered) {
        (Some(direct), Some(_)) if options.line("direct") > options.line("buffered") => direct,
        (_, Some(buffered)) => !buffered,
        (direct, None) => direct.unwrap_or(false),
    };
    let uncached = options.switch("uncached")?.unwrap_or(false);
    if engine::in_place(options).is_some() {
        return Ok("direct");
    }
    // libpmem takes direct for the kind of its stores.
    if engine == "mmap" && options.text("ioengine") == Some("mmap") && (is_direct || uncached) {
        let name = if is_direct { "direct" } else { "uncached" };
        return options
            .refuse("ioengine", format!("ioengine=mmap goes through the page cache; remove {name}=1"));
    }
    match (is_direct, uncached) {
        (true, true) => options.refuse("uncached", "uncached=1 is buffered I/O; remove it or direct=1"),
        (true, false) => Ok("direct"),
        (false, true) => Ok("dontcache"),
        (false, false) => Ok("buffered"),
    }
}
