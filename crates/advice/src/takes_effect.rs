//! How a new value of a setting takes effect.

use serde::Serialize;

/// How a new value of a setting takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TakesEffect {
    /// The server has to be restarted.
    Restart,
    /// The server reads its settings again.
    Reload,
    /// Each session may set it for itself.
    Session,
    /// A superuser's session may set it for itself.
    SuperuserSession,
    /// It is fixed when the database is created.
    AtCreation,
    /// It is given whenever the database is opened.
    AtOpen,
    /// A program gives it whenever it opens a file.
    AtOpenOfFile,
    /// At once, for everybody.
    AtOnce,
    /// It is not a setting.
    Never,
}

impl TakesEffect {
    /// What a new value needs: `a restart`; `None` if nothing.
    pub(crate) const fn need(self) -> Option<&'static str> {
        match self {
            Self::Restart => Some("a restart"),
            Self::Reload => Some("a reload"),
            Self::Session => Some("a session that sets it"),
            Self::SuperuserSession => Some("a superuser's session that sets it, or a reload"),
            Self::AtCreation => Some("a new database"),
            Self::AtOpen => Some("a reopened database"),
            Self::AtOpenOfFile => Some("a change of the program"),
            Self::AtOnce | Self::Never => None,
        }
    }

    /// `after a restart`.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Restart => "after a restart",
            Self::Reload => "after a reload of the configuration",
            Self::Session => "in each session that sets it",
            Self::SuperuserSession => "in each session of a superuser that sets it, or after a reload",
            Self::AtCreation => "only if it is set when the database is created",
            Self::AtOpen => "when the database is opened",
            Self::AtOpenOfFile => "when the program opens its next file",
            Self::AtOnce => "at once",
            Self::Never => "",
        }
    }
}
