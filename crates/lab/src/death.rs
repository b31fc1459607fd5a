//! Why a worker that was ended by a signal probably was: what the signal means, and what the kernel counted meanwhile.

use model::figure::counted;
use rustix::process::{Resource, Signal, getrlimit};
use std::fs;

/// Processes that the kernel has ended so far because memory ran out, on the whole machine and in every control group
/// (`oom_kill` of `/proc/vmstat`, Linux 4.13); `None` if unknown.
pub(crate) fn out_of_memory_kills() -> Option<u64> {
    kills(&fs::read_to_string("/proc/vmstat").ok()?)
}

fn kills(vmstat: &str) -> Option<u64> {
    vmstat.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

/// What a worker was ended by, to follow "the worker was ended by". The counts of [`out_of_memory_kills`] are of before
/// and after.
pub(crate) fn signal(number: i32, kills_before: Option<u64>, kills_after: Option<u64>) -> String {
    let meaning = match Signal::from_named_raw(number) {
        Some(Signal::KILL) => killed(kills_before, kills_after),
        Some(Signal::XFSZ) => file_size_limit(),
        Some(Signal::XCPU) => "SIGXCPU: its limit of CPU time is used up (ulimit -t)".to_owned(),
        Some(Signal::BUS) => "SIGBUS: a mapped file became shorter, or its device gave an error".to_owned(),
        Some(Signal::TERM | Signal::INT | Signal::HUP | Signal::QUIT) => {
            "a user asked this process to end".to_owned()
        }
        Some(Signal::SEGV | Signal::ILL | Signal::ABORT | Signal::FPE) => {
            "a defect of Syncline or of a library in it: please report it".to_owned()
        }
        Some(_) | None => return format!("signal {number}"),
    };
    format!("signal {number} ({meaning})")
}

fn killed(before: Option<u64>, after: Option<u64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if after > before => {
            let killed = counted(usize::try_from(after - before).unwrap_or(usize::MAX), "process", "processes");
            format!(
                "SIGKILL: memory probably ran out, because the kernel killed {killed} for lack of memory meanwhile; \
                 make the study smaller or free memory"
            )
        }
        (Some(_), Some(_)) => {
            "SIGKILL: a user or a program such as systemd-oomd killed it; the kernel killed no process for lack of \
             memory meanwhile"
                .to_owned()
        }
        (None, _) | (_, None) => {
            "SIGKILL: a user killed it, or the kernel because memory ran out: see dmesg".to_owned()
        }
    }
}

fn file_size_limit() -> String {
    let limit = getrlimit(Resource::Fsize).current;
    let limit = limit.map_or_else(String::new, |bytes| format!(", which is {bytes} bytes"));
    format!(
        "SIGXFSZ: a file would have grown beyond the file-size limit{limit} (ulimit -f, RLIMIT_FSIZE): raise it or \
         make the study's files smaller"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "ended by signal 25" and "ended by signal 9" told nobody what to do.
    #[test]
    fn a_signal_says_what_ran_out() {
        assert_eq!(signal(25, None, None), format!("signal 25 ({})", file_size_limit()));
        let killed = [(Some(3), Some(4)), (Some(3), Some(3)), (None, Some(3))];
        let killed = killed.map(|(before, after)| signal(9, before, after));
        insta::assert_snapshot!(killed.join("\n"), @r"
        signal 9 (SIGKILL: memory probably ran out, because the kernel killed 1 process for lack of memory meanwhile; make the study smaller or free memory)
        signal 9 (SIGKILL: a user or a program such as systemd-oomd killed it; the kernel killed no process for lack of memory meanwhile)
        signal 9 (SIGKILL: a user killed it, or the kernel because memory ran out: see dmesg)
        ");
        assert_eq!(signal(63, None, None), "signal 63");
    }

    #[test]
    fn the_kernel_s_count_of_kills_is_read() {
        assert_eq!(kills("nr_free_pages 12\noom_kill 3\noom_killer 9\n"), Some(3));
        assert_eq!(kills("nr_free_pages 12\n"), None);
    }
}
