//! PostgreSQL: "Database File Layout" and "Database Cluster and Server Files" of its manual.

use super::file::{Found, Layout, Role, below, is_number, name};
use std::path::Path;

pub(super) const LAYOUT: Layout = Layout { name: "PostgreSQL", recognise };

/// Directories of what is written through the buffers of the server, beside `base`.
const DATA: [&str; 9] = [
    "base",
    "global",
    "pg_commit_ts",
    "pg_multixact",
    "pg_notify",
    "pg_serial",
    "pg_subtrans",
    "pg_twophase",
    "pg_xact",
];

fn recognise(path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    // The directory of a database has a PG_VERSION too.
    if let Some((root, names)) = below(path, &["PG_VERSION", "global"], exists) {
        let role = match names.first().copied().unwrap_or_default() {
            "pg_wal" => Role::Log,
            _ if is_temporary(&names) => Role::Temporary,
            // `pg_filenode.map`, `pg_internal.init` and others beside the relations.
            "base" | "global" if !name(path).starts_with(|c: char| c.is_ascii_digit()) => Role::Other,
            first if DATA.contains(&first) => Role::Data,
            _ => Role::Other,
        };
        return Some(Found { root: root.to_owned(), role });
    }
    // The log on another disk is reached through a link, which the kernel has followed.
    if is_segment(name(path)) {
        return Some(Found { root: path.parent()?.to_owned(), role: Role::Log });
    }
    let is_tablespace = |directory: &&Path| {
        let mut parts = name(directory).split('_');
        parts.next() == Some("PG") && parts.clone().count() == 2 && parts.all(is_number)
    };
    let tablespace = path.ancestors().skip(1).find(is_tablespace)?;
    let names: Vec<&str> =
        path.strip_prefix(tablespace).ok()?.iter().filter_map(|name| name.to_str()).collect();
    let role = if is_temporary(&names) { Role::Temporary } else { Role::Data };
    Some(Found { root: tablespace.parent()?.to_owned(), role })
}

/// Files of sorts and hashes (`pgsql_tmp`), and relations of sessions (`t3_16391`).
fn is_temporary(names: &[&str]) -> bool {
    let is_relation = |name: &str| {
        name.strip_prefix('t')
            .and_then(|rest| rest.split_once('_'))
            .is_some_and(|(session, _)| is_number(session))
    };
    names.contains(&"pgsql_tmp") || names.last().is_some_and(|name| is_relation(name))
}

/// 24 hexadecimal digits.
fn is_segment(name: &str) -> bool {
    const DIGITS: usize = 24;
    name.len() == DIGITS && name.bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte))
}
