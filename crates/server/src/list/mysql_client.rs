//! The client of MariaDB and MySQL: a row is inserted or updated by a statement of its own, in InnoDB.

use crate::{Client, Home, Row, ServerError, Write};
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder, Statement, TxOpts};
use std::time::Duration;

/// A server that hangs does not hold up a connection for longer.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);

const WRITE: &str = "INSERT INTO test.entries VALUES (?, ?) ON DUPLICATE KEY UPDATE text = ?";

/// A connection to MariaDB or MySQL by their common protocol.
pub(super) struct MySqlClient {
    title: &'static str,
    connection: Conn,
    write: Option<Statement>,
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
        Ok(Box::new(Self { title, connection, write: None }))
    }
}

impl Client for MySqlClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        self.connection
            .query_drop("CREATE DATABASE IF NOT EXISTS test")
            .map_err(ServerError::refused(self.title))?;
        let table = "CREATE TABLE IF NOT EXISTS test.entries (id BIGINT UNSIGNED PRIMARY KEY, text VARBINARY(200)) ENGINE=InnoDB";
        self.connection.query_drop(table).map_err(ServerError::refused(self.title))
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        let refused = ServerError::refused::<mysql::Error>(self.title);
        let write = match &self.write {
            Some(write) => write,
            None => self.write.insert(self.connection.prep(WRITE).map_err(&refused)?),
        };
        let values = |of: &Write| {
            let text = of.text();
            (of.row.key(), text.clone(), text)
        };
        if let [one] = writes {
            return self.connection.exec_drop(write, values(one)).map_err(refused);
        }
        let mut transaction = self.connection.start_transaction(TxOpts::default()).map_err(&refused)?;
        for values in writes.iter().map(values) {
            transaction.exec_drop(write, values).map_err(&refused)?;
        }
        transaction.commit().map_err(refused)
    }

    /// From then on the server writes each changed page soon.
    fn checkpoint(&mut self) -> Result<(), ServerError> {
        let soon = "SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0, GLOBAL innodb_max_dirty_pages_pct = 0";
        self.connection.query_drop(soon).map_err(ServerError::refused(self.title))
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let each = |(key, text): (u64, Vec<u8>)| visit(Row::of_key(key), &text);
        self.connection
            .query_map("SELECT id, text FROM test.entries", each)
            .map_err(ServerError::refused(self.title))?;
        Ok(())
    }
}
