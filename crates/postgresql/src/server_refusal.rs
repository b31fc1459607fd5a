//! Why a proof does not change the user's server.

/// Why a proof does not change the user's server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerRefusal {
    /// It replays another server's log.
    #[error("the server is a standby: a proof needs one that can be written to")]
    Standby,
    /// Others work on it.
    #[error("{sessions} other session(s) work on the server now: stop them, or allow it")]
    Busy {
        /// Sessions that are not idle.
        sessions: i64,
    },
    /// A setting needs what is not Syncline's to do.
    #[error("{name} takes effect only when {when}: Syncline changes it on servers of its own")]
    NotReloadable { name: String, when: &'static str },
    /// No such setting.
    #[error("the server has no setting {name}")]
    Unknown { name: String },
    /// What it promises now is less than a proof compares.
    #[error("{name} = off on this server gives up durability, and a proof compares servers that promise it")]
    NotDurable { name: String },
    /// The role may not do something.
    #[error("the role {role} may not {what}: {remedy}")]
    Privilege {
        role: String,
        /// What it may not.
        what: String,
        /// What gives it the right.
        remedy: &'static str,
    },
    /// An earlier proof is not undone, or runs.
    #[error(
        "a proof changes this server already, or was killed: its scratch database {database} is there ({comment}); \
         undo that proof"
    )]
    LeftOver {
        database: String,
        /// Where the proof is.
        comment: String,
    },
    /// The server cannot read its own files of settings.
    #[error(
        "the server cannot read its settings ({file}, line {line}: {why}), so a reload would change nothing: mend that \
         first"
    )]
    UnreadableFiles {
        file: String,
        /// From 1; 0 if the error is not in a line.
        line: i64,
        /// As the server says it.
        why: String,
    },
    /// A setting that the journal does not name.
    #[error("the undo journal does not name {name}, so Syncline does not change it")]
    NotInJournal { name: String },
    /// It was not made as it was.
    #[error("{name} could not be given its value from before ({before}): set it by ALTER SYSTEM")]
    NotUndone {
        name: String,
        /// Its value from before.
        before: String,
    },
    /// The journal is of another server.
    #[error(
        "the undo journal names the server at {expected} with system identifier {system_identifier}, and {address} \
         leads to another"
    )]
    Another {
        /// Where the proof reached its server.
        expected: String,
        system_identifier: String,
        /// Where the other is.
        address: String,
    },
    /// The server did not reload.
    #[error("the server did not reload its configuration within {seconds} s")]
    NoReload {
        /// How long Syncline waited.
        seconds: u64,
    },
}
