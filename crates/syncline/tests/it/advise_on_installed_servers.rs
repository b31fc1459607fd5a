//! The settings files of `syncline advise` are read by real servers of MariaDB and MySQL: what follows from a run, and
//! every value that a rule can name. The two have settings of the same names, and each refuses some of the other's.

#![cfg(feature = "survive")]

use crate::advise::{assignments, golden};
use server::{Programs, is_same_value};
use settings::Writer;
use std::fs;
use std::path::Path;
use std::process::Output;

/// The programs of a server, if the machine has them.
fn programs(name: &str) -> Option<Programs> {
    let server = server::named(name).expect("listed");
    match server.find(server::unpacked().as_deref()) {
        Err(why) if why.is_absence() => {
            skip::because(why);
            None
        }
        found => Some(found.expect("can be run")),
    }
}

/// What a server makes of a settings file: it reads the file, prints the value of every setting, and ends.
fn read_by(programs: &Programs, file: &Path) -> Output {
    let mut command = programs.command();
    command.arg(format!("--defaults-file={}", file.display()));
    command.arg(format!("--lc-messages-dir={}", programs.file("usr/share/mysql").display()));
    command.args(["--user=root", "--help", "--verbose"]).output().expect("starts")
}

/// The value that a server printed of a setting, whose name it writes with hyphens.
fn printed<'a>(output: &'a str, name: &str) -> Option<&'a str> {
    let name = name.replace('_', "-");
    output.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' ')).map(str::trim)
}

#[track_caller]
fn takes(programs: &Programs, text: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("advised.cnf");
    fs::write(&file, text).unwrap();
    let output = read_by(programs, &file);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8_lossy(&output.stdout);
    for (name, value) in assignments(text) {
        let shown = printed(&found, name).unwrap_or_else(|| panic!("{name} is not printed"));
        assert!(is_same_value(shown, value), "{name} = {value}, and the server has {shown}");
    }
}

/// Every value that the advice to a database can name, one after another.
fn takes_every_candidate(name: &str) {
    let Some(programs) = programs(name) else { return };
    let advice = advice::unmeasured(name).expect("has rules");
    let version = server::named(name).expect("listed").version(&programs);
    let version = server::version_number(&version).expect("has one").parse().expect("is one");
    let advice = advice.of(&settings::Release::Of(version));
    for setting in &advice.settings {
        assert!(!setting.candidates.is_empty(), "{}", setting.name);
        for candidate in &setting.candidates {
            let mut file = Writer::new(advice.syntax);
            file.opening();
            file.setting(&setting.name, &candidate.value);
            takes(&programs, &file.closed());
        }
    }
    takes(&programs, &golden(&advice.fragment));
}

#[test]
fn mariadb_takes_what_is_advised() {
    takes_every_candidate("mariadb");
}

#[test]
fn mysql_takes_what_is_advised() {
    takes_every_candidate("mysql");
}

/// The advice to MySQL was that to MariaDB too, and MariaDB does not start with `innodb_use_fdatasync`.
#[test]
fn mariadb_refuses_what_only_mysql_has() {
    let Some(programs) = programs("mariadb") else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("my.cnf");
    fs::write(&file, "[mysqld]\ninnodb_use_fdatasync = ON\n").unwrap();
    assert!(!read_by(&programs, &file).status.success());
    let advice = advice::unmeasured("mariadb").expect("has rules");
    assert!(advice.settings.iter().all(|setting| setting.name != "innodb_use_fdatasync"));
}
