//! Whether a process may use `io_uring`, and why.

use crate::access::{Access, IoUringSwitch};
use crate::look::Look;
use crate::status::Seccomp;
use model::mechanism::Measured;

/// Whether a process may use `io_uring`. What forbids it comes first. A ring that the process has open proves that it
/// may; after that the runtime's description of the container decides.
pub fn io_uring(look: &Look) -> Access {
    if let Some(why) = switched_off(look) {
        return Access::Denied(why);
    }
    if look.rings.value().is_some_and(|rings| *rings > 0) {
        return Access::Allowed("the process has an io_uring ring open".to_owned());
    }
    match (look.status.seccomp, &look.described) {
        (Some(Seccomp::Strict), _) => Access::Denied("the process is in strict seccomp mode".to_owned()),
        (Some(Seccomp::Nothing), _) => Access::Allowed("no seccomp filter is on the process".to_owned()),
        (None, _) => Access::Open("the kernel does not report seccomp".to_owned()),
        (Some(Seccomp::Filters(count)), Measured::Value(by_profile)) => match (count, by_profile) {
            // The process may have added filters to that of the runtime.
            (Some(2..), Access::Allowed(why)) => {
                Access::Open(format!("{why}, and the process has further seccomp filters"))
            }
            (_, found) => found.clone(),
        },
        (Some(Seccomp::Filters(_)), Measured::Unsupported { unsupported }) => Access::Open(format!(
            "a seccomp filter is on the process, and its rules cannot be read from outside: {unsupported}"
        )),
    }
}

/// Why the machine's own switch forbids it to this process.
fn switched_off(look: &Look) -> Option<String> {
    let IoUringSwitch { disabled, group } = look.switch?;
    match disabled {
        0 => None,
        1 => {
            let is_member = group.is_some_and(|group| look.status.groups.contains(&group));
            let administers = look.status.administers() && look.shares_user_namespace != Some(false);
            (!is_member && !administers).then(|| {
                "sysctl kernel.io_uring_disabled = 1 allows it only for root and the group of kernel.io_uring_group"
                    .to_owned()
            })
        }
        _ => Some("sysctl kernel.io_uring_disabled = 2 forbids it on this machine".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    fn look(seccomp: Seccomp) -> Look {
        let status = Status { seccomp: Some(seccomp), ..Status::default() };
        Look { status, described: Measured::unsupported("none"), ..Look::default() }
    }

    #[test]
    fn the_switch_of_the_machine_comes_first_and_a_ring_proves_more_than_a_profile() {
        let switched = |disabled, groups: &[u32]| {
            let mut look = look(Seccomp::Nothing);
            look.switch = Some(IoUringSwitch { disabled, group: Some(7) });
            look.status.groups = groups.to_vec();
            look.rings = Measured::Value(1);
            io_uring(&look)
        };
        assert!(matches!(switched(0, &[]), Access::Allowed(_)));
        assert!(matches!(switched(1, &[]), Access::Denied(_)));
        assert!(matches!(switched(1, &[7]), Access::Allowed(_)));
        assert!(matches!(switched(2, &[7]), Access::Denied(_)));
        let mut filtered = look(Seccomp::Filters(Some(1)));
        assert!(matches!(io_uring(&filtered), Access::Open(_)));
        filtered.rings = Measured::Value(1);
        assert!(matches!(io_uring(&filtered), Access::Allowed(_)));
    }

    #[test]
    fn a_profile_that_allows_it_leaves_filters_of_the_process_open() {
        let by_profile = |count, access: Access| {
            let mut look = look(Seccomp::Filters(count));
            look.described = Measured::Value(access);
            io_uring(&look)
        };
        let (allowed, denied) = (Access::Allowed("a".to_owned()), Access::Denied("d".to_owned()));
        assert!(matches!(by_profile(Some(1), allowed.clone()), Access::Allowed(_)));
        assert!(matches!(by_profile(Some(2), allowed), Access::Open(_)));
        assert!(matches!(by_profile(Some(2), denied), Access::Denied(_)));
        assert!(matches!(io_uring(&look(Seccomp::Strict)), Access::Denied(_)));
        assert!(matches!(io_uring(&look(Seccomp::Nothing)), Access::Allowed(_)));
    }
}
