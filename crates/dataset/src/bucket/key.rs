//! Keys as stores spell them.

use object_store::path::Path;

/// A key in the store's own spelling. `Path::from` would escape what S3 takes as it is, `~` and brackets among them;
/// what has no spelling of its own here (`a//b`) is left to it.
pub(super) fn as_it_stands(key: &str) -> Path {
    Path::parse(key).unwrap_or_else(|_| Path::from(key))
}
