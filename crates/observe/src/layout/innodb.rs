//! Files of InnoDB, which MySQL and MariaDB name alike: what each is.

use super::file::{Role, is_number, name};
use std::path::Path;

/// What a file is; the names lead to it from the directory of the server.
pub(super) fn role(path: &Path, names: &[&str]) -> Role {
    let name = name(path);
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
