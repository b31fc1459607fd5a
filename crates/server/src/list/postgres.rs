//! PostgreSQL: a row is inserted or updated by a statement of its own, acknowledged as `synchronous_commit` and `fsync`
//! say.

use crate::contract::ROWS_OF_A_TRANSACTION;
use crate::process::run;
use crate::{Client, Home, Programs, Row, Server, ServerError, Write};
use disk::kernel::child::DeathSignal;
use postgres::NoTls;
use postgres::error::SqlState;
use postgresql::{Installation, Login, PostgresqlError, RowWriter, UsersLogin};
use rustix::process::Signal;
use std::path::Path;
use std::process::Command;

const TITLE: &str = "PostgreSQL";
const USER: &str = "syncline";

const WRITE: &str = "INSERT INTO rows VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET text = excluded.text";

pub(super) struct Postgresql;

impl Server for Postgresql {
    fn name(&self) -> &'static str {
        "postgresql"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, _: Option<&Path>) -> Result<Programs, ServerError> {
        let installation = Installation::cached_or_downloaded(|_| ());
        let installation = installation.map_err(|why| ServerError::Unsupported(why.to_string()))?;
        let programs = installation.programs();
        let root = programs.parent().unwrap_or(programs);
        Ok(Programs::at(programs.join("postgres"), root.to_owned()))
    }

    fn initialise(&self, programs: &Programs, home: &Home) -> Result<(), ServerError> {
        let mut command = programs.program("initdb");
        command.arg("-D").arg(home.data()).args(["--username", USER, "--auth", "trust"]);
        command.args(["--encoding", "UTF8", "--locale", "C"]);
        run(TITLE, command, home, None)
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        command.arg("-D").arg(home.data());
        let socket = home.run().display().to_string();
        let kept_to_itself = [
            ("listen_addresses", ""),
            ("unix_socket_directories", &socket),
            ("unix_socket_permissions", "0700"),
            ("logging_collector", "off"),
        ];
        for (name, value) in kept_to_itself.iter().chain(settings) {
            command.args(["-c", &format!("{name}={value}")]);
        }
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let login = UsersLogin::trusted(&home.run(), USER, "postgres");
        let mut writer =
            RowWriter::connect(&Login::Users(&login), WRITE).map_err(ServerError::refused(TITLE))?;
        writer.run("SET statement_timeout = '60s'").map_err(ServerError::refused(TITLE))?;
        Ok(Box::new(PostgresqlClient { login, writer }))
    }

    /// It ends its children too.
    fn death_signal(&self) -> DeathSignal {
        DeathSignal::Quit
    }

    /// A fast shutdown.
    fn stop_signal(&self) -> Signal {
        Signal::INT
    }

    fn is_complaint(&self, line: &str) -> bool {
        ["PANIC:  ", "FATAL:  ", "ERROR:  "].iter().any(|severity| line.contains(severity))
            && !line.contains("the database system is starting up")
            && !line.contains("the database system is not yet accepting connections")
    }
}

/// It writes by Syncline's own client, as `prove` does, and reads by the crate `postgres`.
struct PostgresqlClient {
    login: UsersLogin,
    writer: RowWriter,
}

impl Client for PostgresqlClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        let table = "CREATE TABLE IF NOT EXISTS rows (key bigint PRIMARY KEY, text bytea NOT NULL)";
        self.writer.run(table).map_err(ServerError::refused(TITLE))
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        let written = match writes {
            [one] => write_row(&mut self.writer, one),
            several => self.together(several),
        };
        written.map_err(ServerError::refused(TITLE))
    }

    fn checkpoint(&mut self) -> Result<(), ServerError> {
        self.writer.run("CHECKPOINT").map_err(ServerError::refused(TITLE))
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let refused = ServerError::refused::<postgres::Error>(TITLE);
        let is_missing = |error: &postgres::Error| error.code() == Some(&SqlState::UNDEFINED_TABLE);
        let mut client = self.login.config().connect(NoTls).map_err(&refused)?;
        client.batch_execute("SET statement_timeout = '60s'").map_err(&refused)?;
        let rows = client.query("SELECT key, text FROM rows", &[]);
        let rows = rows.map_err(ServerError::refused_or_no_table(TITLE, is_missing))?;
        // The table and its index are two files: one may have what the other lost.
        client.batch_execute("SET enable_seqscan = off; SET enable_bitmapscan = off").map_err(&refused)?;
        let indexed = client.query_one("SELECT count(*) FROM rows WHERE key >= 0", &[]).map_err(refused)?;
        let indexed: i64 = indexed.get(0);
        if indexed != rows.len() as i64 {
            let why = format!("its table has {} rows, the index of it {indexed}", rows.len());
            return Err(ServerError::Refused { server: TITLE, why });
        }
        for row in &rows {
            let text: &[u8] = row.get(1);
            visit(Row::of_key(row.get::<_, i64>(0) as u64), text);
        }
        Ok(())
    }
}

impl PostgresqlClient {
    /// Writes rows in one transaction.
    fn together(&mut self, writes: &[Write]) -> Result<(), PostgresqlError> {
        self.writer.run("BEGIN")?;
        writes.iter().try_for_each(|of| write_row(&mut self.writer, of))?;
        self.writer.run("COMMIT")
    }
}

fn write_row(writer: &mut RowWriter, of: &Write) -> Result<(), PostgresqlError> {
    writer.write(of.row.key() as i64, of.text().as_bytes())
}
