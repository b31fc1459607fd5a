//! Valkey, or Redis where the machine has that: a row is a key, acknowledged as `appendfsync` says.

use crate::contract::ROWS_OF_A_TRANSACTION;
use crate::{Client, Home, Programs, Promise, Row, Server, ServerError, Write};
use model::DurabilityClass;
use redis::Connection;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const TITLE: &str = "Valkey";
const SOURCE: &str = "https://valkey.io/topics/persistence/";
/// A server that loads its log answers with an error; one that hangs does not hold up a connection for longer.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

pub(super) struct Valkey;

impl Server for Valkey {
    fn name(&self) -> &'static str {
        "valkey"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn promises(&self) -> Vec<Promise> {
        const APPEND: (&str, &str) = ("appendonly", "yes");
        vec![
            Promise::new(DurabilityClass::Power, SOURCE, &[("appendfsync", "always"), APPEND]),
            // "You may lose 1 second of data if there is a disaster"; a write waits in the process while one is synced.
            Promise::new(DurabilityClass::None, SOURCE, &[("appendfsync", "everysec"), APPEND]).recovering(),
            Promise::new(DurabilityClass::Process, SOURCE, &[("appendfsync", "no"), APPEND]),
            Promise::new(DurabilityClass::None, SOURCE, &[("appendonly", "no")]).by_default(),
        ]
    }

    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find(&["valkey-server", "redis-server"], "valkey-server or redis-server", trees)
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        command.args(["--port", "0", "--daemonize", "no", "--unixsocketperm", "700"]);
        command.arg("--unixsocket").arg(home.socket()).arg("--dir").arg(home.data());
        for (name, value) in settings {
            command.arg(format!("--{name}")).arg(value);
        }
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let address = format!("unix://{}", home.socket().display());
        let client = redis::Client::open(address).map_err(refused)?;
        let mut connection = client.get_connection_with_timeout(ANSWER_LIMIT).map_err(refused)?;
        connection.set_read_timeout(Some(ANSWER_LIMIT)).map_err(refused)?;
        redis::cmd("PING").query::<String>(&mut connection).map_err(refused)?;
        Ok(Box::new(ValkeyClient { connection }))
    }

    /// `12345:M 27 Nov 2026 12:00:00.000 # Bad file format …`: `#` is a warning, and `WARNING` one about the machine.
    fn is_complaint(&self, line: &str) -> bool {
        line.split_whitespace().nth(5) == Some("#") && !line.contains(" WARNING ")
    }
}

struct ValkeyClient {
    connection: Connection,
}

fn refused(error: redis::RedisError) -> ServerError {
    ServerError::refused(TITLE)(error)
}

impl Client for ValkeyClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        Ok(())
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        if let [one] = writes {
            let mut command = redis::cmd("SET");
            return command.arg(one.row.key()).arg(one.text()).exec(&mut self.connection).map_err(refused);
        }
        let mut transaction = redis::pipe();
        transaction.atomic();
        for of in writes {
            transaction.set(of.row.key(), of.text()).ignore();
        }
        transaction.exec(&mut self.connection).map_err(refused)
    }

    /// Writes a new log with what its log has, if it has one and is not just doing so.
    fn checkpoint(&mut self) -> Result<(), ServerError> {
        let mut ask = redis::cmd("INFO");
        let state: String = ask.arg("persistence").query(&mut self.connection).map_err(refused)?;
        let is = |line: &str| state.lines().any(|of| of == line);
        if is("aof_enabled:1") && is("aof_rewrite_in_progress:0") && is("aof_rewrite_scheduled:0") {
            redis::cmd("BGREWRITEAOF").exec(&mut self.connection).map_err(refused)?;
        }
        Ok(())
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let mut cursor = 0;
        loop {
            let mut scan = redis::cmd("SCAN");
            let (next, keys): (u64, Vec<u64>) =
                scan.arg(cursor).arg("COUNT").arg(1000).query(&mut self.connection).map_err(refused)?;
            if !keys.is_empty() {
                let texts: Vec<Option<Vec<u8>>> =
                    redis::cmd("MGET").arg(&keys).query(&mut self.connection).map_err(refused)?;
                for (key, text) in keys.iter().zip(texts) {
                    visit(Row::of_key(*key), text.as_deref().unwrap_or_default());
                }
            }
            cursor = next;
            if cursor == 0 {
                return Ok(());
            }
        }
    }
}
