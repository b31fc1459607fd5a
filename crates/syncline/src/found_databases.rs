//! The databases of this machine, found by processes, sockets and data directories. Nothing is opened but files of
//! `/proc`.

use advice::Signs;
use disk::work_directory::NAME_PREFIX;
use model::host::{FoundDatabase, Trace};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// `__SO_ACCEPTCON` in the flags of `/proc/net/unix`: somebody listens.
const LISTENING: u32 = 1 << 16;

/// Every database below a root directory, the most certain first; a server of Syncline's own is none. What cannot be
/// read holds no sign.
pub(crate) fn found_databases(root: &Path) -> Vec<FoundDatabase> {
    let (programs, sockets) = (programs(root), sockets(root));
    let runs = |signs: &Signs| programs.iter().any(|name| signs.programs.contains(&name.as_str()));
    // MySQL and MariaDB have sockets and directories of the same names: a process says whose they are.
    let are_of_another = |signs: &Signs| {
        let mut others = advice::signs().filter(|(_, other)| other.programs != signs.programs);
        others.any(|(_, other)| !other.sockets.is_empty() && other.sockets == signs.sockets && runs(&other))
    };
    let trace = |signs: &Signs| {
        if runs(signs) {
            return Some(Trace::Process);
        }
        if are_of_another(signs) {
            return None;
        }
        if sockets.iter().any(|name| signs.sockets.iter().any(|sign| name.starts_with(sign))) {
            return Some(Trace::Socket);
        }
        let is_there = |pattern: &&str| matches(root, pattern).iter().any(|path| path.is_dir());
        signs.data_directories.iter().any(is_there).then_some(Trace::DataDirectory)
    };
    let database = |(database, signs): (&str, Signs)| {
        Some(FoundDatabase { database: database.to_owned(), trace: trace(&signs)? })
    };
    let mut found: Vec<FoundDatabase> = advice::signs().filter_map(database).collect();
    found.sort_by_key(|found| found.trace);
    found
}

/// The name of each process's program, as its first argument has it: a child of PostgreSQL's server has other words
/// there.
fn programs(root: &Path) -> Vec<String> {
    let is_process = |name: &OsStr| name.as_bytes().iter().all(u8::is_ascii_digit);
    let processes =
        names(&root.join("proc")).into_iter().filter(|path| path.file_name().is_some_and(is_process));
    let program = |process: PathBuf| {
        let arguments = fs::read(process.join("cmdline")).ok()?;
        let is_own = arguments.windows(NAME_PREFIX.len()).any(|part| part == NAME_PREFIX.as_bytes());
        let first = arguments.split(|byte| *byte == 0).next().filter(|_| !is_own)?;
        Some(Path::new(OsStr::from_bytes(first)).file_name()?.to_string_lossy().into_owned())
    };
    processes.filter_map(program).collect()
}

/// The names of the sockets on which somebody listens. Syncline's own server has a relative path.
fn sockets(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join("proc/net/unix")).unwrap_or_default();
    let name = |line: &str| {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, _, _, flags, _, _, _, path] = columns[..] else { return None };
        let is_listening = u32::from_str_radix(flags, 16).is_ok_and(|flags| flags & LISTENING != 0);
        let path = Path::new(path);
        (is_listening && path.is_absolute())
            .then(|| Some(path.file_name()?.to_string_lossy().into_owned()))?
    };
    text.lines().filter_map(name).collect()
}

/// The paths below a root that a pattern stands for.
fn matches(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let step = |paths: Vec<PathBuf>, name: &str| match name {
        "*" => paths.iter().flat_map(|path| names(path)).collect(),
        name => paths.into_iter().map(|path| path.join(name)).collect(),
    };
    pattern.split('/').filter(|name| !name.is_empty()).fold(vec![root.to_owned()], step)
}

fn names(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these processes, sockets and directories.
    fn machine(processes: &[&[u8]], sockets: &str, directories: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let proc = root.path().join("proc");
        fs::create_dir_all(proc.join("net")).unwrap();
        for (number, arguments) in processes.iter().enumerate() {
            let process = proc.join(number.to_string());
            fs::create_dir(&process).unwrap();
            fs::write(process.join("cmdline"), arguments).unwrap();
        }
        fs::write(proc.join("net/unix"), sockets).unwrap();
        for directory in directories {
            fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        root
    }

    fn check(root: &tempfile::TempDir, expected: &[(&str, Trace)]) {
        let found = found_databases(root.path());
        let found: Vec<(&str, Trace)> =
            found.iter().map(|found| (found.database.as_str(), found.trace)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_process_is_more_certain_than_a_socket_and_a_socket_than_a_directory() {
        let sockets = "Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 21234 /run/postgresql/.s.PGSQL.5432\n";
        let root = machine(&[b"/usr/sbin/mysqld\0"], sockets, &["var/lib/etcd"]);
        check(
            &root,
            &[("mysql", Trace::Process), ("postgresql", Trace::Socket), ("etcd", Trace::DataDirectory)],
        );
        // A process says whose socket and whose directory it is.
        let socket = sockets.replace(".s.PGSQL.5432", "mysqld.sock");
        let root = machine(&[b"/usr/sbin/mariadbd\0"], &socket, &["var/lib/mysql"]);
        check(&root, &[("mariadb", Trace::Process)]);
        let root = machine(&[], &socket, &[]);
        check(&root, &[("mysql", Trace::Socket), ("mariadb", Trace::Socket)]);
        let root =
            machine(&[b"/usr/lib/postgresql/16/bin/postgres\0-D\0/var/lib/postgresql/16/main\0"], "", &[]);
        check(&root, &[("postgresql", Trace::Process)]);
        for directory in ["var/lib/postgresql/16/main", "var/lib/pgsql/data", "var/lib/pgsql/17/data"] {
            check(&machine(&[], "", &[directory]), &[("postgresql", Trace::DataDirectory)]);
        }
    }

    #[test]
    fn what_is_no_server_is_not_found() {
        let sockets = "0000000000000000: 00000003 00000000 00000000 0001 03 2 /run/postgresql/.s.PGSQL.5432\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 3 ./.s.PGSQL.1\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 4 /run/user/0/bus\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 5\nnothing\n";
        let own = format!("postgres\0-D\0/srv/{NAME_PREFIX}a/data\0");
        let processes: [&[u8]; 5] =
            [own.as_bytes(), b"postgres: checkpointer \0", b"/usr/bin/psql\0postgres\0", b"", b"\xff\0\0"];
        check(&machine(&processes, sockets, &["var/lib/postgresql/16", "var/lib/pgsql"]), &[]);
        check(&tempfile::tempdir().unwrap(), &[]);
    }
}
