//! etcd: `server/storage` of its source, "Data directory" of its manual.

use super::file::{Found, Layout, Role, below, name};
use std::path::Path;

pub(super) const LAYOUT: Layout = Layout { name: "etcd", recognise };

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    let (root, names) = below(path, &["member/wal", "member/snap"], exists)?;
    let extension = name(path).rsplit_once('.').map_or("", |(_, extension)| extension);
    let role = match names.get(1).copied().unwrap_or_default() {
        _ if extension == "tmp" => Role::Temporary,
        "wal" => Role::Log,
        "snap" => Role::Data,
        _ => Role::Other,
    };
    Some(Found { root: root.to_owned(), role })
}
