//! A proof on the user's own server: what it would change, what it may, and that all of it is undone.

#[cfg(feature = "postgresql")]
mod changes;
#[cfg(not(feature = "postgresql"))]
mod without_postgresql;

#[cfg(feature = "postgresql")]
pub(super) use changes::{UsersServer, connect, undo};
#[cfg(not(feature = "postgresql"))]
pub(super) use without_postgresql::{UsersServer, connect, undo};

use crate::failure::Failure;
use crate::proofs::ProofDirectory;
use std::path::Path;

/// The undo journal in a proof's directory.
const JOURNAL: &str = "undo.jsonl";

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

/// A proof goes on on the server that it was made on: its records, and the values that it found, are of that one. What
/// a killed proof has changed on the user's server stays changed until they name the server again.
pub(super) fn require_same_place(directory: &ProofDirectory, is_named: bool) -> Result<(), Failure> {
    let proof = directory.path();
    let why = match (directory.design().users_server.is_some(), is_named) {
        (true, false) if proof.join(JOURNAL).exists() => format!(
            "this proof changed the server that --dsn named, and was killed: name it again with --dsn, or undo the \
             changes with syncline prove --undo {} --dsn …",
            proof.display()
        ),
        (true, false) => {
            "this proof was made on the server that --dsn named: name it again with --dsn or --dsn-file"
                .to_owned()
        }
        (false, true) => "this proof was made on servers of Syncline's own: leave --dsn out".to_owned(),
        (true, true) | (false, false) => return Ok(()),
    };
    Err(Failure::Usage(why))
}
