//! How many tasks others run, or wait for a disk with: the kernel's load averages.

use super::check::{Check, Sign, check};
use std::fs;

const FILE: &str = "/proc/loadavg";
/// More than this share of the CPUs is in use by others: a worker and io_uring's threads meet them.
const NOTABLE_SHARE: f64 = 0.25;

pub(super) fn of_load(cpus: usize) -> Check {
    match fs::read_to_string(FILE) {
        Ok(text) => judge(&text, cpus),
        Err(error) => check(Sign::Note, format!("{FILE}: {error}"), "the load of other programs is unknown"),
    }
}

/// The load averages of 1, 5 and 15 minutes begin the line: tasks that run, are ready to, or wait for a disk
/// (proc_loadavg(5)).
fn judge(text: &str, cpus: usize) -> Check {
    let mut words = text.split_whitespace();
    let averages = words.next().zip(words.next());
    let Some((Ok(one), Ok(five))) = averages.map(|(one, five)| (one.parse::<f64>(), five.parse::<f64>()))
    else {
        return check(
            Sign::Note,
            format!("{FILE} has no load averages"),
            "the load of other programs is unknown",
        );
    };
    let fact = format!("load {one:.1} (1 min), {five:.1} (5 min) on {}", model::figure::count(cpus, "CPU"));
    let share = one / cpus.max(1) as f64;
    if share >= 1.0 {
        check(
            Sign::Bad,
            fact,
            "other programs use the CPUs or the disks, so every figure is too slow and scatters: stop them (top shows \
             them), or measure when the load is below a quarter of the CPUs",
        )
    } else if share > NOTABLE_SHARE {
        check(
            Sign::Note,
            fact,
            "other programs use CPUs or disks, and intervals get wider: stop them (top shows them) or measure later",
        )
    } else {
        check(Sign::Good, fact, "no other program uses much of the CPUs or the disks")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load of 4.3 on two CPUs was not mentioned.
    #[test]
    fn a_load_is_judged_by_the_number_of_cpus() {
        let sign = |text: &str, cpus| judge(text, cpus).sign;
        assert_eq!(sign("4.30 3.92 2.10 3/412 9120\n", 2), Sign::Bad);
        assert_eq!(sign("4.30 3.92 2.10 3/412 9120\n", 16), Sign::Note);
        assert_eq!(sign("0.30 3.92 2.10 3/412 9120\n", 2), Sign::Good);
        // Without averages the load is unknown.
        assert_eq!(sign("", 2), Sign::Note);
        assert_eq!(sign("busy", 2), Sign::Note);
    }
}
