//! MariaDB: a row is an INSERT of its own into InnoDB, acknowledged as `innodb_flush_log_at_trx_commit` says.

use crate::process::run;
use crate::{Client, Home, Programs, Promise, Row, Server, ServerError};
use model::DurabilityClass;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder, Statement};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

const TITLE: &str = "MariaDB";
const INNODB: &str =
    "https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables";

pub(super) struct MariaDb;

impl Server for MariaDb {
    fn name(&self) -> &'static str {
        "mariadb"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn promises(&self) -> Vec<Promise> {
        const AT_COMMIT: &str = "innodb_flush_log_at_trx_commit";
        vec![
            Promise::new(DurabilityClass::Power, INNODB, &[(AT_COMMIT, "1")]).by_default(),
            Promise::new(
                DurabilityClass::Power,
                INNODB,
                &[("sync_binlog", "1"), ("log_bin", "binlog"), (AT_COMMIT, "1")],
            ),
            Promise::new(DurabilityClass::Power, INNODB, &[("innodb_doublewrite", "0"), (AT_COMMIT, "1")]),
            Promise::new(DurabilityClass::Process, INNODB, &[(AT_COMMIT, "2")]),
            Promise::new(DurabilityClass::None, INNODB, &[(AT_COMMIT, "0")]),
        ]
    }

    fn find(&self, tree: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find(&["mariadbd"], "mariadb-server", tree)
    }

    /// What mariadb-install-db does: the server itself reads the statements that make its system tables.
    fn initialise(&self, programs: &Programs, home: &Home) -> Result<(), ServerError> {
        let path = home.run().join("bootstrap.sql");
        let mut statements = File::create(&path).map_err(ServerError::on("create", &path))?;
        let mut write = |text: &[u8]| statements.write_all(text).map_err(ServerError::on("write", &path));
        // A line is a statement.
        write(b"create database mysql;\ncreate database test;\nuse mysql;\nset @auth_root_socket=null;\n")?;
        for file in ["mysql_system_tables.sql", "mysql_system_tables_data.sql"] {
            let source = programs.file("usr/share/mysql").join(file);
            write(&fs::read(&source).map_err(ServerError::on("read", &source))?)?;
        }
        let mut command = self.command(programs, home, &[]);
        command.args(["--bootstrap", "--skip-networking"]);
        run(TITLE, command, home, Some(File::open(&path).map_err(ServerError::on("open", &path))?))
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        command.arg("--no-defaults").arg(format!("--datadir={}", home.data().display()));
        command.arg(format!("--socket={}", home.socket().display()));
        command.arg(format!("--tmpdir={}", home.run().display()));
        command.arg(format!("--pid-file={}", home.run().join("pid").display()));
        command.arg(format!("--lc-messages-dir={}", programs.file("usr/share/mysql").display()));
        command.arg(format!("--character-sets-dir={}", programs.file("usr/share/mysql/charsets").display()));
        command.args(["--skip-networking", "--skip-grant-tables", "--skip-name-resolve"]);
        command.args(["--innodb-buffer-pool-size=64M", "--innodb-log-file-size=32M"]);
        for (name, value) in settings {
            command.arg(format!("--{name}={value}"));
        }
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let options = OptsBuilder::new()
            .socket(Some(home.socket().display().to_string()))
            .prefer_socket(true)
            .user(Some("root"))
            .db_name(Some("test"));
        let connection = Conn::new(options).map_err(refused)?;
        Ok(Box::new(MariaDbClient { connection, insert: None }))
    }

    fn is_complaint(&self, line: &str) -> bool {
        line.contains("[ERROR]")
    }
}

struct MariaDbClient {
    connection: Conn,
    insert: Option<Statement>,
}

fn refused(error: mysql::Error) -> ServerError {
    ServerError::refused(TITLE)(error)
}

impl Client for MariaDbClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        let table = "CREATE TABLE IF NOT EXISTS `rows` (id BIGINT UNSIGNED PRIMARY KEY, text VARBINARY(200)) ENGINE=InnoDB";
        self.connection.query_drop(table).map_err(refused)
    }

    fn insert(&mut self, row: Row) -> Result<(), ServerError> {
        let insert = match &self.insert {
            Some(insert) => insert,
            None => {
                let prepared = self.connection.prep("INSERT INTO `rows` VALUES (?, ?)").map_err(refused)?;
                self.insert.insert(prepared)
            }
        };
        self.connection.exec_drop(insert, (row.key(), row.text())).map_err(refused)
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let each = |(key, text): (u64, Vec<u8>)| visit(Row::of_key(key), &text);
        self.connection.query_map("SELECT id, text FROM `rows`", each).map_err(refused)?;
        Ok(())
    }
}
