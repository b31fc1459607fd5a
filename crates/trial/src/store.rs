//! An engine's store: each trial creates it in its own directory and removes it at its end.

use crate::refusal::Refusal;
use crate::site::Site;
use engine::{AnyEngine, Engine, EngineError, EngineKind, Options, store};
use model::DurabilityClass;
use model::units::format_bytes_approximate;
use std::path::{Path, PathBuf};

const DIRECTORY: &str = "store";

/// A file system with less room than this is full to an engine: an LSM tree allocates a write buffer's size at once, 64
/// MiB in RocksDB and fjall, and frees what it could not finish.
const ROOM_BYTES_MIN: u64 = 64 << 20;

/// The directory of a trial's store. Dropping it removes the store, so that no trial leaves its store or its space to
/// the next.
pub(crate) struct Store {
    directory: PathBuf,
}

impl Store {
    /// An empty place for a store, after removing what a killed worker left there.
    pub(crate) fn fresh(site: &Site) -> Result<Self, Refusal> {
        let directory = site.directory().join(DIRECTORY);
        store::remove(&directory).map_err(Refusal::failed)?;
        Ok(Self { directory })
    }

    /// What a killed process left; an empty place if it left nothing.
    pub(crate) fn found(site: &Site) -> Self {
        Self { directory: site.directory().join(DIRECTORY) }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The options to open an engine there; all others are the engine's defaults.
    pub(crate) fn options(&self, durability: Option<&str>) -> Options {
        let options = Options::new(&self.directory);
        match durability {
            Some(level) => options.durability(level),
            None => options,
        }
    }
}

impl Store {
    /// Opens the engine of this name. Some make files of their full size at once.
    pub(crate) fn open(
        &self,
        name: &str,
        options: &Options,
        size_parameter: &str,
    ) -> Result<Opened, Refusal> {
        let kind = kind(name)?;
        let class = kind.level(options)?.class;
        let is_persistent = kind.is_persistent()?;
        let engine = kind
            .open(options)
            .map_err(|error| self.refuse(&error, format!("phase open: {error}"), size_parameter))?;
        Ok(Opened { engine, class, is_persistent })
    }

    /// The refusal for an engine's failure. `said` is the engine's own message, with its context. Not every engine
    /// passes on the kernel's error, so this checks the free space itself.
    pub(crate) fn refuse(&self, error: &EngineError, said: String, size_parameter: &str) -> Refusal {
        if let Some(why) = error.unsupported() {
            return Refusal::Unsupported(why);
        }
        let left_bytes = disk::files::space_available(&self.directory).ok();
        match left_bytes {
            Some(left) if left < ROOM_BYTES_MIN || error.is_storage_full() => Refusal::Failed(format!(
                "{said}; {} are free on the file system: free space or take fewer {size_parameter}",
                format_bytes_approximate(left as f64)
            )),
            Some(_) | None => Refusal::Failed(said),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A file that cannot be removed now is removed with the work directory.
        let _ = store::remove(&self.directory);
    }
}

/// An engine in its store, and what it declares.
pub(crate) struct Opened {
    pub(crate) engine: AnyEngine,
    /// What an acknowledged write survives.
    pub(crate) class: DurabilityClass,
    /// Whether it has files.
    pub(crate) is_persistent: bool,
}

/// The engine of this name.
pub(crate) fn kind(name: &str) -> Result<EngineKind, Refusal> {
    EngineKind::from_name(name).ok_or_else(|| Refusal::Failed(format!("no engine is called {name}")))
}

impl Opened {
    /// Closes the store; an error of the engine fails the trial.
    pub(crate) fn close(self) -> Result<(), EngineError> {
        self.engine.close()
    }
}

/// The refusal for an engine's error.
impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        match error.unsupported() {
            Some(why) => Self::Unsupported(why),
            None => Self::Failed(error.to_string()),
        }
    }
}
