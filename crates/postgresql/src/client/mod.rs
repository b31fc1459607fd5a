//! A client as pgbench is one: it sends a script's statements one after another and waits for the answer to each.
//!
//! It has PostgreSQL's protocol in its own code, over the server's Unix socket, with one write and as few reads as an
//! answer takes. The crate `postgres` runs a tokio runtime for each connection, which costs as much as a short
//! transaction does.

mod authentication;
mod connection;
mod login;
mod row_writer;
mod script;

use crate::error::PostgresqlError;
use bytes::BufMut;
use connection::Connection;
use model::Transaction;
use model::transaction::Script;
use script::Statement;
use std::borrow::Cow;

pub use login::{Login, UsersLogin};
pub use row_writer::RowWriter;

/// A connection that runs one script.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    statements: Cow<'static, [Statement]>,
    prepared: bool,
}

impl Client {
    /// Connects to a server, runs statements that set the session up, and prepares the statements of a script, if they
    /// are to be prepared.
    pub fn connect(
        login: &Login<'_>,
        setting_up: &[String],
        script: Script,
        prepared: bool,
    ) -> Result<Self, PostgresqlError> {
        let mut connection = Connection::open(login)?;
        setting_up.iter().try_for_each(|statement| connection.simple_query(statement))?;
        let statements = script::statements(script);
        if prepared {
            for (number, statement) in statements.iter().enumerate() {
                let types = statement.parameters.iter().map(|field| field.data_type());
                connection.prepare(script::NAMES[number], statement.text, types)?;
            }
        }
        Ok(Self { connection, statements, prepared })
    }

    /// The number of the process that serves it.
    pub fn backend(&self) -> u32 {
        self.connection.backend()
    }

    /// Runs one transaction of the script. It has been acknowledged when this returns.
    ///
    /// # Errors
    /// The server refused a statement, or ended.
    #[inline]
    pub fn run(&mut self, transaction: &Transaction) -> Result<(), PostgresqlError> {
        for (number, statement) in self.statements.iter().enumerate() {
            if self.prepared {
                let (name, text) = (script::NAMES[number], statement.text);
                self.connection.execute(name, text, statement.parameters, |field, out| {
                    out.put_i32(field.value(transaction));
                    if field.is_address() {
                        out.put_u16(0);
                    }
                })?;
            } else {
                self.connection.query(statement, transaction)?;
            }
        }
        Ok(())
    }

    /// Has the server count what this client did until now, which it does otherwise once a second.
    pub fn flush_statistics(&mut self) -> Result<(), PostgresqlError> {
        self.connection.simple_query("SELECT pg_stat_force_next_flush()")
    }
}

/// The queries of a script whose plans say how the server runs it, with the values of one transaction.
pub fn planned(script: Script, transaction: &Transaction) -> Vec<String> {
    let statements = script::statements(script);
    let queries = statements.iter().filter(|statement| statement.is_planned());
    queries.map(|statement| statement.text_with(transaction)).collect()
}
