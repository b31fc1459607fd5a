//! The directory on the disk that a command looks at.

use super::origin::Origin;
use clap::Args;
use std::path::{Path, PathBuf};

/// One directory, with or without the option's name.
#[derive(Debug, Args)]
pub(crate) struct PlaceArguments {
    /// Directory on the disk to look at. Syncline works in a fresh directory below it and removes that at the end
    /// [default: the current directory].
    #[arg(value_name = "DIR", conflicts_with = "dir")]
    place: Option<PathBuf>,
    /// The same as DIR.
    #[arg(long, add = Origin::Defaults)]
    dir: Option<PathBuf>,
}

impl PlaceArguments {
    pub(crate) fn path(&self) -> &Path {
        self.place.as_deref().or(self.dir.as_deref()).unwrap_or(Path::new("."))
    }
}
