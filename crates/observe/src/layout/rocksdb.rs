//! RocksDB and what it grew from, LevelDB: `file/filename.cc` of its source.

use super::file::{Found, Layout, Role, is_number, name};
use std::path::Path;

pub(super) const LAYOUT: Layout = Layout { name: "RocksDB", recognise };

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    let root = path.parent()?;
    if !(exists(&root.join("CURRENT")) && (exists(&root.join("IDENTITY")) || exists(&root.join("LOCK")))) {
        return None;
    }
    let name = name(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let role = match extension {
        "log" if is_number(stem) => Role::Log,
        // Tables, and values that are kept apart.
        "sst" | "ldb" | "blob" => Role::Data,
        "dbtmp" => Role::Temporary,
        _ if name.starts_with("MANIFEST-") => Role::Log,
        _ => Role::Other,
    };
    Some(Found { root: root.to_owned(), role })
}
