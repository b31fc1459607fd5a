//! MariaDB: a row is acknowledged as `innodb_flush_log_at_trx_commit` says.

use super::mysql_client::{self, MySqlClient};
use crate::contract::ROWS_OF_A_TRANSACTION;
use crate::process::run;
use crate::{Client, Home, Programs, Server, ServerError};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const TITLE: &str = "MariaDB";

pub(super) struct MariaDb;

impl Server for MariaDb {
    fn name(&self) -> &'static str {
        "mariadb"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find(&["mariadbd"], "mariadb-server", trees)
    }

    fn find_below(&self, directory: &Path) -> Result<Programs, ServerError> {
        Programs::below(directory, "mariadbd", "")
    }

    /// What mariadb-install-db does: the server itself reads the statements that make its system tables.
    fn initialise(&self, programs: &Programs, home: &Home) -> Result<(), ServerError> {
        let path = home.around().join("bootstrap.sql");
        let mut statements = File::create(&path).map_err(ServerError::on("create", &path))?;
        let mut write = |text: &[u8]| statements.write_all(text).map_err(ServerError::on("write", &path));
        // A line is a statement.
        write(b"create database mysql;\ncreate database test;\nuse mysql;\nset @auth_root_socket=null;\n")?;
        for file in ["system_tables.sql", "system_tables_data.sql"] {
            // Since 11 the files have the server's name.
            let names = ["mariadb", "mysql"]
                .map(|name| programs.file("usr/share/mysql").join(format!("{name}_{file}")));
            let [newer, older] = names;
            let source = if newer.exists() { newer } else { older };
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
        MySqlClient::connect(TITLE, mysql_client::THREAD_OF_MARIADB, home)
    }

    fn is_complaint(&self, line: &str) -> bool {
        line.contains("[ERROR]")
    }

    fn settings_of_requests(&self) -> &'static [(&'static str, &'static str)] {
        mysql_client::SETTINGS_OF_REQUESTS
    }

    fn settings_of_binary_log(&self) -> &'static [(&'static str, &'static str)] {
        &[("log_bin", "binlog"), ("sync_binlog", "1")]
    }

    fn directories_of_requests(&self, data: &Path) -> Vec<PathBuf> {
        vec![data.to_owned(), data.join("test")]
    }

    fn file_of_loaded_rows(&self, data: &Path) -> Option<PathBuf> {
        Some(data.join(mysql_client::FILE_OF_LOADED_ROWS))
    }
}
