//! How a job's operations reach the kernel: engine, mode, depth, advice.

use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;

pub(super) fn submission(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let engine = options.text("ioengine").unwrap_or("psync");
    let here = match engine {
        "io_uring" => "uring",
        "psync" => "psync",
        "sync" | "pvsync" | "pvsync2" => {
            job.remark(format!("ioengine={engine} runs as psync: pread and pwrite"));
            "psync"
        }
        "mmap" => "mmap",
        "libaio" | "posixaio" | "io_uring_cmd" => {
            return options
                .refuse("ioengine", format!("ioengine={engine} is not supported; use ioengine=io_uring"));
        }
        _ => {
            return options.refuse(
                "ioengine",
                format!(
                    "ioengine={engine} is not supported; use io_uring, psync, sync, pvsync, pvsync2 or mmap"
                ),
            );
        }
    };
    let mode = mode(options, here)?;
    if here == "mmap" {
        job.set("mode", "mmap");
    } else {
        job.set("ioengine", here);
        job.set("mode", mode);
    }
    let asked = options.count("iodepth")?.unwrap_or(1);
    let depth = if here == "uring" { asked } else { 1 };
    if asked > 1 && depth == 1 {
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
    if let Some(memory) = options.text("iomem") {
        job.set("buffer_pages", buffer_pages(options, memory)?);
    }
    let advice = match options.text("fadvise_hint").unwrap_or("1") {
        "0" => "normal",
        "1" if pattern.random => "random",
        "random" => "random",
        "1" | "sequential" => "sequential",
        other => {
            let what = format!("fadvise_hint={other} is not supported; use 0, 1, random or sequential");
            return options.refuse("fadvise_hint", what);
        }
    };
    job.set("advice", advice);
    if options.switch("thread")? != Some(true) && options.count("numjobs")?.unwrap_or(1) > 1 {
        job.remark("jobs are threads, as with fio's option thread");
    }
    Ok(())
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
    if engine == "mmap" && (is_direct || uncached) {
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
