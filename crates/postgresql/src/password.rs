//! A password from where libpq looks for it, so that none has to be in a command line: the environment's `PGPASSWORD`,
//! then a password file (`PGPASSFILE`, or `~/.pgpass`). PostgreSQL's manual, "Environment Variables" and "The Password
//! File".

use postgres::Config;
use postgres::config::Host;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A line of a password file is short, and nobody has thousands of servers.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Gives a configuration without a password the one that libpq would take, if there is one.
pub(crate) fn complete(config: &mut Config) {
    if config.get_password().is_some() {
        return;
    }
    if let Some(password) = env::var_os("PGPASSWORD").filter(|password| !password.is_empty()) {
        config.password(password.into_encoded_bytes());
        return;
    }
    let Some(text) = password_file().and_then(|path| read(&path)) else { return };
    if let Some(password) = find(&text, &Wanted::from_config(config)) {
        config.password(password);
    }
}

fn password_file() -> Option<PathBuf> {
    let named = env::var_os("PGPASSFILE").filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".pgpass")))
}

/// Like libpq, takes regular files only, and none that others may read.
fn read(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    let for_others = facts.permissions().mode() & 0o077;
    let is_small = facts.len() <= FILE_BYTES_MAX;
    if facts.is_file() && for_others == 0 && is_small { fs::read_to_string(path).ok() } else { None }
}

/// What a line has to match.
struct Wanted {
    host: String,
    port: String,
    database: String,
    user: String,
}

impl Wanted {
    /// For several hosts the first. A socket in libpq's own directory, and no host at all, count as `localhost`.
    fn from_config(config: &Config) -> Self {
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            Some(Host::Unix(path)) if is_default_socket_directory(path) => "localhost".to_owned(),
            Some(Host::Unix(path)) => path.to_string_lossy().into_owned(),
            None => "localhost".to_owned(),
        };
        let user = config.get_user().map_or_else(|| env::var("USER").unwrap_or_default(), str::to_owned);
        Self {
            host,
            port: config.get_ports().first().unwrap_or(&5432).to_string(),
            database: config.get_dbname().map_or_else(|| user.clone(), str::to_owned),
            user,
        }
    }
}

/// `DEFAULT_PGSOCKET_DIR`, and what Debian makes of it.
fn is_default_socket_directory(path: &Path) -> bool {
    path == Path::new("/tmp") || path == Path::new("/var/run/postgresql")
}

/// The password of the first line that fits: `host:port:database:user:password`, where `*` fits all and a backslash
/// takes the next character as it is.
fn find(text: &str, wanted: &Wanted) -> Option<String> {
    let of_server = [&wanted.host, &wanted.port, &wanted.database, &wanted.user];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = fields(line).into_iter();
        let fits = of_server
            .iter()
            .all(|value| fields.next().is_some_and(|field| field.is_any() || field.text == **value));
        fields.next().filter(|password| fits && !password.text.is_empty()).map(|password| password.text)
    })
}

/// One field of a line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Field {
    text: String,
    /// Whether it had no backslash.
    is_plain: bool,
}

impl Field {
    fn is_any(&self) -> bool {
        self.is_plain && self.text == "*"
    }
}

fn fields(line: &str) -> Vec<Field> {
    let new = || Field { text: String::new(), is_plain: true };
    let mut fields = vec![];
    let mut field = new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                field.is_plain = false;
                field.text.extend(rest.next());
            }
            // The password is the rest of the line.
            ':' if fields.len() < 4 => fields.push(std::mem::replace(&mut field, new())),
            other => field.text.push(other),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "# mine\n\ndb1:5432:bench:me:first\n*:*:*:me:any\\:\\\\thing\nx:1:\\*:me:star\ndb2:*:*:*:\n";

    fn password_for(dsn: &str) -> Option<String> {
        find(FILE, &Wanted::from_config(&dsn.parse().expect("a connection string")))
    }

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        assert_eq!(password_for("host=db1 user=me dbname=bench").as_deref(), Some("first"));
        assert_eq!(password_for("host=db1 port=5433 user=me dbname=bench").as_deref(), Some("any:\\thing"));
        assert_eq!(password_for("host=/tmp user=me").as_deref(), Some("any:\\thing"));
        assert_eq!(password_for("host=db2 user=you"), None, "an empty password is none");
        assert_eq!(password_for("host=db3 user=you"), None);
    }

    #[test]
    fn a_file_that_others_may_read_is_not_taken() {
        let directory = tempfile::tempdir().expect("made");
        let path = directory.path().join("pgpass");
        fs::write(&path, FILE).expect("written");
        for (mode, is_taken) in [(0o600, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("ours");
            assert_eq!(read(&path).is_some(), is_taken, "{mode:o}");
        }
        assert!(read(directory.path()).is_none() && read(Path::new("/dev/null")).is_none());
    }
}
