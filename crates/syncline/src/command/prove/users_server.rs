//! A proof on the user's own server: what it would change, what it may, and that all of it is undone.

#[cfg(feature = "postgresql")]
mod changes;
#[cfg(not(feature = "postgresql"))]
mod without_postgresql;

#[cfg(feature = "postgresql")]
pub(super) use changes::{UsersServer, connect, undo};
#[cfg(not(feature = "postgresql"))]
pub(super) use without_postgresql::{UsersServer, connect, undo};

use std::path::Path;

/// What the command line allows.
#[cfg_attr(not(feature = "postgresql"), expect(dead_code, reason = "there is no server to change"))]
pub(super) struct Rights<'a> {
    /// `--allow-settings`.
    pub(super) settings: bool,
    /// `--allow-busy`.
    pub(super) busy: bool,
    /// The proof that goes on.
    pub(super) resumes: Option<&'a Path>,
}
