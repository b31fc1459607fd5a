//! The client of MariaDB and MySQL: a row is an INSERT of its own into InnoDB.

use crate::{Client, Home, Row, ServerError};
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder, Statement};
use std::time::Duration;

/// A server that hangs does not hold up a connection for longer.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);

/// A connection to MariaDB or MySQL by their common protocol.
pub(super) struct MySqlClient {
    title: &'static str,
    connection: Conn,
    insert: Option<Statement>,
}

impl MySqlClient {
    /// Connects by the home's socket.
    pub(super) fn connect(title: &'static str, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let options = OptsBuilder::new()
            .socket(Some(home.socket().display().to_string()))
            .prefer_socket(true)
            .read_timeout(Some(ANSWER_LIMIT))
            .user(Some("root"));
        let connection = Conn::new(options).map_err(ServerError::refused(title))?;
        Ok(Box::new(Self { title, connection, insert: None }))
    }
}

/// ER_BAD_DB_ERROR and ER_NO_SUCH_TABLE (dev.mysql.com/doc/mysql-errors).
fn is_missing(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(error) if [1049, 1146].contains(&error.code))
}

impl Client for MySqlClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        self.connection
            .query_drop("CREATE DATABASE IF NOT EXISTS test")
            .map_err(ServerError::refused(self.title))?;
        let table = "CREATE TABLE IF NOT EXISTS test.entries (id BIGINT UNSIGNED PRIMARY KEY, text VARBINARY(200)) ENGINE=InnoDB";
        self.connection.query_drop(table).map_err(ServerError::refused(self.title))
    }

    fn insert(&mut self, row: Row) -> Result<(), ServerError> {
        let insert = match &self.insert {
            Some(insert) => insert,
            None => {
                let prepared = self
                    .connection
                    .prep("INSERT INTO test.entries VALUES (?, ?)")
                    .map_err(ServerError::refused(self.title))?;
                self.insert.insert(prepared)
            }
        };
        self.connection.exec_drop(insert, (row.key(), row.text())).map_err(ServerError::refused(self.title))
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let each = |(key, text): (u64, Vec<u8>)| visit(Row::of_key(key), &text);
        self.connection
            .query_map("SELECT id, text FROM test.entries", each)
            .map_err(ServerError::refused_or_no_table(self.title, is_missing))?;
        Ok(())
    }
}
