//! `/proc/PID/status` (`proc_pid_status(5)`).

use serde::Serialize;

/// Bits of a set of capabilities (capabilities(7)).
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_ADMIN: u32 = 21;

/// What filters the system calls of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Seccomp {
    Nothing,
    /// Only read, write and exit.
    Strict,
    /// Filters; their number since Linux 5.9.
    Filters(Option<u32>),
}

/// The lines that decide what a process may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    pub name: String,
    /// `None` if the kernel has no seccomp.
    pub seccomp: Option<Seccomp>,
    pub no_new_privileges: Option<bool>,
    /// Effective capabilities, as bits.
    pub capabilities: u64,
    /// Effective group and supplementary groups.
    pub groups: Vec<u32>,
    /// Whether it may have transparent huge pages (`PR_SET_THP_DISABLE`); `None` before Linux 5.0.
    pub transparent_huge_pages: Option<bool>,
}

impl Status {
    /// Reads the file. A line that is missing or unreadable leaves its default.
    pub fn parse(text: &str) -> Self {
        let line = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let number = |name: &str| line(name)?.parse::<u32>().ok();
        let seccomp = match number("Seccomp") {
            Some(0) => Some(Seccomp::Nothing),
            Some(1) => Some(Seccomp::Strict),
            Some(_) => Some(Seccomp::Filters(number("Seccomp_filters"))),
            None => None,
        };
        let effective = line("Gid").and_then(|groups| groups.split_whitespace().nth(1)?.parse().ok());
        let others = line("Groups").into_iter().flat_map(str::split_whitespace);
        let others = others.filter_map(|group| group.parse().ok());
        Self {
            name: line("Name").unwrap_or_default().to_owned(),
            seccomp,
            no_new_privileges: number("NoNewPrivs").map(|flag| flag == 1),
            capabilities: line("CapEff").and_then(|bits| u64::from_str_radix(bits, 16).ok()).unwrap_or(0),
            groups: effective.into_iter().chain(others).collect(),
            transparent_huge_pages: number("THP_enabled").map(|flag| flag == 1),
        }
    }

    /// Whether locked memory has no limit for it.
    pub const fn may_lock_memory(&self) -> bool {
        self.capabilities & (1 << CAP_IPC_LOCK) != 0
    }

    pub(crate) const fn administers(&self) -> bool {
        self.capabilities & (1 << CAP_SYS_ADMIN) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_container_are_read() {
        let text = "Name:\tpostgres\nUid:\t999\t999\t999\t999\nGid:\t999\t998\t999\t999\nGroups:\t101 999 \n\
            CapEff:\t0000000000204000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\nTHP_enabled:\t0\n";
        let status = Status::parse(text);
        assert_eq!(status.seccomp, Some(Seccomp::Filters(Some(1))));
        assert_eq!((status.name.as_str(), status.no_new_privileges), ("postgres", Some(true)));
        assert_eq!(status.groups, [998, 101, 999]);
        assert!(status.administers() && status.may_lock_memory());
        assert_eq!(status.transparent_huge_pages, Some(false));
        assert_eq!(Status::parse("Seccomp:\t2\n").seccomp, Some(Seccomp::Filters(None)));
        assert_eq!(Status::parse("Seccomp: x\nCapEff: zz\nGid:\n"), Status::default());
    }
}
