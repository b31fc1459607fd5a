//! A client that writes rows of a number and a text, as fast as [`Client`](super::Client) runs its scripts.

use super::connection::Connection;
use super::login::Login;
use crate::error::PostgresqlError;
use bytes::BufMut;

/// The name of the prepared statement.
const NAME: &str = "write";
/// Object identifiers of types (`pg_type.dat`).
const INT8: u32 = 20;
const BYTEA: u32 = 17;

/// A connection that writes rows by one statement.
#[derive(Debug)]
pub struct RowWriter {
    connection: Connection,
    /// Its parameters are the number, a `bigint`, and the text, a `bytea`.
    statement: &'static str,
    is_prepared: bool,
}

impl RowWriter {
    /// Connects to a server, whose table need not be there yet.
    pub fn connect(login: &Login<'_>, statement: &'static str) -> Result<Self, PostgresqlError> {
        Ok(Self { connection: Connection::open(login)?, statement, is_prepared: false })
    }

    /// Runs a statement without parameters.
    pub fn run(&mut self, statement: &str) -> Result<(), PostgresqlError> {
        self.connection.simple_query(statement)
    }

    /// Writes a row. Unless a transaction is open, it has been acknowledged when this returns.
    pub fn write(&mut self, number: i64, text: &[u8]) -> Result<(), PostgresqlError> {
        if !self.is_prepared {
            self.connection.prepare(NAME, self.statement, [INT8, BYTEA])?;
            self.is_prepared = true;
        }
        let values = [Value::Number(number), Value::Text(text)];
        self.connection.execute(NAME, self.statement, values, |value, out| match value {
            Value::Number(number) => out.put_i64(number),
            Value::Text(text) => out.put_slice(text),
        })
    }
}

enum Value<'a> {
    Number(i64),
    Text(&'a [u8]),
}
