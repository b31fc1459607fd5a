//! What the machine or this build lacks, and which configurations need it.

use super::direct::needs_direct;
use crate::servers;
use model::{Configuration, Schema};

/// How to have what a file system does not give.
const ON_A_DISK: &str = "choose a directory on a disk with --dir";

/// Something that is lacking.
pub(crate) struct Lack {
    /// Its name in a sentence: `direct I/O`.
    pub(crate) what: &'static str,
    /// Why it is lacking, and the remedy.
    pub(crate) why: String,
    /// Whether a configuration needs it.
    pub(crate) is_needed: fn(&Schema, &Configuration) -> bool,
}

impl Lack {
    /// The directory has no direct I/O.
    pub(crate) fn of_direct(why: &str) -> Self {
        Self { what: "direct I/O", why: format!("{why}; {ON_A_DISK}"), is_needed: needs_direct }
    }

    /// There is no PostgreSQL server.
    pub(crate) fn of_server(why: &str) -> Self {
        let is_needed = |_: &Schema, values: &Configuration| servers::is_driven(values);
        Self { what: "PostgreSQL", why: why.to_owned(), is_needed }
    }
}
