//! The user that a server runs as. PostgreSQL refuses root, whose server would be anybody's root.

use crate::error::{Place, PostgresqlError};
use disk::kernel::child::Account;
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Users that a server of root's may run as, best first: `nobody` owns no cluster that a mistake of Syncline could
/// reach.
const UNPRIVILEGED: &[&str] = &["nobody", "postgres"];

/// An unprivileged user, where Syncline is run by root.
#[derive(Clone, Debug)]
pub(crate) struct Unprivileged {
    pub(crate) name: String,
    pub(crate) account: Account,
}

/// Whom to run as; `None` is oneself.
pub(crate) fn unprivileged() -> Result<Option<Unprivileged>, PostgresqlError> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    let path = Path::new("/etc/passwd");
    let users = fs::read_to_string(path).map_err(PostgresqlError::on("read", path))?;
    let found = UNPRIVILEGED.iter().find_map(|name| find(&users, name));
    // initdb looks up the name of the user that it runs as.
    found.map(Some).ok_or_else(|| {
        PostgresqlError::Unsupported(
            "PostgreSQL must not run as root, and /etc/passwd knows neither nobody nor postgres: run Syncline as \
             another user"
                .to_owned(),
        )
    })
}

/// Whom to run servers of other databases as too; `None` is oneself.
pub fn server_account() -> Result<Option<Account>, PostgresqlError> {
    Ok(unprivileged()?.map(|user| user.account))
}

/// A line of passwd(5): `name:password:user:group:…`.
fn find(users: &str, name: &str) -> Option<Unprivileged> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let user = fields.next().filter(|user| *user == name)?;
        let numbers = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
        let (user_id, group) = numbers;
        (user_id != 0)
            .then(|| Unprivileged { name: user.to_owned(), account: Account { user: user_id, group } })
    })
}

impl Unprivileged {
    /// Whether every directory on the way lets this user through, and the last one lets it look.
    pub(crate) fn require_reachable(&self, path: &Path, place: Place) -> Result<(), PostgresqlError> {
        let resolved = fs::canonicalize(path).map_err(PostgresqlError::on("resolve", path))?;
        let mut on_the_way: Vec<&Path> = resolved.ancestors().collect();
        on_the_way.reverse();
        for directory in on_the_way {
            let facts = fs::metadata(directory).map_err(PostgresqlError::on("read", directory))?;
            if !self.may_search(&facts) {
                return Err(PostgresqlError::Unreachable {
                    server: "PostgreSQL".to_owned(),
                    user: self.name.clone(),
                    path: path.to_owned(),
                    blocked: directory.to_owned(),
                    place,
                });
            }
        }
        Ok(())
    }

    /// The x bit of whom the user is to the file.
    fn may_search(&self, facts: &fs::Metadata) -> bool {
        let bit = if facts.uid() == self.account.user {
            0o100
        } else if facts.gid() == self.account.group {
            0o010
        } else {
            0o001
        };
        facts.mode() & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str =
        "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65533:nobody:/:/usr/sbin/nologin\nshort:x\n";

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let nobody = find(USERS, "nobody").map(|user| user.account);
        assert_eq!(nobody, Some(Account { user: 65534, group: 65533 }));
        assert!(find(USERS, "body").is_none() && find(USERS, "short").is_none());
        assert!(find(USERS, "root").is_none(), "root is what is to be avoided");
    }

    #[test]
    fn a_closed_directory_on_the_way_is_named() {
        let nobody = find(USERS, "nobody").expect("is there");
        let top = tempfile::tempdir().expect("made");
        let inside = top.path().join("inside");
        fs::create_dir(&inside).expect("made");
        fs::set_permissions(top.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("ours");
        let error = nobody.require_reachable(&inside, Place::Clusters).expect_err("it is closed");
        let PostgresqlError::Unreachable { blocked, place, .. } = &error else { panic!("{error}") };
        assert_eq!((blocked.as_path(), *place), (top.path(), Place::Clusters));
    }
}
