//! SQLite: "Temporary Files Used By SQLite" of its documentation.

use super::file::{Found, Layout, Role, name};
use std::path::{Path, PathBuf};

pub(super) const LAYOUT: Layout = Layout { name: "SQLite", recognise };

/// Files beside a database, which end like this.
const BESIDE: [(&str, Role); 3] = [("-wal", Role::Log), ("-journal", Role::Log), ("-shm", Role::Other)];
/// Extensions that nothing else has.
const EXTENSIONS: [&str; 3] = ["sqlite", "sqlite3", "db3"];

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    let text = path.to_str()?;
    for (ending, role) in BESIDE {
        if let Some(database) = text.strip_suffix(ending) {
            return Some(Found { root: database.into(), role });
        }
    }
    if name(path).starts_with("etilqs_") {
        return Some(Found { root: path.parent()?.to_owned(), role: Role::Temporary });
    }
    let has_beside = BESIDE.iter().any(|(ending, _)| exists(&PathBuf::from(format!("{text}{ending}"))));
    let is_named =
        path.extension().and_then(|extension| extension.to_str()).is_some_and(|of| EXTENSIONS.contains(&of));
    (has_beside || is_named).then(|| Found { root: path.to_owned(), role: Role::Data })
}
