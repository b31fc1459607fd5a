//! Which threads are the kernel's own.

use crate::event::Name;
use std::collections::BTreeSet;
use std::fs;

/// `kthreadd`, the parent of the kernel's threads (`kernel/kthread.c`).
const PARENT: u32 = 2;

/// The kernel's threads, by the numbers that the events have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelThreads {
    /// All of them. Empty if none can be seen, as in a name space of processes of one's own.
    pub all: BTreeSet<u32>,
    /// Those that run soft interrupts on a busy CPU (`ksoftirqd`).
    pub interrupts: BTreeSet<u32>,
}

impl KernelThreads {
    /// Those that run now. In a name space of processes of one's own they are not seen: the time until a soft interrupt
    /// runs then counts as the device's.
    pub fn of_this_machine() -> Self {
        let mut found = Self::default();
        for entry in fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok) {
            let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let Ok(status) = fs::read_to_string(entry.path().join("stat")) else { continue };
            let Some((name, parent)) = name_and_parent(&status) else { continue };
            if parent == PARENT || number == PARENT && name == "kthreadd" {
                found.all.insert(number);
                if name.starts_with("ksoftirqd/") {
                    found.interrupts.insert(number);
                }
            }
        }
        found
    }

    /// Whether a thread is one of them, as far as can be seen. A worker may be younger than the list: the kernel starts
    /// them when there is work, and io_uring starts its own in the process that asks.
    pub(crate) fn has(&self, thread: u32, name: Option<Name>) -> bool {
        self.all.is_empty() || self.all.contains(&thread) || name.is_some_and(|name| name.is_of_worker())
    }
}

/// The second and the fourth field of `/proc/PID/stat`. The name is in parentheses, and may have some itself.
fn name_and_parent(status: &str) -> Option<(&str, u32)> {
    let (before, after) = status.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    Some((name, after.split_whitespace().nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_parentheses_and_spaces() {
        assert_eq!(name_and_parent("17 (a) b (c)) S 2 0 0"), Some(("a) b (c)", 2)));
        assert_eq!(name_and_parent("17 (a"), None);
        assert_eq!(name_and_parent("17 (a) S"), None);
    }

    #[test]
    fn this_process_is_none_of_them() {
        let threads = KernelThreads::of_this_machine();
        assert!(!threads.all.contains(&std::process::id()));
        assert!(threads.interrupts.is_subset(&threads.all));
    }

    #[test]
    fn a_worker_that_is_younger_than_the_list_is_known_by_its_name() {
        let threads = KernelThreads { all: BTreeSet::from([9]), interrupts: BTreeSet::new() };
        assert!(threads.has(9, None));
        assert!(threads.has(10, Some(Name::read(b"kworker/1:2\0"))));
        assert!(threads.has(10, Some(Name::read(b"iou-wrk-700\0"))));
        assert!(!threads.has(10, Some(Name::read(b"postgres\0"))));
        assert!(KernelThreads::default().has(10, None), "nothing is known");
    }
}
