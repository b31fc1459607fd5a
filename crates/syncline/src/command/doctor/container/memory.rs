//! Locked memory, huge pages and shared memory.

use crate::command::doctor::check::{Check, Sign, check};
use ::container::Look;
use disk::kernel::mounts::Mount;
use model::mechanism::Measured;
use model::units::{KIB, MIB, format_bytes_approximate};
use std::path::Path;

/// Registered buffers of a server fit into this.
const LOCKED_ENOUGH_BYTES: u64 = 64 * MIB;
/// Parallel queries of PostgreSQL need more than this, which Docker and Kubernetes give by default.
const SHARED_SMALL_BYTES: u64 = 64 * MIB;
const SHARED_MEMORY: &str = "/dev/shm";

pub(super) fn of_memory(look: &Look) -> Vec<Check> {
    let shared = look.mounts.value().and_then(|mounts| shared_memory(mounts));
    [locked(look), reserved_pages(look)].into_iter().chain(transparent_pages(look)).chain(shared).collect()
}

fn locked(look: &Look) -> Check {
    const COUNTS: &str = "buffers that io_uring registers and memory that is locked count against it; Linux before 5.12 \
        counts rings too and answers \"Cannot allocate memory\": raise it with --ulimit memlock=-1 or LimitMEMLOCK=";
    let limit = match &look.locked_memory {
        Measured::Value(limit) => limit,
        Measured::Unsupported { unsupported } => {
            return check(Sign::Unchecked, format!("locked memory is not checked: {unsupported}"), COUNTS);
        }
    };
    match limit.soft {
        _ if look.status.may_lock_memory() => check(
            Sign::Good,
            "locked memory has no limit (CAP_IPC_LOCK)",
            "buffers can be registered and locked",
        ),
        None => check(Sign::Good, "locked memory has no limit", "buffers can be registered and locked"),
        Some(bytes) => {
            let fact = format!("locked memory is limited to {}", format_bytes_approximate(bytes as f64));
            check(if bytes >= LOCKED_ENOUGH_BYTES { Sign::Good } else { Sign::Note }, fact, COUNTS)
        }
    }
}

fn reserved_pages(look: &Look) -> Check {
    let pages = &look.huge_pages;
    let size = format_bytes_approximate(pages.page_bytes as f64);
    if pages.total == 0 {
        return check(
            Sign::Note,
            format!("no huge pages of {size} are reserved on this machine (HugePages_Total = 0)"),
            "huge_pages = on does not start, and huge_pages = try uses small ones",
        );
    }
    let fact = format!("{} of {} huge pages of {size} are free on this machine", pages.free, pages.total);
    match &look.huge_pages_max_bytes {
        Measured::Value(Some(0)) => check(
            Sign::Bad,
            format!("{fact}, and the control group allows none"),
            "a server that tries huge pages maps them and ends with a bus error at the first access: give the container \
             a limit of hugepages, or set huge_pages = off",
        ),
        Measured::Value(limit) => {
            let allowed = limit.map_or_else(
                || "the control group does not limit them".to_owned(),
                |bytes| format!("the control group allows {}", format_bytes_approximate(bytes as f64)),
            );
            let enough = limit.is_none_or(|bytes| bytes >= pages.page_bytes) && pages.free > 0;
            check(
                if enough { Sign::Good } else { Sign::Note },
                format!("{fact}, and {allowed}"),
                "huge_pages = on starts if its shared memory fits into them",
            )
        }
        Measured::Unsupported { unsupported } => check(
            Sign::Unchecked,
            format!("{fact}; the limit of the control group is not checked: {unsupported}"),
            "a limit of 0 ends a server that tries huge pages with a bus error",
        ),
    }
}

fn transparent_pages(look: &Look) -> Option<Check> {
    let setting = look.huge_pages.transparent.as_deref()?;
    let forbidden = look.status.transparent_huge_pages == Some(false);
    let suffix = if forbidden { ", and the process has switched them off" } else { "" };
    let fact = format!("transparent huge pages: {setting}{suffix}");
    Some(if setting == "always" && !forbidden {
        check(
            Sign::Note,
            fact,
            "Redis, MongoDB and jemalloc advise against always: a fork copies whole huge pages",
        )
    } else {
        check(Sign::Good, fact, "a program gets them only if it asks for them, or not at all")
    })
}

/// Where PostgreSQL keeps what parallel queries share.
fn shared_memory(mounts: &[Mount]) -> Option<Check> {
    const MEANING: &str = "parallel queries of PostgreSQL end with \"could not resize shared memory segment\" if it is \
        full: raise it with --shm-size, in a pod with an emptyDir of medium Memory";
    let mount = mounts.iter().rfind(|mount| mount.point == Path::new(SHARED_MEMORY))?;
    let size = mount.options.split(',').find_map(|option| option.strip_prefix("size="))?;
    let bytes = size.strip_suffix('k')?.parse::<u64>().ok()?.checked_mul(KIB)?;
    let fact = format!("{SHARED_MEMORY} has {}", format_bytes_approximate(bytes as f64));
    Some(check(if bytes <= SHARED_SMALL_BYTES { Sign::Note } else { Sign::Good }, fact, MEANING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_shared_memory_is_an_option_of_its_mount() {
        let sign = |options: &str| {
            let mount = Mount {
                id: 1,
                device: (0, 1),
                root: "/".into(),
                point: SHARED_MEMORY.into(),
                filesystem: "tmpfs".to_owned(),
                source: "shm".into(),
                options: options.to_owned(),
            };
            shared_memory(&[mount]).map(|check| check.sign)
        };
        assert_eq!(sign("rw,nosuid,size=65536k"), Some(Sign::Note));
        assert_eq!(sign("rw,size=1048576k,inode64"), Some(Sign::Good));
        assert_eq!(sign("rw"), None);
        assert_eq!(sign("rw,size=99999999999999999999k"), None);
    }
}
