//! What fio has no option for, as comments above the section.

use super::plan::Plan;
use crate::quantity::format_size;
use model::units::format_duration;
use model::{BufferPages, FileSystem, IoMode, Nanos};
use std::fmt::Write;
use workload::device::Distribution;

pub(super) fn comments(plan: &Plan, text: &mut String) {
    let own = &plan.own;
    let mut comment = |what: &str| {
        let _ = writeln!(text, "# {what}");
    };
    if let Some(bytes) = plan.description.memory_cap_bytes {
        comment(&format!("run under: systemd-run --user --scope -p MemoryMax={bytes} fio JOB.fio"));
    }
    if let Some(cap) = plan.description.io_cap {
        comment(&format!("run in a control group with these limits on the disk: {cap}"));
    }
    if plan.trial.realtime {
        comment("run under: chrt --fifo 1 fio JOB.fio");
    }
    if plan.trial.filesystem != FileSystem::Host {
        comment(&format!("run in a directory on a fresh {} file system", plan.trial.filesystem));
    }
    if own.precondition_passes > 0 {
        comment(&format!(
            "run before: fio --name=precondition --filename={} --rw=write --bs=1m --direct=1 --size={} --loops={}",
            plan.file,
            format_size(own.size),
            own.precondition_passes
        ));
    }
    if plan.trial.cooldown > Nanos::ZERO {
        comment(&format!("idle before: {}", format_duration(plan.trial.cooldown)));
    }
    if own.mode == IoMode::DontCache {
        comment("uncached=1 needs a fio that knows RWF_DONTCACHE; 3.33 fails every operation");
    }
    if plan.buffer_pages == Some(BufferPages::Huge) {
        comment("iomem=mmaphuge takes huge pages that are reserved: sysctl vm.nr_hugepages");
    }
    if own.number_ios > 0 && own.ramp_time > Nanos::ZERO {
        comment("fio counts operations of ramp_time towards number_ios, Syncline does not");
    }
    if own.random_distribution == Distribution::InZones && plan.jobs() > 1 {
        comment("fio's jobs take turns in all zones; in Syncline each has zones of its own");
    }
    if own.has_others() && own.number_ios > 0 {
        comment(
            "fio lets each of these sections end by itself; Syncline ends all with the first: add exitall=1",
        );
    }
    if own.rate_iops.is_some() {
        comment("fio's latencies count from an operation's submission, Syncline's from its intended start");
    }
    let left_out =
        if plan.random() || own.whole_file { 0 } else { own.size - plan.slice_bytes() * plan.jobs() };
    if left_out > 0 && plan.jobs() > 1 {
        comment(&format!(
            "{left_out} bytes of the file's {} are left out: slices consist of whole blocks",
            own.size
        ));
    }
}
