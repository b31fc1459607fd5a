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
const RATE_MIN: &str = "a rate that is not reached is measured and reported, and ends no job";
const BATCH: &str = "iodepth_batch options have no effect: Syncline submits whatever is due in one call and reaps what \
    is there";
pub(super) const SEED: &str = "the random seed is Syncline's own: drawn for each round and recorded";
const LATENCY_ON: &str = "latencies are still measured; Syncline reads the clock once for each batch";
const CHUNK: &str = "the zeroes of a block stand together, whatever buffer_compress_chunk says";
const WRITEBACK: &str =
    "a job syncs after every N writes: use fdatasync=N, which also flushes the device, or sync_file_range=";
const MADE_FIRST: &str = "files are made and synced before anything is measured";
const RESETS: &str = "zone_reset_threshold and zone_reset_frequency have no effect: a file takes no command for a reset, \
    and a zone of it is written again from its beginning when it is full";
const RANGES: &str =
    "num_range has no effect: fallocate takes one range, so each range of a trim is an operation of its own";
const NO_COMMANDS: &str = "Syncline runs no commands from a job file; run it yourself, or remove it";
const MACHINE: &str = "Syncline changes no setting of the machine; set it yourself, and remove it";
const CGROUP: &str = "the worker has a cgroup of Syncline's own; remove it (syncline run limits memory by the \
    parameter memory_cap)";
const COMMANDS: &str =
    "a file takes reads and writes and no other command of the device: remove it, or measure it with fio";
const PROTECTION: &str = "a file has no protection information: remove it, or measure it with fio";
const ERRORS: &str = "a failed operation ends its trial, whatever continue_on_error says";
const PRIORITY: &str = "I/O priorities have no effect: every operation has the priority of the worker";
const NODES: &str = "memory comes from the node that the kernel chooses, whatever the numa options say";
const UNEQUAL: &str = "what is written does not repeat: a device that deduplicates has more work here than with \
    dedupe_percentage";
const PLACEMENT: &str =
    "a file cannot choose where its device places data: remove it, or measure it with fio";
const EXIT_WHAT: &str =
    "exit_what has no effect: sections beside each other end together, and none ends those that wait";
const FLOW_SLEEP: &str =
    "flow_sleep has no effect: a section that is ahead looks again after 20 µs, and waits no longer";
const STEADY: &str = "Syncline assesses steady state on every run, and no job ends by it";

/// The list. Order is fio's own, roughly.
pub(crate) const KNOWN: &[Known] = &[
    valued(&["description"], Accepted),
    valued(&["name"], Translated),
    valued(&["wait_for"], Translated),
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
    // Where engines find their storage, for which a file stands here.
    valued(&["libblkio_driver"], Translated),
    valued(&["libblkio_path"], Accepted),
    valued(&["clientname"], Accepted),
    valued(&["pool"], Accepted),
    valued(&["cont"], Accepted),
    valued(&["chunk_size"], Accepted),
    valued(&["object_class"], Accepted),
    valued(&["svcl"], Accepted),
    valued(&["rbdname"], Accepted),
    valued(&["clustername"], Accepted),
    valued(&["conf"], Accepted),
    switch(&["busy_poll"], Accepted),
    valued(&["volume"], Accepted),
    valued(&["brick"], Accepted),
    valued(&["nfs_url"], Accepted),
    valued(&["uri"], Accepted),
    valued(&["namenode"], Accepted),
    valued(&["cmd_type"], Accepted),
    valued(&["gpu_dev_ids"], Accepted),
    valued(&["cuda_io"], Accepted),
    valued(&["rocm_io"], Accepted),
    valued(&["sg_write_mode"], Only("write", COMMANDS)),
    valued(&["xnvme_async"], Accepted),
    valued(&["xnvme_sync"], Accepted),
    valued(&["xnvme_admin"], Accepted),
    valued(&["xnvme_be"], Accepted),
    valued(&["xnvme_dev_nsid"], Accepted),
    switch(&["nonvectored"], Accepted),
    valued(&["num_range"], Remarked(RANGES)),
    valued(&["write_mode"], Only("write", COMMANDS)),
    valued(&["verify_mode"], Only("read", COMMANDS)),
    switch(&["writefua"], Only("0", COMMANDS)),
    switch(&["readfua"], Only("0", COMMANDS)),
    valued(&["md_per_io_size"], Only("0", PROTECTION)),
    valued(&["pi_act"], Accepted),
    valued(&["pi_chk"], Refused(PROTECTION)),
    valued(&["apptag"], Accepted),
    valued(&["apptag_mask"], Accepted),
    valued(&["iodepth"], Translated),
    valued(&["iodepth_batch", "iodepth_batch_submit"], Remarked(BATCH)),
    valued(&["iodepth_batch_complete_min", "iodepth_batch_complete"], Remarked(BATCH)),
    valued(&["iodepth_batch_complete_max"], Remarked(BATCH)),
    valued(&["iodepth_low"], Refused("the depth is held at iodepth; remove it")),
    valued(&["iomem", "mem"], Translated),
    switch(&["fixedbufs"], Translated),
    switch(&["registerfiles"], Translated),
    switch(&["sqthread_poll"], Translated),
    valued(&["sqthread_poll_cpu"], Accepted),
    switch(&["hipri"], Only("0", "Syncline waits for interrupts and does not poll the device; remove it")),
    valued(&["uncached"], Translated),
    valued(&["io_submit_mode"], Translated),
    switch(&["userspace_reap"], Accepted),
    valued(&["size"], Translated),
    valued(&["filesize"], Translated),
    valued(&["io_size", "io_limit"], Translated),
    switch(&["fill_device", "fill_fs"], Only("0", "Syncline leaves room on the disk: give size= instead")),
    valued(&["offset"], Translated),
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
    switch(&["atomic"], Translated),
    valued(&["overwrite"], Translated),
    valued(&["invalidate"], Translated),
    valued(&["pre_read"], Translated),
    valued(&["numjobs"], Translated),
    switch(&["thread", "threads"], Translated),
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
    valued(&["rate_min", "ratemin"], Remarked(RATE_MIN)),
    valued(&["rate_iops_min"], Remarked(RATE_MIN)),
    valued(&["rate_cycle"], Remarked(RATE_MIN)),
    switch(&["rate_ignore_thinktime"], Accepted),
    valued(&["thinktime"], Translated),
    valued(&["thinktime_spin"], Translated),
    valued(&["thinktime_blocks"], Translated),
    valued(&["thinktime_blocks_type"], Accepted),
    valued(&["latency_target"], Translated),
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
    valued(&["dedupe_percentage"], Remarked(UNEQUAL)),
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
    valued(&["continue_on_error"], Remarked(ERRORS)),
    valued(&["create_on_open"], Remarked(MADE_FIRST)),
    valued(&["create_only"], Only("0", "nothing is measured with it; remove it")),
    valued(&["create_serialize"], Accepted),
    valued(&["create_fsync"], Accepted),
    valued(&["unlink"], Accepted),
    switch(&["unlink_each_loop"], Accepted),
    valued(&["verify"], Translated),
    valued(&["do_verify"], Translated),
    valued(&["verify_fatal"], Accepted),
    valued(&["zonemode"], Translated),
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
    valued(&["prio"], Remarked(PRIORITY)),
    valued(&["prioclass"], Remarked(PRIORITY)),
    valued(&["priohint"], Remarked(PRIORITY)),
    valued(&["cmdprio_percentage"], Remarked(PRIORITY)),
    valued(&["cmdprio_class"], Remarked(PRIORITY)),
    valued(&["cmdprio_hint"], Remarked(PRIORITY)),
    valued(&["cmdprio"], Remarked(PRIORITY)),
    valued(&["cmdprio_bssplit"], Remarked(PRIORITY)),
    valued(&["nice"], Remarked("nice has no effect: the worker has the priority of Syncline")),
    valued(&["numa_cpu_nodes"], Remarked(NODES)),
    valued(&["numa_mem_policy"], Remarked(NODES)),
    valued(&["dedupe_mode"], Accepted),
    switch(&["dedupe_global"], Accepted),
    valued(&["dedupe_working_set_percentage"], Accepted),
    valued(&["steadystate_check_interval", "ss_interval"], Accepted),
    valued(&["exit_what"], Remarked(EXIT_WHAT)),
    valued(&["ignore_error"], Remarked(ERRORS)),
    switch(&["error_dump"], Accepted),
    // The whole of a block is compared, whatever its headers would be.
    valued(&["verify_interval"], Accepted),
    valued(&["verify_offset"], Accepted),
    valued(&["verify_pattern"], Accepted),
    valued(&["verify_pattern_interval"], Accepted),
    switch(&["verify_dump"], Accepted),
    valued(&["verify_async"], Accepted),
    valued(&["verify_async_cpus"], Accepted),
    valued(&["verify_backlog"], Translated),
    valued(&["verify_backlog_batch"], Accepted),
    switch(&["verify_write_sequence"], Accepted),
    switch(&["verify_header_seed"], Accepted),
    switch(&["verify_state_save"], Accepted),
    switch(&["verifysort"], Accepted),
    valued(&["verifysort_nr"], Accepted),
    valued(&["latency_window"], Translated),
    valued(&["latency_percentile"], Translated),
    switch(&["latency_run"], Accepted),
    valued(&["flow"], Translated),
    valued(&["flow_id"], Translated),
    valued(&["flow_sleep"], Remarked(FLOW_SLEEP)),
    valued(&["zonesize"], Translated),
    valued(&["zoneskip"], Translated),
    valued(&["zonerange"], Translated),
    valued(&["zonecapacity"], Translated),
    switch(&["read_beyond_wp"], Accepted),
    valued(&["max_open_zones"], Translated),
    valued(&["job_max_open_zones"], Translated),
    switch(&["ignore_zone_limits"], Accepted),
    valued(&["zone_reset_threshold"], Remarked(RESETS)),
    valued(&["zone_reset_frequency"], Remarked(RESETS)),
    switch(&["fdp"], Only("0", PLACEMENT)),
    valued(&["fdp_pli"], Accepted),
    valued(&["dataplacement"], Only("none", PLACEMENT)),
    valued(&["plids"], Accepted),
    valued(&["plid_select"], Accepted),
    switch(
        &["sprandom"],
        Only(
            "0",
            "Syncline writes the file once, in order, before it is measured: to precondition a device run it with fio",
        ),
    ),
    valued(&["spr_op"], Accepted),
    valued(&["spr_num_regions"], Accepted),
    valued(&["spr_cs"], Accepted),
    switch(&["log_prio"], Remarked(LOGS)),
    valued(&["log_entries"], Remarked(LOGS)),
    valued(&["log_hist_coarseness"], Remarked(LOGS)),
    valued(&["log_compression"], Remarked(LOGS)),
    valued(&["log_compression_cpus"], Remarked(LOGS)),
    switch(&["log_store_compressed"], Remarked(LOGS)),
    switch(&["log_alternate_epoch"], Remarked(LOGS)),
    valued(&["log_alternate_epoch_clock_id"], Remarked(LOGS)),
    switch(&["log_issue_time"], Remarked(LOGS)),
    valued(&["log_window_value"], Remarked(LOGS)),
    switch(&["block_error_percentiles"], Remarked(OUTPUT)),
    switch(&["disk_util"], Accepted),
    valued(&["unit_base"], Accepted),
    valued(
        &["gtod_cpu"],
        Remarked("gtod_cpu has no effect: each job reads the clock itself, once for each batch"),
    ),
    valued(
        &["write_hint"],
        Remarked("write_hint has no effect: Syncline gives the kernel no lifetime of the data"),
    ),
    valued(&["lockmem"], Refused("for less memory take the parameter memory_cap with `syncline run`")),
    valued(&["uid"], Refused("the worker keeps the user of Syncline: start Syncline as that user")),
    valued(&["gid"], Refused("the worker keeps the group of Syncline: start Syncline with that group")),
    valued(&["profile"], Refused("a built-in profile names no options: write them into a job file")),
    valued(&["exec_prerun"], Refused(NO_COMMANDS)),
    valued(&["exec_postrun"], Refused(NO_COMMANDS)),
];
