//! Settings files as databases read them.

use super::{Entry, Include, Included, Syntax, read, read_with_includes, syntaxes_of};
use proptest::prelude::*;

fn entries(syntax: Syntax, text: &str) -> Vec<(String, String, usize)> {
    let entries = read(syntax, text).unwrap();
    entries.into_iter().map(|Entry { name, value, place }| (name, value, place.line)).collect()
}

#[track_caller]
fn check(syntax: Syntax, text: &str, expected: &[(&str, &str, usize)]) {
    let expected: Vec<(String, String, usize)> =
        expected.iter().map(|(name, value, line)| ((*name).to_owned(), (*value).to_owned(), *line)).collect();
    assert_eq!(entries(syntax, text), expected);
}

#[track_caller]
fn refused(syntax: Syntax, text: &str, words: &str) {
    let error = read(syntax, text).unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn postgresql_conf_is_read_as_the_server_does() {
    let text = "# a comment\n\nWAL_SYNC_METHOD = fdatasync # as it was\ncommit_delay 1ms\n  random_page_cost=1.1\n\
                search_path = '\"$user\", ''x'' \\'y\\''\nx.y = ''\nport = 5432\r\n";
    check(
        Syntax::PostgresqlConf,
        text,
        &[
            ("wal_sync_method", "fdatasync", 3),
            ("commit_delay", "1ms", 4),
            ("random_page_cost", "1.1", 5),
            ("search_path", "\"$user\", 'x' 'y'", 6),
            ("x.y", "", 7),
            ("port", "5432", 8),
        ],
    );
    refused(
        Syntax::PostgresqlConf,
        "a = 1\ninclude 'b.conf'",
        "2: cannot include b.conf: it is in another file",
    );
    refused(Syntax::PostgresqlConf, "include_dir = conf.d", "1: cannot include conf.d");
    refused(Syntax::PostgresqlConf, "a = 'b", "1: the quote of a does not end");
    refused(Syntax::PostgresqlConf, "a = b c", "there is text after the value of a");
    refused(Syntax::PostgresqlConf, "a = *", "the value of a must be in single quotes");
    refused(Syntax::PostgresqlConf, "a =", "a has no value");
    refused(Syntax::PostgresqlConf, "a = # 'b'", "a has no value");
    refused(Syntax::PostgresqlConf, "= 1", "the setting's name is missing");
}

#[test]
fn other_files_are_read_as_their_programs_do() {
    let text = "[client]\nport=1\n[mysqld]\n# c\n; c\ninnodb-flush-method = O_DIRECT # why\nloose_x='a b'\nskip_name\nskip-innodb-doublewrite\n";
    check(
        Syntax::MysqlOptions,
        text,
        &[
            ("innodb_flush_method", "O_DIRECT", 6),
            ("x", "a b", 7),
            ("skip_name", "ON", 8),
            ("innodb_doublewrite", "OFF", 9),
        ],
    );
    // Each server skips the other one's groups.
    let text = "[mariadb]\na=1\n[mysqld]\nb=2\n[mariadbd-10.11]\nc=3\n[mariadb-dump]\nd=4\n[server]\ne=5\n";
    check(Syntax::MysqlOptions, text, &[("b", "2", 4), ("e", "5", 10)]);
    check(Syntax::MariadbOptions, text, &[("a", "1", 2), ("b", "2", 4), ("c", "3", 6), ("e", "5", 10)]);
    refused(Syntax::MysqlOptions, "[mysqld]\n!includedir /etc/my.cnf.d", "2: cannot include /etc/my.cnf.d");
    refused(Syntax::MysqlOptions, "!include", "1: write an include as");
    refused(Syntax::MysqlOptions, "!import a", "1: write an include as");
    refused(Syntax::MysqlOptions, "a=1", "before any [group]");
    let text = "[Version]\n  rocksdb_version=9.0.0\n[DBOptions]\n  use_direct_reads=true # c\n  a=b\\#c\n[CFOptions \"default\"]\n  d=1\n";
    check(Syntax::RocksdbOptions, text, &[("use_direct_reads", "true", 4), ("a", "b\\#c", 5)]);
    refused(Syntax::RocksdbOptions, "[DBOptions\na=1", "no closing bracket");
    refused(Syntax::RocksdbOptions, "[DBOptions]\na", "2: write an option as name=value");
    refused(Syntax::RocksdbOptions, "[DBOptions]\n=b", "2: write an option as name=value");
    let text = "-- c; d\nCREATE TABLE t(a);\nPRAGMA main.synchronous = 1;\n/* x\n */ pragma journal_mode('wal');\nPRAGMA page_size;";
    check(Syntax::SqlitePragmas, text, &[("synchronous", "NORMAL", 3), ("journal_mode", "wal", 5)]);
    check(Syntax::SqlitePragmas, "PRAGMA synchronous=ON", &[("synchronous", "NORMAL", 1)]);
    refused(Syntax::SqlitePragmas, "\nPRAGMA synchronous(1", "2: the pragma's closing bracket is missing");
    let text = "# c\nETCD_SNAPSHOT_COUNT=1000\nDAEMON_ARGS=x\nETCD_BACKEND_BATCH_INTERVAL=\"10ms\"\n";
    check(
        Syntax::EtcdEnvironment,
        text,
        &[("snapshot-count", "1000", 2), ("backend-batch-interval", "10ms", 4)],
    );
    refused(Syntax::EtcdEnvironment, "\nETCD_SNAPSHOT_COUNT", "2: write a variable as NAME=value");
    refused(Syntax::EtcdEnvironment, "ETCD_SNAPSHOT_COUNT='1", "1: the quote does not end");
    let mut written = crate::Writer::new(Syntax::EtcdEnvironment);
    written.setting("backend-batch-interval", "10ms");
    written.setting_as_comment("snapshot-count", "1000");
    let written = written.closed();
    check(Syntax::EtcdEnvironment, &written, &[("backend-batch-interval", "10ms", 1)]);
    assert!(written.ends_with("# ETCD_SNAPSHOT_COUNT=1000\n"), "{written}");
    assert_eq!(syntaxes_of("etcd.env"), [Syntax::EtcdEnvironment]);
    assert_eq!(syntaxes_of("OPTIONS-000005"), [Syntax::RocksdbOptions]);
    assert_eq!(syntaxes_of("50-server.cnf"), [Syntax::MysqlOptions, Syntax::MariadbOptions]);
    assert!(syntaxes_of("a.txt").is_empty());
}

/// The files of an invented disk.
fn with_includes(text: &str, disk: &[(&str, &str)]) -> Result<Vec<(String, String, String)>, String> {
    let mut fetch = |include: &Include, from: Option<&str>| {
        let found = |name: &str| {
            let (_, text) = disk.iter().find(|(known, _)| *known == name)?;
            Some(Included { file: name.to_owned(), text: (*text).to_owned() })
        };
        match include {
            Include::File { path, is_optional, .. } => match found(path) {
                Some(file) => Ok(vec![file]),
                None if *is_optional => Ok(Vec::new()),
                None => Err(format!("no such file, seen from {}", from.unwrap_or("the first"))),
            },
            Include::Directory { path, ending, .. } => Ok(disk
                .iter()
                .filter(|(name, _)| name.starts_with(path.as_str()) && name.ends_with(ending))
                .filter_map(|(name, _)| found(name))
                .collect()),
        }
    };
    let entries =
        read_with_includes(Syntax::PostgresqlConf, text, &mut fetch).map_err(|why| why.to_string())?;
    Ok(entries.into_iter().map(|entry| (entry.name, entry.value, entry.place.to_string())).collect())
}

#[test]
fn what_a_file_takes_in_counts_where_it_stands() {
    let disk = [
        ("a.conf", "x = 2\ninclude 'b.conf'"),
        ("b.conf", "\ny = 3"),
        ("d/1.conf", "x = 4"),
        ("d/2.txt", "x = 5"),
    ];
    let found =
        with_includes("x = 1\ninclude 'a.conf'\ninclude_if_exists 'none'\ninclude_dir 'd'\nz = 6", &disk)
            .unwrap();
    let told: Vec<(&str, &str, &str)> =
        found.iter().map(|(name, value, place)| (name.as_str(), value.as_str(), place.as_str())).collect();
    assert_eq!(
        told,
        [
            ("x", "1", "line 1"),
            ("x", "2", "a.conf line 1"),
            ("y", "3", "b.conf line 2"),
            ("x", "4", "d/1.conf line 1"),
            ("z", "6", "line 5"),
        ]
    );
    let absent = with_includes("include 'a.conf'", &[("a.conf", "\ninclude 'gone'")]).unwrap_err();
    assert_eq!(absent, "a.conf:2: cannot include gone: no such file, seen from a.conf");
    let spoilt = with_includes("include 'a.conf'", &[("a.conf", "x = 'y")]).unwrap_err();
    assert_eq!(spoilt, "a.conf:1: the quote of x does not end");
    let endless = with_includes("include 'a.conf'", &[("a.conf", "include 'a.conf'")]).unwrap_err();
    assert!(endless.contains("more than 10 deep"), "{endless}");
    let wide =
        with_includes("include_dir 'd'", &[("d/1.conf", "include_dir 'd'"), ("d/2.conf", "include_dir 'd'")]);
    assert!(wide.unwrap_err().contains("more than 1"));
}

proptest! {
    #[test]
    fn quoted_values_come_back(name in "[a-z_][a-z0-9_]{0,20}", value in "[^\\\\\n\r\u{85}\u{2028}]{0,40}", spaces in "[ \t]{0,3}") {
        prop_assume!(!["include", "include_if_exists", "include_dir"].contains(&name.as_str()));
        let text = format!("{spaces}{name}{spaces}={spaces}'{}'{spaces}# end", value.replace('\'', "''"));
        let found = entries(Syntax::PostgresqlConf, &text);
        prop_assert_eq!(found, [(name, value, 1)]);
    }

    #[test]
    fn plain_values_come_back(name in "[a-zA-Z_][a-zA-Z0-9_]{0,20}", value in "[a-zA-Z0-9_./:-]{1,20}", sign in "( = |=| )") {
        let lower = name.to_ascii_lowercase();
        prop_assume!(!["include", "include_if_exists", "include_dir"].contains(&lower.as_str()));
        prop_assert_eq!(entries(Syntax::PostgresqlConf, &format!("{name}{sign}{value}")), [(lower, value, 1)]);
    }

    /// For any content of a file the reader ends, and an error names a line of the file.
    #[test]
    fn nothing_panics(text in "(?s).{0,200}", syntax in prop::sample::select(vec![
        Syntax::PostgresqlConf, Syntax::MysqlOptions, Syntax::MariadbOptions, Syntax::RocksdbOptions, Syntax::SqlitePragmas,
        Syntax::EtcdEnvironment,
    ])) {
        if let Err(error) = read(syntax, &text) {
            let line = error.place.line;
            prop_assert!(line >= 1 && line <= text.lines().count().max(1));
        }
    }

    #[test]
    fn settings_among_noise_panic_nowhere(text in "[a-z_='\" \\\\#;\\[\\]()!*/\n-]{0,120}", syntax in prop::sample::select(vec![
        Syntax::PostgresqlConf, Syntax::MysqlOptions, Syntax::MariadbOptions, Syntax::RocksdbOptions, Syntax::SqlitePragmas,
        Syntax::EtcdEnvironment,
    ])) {
        let _ = read(syntax, &text);
        let _ = read(syntax, &format!("[mysqld]\n[DBOptions]\nPRAGMA {text}"));
    }
}
