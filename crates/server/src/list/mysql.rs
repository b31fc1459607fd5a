//! MySQL: a row is acknowledged as `innodb_flush_log_at_trx_commit` and `sync_binlog` say. Its binary log is on by
//! default, and recovery takes back what InnoDB has and the binary log has not.

use super::ROWS_OF_A_TRANSACTION;
use super::mysql_client::MySqlClient;
use crate::process::run;
use crate::{Client, Home, Programs, Promise, Server, ServerError};
use model::DurabilityClass;
use std::path::Path;
use std::process::Command;

const TITLE: &str = "MySQL";
const INNODB: &str = "https://dev.mysql.com/doc/refman/en/innodb-parameters.html";
const BINARY_LOG: &str = "https://dev.mysql.com/doc/refman/en/replication-options-binary-log.html";

pub(super) struct MySql;

impl Server for MySql {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn promises(&self) -> Vec<Promise> {
        const AT_COMMIT: &str = "innodb_flush_log_at_trx_commit";
        vec![
            Promise::new(DurabilityClass::Power, INNODB, &[(AT_COMMIT, "1"), ("sync_binlog", "1")])
                .by_default(),
            Promise::new(
                DurabilityClass::Process,
                INNODB,
                &[("innodb_doublewrite", "OFF"), (AT_COMMIT, "1")],
            ),
            Promise::new(DurabilityClass::Process, BINARY_LOG, &[("sync_binlog", "0"), (AT_COMMIT, "1")])
                .recovering(),
            Promise::new(DurabilityClass::Process, INNODB, &[(AT_COMMIT, "2"), ("sync_binlog", "1")])
                .recovering(),
            Promise::new(DurabilityClass::None, INNODB, &[(AT_COMMIT, "0"), ("sync_binlog", "1")])
                .recovering(),
        ]
    }

    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find_other_than("mariadbd", &["mysqld"], "mysql-server", trees)
    }

    fn initialise(&self, programs: &Programs, home: &Home) -> Result<(), ServerError> {
        let mut command = self.command(programs, home, &[]);
        command.arg("--initialize-insecure");
        run(TITLE, command, home, None)
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        command.arg("--no-defaults").arg(format!("--datadir={}", home.data().display()));
        command.arg(format!("--basedir={}", programs.file("usr").display()));
        command.arg(format!("--lc-messages-dir={}", programs.file("usr/share/mysql").display()));
        command.arg(format!("--socket={}", home.socket().display()));
        command.arg(format!("--tmpdir={}", home.run().display()));
        command.arg(format!("--pid-file={}", home.run().join("pid").display()));
        command.args(["--skip-networking", "--skip-grant-tables", "--mysqlx=OFF", "--secure-file-priv=NULL"]);
        command.args(["--innodb-buffer-pool-size=64M", "--innodb-redo-log-capacity=32M"]);
        for (name, value) in settings {
            command.arg(format!("--{name}={value}"));
        }
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        MySqlClient::connect(TITLE, home)
    }

    fn is_complaint(&self, line: &str) -> bool {
        line.contains("[ERROR]")
    }
}
