//! MySQL: a row is acknowledged as `innodb_flush_log_at_trx_commit` and `sync_binlog` say. Its binary log is on by
//! default, and recovery takes back what InnoDB has and the binary log has not.

use super::mysql_client::{self, MySqlClient};
use crate::contract::ROWS_OF_A_TRANSACTION;
use crate::process::run;
use crate::{Client, Home, Programs, Server, ServerError};
use std::path::{Path, PathBuf};
use std::process::Command;

const TITLE: &str = "MySQL";

pub(super) struct MySql;

impl Server for MySql {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find_other_than("mariadbd", &["mysqld"], "mysql-server", trees)
    }

    fn find_below(&self, directory: &Path) -> Result<Programs, ServerError> {
        Programs::below(directory, "mysqld", "mariadbd")
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
        MySqlClient::connect(TITLE, mysql_client::THREAD_OF_MYSQL, home)
    }

    fn is_complaint(&self, line: &str) -> bool {
        line.contains("[ERROR]")
    }

    fn settings_of_requests(&self) -> &'static [(&'static str, &'static str)] {
        mysql_client::SETTINGS_OF_REQUESTS
    }

    fn directories_of_requests(&self, data: &Path) -> Vec<PathBuf> {
        vec![data.to_owned(), data.join("#innodb_redo"), data.join("test")]
    }

    fn file_of_loaded_rows(&self, data: &Path) -> Option<PathBuf> {
        Some(data.join(mysql_client::FILE_OF_LOADED_ROWS))
    }
}
