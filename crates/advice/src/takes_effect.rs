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
    /// At once, for everybody.
    AtOnce,
    /// It is not a setting.
    Never,
}

impl TakesEffect {
    /// `after a restart`.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Restart => "after a restart",
            Self::Reload => "after a reload of the configuration",
            Self::Session => "in each session that sets it",
            Self::SuperuserSession => "in each session of a superuser that sets it, or after a reload",
            Self::AtCreation => "only if it is set when the database is created",
            Self::AtOpen => "when the database is opened",
            Self::AtOnce => "at once",
            Self::Never => "",
        }
    }
}
