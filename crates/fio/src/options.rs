//! Every fio option this program knows about, and what becomes of it.

use crate::job::Setting;

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

use Support::{Accepted, Only, Refused, Remarked, Translated};

const LOGS: &str =
    "Syncline keeps the latency histogram and a 100 ms series of every trial in the run directory; remove it";
const ONE_FILE: &str =
    "a job works on one file that Syncline makes; remove it, and give size= and directory=";
const NO_VERIFY: &str = "Syncline measures and does not verify contents; run the verification with fio";
const OTHER_RATE: &str = "only rate_iops with rate_process=poisson is an open loop here; remove it";
const BATCH: &str = "iodepth_batch options have no effect: Syncline submits whatever is due in one call and reaps what is there";
const SEED: &str = "the random seed is Syncline's own: drawn for each round and recorded";
const LATENCY_ON: &str = "Syncline reports latencies with every run; remove it";
const COMPRESSION: &str = "only buffer_compress_percentage shapes what is written; remove it";
const WAIT: &str = "job sections run one after another: use stonewall";
const SYNC: &str = "only a sync after every N writes is supported: use fdatasync=N";

/// The list. Order is fio's own, roughly.
pub(crate) const KNOWN: &[Known] = &[
    valued(&["description"], Accepted),
    valued(&["name"], Translated),
    valued(&["wait_for"], Refused(WAIT)),
    valued(&["filename"], Translated),
    valued(&["directory"], Translated),
    valued(&["filename_format"], Refused(ONE_FILE)),
    valued(&["opendir"], Refused(ONE_FILE)),
    valued(&["nrfiles", "nr_files"], Only("1", ONE_FILE)),
    valued(&["openfiles"], Only("1", ONE_FILE)),
    valued(&["rw", "readwrite"], Translated),
    valued(&["rwmixread"], Translated),
    valued(&["rwmixwrite"], Translated),
    valued(&["bs", "blocksize"], Translated),
    valued(&["ba", "blockalign"], Refused("blocks lie at multiples of bs; remove it")),
    valued(
        &["bsrange", "blocksize_range"],
        Refused("a job has one block size: use bs=, one job for each size"),
    ),
    valued(&["bssplit"], Refused("a job has one block size: use bs=, one job for each size")),
    switch(&["bs_unaligned", "blocksize_unaligned"], Only("0", "blocks lie at multiples of bs; remove it")),
    valued(&["randrepeat"], Remarked(SEED)),
    valued(&["allrandrepeat"], Remarked(SEED)),
    valued(&["randseed"], Remarked(SEED)),
    switch(&["norandommap"], Translated),
    valued(&["random_distribution"], Translated),
    valued(&["random_generator"], Refused("Syncline has one random generator; remove it")),
    valued(&["percentage_random"], Refused("a job is random or sequential: use rw=randread or rw=read")),
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
    valued(&["io_submit_mode"], Only("inline", "each job submits by itself; remove it")),
    valued(&["size"], Translated),
    valued(&["filesize"], Translated),
    valued(&["io_size", "io_limit"], Translated),
    valued(&["fill_device", "fill_fs"], Refused("give size= instead")),
    valued(&["offset"], Refused("a job works on its whole file; remove it")),
    valued(&["offset_increment"], Translated),
    valued(&["number_ios"], Translated),
    valued(&["loops"], Only("1", "use time_based with runtime=, or io_size=, instead")),
    valued(&["runtime", "timeout"], Translated),
    switch(&["time_based"], Translated),
    valued(&["ramp_time"], Translated),
    valued(&["startdelay"], Refused("jobs begin together; remove it")),
    valued(&["fadvise_hint"], Translated),
    valued(
        &["madvise"],
        Refused("not an option of fio: use fadvise_hint, which is madvise with ioengine=mmap"),
    ),
    valued(
        &["fallocate"],
        Remarked("fallocate has no effect: Syncline writes the whole file before it is measured"),
    ),
    valued(
        &["fsync"],
        Only(
            "0",
            "Syncline has fdatasync=N, which leaves out metadata that no read needs; use that, or end_fsync=1",
        ),
    ),
    valued(&["fdatasync"], Translated),
    valued(&["end_fsync"], Translated),
    valued(&["fsync_on_close"], Only("0", "use end_fsync=1, which is measured")),
    valued(&["sync_file_range"], Refused(SYNC)),
    valued(&["write_barrier"], Refused(SYNC)),
    valued(
        &["sync"],
        Refused("O_SYNC is not part of a device job: use fdatasync=1, or `syncline run commit`"),
    ),
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
    switch(&["exitall"], Refused(WAIT)),
    valued(&["rate_iops"], Translated),
    valued(&["rate_process"], Translated),
    valued(&["rate"], Refused(OTHER_RATE)),
    valued(&["rate_min"], Refused(OTHER_RATE)),
    valued(&["rate_iops_min"], Refused(OTHER_RATE)),
    valued(&["rate_cycle"], Refused(OTHER_RATE)),
    valued(&["thinktime"], Refused(OTHER_RATE)),
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
    valued(&["buffer_compress_chunk"], Refused(COMPRESSION)),
    valued(&["buffer_pattern"], Refused(COMPRESSION)),
    valued(&["dedupe_percentage"], Refused(COMPRESSION)),
    valued(&["cpus_allowed"], Translated),
    valued(&["cpus_allowed_policy"], Translated),
    valued(&["cpumask"], Refused("use cpus_allowed= with cpus_allowed_policy=split")),
    valued(&["clat_percentiles"], Accepted),
    valued(&["lat_percentiles"], Accepted),
    valued(&["slat_percentiles"], Only("0", "submission latency is not measured; remove it")),
    valued(&["percentile_list"], Remarked("percentile_list has no effect: the whole histogram is kept")),
    valued(&["gtod_reduce"], Only("0", LATENCY_ON)),
    valued(&["disable_lat"], Only("0", LATENCY_ON)),
    valued(&["disable_clat"], Only("0", LATENCY_ON)),
    valued(&["disable_slat"], Accepted),
    valued(&["disable_bw_measurement"], Accepted),
    valued(&["kb_base"], Only("1024", "sizes are read as with kb_base=1024: 4k is 4096; remove it")),
    valued(&["continue_on_error"], Only("none", "a failed operation ends its trial; remove it")),
    valued(&["create_on_open"], Only("0", "files are made before anything is measured; remove it")),
    valued(&["create_only"], Only("0", "files are made before anything is measured; remove it")),
    valued(&["create_serialize"], Accepted),
    valued(&["create_fsync"], Only("1", "files are always synced before anything is measured; remove it")),
    valued(&["unlink"], Accepted),
    valued(&["verify"], Refused(NO_VERIFY)),
    valued(&["do_verify"], Refused(NO_VERIFY)),
    valued(&["zonemode"], Only("none", "zones are not part of a device job; remove it")),
    valued(&["steadystate", "ss"], Refused("Syncline assesses steady state on every run; remove it")),
    valued(&["read_iolog"], Refused("traces are not replayed; describe the pattern with rw=")),
    valued(&["write_iolog"], Refused(LOGS)),
    valued(&["write_bw_log"], Refused(LOGS)),
    valued(&["write_lat_log"], Refused(LOGS)),
    valued(&["write_iops_log"], Refused(LOGS)),
    valued(&["write_hist_log"], Refused(LOGS)),
    valued(&["log_avg_msec"], Refused(LOGS)),
    valued(&["log_hist_msec"], Refused(LOGS)),
    valued(&["bwavgtime"], Refused(LOGS)),
    valued(&["iopsavgtime"], Refused(LOGS)),
    valued(&["cgroup"], Refused("the worker has a cgroup of Syncline's own: use --fix memory_cap=")),
    valued(
        &["exec_prerun"],
        Refused("Syncline runs no commands from a job file; run it yourself, or remove it"),
    ),
    valued(
        &["exec_postrun"],
        Refused("Syncline runs no commands from a job file; run it yourself, or remove it"),
    ),
];

/// Looks an option up by any of its names.
pub(crate) fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.names.contains(&name))
}

/// Whether a setting is acceptable by its name and bare form; a remark if its acceptance needs one.
pub(crate) fn check(setting: &Setting) -> Result<Option<&'static str>, String> {
    let name = &setting.name;
    let Some(known) = known(name) else {
        return Err(unknown(name));
    };
    let unsupported = |why: &str| Err(format!("option \"{name}\" is not supported; {why}"));
    if let Refused(why) = known.support {
        return unsupported(why);
    }
    if setting.value.is_none() && !known.bare {
        return Err(format!("option \"{name}\" needs a value: {name}=…"));
    }
    match known.support {
        Translated | Accepted | Refused(_) => Ok(None),
        Remarked(remark) => Ok(Some(remark)),
        Only(value, why) => {
            if setting.value.as_deref() == Some(value) {
                return Ok(None);
            }
            Err(format!("option \"{setting}\" is not supported; {why}"))
        }
    }
}

fn unknown(name: &str) -> String {
    let supported = KNOWN
        .iter()
        .filter(|known| !matches!(known.support, Refused(_)))
        .flat_map(|known| known.names.iter().copied());
    match model::suggestion::nearest(name, supported) {
        Some(nearest) => format!("option \"{name}\" is not supported; did you mean \"{nearest}\"?"),
        None => format!("option \"{name}\" is not supported; remove it, or run this job with fio"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_option_is_listed_twice() {
        let mut seen = BTreeSet::new();
        for name in KNOWN.iter().flat_map(|known| known.names) {
            assert!(seen.insert(*name), "{name}");
        }
    }

    #[test]
    fn each_answer_names_the_option_and_a_way_out() {
        let answer = |text: &str| {
            let (name, value) =
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            check(&Setting { name: name.to_owned(), value: value.map(str::to_owned), line: 1 })
        };
        assert_eq!(answer("iodepth=4"), Ok(None));
        assert_eq!(answer("hipri=0"), Ok(None));
        assert_eq!(answer("zonemode=none"), Ok(None));
        assert_eq!(answer("randseed=7"), Ok(Some(SEED)));
        for (text, message) in [
            ("iodeph=4", "option \"iodeph\" is not supported; did you mean \"iodepth\"?"),
            ("flow=3", "option \"flow\" is not supported; remove it, or run this job with fio"),
            ("direct", "option \"direct\" needs a value: direct=…"),
            (
                "hipri",
                "option \"hipri\" is not supported; Syncline waits for interrupts and does not poll the device; remove it",
            ),
            (
                "zonemode=zbd",
                "option \"zonemode=zbd\" is not supported; zones are not part of a device job; remove it",
            ),
        ] {
            assert_eq!(answer(text), Err(message.to_owned()));
        }
    }
}
