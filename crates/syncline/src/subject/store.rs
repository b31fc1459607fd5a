//! An engine's store: made in each trial, in a directory of its own, and removed after it.

use super::Refusal;
use super::site::Site;
use engine::{AnyEngine, Engine, EngineError, EngineKind, Options, store};
use model::DurabilityClass;
use std::path::{Path, PathBuf};

const DIRECTORY: &str = "store";

/// The directory of a trial's store. Dropping it removes what is there: no trial leaves its store to the next, and none
/// keeps the space that it took.
pub(crate) struct Store {
    directory: PathBuf,
}

impl Store {
    /// An empty place for a store, after what a killed worker left there.
    pub(crate) fn fresh(site: &Site) -> Result<Self, Refusal> {
        let directory = site.directory().join(DIRECTORY);
        store::remove(&directory).map_err(Refusal::failed)?;
        Ok(Self { directory })
    }

    /// What a killed process left; an empty place if it left nothing.
    pub(crate) fn found(site: &Site) -> Self {
        Self { directory: site.directory().join(DIRECTORY) }
    }

    /// Where it is.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// How an engine is opened there, everything else as the engine has it.
    pub(crate) fn options(&self, durability: Option<&str>) -> Options {
        let options = Options::new(&self.directory);
        match durability {
            Some(level) => options.durability(level),
            None => options,
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // What cannot be removed now goes with the work directory.
        let _ = store::remove(&self.directory);
    }
}

/// An engine in its store, and what it declares.
pub(crate) struct Opened {
    /// The engine.
    pub(crate) engine: AnyEngine,
    /// What an acknowledged write survives.
    pub(crate) class: DurabilityClass,
    /// Whether it has files at all.
    pub(crate) is_persistent: bool,
}

/// Opens the engine of this name.
pub(crate) fn open(name: &str, options: &Options) -> Result<Opened, Refusal> {
    let kind =
        EngineKind::from_name(name).ok_or_else(|| Refusal::Failed(format!("no engine is called {name}")))?;
    let class = kind.level(options)?.class;
    let is_persistent = kind.is_persistent()?;
    Ok(Opened { engine: kind.open(options)?, class, is_persistent })
}

impl Opened {
    /// Closes the store; what the engine says then is the trial's failure.
    pub(crate) fn close(self) -> Result<(), Refusal> {
        Ok(self.engine.close()?)
    }
}

/// What an engine's error means for the trial.
impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        match error.unsupported() {
            Some(why) => Self::Unsupported(why),
            None => Self::Failed(error.to_string()),
        }
    }
}
