//! A server as one arm runs it; a store or a database in a process counts as one.

use crate::change::Change;
use model::{FileSystem, Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A server as one arm runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Settings over the defaults of its version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Directory of its programs, if they are not those of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<String>,
    /// Directory of its files, if it is not that of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The fresh file system of its files, if they are not in a directory that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<FileSystem>,
}

impl Server {
    /// The same with a change.
    #[must_use]
    pub fn with(&self, change: &Change) -> Self {
        let mut server = self.clone();
        server.settings.insert(change.name.clone(), change.value.clone());
        server
    }

    /// The same with several changes.
    #[must_use]
    pub fn with_all<'a>(&self, changes: impl IntoIterator<Item = &'a Change>) -> Self {
        changes.into_iter().fold(self.clone(), |server, change| server.with(change))
    }

    /// Its settings as one level of the workload's parameter.
    ///
    /// # Errors
    /// A name or a value that the text of a level cannot hold.
    pub fn settings(&self) -> Result<Settings, String> {
        Settings::new(self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

/// A server with its name on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedServer {
    pub name: String,
    pub server: Server,
}
