//! `/proc/PID/limits` (`proc_pid_limits(5)`).

use serde::Serialize;

/// A resource limit; `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceLimit {
    /// What holds.
    pub soft: Option<u64>,
    /// Up to where the process may raise it.
    pub hard: Option<u64>,
}

impl ResourceLimit {
    /// The limit of this name, such as `Max locked memory`; `None` if the text has none.
    pub fn parse(text: &str, name: &str) -> Option<Self> {
        let mut words = text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace();
        let mut next = || match words.next()? {
            "unlimited" => Some(None),
            number => number.parse().ok().map(Some),
        };
        Some(Self { soft: next()?, hard: next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_or_unlimited() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
            Max locked memory         65536                unlimited            bytes     \n\
            Max open files            x                    4096                 files     \n";
        let locked = ResourceLimit::parse(text, "Max locked memory");
        assert_eq!(locked, Some(ResourceLimit { soft: Some(65_536), hard: None }));
        assert_eq!(ResourceLimit::parse(text, "Max open files"), None);
        assert_eq!(ResourceLimit::parse(text, "Max cpu time"), None);
    }
}
