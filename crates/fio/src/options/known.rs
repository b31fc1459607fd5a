//! Every fio option this program knows about, and what becomes of it.

use Support::{Accepted, Only, Refused, Remarked, Translated};

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// Translated into parameters of the workload.
    Translated,
    /// Means what Syncline does anyway, or concerns fio's own output: no effect.
    Accepted,
    /// As `Accepted`, and printed for the user.
    Remarked(&'static str),
    /// Accepted with one value, which is what Syncline does; any other is refused with the reason.
    Only(&'static str, &'static str),
    /// Refused, with the way out.
    Refused(&'static str),
}

/// One option: its names (the first is the one to look it up by), whether it may stand without a value, its support.
pub(crate) struct Known {
    pub(crate) names: &'static [&'static str],
    pub(crate) bare: bool,
    pub(crate) support: Support,
}

const fn valued(names: &'static [&'static str], support: Support) -> Known {
    Known { names, bare: false, support }
}

const fn switch(names: &'static [&'static str], support: Support) -> Known {
    Known { names, bare: true, support }
}

const LOGS: &str =
    "no log is written: the latency histogram and a 100 ms series of every trial are in the run directory";
const OUTPUT: &str = "options of fio's own output have no effect: Syncline has a format of its own";
const ONE_FILE: &str =
    "a job works on one file that Syncline makes; remove it, and give size= and directory=";
const SERVICE: &str = "blocks come from one file that Syncline makes, whatever the order of files";
const NO_VERIFY: &str = "Syncline measures and does not verify contents; run the verification with fio";
const RATE_MIN: &str = "a rate that is not reached is measured and reported, and ends no job";
const BATCH: &str = "iodepth_batch options have no effect: Syncline submits whatever is due in one call and reaps what \
    is there";
pub(super) const SEED: &str = "the random seed is Syncline's own: drawn for each round and recorded";
const LATENCY_ON: &str = "latencies are still measured; Syncline reads the clock once for each batch";
const COMPRESSION: &str = "only buffer_compress_percentage shapes what is written; remove it";
const CHUNK: &str = "the zeroes of a block stand together, whatever buffer_compress_chunk says";
const WAIT: &str = "jobs that wait for one another by name are not supported: use stonewall";
const WRITEBACK: &str =
    "a job syncs after every N writes: use fdatasync=N, which also flushes the device, or sync_file_range=";
const MADE_FIRST: &str = "files are made and synced before anything is measured";
const NO_COMMANDS: &str = "Syncline runs no commands from a job file; run it yourself, or remove it";
const MACHINE: &str = "Syncline changes no setting of the machine; set it yourself, and remove it";
const CGROUP: &str = "the worker has a cgroup of Syncline's own; remove it (syncline run limits memory by the \
    parameter memory_cap)";
const STEADY: &str = "Syncline assesses steady state on every run, and no job ends by it";

/// The list. Order is fio's own, roughly.
pub(crate) const KNOWN: &[Known] = &[
    valued(&["description"], Accepted),
    valued(&["name"], Translated),
    valued(&["wait_for"], Refused(WAIT)),
    valued(&["filename"], Translated),
    valued(&["directory"], Translated),
    valued(&["filename_format"], Translated),
    valued(&["opendir"], Refused(ONE_FILE)),
    valued(&["nrfiles", "nr_files"], Translated),
    valued(&["openfiles"], Accepted),
    valued(&["file_service_type"], Remarked(SERVICE)),
    switch(&["unique_filename"], Accepted),
    switch(&["allow_file_create"], Accepted),
    switch(&["allow_mounted_write"], Accepted),
    valued(&["rw", "readwrite"], Translated),
    valued(&["rwmixread"], Translated),
    valued(&["rwmixwrite"], Translated),
    valued(&["bs", "blocksize"], Translated),
    valued(&["blockalign", "ba"], Translated),
    valued(&["bsrange", "blocksize_range"], Translated),
    valued(&["bssplit"], Translated),
    switch(&["bs_unaligned", "blocksize_unaligned"], Only("0", "blocks lie at multiples of bs; remove it")),
    valued(&["randrepeat"], Remarked(SEED)),
    valued(&["allrandrepeat"], Remarked(SEED)),
    valued(&["randseed"], Remarked(SEED)),
    switch(&["norandommap"], Translated),
    valued(&["random_distribution"], Translated),
    valued(&["random_generator"], Remarked(SEED)),
    valued(&["percentage_random"], Only("100", "a job is random or sequential: use rw=randread or rw=read")),
    valued(&["ioengine"], Translated),
    valued(&["iodepth"], Translated),
    valued(&["iodepth_batch", "iodepth_batch_submit"], Remarked(BATCH)),
    valued(&["iodepth_batch_complete_min", "iodepth_batch_complete"], Remarked(BATCH)),
    valued(&["iodepth_batch_complete_max"], Remarked(BATCH)),
    valued(&["iodepth_low"], Refused("the depth is held at iodepth; remove it")),
    valued(&["iomem", "mem"], Translated),
    switch(&["fixedbufs"], Translated),
    switch(&["registerfiles"], Translated),
    switch(&["sqthread_poll"], Only("0", "Syncline's ring has no kernel thread of its own; remove it")),
    switch(&["hipri"], Only("0", "Syncline waits for interrupts and does not poll the device; remove it")),
    valued(&["uncached"], Translated),
    valued(&["io_submit_mode"], Translated),
    switch(&["userspace_reap"], Accepted),
    valued(&["size"], Translated),
    valued(&["filesize"], Translated),
    valued(&["io_size", "io_limit"], Translated),
    valued(&["fill_device", "fill_fs"], Refused("give size= instead")),
    valued(&["offset"], Only("0", "a job works on its whole file; remove it")),
    valued(&["offset_increment"], Translated),
    valued(&["number_ios"], Translated),
    valued(&["loops"], Translated),
    valued(&["runtime", "timeout"], Translated),
    switch(&["time_based"], Translated),
    valued(&["ramp_time"], Translated),
    valued(&["startdelay"], Translated),
    valued(&["fadvise_hint"], Translated),
    valued(
        &["madvise"],
        Refused("not an option of fio: use fadvise_hint, which is madvise with ioengine=mmap"),
    ),
    valued(
        &["fallocate"],
        Remarked("fallocate has no effect: Syncline writes the whole file before it is measured"),
    ),
    valued(&["fsync"], Translated),
    valued(&["fdatasync"], Translated),
    valued(&["end_fsync"], Translated),
    switch(&["fsync_on_close"], Translated),
    valued(&["sync_file_range"], Translated),
    valued(&["write_barrier"], Refused(WRITEBACK)),
    valued(&["sync"], Translated),
    valued(&["direct"], Translated),
    valued(&["buffered"], Translated),
    valued(&["atomic"], Refused("untorn writes are not measured; remove it")),
    valued(&["overwrite"], Translated),
    valued(&["invalidate"], Translated),
    valued(&["pre_read"], Translated),
    valued(&["numjobs"], Translated),
    switch(&["thread"], Translated),
    switch(&["stonewall", "wait_for_previous"], Translated),
    switch(&["new_group"], Accepted),
    switch(&["group_reporting"], Accepted),
    switch(&["exitall"], Accepted),
    switch(&["exitall_on_error"], Accepted),
    valued(&["stats"], Only("1", "every job is reported; remove it")),
    valued(&["rate_iops"], Translated),
    valued(&["rate_process"], Translated),
    // The name of rate_process=poisson before fio 2.2.9.
    switch(&["rate_poisson"], Translated),
    valued(&["rate"], Translated),
    valued(&["rate_min"], Remarked(RATE_MIN)),
    valued(&["rate_iops_min"], Remarked(RATE_MIN)),
    valued(&["rate_cycle"], Remarked(RATE_MIN)),
    switch(&["rate_ignore_thinktime"], Accepted),
    valued(&["thinktime"], Translated),
    valued(&["thinktime_spin"], Translated),
    valued(&["thinktime_blocks"], Translated),
    valued(&["thinktime_blocks_type"], Accepted),
    valued(&["latency_target"], Refused("for the depth that pays use `syncline run depth`; remove it")),
    valued(&["max_latency"], Refused("a slow operation is measured, not an error; remove it")),
    switch(&["zero_buffers"], Translated),
    switch(
        &["refill_buffers"],
        Remarked(
            "refill_buffers has no effect: what is written comes in turn from a few MiB of prepared data",
        ),
    ),
    valued(&["scramble_buffers"], Accepted),
    valued(&["buffer_compress_percentage"], Translated),
    valued(&["buffer_compress_chunk"], Remarked(CHUNK)),
    valued(&["buffer_pattern"], Translated),
    valued(&["dedupe_percentage"], Only("0", COMPRESSION)),
    valued(&["cpus_allowed"], Translated),
    valued(&["cpus_allowed_policy"], Translated),
    valued(&["cpumask"], Translated),
    valued(&["clocksource"], Accepted),
    valued(&["clat_percentiles"], Accepted),
    valued(&["lat_percentiles"], Accepted),
    valued(&["slat_percentiles"], Remarked("submission latency is not measured by itself")),
    valued(&["percentile_list"], Remarked("percentile_list has no effect: the whole histogram is kept")),
    switch(&["gtod_reduce"], Translated),
    switch(&["disable_lat"], Remarked(LATENCY_ON)),
    switch(&["disable_clat"], Remarked(LATENCY_ON)),
    switch(&["disable_slat"], Accepted),
    switch(&["disable_bw_measurement", "disable_bw"], Accepted),
    valued(&["unified_rw_reporting"], Remarked(OUTPUT)),
    valued(&["significant_figures"], Accepted),
    valued(&["kb_base"], Only("1024", "sizes are read as with kb_base=1024: 4k is 4096; remove it")),
    valued(
        &["continue_on_error"],
        Remarked("a failed operation ends its trial, whatever continue_on_error says"),
    ),
    valued(&["create_on_open"], Remarked(MADE_FIRST)),
    valued(&["create_only"], Only("0", "nothing is measured with it; remove it")),
    valued(&["create_serialize"], Accepted),
    valued(&["create_fsync"], Accepted),
    valued(&["unlink"], Accepted),
    switch(&["unlink_each_loop"], Accepted),
    valued(&["verify"], Only("0", NO_VERIFY)),
    valued(&["do_verify"], Only("0", NO_VERIFY)),
    valued(&["verify_fatal"], Accepted),
    valued(&["zonemode"], Only("none", "zones are not part of a device job; remove it")),
    valued(&["steadystate", "ss"], Remarked(STEADY)),
    valued(&["steadystate_duration", "ss_dur"], Accepted),
    valued(&["steadystate_ramp_time", "ss_ramp"], Accepted),
    valued(&["read_iolog"], Refused("traces are not replayed; describe the pattern with rw=")),
    valued(&["write_iolog"], Remarked(LOGS)),
    switch(&["write_bw_log"], Remarked(LOGS)),
    switch(&["write_lat_log"], Remarked(LOGS)),
    switch(&["write_iops_log"], Remarked(LOGS)),
    switch(&["write_hist_log"], Remarked(LOGS)),
    valued(&["log_avg_msec"], Remarked(LOGS)),
    valued(&["log_hist_msec"], Remarked(LOGS)),
    valued(&["log_max_value"], Remarked(LOGS)),
    switch(&["log_offset"], Remarked(LOGS)),
    switch(&["log_unix_epoch"], Remarked(LOGS)),
    valued(&["per_job_logs"], Remarked(LOGS)),
    valued(&["bwavgtime"], Remarked(LOGS)),
    valued(&["iopsavgtime"], Remarked(LOGS)),
    // What fio takes only on its command line.
    valued(&["output"], Remarked(OUTPUT)),
    valued(&["output-format"], Remarked(OUTPUT)),
    valued(&["eta"], Remarked(OUTPUT)),
    valued(&["eta-newline"], Remarked(OUTPUT)),
    valued(&["eta-interval"], Remarked(OUTPUT)),
    valued(&["status-interval"], Remarked(OUTPUT)),
    switch(&["minimal"], Remarked(OUTPUT)),
    switch(&["append-terse"], Remarked(OUTPUT)),
    valued(&["idle-prof"], Remarked(OUTPUT)),
    switch(&["readonly"], Translated),
    valued(&["cgroup"], Refused(CGROUP)),
    valued(&["ioscheduler"], Refused(MACHINE)),
    valued(&["exec_prerun"], Refused(NO_COMMANDS)),
    valued(&["exec_postrun"], Refused(NO_COMMANDS)),
];
