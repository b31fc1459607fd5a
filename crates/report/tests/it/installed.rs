//! Programs that read what Syncline writes, as the scripts of the test command install them.

use std::path::PathBuf;
use std::process::Output;

/// A path in Syncline's folder of the user's cache; `None`, with the reason printed, if the script that makes it has
/// not run.
pub(crate) fn in_cache(path: &str, script: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let found = cache.map(|cache| cache.join("syncline").join(path)).filter(|path| path.exists());
    if found.is_none() {
        skip::because(format_args!("scripts/{script} has not run"));
    }
    found
}

/// Everything that a program printed.
pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
