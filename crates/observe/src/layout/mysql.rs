//! MySQL and MariaDB with InnoDB: "InnoDB On-Disk Structures" of MySQL's manual. Both have the same names.

use super::file::{Found, Layout, Role, below, is_number, name};
use std::path::Path;

pub(super) const LAYOUT: Layout = Layout { name: "MySQL or MariaDB", recognise };

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    let (root, names) = below(path, &["ibdata1"], exists)?;
    Some(Found { root: root.to_owned(), role: role(name(path), &names) })
}

fn role(name: &str, names: &[&str]) -> Role {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    // Binary and relay logs are numbered: binlog.000012.
    let is_numbered = name.contains("bin") && is_number(extension);
    if name.starts_with("ib_logfile") || names.contains(&"#innodb_redo") || is_numbered {
        return Role::Log;
    }
    if names.contains(&"#innodb_temp") || name.starts_with("ibtmp") || name.starts_with("#sql") {
        return Role::Temporary;
    }
    let is_data = ["ibd", "dblwr", "ibu", "MYD", "MYI", "MAD", "MAI"].contains(&extension);
    if is_data || name.starts_with("ibdata") || name.starts_with("undo") {
        return Role::Data;
    }
    if name.starts_with("aria_log") { Role::Log } else { Role::Other }
}
