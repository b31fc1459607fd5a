//! A server's version, and what it can report.

use std::fmt;

/// As `server_version_num` has it: 180006 is 18.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32);

impl Version {
    /// Temporary tables' I/O is timed apart from other tables' since PostgreSQL 17, and their writes at all.
    pub const LOCAL_IO_TIMING: Self = Self(170_000);
    /// `pg_buffercache_evict` came with PostgreSQL 17.
    pub const EVICTION: Self = Self(170_000);
    /// The oldest whose EXPLAIN has what is read here (WAL came with 13).
    pub const OLDEST: Self = Self(130_000);

    /// Whether a session can have the server count at once what it did: until PostgreSQL 15 a process of its own
    /// counted.
    pub const fn is_flushed_on_request(self) -> bool {
        self.major() >= 15
    }

    pub const fn major(self) -> u32 {
        self.0 / 10_000
    }

    /// Reads what `postgres --version` prints: `postgres (PostgreSQL) 18.6 (Debian …)`.
    pub fn from_program(text: &str) -> Option<Self> {
        Self::from_number(text.split_once("PostgreSQL) ")?.1.split_whitespace().next()?)
    }

    /// Reads `18.6`, `18.6.0` or `19beta1`.
    pub(crate) fn from_number(number: &str) -> Option<Self> {
        let mut parts = number.split(|c: char| !c.is_ascii_digit());
        let major: u32 = parts.next()?.parse().ok()?;
        let minor: u32 = parts.next().and_then(|minor| minor.parse().ok()).unwrap_or(0);
        (major < 1000 && minor < 10_000).then_some(Self(major * 10_000 + minor))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major(), self.0 % 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_tell_their_version_in_several_ways() {
        let read = |text| Version::from_program(text).map(|version| version.to_string());
        assert_eq!(read("postgres (PostgreSQL) 18.6\n").as_deref(), Some("18.6"));
        assert_eq!(read("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)").as_deref(), Some("15.18"));
        assert_eq!(read("postgres (PostgreSQL) 19beta1").as_deref(), Some("19.0"));
        assert_eq!(read("mysqld 8"), None);
        assert!(Version(180_006) > Version::LOCAL_IO_TIMING && Version(150_018) < Version::LOCAL_IO_TIMING);
    }
}
