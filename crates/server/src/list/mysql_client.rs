//! The client of MariaDB and MySQL: a row is inserted or updated by a statement of its own, in InnoDB.

use crate::row::filler;
use crate::{Client, Home, Row, ServerError, Write};
use model::RequestAction;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder, Statement};
use std::time::Duration;

/// A server that hangs does not hold up a connection for longer.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);
/// Rows of one statement when they are loaded, and statements of one transaction.
const ROWS_OF_STATEMENT: u64 = 250;
const STATEMENTS_OF_TRANSACTION: u64 = 40;

/// The buffer pool holds a third of [`crate::Client::load`]'s rows, and is empty when a server starts.
pub(super) const SETTINGS_OF_REQUESTS: &[(&str, &str)] = &[
    ("innodb_buffer_pool_size", "32M"),
    ("innodb_buffer_pool_load_at_startup", "OFF"),
    ("innodb_buffer_pool_dump_at_shutdown", "OFF"),
];

/// In the data directory, because each table has a file (`innodb_file_per_table`).
pub(super) const FILE_OF_LOADED_ROWS: &str = "test/loaded.ibd";

/// A connection to MariaDB or MySQL by their common protocol.
pub(super) struct MySqlClient {
    title: &'static str,
    /// What finds the thread that serves a connection.
    thread: &'static str,
    connection: Conn,
    prepared: Prepared,
}

/// Statements, each prepared when it is needed first.
#[derive(Default)]
struct Prepared {
    insert: Option<Statement>,
    renew: Option<Statement>,
    update: Option<Statement>,
    read: Option<Statement>,
    range: Option<Statement>,
}

const INSERT: &str = "INSERT INTO test.entries VALUES (?, ?)";
const RENEW: &str = "UPDATE test.entries SET text = ? WHERE id = ?";
const UPDATE: &str = "UPDATE test.loaded SET number = ? WHERE id = ?";
const READ: &str = "SELECT number, text FROM test.loaded WHERE id = ?";
const RANGE: &str = "SELECT number, text FROM test.loaded WHERE id >= ? ORDER BY id LIMIT ?";

/// MariaDB and MySQL differ in where they show their threads.
pub(super) const THREAD_OF_MARIADB: &str =
    "SELECT tid FROM information_schema.processlist WHERE id = connection_id()";
pub(super) const THREAD_OF_MYSQL: &str =
    "SELECT thread_os_id FROM performance_schema.threads WHERE processlist_id = connection_id()";

impl MySqlClient {
    /// Connects by the home's socket.
    pub(super) fn connect(
        title: &'static str,
        thread: &'static str,
        home: &Home,
    ) -> Result<Box<dyn Client>, ServerError> {
        let options = OptsBuilder::new()
            .socket(Some(home.socket().display().to_string()))
            .prefer_socket(true)
            .read_timeout(Some(ANSWER_LIMIT))
            .user(Some("root"));
        let connection = Conn::new(options).map_err(ServerError::refused(title))?;
        Ok(Box::new(Self { title, thread, connection, prepared: Prepared::default() }))
    }

    /// A statement, which the server prepares the first time.
    fn statement(
        &mut self,
        of: impl Fn(&mut Prepared) -> &mut Option<Statement>,
        text: &str,
    ) -> Result<Statement, ServerError> {
        if let Some(statement) = of(&mut self.prepared) {
            return Ok(statement.clone());
        }
        let statement = self.connection.prep(text).map_err(ServerError::refused(self.title))?;
        Ok(of(&mut self.prepared).insert(statement).clone())
    }

    fn run(&mut self, statement: &str) -> Result<(), ServerError> {
        self.connection.query_drop(statement).map_err(ServerError::refused(self.title))
    }

    fn update(&mut self, row: u64, number: u64) -> Result<(), ServerError> {
        let update = self.statement(|prepared| &mut prepared.update, UPDATE)?;
        self.connection.exec_drop(update, (number, row)).map_err(ServerError::refused(self.title))?;
        if self.connection.affected_rows() == 1 { Ok(()) } else { Err(self.lacks(row)) }
    }

    fn read(&mut self, row: u64) -> Result<(), ServerError> {
        let read = self.statement(|prepared| &mut prepared.read, READ)?;
        let found: Option<(u64, Vec<u8>)> =
            self.connection.exec_first(read, (row,)).map_err(ServerError::refused(self.title))?;
        if found.is_some() { Ok(()) } else { Err(self.lacks(row)) }
    }

    fn range(&mut self, row: u64, rows: u32) -> Result<(), ServerError> {
        let range = self.statement(|prepared| &mut prepared.range, RANGE)?;
        let found: Vec<(u64, Vec<u8>)> =
            self.connection.exec(range, (row, rows)).map_err(ServerError::refused(self.title))?;
        if found.len() == rows as usize { Ok(()) } else { Err(self.lacks(row)) }
    }

    fn lacks(&self, row: u64) -> ServerError {
        ServerError::Refused { server: self.title, why: format!("row {row} is not there") }
    }
}

/// ER_BAD_DB_ERROR and ER_NO_SUCH_TABLE (dev.mysql.com/doc/mysql-errors).
fn is_missing(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(error) if [1049, 1146].contains(&error.code))
}

impl Client for MySqlClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        self.run("CREATE DATABASE IF NOT EXISTS test")?;
        self.run(
            "CREATE TABLE IF NOT EXISTS test.entries (id BIGINT UNSIGNED PRIMARY KEY, text VARBINARY(200)) ENGINE=InnoDB",
        )
    }

    /// An INSERT or an UPDATE. An INSERT with ON DUPLICATE KEY UPDATE locks the gap before its row, so that writers of
    /// neighbouring rows would lock each other out.
    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        let refused = ServerError::refused::<mysql::Error>(self.title);
        if writes.len() > 1 {
            self.run("START TRANSACTION")?;
        }
        for write in writes {
            let (key, text) = (write.row.key(), write.text());
            if write.version == 0 {
                let insert = self.statement(|prepared| &mut prepared.insert, INSERT)?;
                self.connection.exec_drop(insert, (key, text)).map_err(&refused)?;
            } else {
                let update = self.statement(|prepared| &mut prepared.renew, RENEW)?;
                self.connection.exec_drop(update, (text, key)).map_err(&refused)?;
            }
        }
        if writes.len() > 1 { self.run("COMMIT") } else { Ok(()) }
    }

    /// From then on the server writes each changed page soon.
    fn checkpoint(&mut self) -> Result<(), ServerError> {
        self.run("SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0, GLOBAL innodb_max_dirty_pages_pct = 0")
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let each = |(key, text): (u64, Vec<u8>)| visit(Row::of_key(key), &text);
        self.connection
            .query_map("SELECT id, text FROM test.entries", each)
            .map_err(ServerError::refused_or_no_table(self.title, is_missing))?;
        Ok(())
    }

    /// In the order of the key, so that the pages are full; not in the binary log, which every copy would carry.
    fn load(&mut self, rows: u64) -> Result<(), ServerError> {
        self.run("SET SESSION sql_log_bin = 0")?;
        self.run(
            "CREATE TABLE test.loaded (id BIGINT UNSIGNED PRIMARY KEY, number BIGINT UNSIGNED NOT NULL, \
             text VARBINARY(1000) NOT NULL) ENGINE=InnoDB",
        )?;
        let mut next = 0;
        while next < rows {
            self.run("START TRANSACTION")?;
            for _ in 0..STATEMENTS_OF_TRANSACTION {
                let end = rows.min(next + ROWS_OF_STATEMENT);
                // Letters need no quoting.
                let values: Vec<String> =
                    (next..end).map(|row| format!("({row},0,'{}')", filler(row))).collect();
                if !values.is_empty() {
                    self.run(&format!("INSERT INTO test.loaded VALUES {}", values.join(",")))?;
                }
                next = end;
            }
            self.run("COMMIT")?;
        }
        Ok(())
    }

    fn request(&mut self, action: RequestAction) -> Result<(), ServerError> {
        match action {
            RequestAction::Insert { client, row } => {
                self.write(&[Row { writer: client, sequence: row }.first()])
            }
            RequestAction::Update { row, number } => self.update(row, number),
            RequestAction::Read { row } => self.read(row),
            RequestAction::Range { row, rows } => self.range(row, rows),
            RequestAction::Compact => {
                Err(ServerError::Unsupported("InnoDB drops old revisions by itself".to_owned()))
            }
        }
    }

    fn in_force(&mut self, setting: &str) -> Result<Option<String>, ServerError> {
        // A name is of letters, digits and underscores.
        let show = format!("SHOW GLOBAL VARIABLES WHERE variable_name = '{setting}'");
        let found: Option<(String, String)> =
            self.connection.query_first(show).map_err(ServerError::refused(self.title))?;
        let lacks =
            || ServerError::Refused { server: self.title, why: format!("it has no setting {setting}") };
        found.map(|(_, value)| Some(value)).ok_or_else(lacks)
    }

    /// One of its status variables.
    fn counter(&mut self, name: &str) -> Result<Option<u64>, ServerError> {
        let show = format!("SHOW GLOBAL STATUS WHERE variable_name = '{name}'");
        let found: Option<(String, String)> =
            self.connection.query_first(show).map_err(ServerError::refused(self.title))?;
        Ok(found.and_then(|(_, value)| value.parse().ok()))
    }

    fn log_written(&mut self) -> Result<Option<u64>, ServerError> {
        self.counter("Innodb_os_log_written")
    }

    fn server_thread(&mut self) -> Result<Option<u32>, ServerError> {
        self.connection.query_first(self.thread).map_err(ServerError::refused(self.title))
    }
}
