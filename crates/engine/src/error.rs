//! What can go wrong, and what is not there: never distinguished by the text of a message.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Why an engine failed an operation.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program was built without the engine.
    #[error(
        "the engine {engine} is not built in: build with `make build WITH={engine}` or `cargo build --features {engine}`"
    )]
    NotBuiltIn {
        /// The engine's name, which is its feature's too.
        engine: &'static str,
    },
    /// The engine cannot do this, whatever the machine.
    #[error("{engine}: {why}")]
    Unsupported { engine: &'static str, why: String },
    /// No durability level of the engine has this name.
    #[error("{engine} has no durability level `{level}`: it has {known}")]
    UnknownLevel {
        engine: &'static str,
        level: String,
        /// The levels it has, separated by commas.
        known: String,
    },
    /// The engine does not take a setting, or not with this value.
    #[error("{engine}: {setting} = {value}: {why}")]
    NativeLevel {
        engine: &'static str,
        setting: String,
        /// The value that was requested.
        value: String,
        /// What the engine says, or has instead.
        why: String,
    },
    /// The directory holds something that Syncline did not make.
    #[error("{} exists and is not a store of Syncline; Syncline touches nothing in it", path.display())]
    ForeignStore { path: PathBuf },
    /// The directory holds a store that was made otherwise.
    #[error("{} holds a store of {found}, not of {wanted}: reopen a store with the engine that created \
        it", path.display())]
    OtherStore {
        path: PathBuf,
        /// Engine and durability level it was made with.
        found: String,
        /// Those that were requested.
        wanted: String,
    },
    /// The engine failed: its own message.
    #[error("{engine}: {operation}: {source}")]
    Failed {
        engine: &'static str,
        /// What it was doing.
        operation: &'static str,
        source: Box<dyn Error + Send + Sync>,
    },
    /// The engine failed because the file system is full: its own message.
    #[error("{engine}: {operation}: {source}")]
    StorageFull {
        engine: &'static str,
        /// What it was doing.
        operation: &'static str,
        source: Box<dyn Error + Send + Sync>,
    },
    /// The directory could not be made, read or removed.
    #[error("{}: {operation}: {source}", path.display())]
    Directory {
        /// What was done to it.
        operation: &'static str,
        /// The directory, or the file in it.
        path: PathBuf,
        source: io::Error,
    },
}

impl EngineError {
    /// For `map_err`: the engine's error while it did `operation`. If the engine passes on the kernel's error, a full
    /// file system is distinguished from other failures.
    pub fn failed<E>(engine: &'static str, operation: &'static str) -> impl Fn(E) -> Self
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        move |source| {
            let source = source.into();
            if kernel_said_full(source.as_ref()) {
                Self::StorageFull { engine, operation, source }
            } else {
                Self::Failed { engine, operation, source }
            }
        }
    }

    /// Whether the file system is full.
    pub fn is_storage_full(&self) -> bool {
        match self {
            Self::StorageFull { .. } => true,
            Self::Directory { source, .. } => source.kind() == io::ErrorKind::StorageFull,
            Self::NotBuiltIn { .. }
            | Self::Unsupported { .. }
            | Self::UnknownLevel { .. }
            | Self::NativeLevel { .. }
            | Self::ForeignStore { .. }
            | Self::OtherStore { .. }
            | Self::Failed { .. } => false,
        }
    }

    /// Why there can be no result, if that is the answer rather than a failure: the engine is not built in, or
    /// cannot do this.
    pub fn unsupported(&self) -> Option<String> {
        match self {
            Self::NotBuiltIn { .. } | Self::Unsupported { .. } => Some(self.to_string()),
            Self::UnknownLevel { .. }
            | Self::NativeLevel { .. }
            | Self::ForeignStore { .. }
            | Self::OtherStore { .. }
            | Self::Failed { .. }
            | Self::StorageFull { .. }
            | Self::Directory { .. } => None,
        }
    }
}

fn kernel_said_full(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::StorageFull) {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests are built with every engine: what a build without one says is held here.
    #[test]
    fn an_engine_that_is_not_built_in_names_its_feature_and_is_no_failure() {
        let error = EngineError::NotBuiltIn { engine: "rocksdb" };
        let expected = "the engine rocksdb is not built in: build with `make build WITH=rocksdb` or `cargo build --features rocksdb`";
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.unsupported().as_deref(), Some(expected));
        assert!(!error.is_storage_full());
    }
}
