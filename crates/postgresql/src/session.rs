//! A connection in which statements are run and explained.

use crate::client::UsersLogin;
use crate::error::{PostgresqlError, told};
use crate::explain::{self, Explained};
use crate::password;
use crate::server::Server;
use crate::version::Version;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Row};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Which server.
#[derive(Debug)]
pub enum Target<'a> {
    /// One of Syncline.
    Own(&'a Server),
    /// The user's, by a connection string or URL.
    Dsn(&'a str),
}

/// A connection whose statements run one after another, in one process and without just-in-time compilation, so that
/// what they cost is the pages'.
pub struct Session {
    client: Client,
    version: Version,
    is_ours: bool,
}

/// Settings that every user may change for a session. With the search path, temporary tables are looked for first: one
/// that names `pg_temp` last would lead to a user's own table of the same name.
const SETTINGS: &str = "SET search_path = public; SET jit = off; SET max_parallel_workers_per_gather = 0; SET \
    synchronize_seqscans = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET \
    enable_memoize = off; SET work_mem = '256MB'; SET statement_timeout = 0; SET client_min_messages = warning";

impl Session {
    /// Connects and sets the session up.
    pub fn open(target: &Target<'_>) -> Result<Self, PostgresqlError> {
        let mut client = match target {
            Target::Own(server) => server.connect().map_err(|error| PostgresqlError::Start {
                why: format!("it does not answer: {}", told(&error)),
            })?,
            Target::Dsn(dsn) => connect(dsn)?,
        };
        let doing = "set the session up";
        let version = client.query_one("SELECT current_setting('server_version_num')::int", &[]);
        let version = version.map_err(|error| PostgresqlError::during(doing, &error))?.get::<_, i32>(0);
        let version = Version(version.unsigned_abs());
        if version < Version::OLDEST {
            return Err(PostgresqlError::Unsupported(format!(
                "the server is PostgreSQL {version}: {} or later is needed",
                Version::OLDEST
            )));
        }
        // `enable_memoize` came with 14; nothing needs it before.
        let settings =
            SETTINGS.split("; ").filter(|setting| version.major() >= 14 || !setting.contains("memoize"));
        for setting in settings {
            client.batch_execute(setting).map_err(|error| PostgresqlError::during(doing, &error))?;
        }
        // Only superusers and those whom they let: without it times are missing, and say why.
        let _ = client.batch_execute("SET track_io_timing = on");
        Ok(Self { client, version, is_ours: matches!(target, Target::Own(_)) })
    }

    /// Connects to a server of Syncline and changes no setting of the session: queries are planned as every client's.
    pub fn observe(server: &Server) -> Result<Self, PostgresqlError> {
        let client = server.connect().map_err(|error| PostgresqlError::Start {
            why: format!("it does not answer: {}", told(&error)),
        })?;
        let mut session = Self { client, version: Version::OLDEST, is_ours: true };
        let version =
            session.figure("read the version", "SELECT current_setting('server_version_num')::bigint")?;
        session.version = Version(version.unsigned_abs() as u32);
        Ok(session)
    }

    /// The same in a database of the user's server.
    pub fn observe_users(login: &UsersLogin) -> Result<Self, PostgresqlError> {
        let client = connect_to(login.config().clone())?;
        let mut session = Self { client, version: Version::OLDEST, is_ours: false };
        let version =
            session.figure("read the version", "SELECT current_setting('server_version_num')::bigint")?;
        session.version = Version(version.unsigned_abs() as u32);
        Ok(session)
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether the server is one of Syncline, whose settings and files are at hand.
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Runs a statement that answers nothing. `doing` is a verb phrase for errors.
    pub fn execute(&mut self, doing: &str, statement: &str) -> Result<(), PostgresqlError> {
        self.client.batch_execute(statement).map_err(|error| PostgresqlError::during(doing, &error))
    }

    /// The one figure that a query answers.
    pub fn figure(&mut self, doing: &str, query: &str) -> Result<i64, PostgresqlError> {
        let row =
            self.client.query_one(query, &[]).map_err(|error| PostgresqlError::during(doing, &error))?;
        row.try_get(0).map_err(|error| PostgresqlError::during(doing, &error))
    }

    /// The rows that a query answers.
    pub(crate) fn rows(
        &mut self,
        doing: &str,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, PostgresqlError> {
        self.client.query(query, parameters).map_err(|error| PostgresqlError::during(doing, &error))
    }

    /// The one text that a query answers.
    pub fn text(&mut self, doing: &str, query: &str) -> Result<String, PostgresqlError> {
        let row =
            self.client.query_one(query, &[]).map_err(|error| PostgresqlError::during(doing, &error))?;
        row.try_get(0).map_err(|error| PostgresqlError::during(doing, &error))
    }

    /// The first row that a query answers, if it answers one.
    pub(crate) fn optional_row(
        &mut self,
        doing: &str,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, PostgresqlError> {
        let rows = self.client.query(query, parameters);
        let rows = rows.map_err(|error| PostgresqlError::during(doing, &error))?;
        Ok(rows.into_iter().next())
    }

    /// Runs a statement and tells what it did, and how long it took from here, its commit included.
    pub fn explain(
        &mut self,
        doing: &str,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<(Explained, Duration), PostgresqlError> {
        // Without TIMING the server does not read the clock for every row.
        let explain = format!("EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, FORMAT JSON) {statement}");
        let prepared =
            self.client.prepare(&explain).map_err(|error| PostgresqlError::during(doing, &error))?;
        let started = Instant::now();
        let row = self.client.query_one(&prepared, parameters);
        let elapsed = started.elapsed();
        let row = row.map_err(|error| PostgresqlError::during(doing, &error))?;
        let answer: serde_json::Value =
            row.try_get(0).map_err(|error| PostgresqlError::during(doing, &error))?;
        Ok((explain::parse(&answer)?, elapsed))
    }
}

/// Within the limit, for which the DSN may name another. The client's own ends with the socket's connection: whatever
/// listens there may never say a word, and libpq's `connect_timeout` is about that too.
fn connect(dsn: &str) -> Result<Client, PostgresqlError> {
    let config: Result<Config, _> = dsn.parse();
    connect_to(config.map_err(|error| PostgresqlError::Connect { why: told(&error) })?)
}

fn connect_to(mut config: Config) -> Result<Client, PostgresqlError> {
    let refused = |error: postgres::Error| PostgresqlError::Connect { why: told(&error) };
    let limit = config.get_connect_timeout().copied().unwrap_or(CONNECT_LIMIT);
    config.connect_timeout(limit).application_name("syncline");
    password::complete(&mut config);
    // Every host has its time, and for each of two addresses: one of either version.
    let limit = limit.saturating_mul(2 * config.get_hosts().len().max(1) as u32);
    let (tell, answer) = mpsc::channel();
    thread::spawn(move || {
        // Nobody listens any more where it took too long.
        let _ = tell.send(config.connect(NoTls));
    });
    match answer.recv_timeout(limit) {
        Ok(connected) => connected.map_err(refused),
        Err(_) => {
            let why = format!("it does not answer within {} s", limit.as_secs());
            Err(PostgresqlError::Connect { why })
        }
    }
}
