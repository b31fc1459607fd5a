//! When a job makes its writes durable.

use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;
use model::RangeSync;

pub(super) fn syncs(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let every = every(options, job)?;
    let at_close = options.switch("fsync_on_close")?.unwrap_or(false);
    let at_end = options.switch("end_fsync")?.unwrap_or(false);
    if !pattern.writes() {
        if every > 0 || at_end || at_close {
            job.remark(format!("syncs have no effect with rw={}, as in fio", pattern.name()));
        }
        return Ok(());
    }
    if at_close && !at_end {
        job.remark("fsync_on_close runs as end_fsync: the sync is inside the measured time");
    }
    let in_ranges = range_syncs(options, every, job)?;
    job.set("fdatasync", &every);
    job.set("end_fsync", &(at_end || at_close));
    if (every > 0 || in_ranges) && queues(options)? {
        let name = if in_ranges { "sync_file_range" } else { "fdatasync" };
        job.remark(format!("{name} waits for the job's writes in flight; fio queues it beside them"));
    }
    if !options.switch("overwrite")?.unwrap_or(false) {
        job.remark("the file is full of data before it is written, as with overwrite=1");
    }
    Ok(())
}

/// Sets the calls of `sync_file_range`; whether there are any.
fn range_syncs(options: &Options<'_>, syncs_every: u64, job: &mut Job) -> Answer<bool> {
    let name = "sync_file_range";
    let Some(text) = options.text(name) else { return Ok(false) };
    let Some((flags, every)) = text.rsplit_once(':') else {
        return options.refuse(name, format!("{name}={text}: expected flags and writes, such as write:32"));
    };
    // fio's HOWTO lists the flags in any order.
    let mut flags: Vec<&str> = flags.split(',').map(str::trim).collect();
    flags.sort_unstable();
    let what = match flags[..] {
        ["write"] => RangeSync::Write,
        ["wait_before", "write"] => RangeSync::WaitBeforeWrite,
        ["wait_after", "wait_before", "write"] => RangeSync::WaitBeforeWriteWaitAfter,
        _ => {
            let what = format!(
                "{name}={text} is not supported; its flags are write, wait_before,write or wait_before,write,wait_after"
            );
            return options.refuse(name, what);
        }
    };
    match crate::quantity::parse_count(every.trim()) {
        Ok(0) => return Ok(false),
        Ok(_) if syncs_every > 0 => {
            return options.refuse(name, format!("{name} and another sync are both given; remove one"));
        }
        Ok(every) => job.set("sync_file_range_writes", &every),
        Err(why) => return options.refuse(name, format!("option \"{name}\": {why}")),
    }
    job.set(name, &what);
    Ok(true)
}

/// Writes from one sync to the next; 0 without syncs.
fn every(options: &Options<'_>, job: &mut Job) -> Answer<u64> {
    let (fsync, fdatasync) = (options.count("fsync")?.unwrap_or(0), options.count("fdatasync")?.unwrap_or(0));
    let of_writes = synchronous(options)?;
    let named = [("fsync", fsync > 0), ("fdatasync", fdatasync > 0), ("sync", of_writes)];
    let mut given = named.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name);
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        return options.refuse(second, format!("{first} and {second} are both given; remove one"));
    }
    if fsync > 0 {
        job.remark(format!(
            "fsync={fsync} runs as fdatasync={fsync}, which leaves out metadata that no read needs"
        ));
    }
    if of_writes {
        job.remark("sync runs as fdatasync=1: each write is followed by its sync, in two system calls");
    }
    Ok(if of_writes { 1 } else { fsync.max(fdatasync) })
}

/// Whether each write is durable when it returns (`O_SYNC`, `O_DSYNC`).
fn synchronous(options: &Options<'_>) -> Answer<bool> {
    match options.text("sync").unwrap_or("none") {
        "none" | "0" => Ok(false),
        "sync" | "1" | "dsync" if !queues(options)? => Ok(true),
        "sync" | "1" | "dsync" => options.refuse(
            "sync",
            "sync with more than one operation in flight is not part of a device job: use iodepth=1, or `syncline run \
             commit`",
        ),
        other => options.refuse(
            "sync",
            format!("sync={} is not supported; use 0, sync or dsync", model::printable(other)),
        ),
    }
}

/// Whether a job can have more than one operation in flight.
fn queues(options: &Options<'_>) -> Answer<bool> {
    let queues = matches!(options.text("ioengine"), Some("io_uring" | "libaio"));
    Ok(queues && options.count("iodepth")?.unwrap_or(1) > 1)
}
