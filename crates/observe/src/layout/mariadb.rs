//! MariaDB with InnoDB. Its system tables are in Aria, whose control file MySQL does not have ("Aria Storage Engine" of
//! its documentation).

use super::file::{Found, Layout, below};
use super::innodb;
use std::path::Path;

pub(super) const LAYOUT: Layout = Layout { name: "MariaDB", recognise };

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    let (root, names) = below(path, &["ibdata1", "aria_log_control"], exists)?;
    Some(Found { root: root.to_owned(), role: innodb::role(path, &names) })
}
