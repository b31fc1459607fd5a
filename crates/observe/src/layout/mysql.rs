//! MySQL with InnoDB: "InnoDB On-Disk Structures" of its manual.

use super::file::{Found, Layout, below};
use super::innodb;
use std::path::Path;

pub(super) const LAYOUT: Layout = Layout { name: "MySQL", recognise };

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    let (root, names) = below(path, &["ibdata1"], exists)?;
    Some(Found { root: root.to_owned(), role: innodb::role(path, &names) })
}
