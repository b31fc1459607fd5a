//! By what a database is recognised on a machine.

/// Signs of a database's server.
#[derive(Clone, Copy, Debug)]
pub struct Signs {
    /// Names of its program.
    pub programs: &'static [&'static str],
    /// Beginnings of the names of its sockets.
    pub sockets: &'static [&'static str],
    /// Its usual data directories, with a leading slash; `*` stands for any one name.
    pub data_directories: &'static [&'static str],
}

impl Signs {
    /// A library inside other programs, or no database.
    pub(crate) const NONE: Self = Self { programs: &[], sockets: &[], data_directories: &[] };
}
