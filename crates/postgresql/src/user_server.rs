//! The user's server, as a proof may change it: a scratch database, settings that a reload brings into force, and
//! nothing else.
//!
//! - **Everything is checked before anything is changed** ([`UserServer::survey`]).
//! - **Nothing is changed that the undo journal does not name** ([`Undo`]). It is on the disk before the first `ALTER
//!   SYSTEM`.
//! - **A restart is not ours.** A setting that needs one is refused by name.

mod survey;

pub use survey::{Permits, Survey, Wish};

use crate::error::PostgresqlError;
use crate::server_refusal::ServerRefusal;
use crate::session::{Session, Target};
use crate::undo_journal::{ChangedServer, Undo, is_setting_name};
use model::Settings;
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

/// A server under load reloads in milliseconds.
const RELOAD_LIMIT: Duration = Duration::from_secs(30);
const RELOAD_PAUSE: Duration = Duration::from_millis(1);
/// `DROP DATABASE … WITH (FORCE)` came with PostgreSQL 13.
const FORCE: u32 = 13;
/// The value of a setting in the file that ALTER SYSTEM writes. The last line of a name counts.
const IN_AUTO_CONF: &str = "SELECT name, setting FROM pg_file_settings WHERE sourcefile LIKE '%/postgresql.auto.conf' \
                            AND name IS NOT NULL ORDER BY seqno";

/// An error that keeps the server from reading one of its files to the end, or from applying any of them: a name that
/// it does not know. A value that it does not take concerns only that setting.
const UNREADABLE: &str = "SELECT coalesce(sourcefile, 'postgresql.conf'), coalesce(sourceline, 0)::bigint, error FROM \
                          pg_file_settings AS line WHERE error IS NOT NULL AND (name IS NULL OR NOT EXISTS (SELECT \
                          FROM pg_settings WHERE lower(pg_settings.name) = lower(line.name))) ORDER BY seqno LIMIT 1";

/// A connection to the user's server that may change it.
pub struct UserServer {
    session: Session,
    server: ChangedServer,
}

impl UserServer {
    /// Connects. The role must be able to read which cluster it is.
    ///
    /// # Errors
    /// No connection, or a role without that right.
    pub fn connect(dsn: &str) -> Result<Self, PostgresqlError> {
        let mut session = Session::open(&Target::Dsn(dsn))?;
        let address = session.identity(dsn)?.address;
        let identifier = "SELECT system_identifier::text FROM pg_control_system()";
        let system_identifier = session.text("read the system identifier", identifier)?;
        Ok(Self { session, server: ChangedServer { system_identifier, address } })
    }

    /// The session, for queries.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Settings that a proof can change, with their values now, as a session has them that changes none.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn settings(&mut self) -> Result<BTreeMap<String, String>, PostgresqlError> {
        let doing = "read the settings";
        let query = "SELECT name, current_setting(name) FROM pg_settings WHERE context IN ('sighup', 'user', \
            'superuser')";
        // This session has changed some for itself, and has them again after the rollback.
        self.session.execute(doing, "BEGIN; RESET ALL")?;
        let rows = self.session.rows(doing, query, &[]);
        self.session.execute(doing, "ROLLBACK")?;
        let pair = |row: &postgres::Row| Ok((row.try_get(0)?, row.try_get::<_, Option<String>>(1)?));
        let pairs: Result<Vec<(String, Option<String>)>, postgres::Error> = rows?.iter().map(pair).collect();
        let pairs = pairs.map_err(|error| PostgresqlError::during(doing, &error))?;
        Ok(pairs.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// Makes the scratch database. Its comment names the proof, for a user who finds it after a kill.
    ///
    /// # Errors
    /// The server refuses.
    pub fn make_scratch(&mut self, undo: &Undo, proof: &str) -> Result<(), PostgresqlError> {
        self.require_same(undo)?;
        let name = &undo.database;
        self.session.execute("make a database", &format!("CREATE DATABASE \"{name}\" TEMPLATE template0"))?;
        let comment = format!("COMMENT ON DATABASE \"{name}\" IS {}", literal(proof));
        self.session.execute("comment on a database", &comment)
    }

    /// Brings settings into force: every setting of the journal gets its value here, or the one that it had before.
    ///
    /// # Errors
    /// Another server than the journal's, a setting that the journal does not name, one that the server refuses, or a
    /// reload without effect.
    pub fn apply(&mut self, undo: &Undo, settings: &Settings) -> Result<(), PostgresqlError> {
        self.require_same(undo)?;
        let mut wanted: BTreeMap<&str, Option<&str>> =
            undo.settings.iter().map(|(name, before)| (name.as_str(), before.as_deref())).collect();
        for (name, value) in settings.iter() {
            let Some(place) = wanted.get_mut(name) else {
                return Err(ServerRefusal::NotInJournal { name: name.to_owned() }.into());
            };
            *place = Some(value);
        }
        let now = self.in_auto_conf()?;
        let is_new = |(name, value): &(&str, Option<&str>)| now.get(*name).map(String::as_str) != *value;
        let changes: Vec<(&str, Option<&str>)> = wanted.into_iter().filter(is_new).collect();
        for (name, value) in changes {
            self.alter_system(name, value)?;
        }
        // Also without a change: a proof may have been killed between its change and its reload.
        self.reload()
    }

    /// Gives every setting its value from before, and drops the scratch database. Whatever was undone already stays as
    /// it is.
    ///
    /// # Errors
    /// Another server, or one that refuses: then the journal is still needed.
    pub fn undo(&mut self, undo: &Undo) -> Result<(), PostgresqlError> {
        self.apply(undo, &Settings::default())?;
        let now = self.in_auto_conf()?;
        if let Some((name, before)) =
            undo.settings.iter().find(|(name, before)| now.get(*name) != before.as_ref())
        {
            let before = before.clone().unwrap_or_else(|| "no value".to_owned());
            return Err(ServerRefusal::NotUndone { name: name.clone(), before }.into());
        }
        let force = if self.session.version().major() >= FORCE { " WITH (FORCE)" } else { "" };
        let drop = format!("DROP DATABASE IF EXISTS \"{}\"{force}", undo.database);
        self.session.execute("drop the scratch database", &drop)
    }

    /// A name leads to the server that it led to before.
    fn require_same(&self, undo: &Undo) -> Result<(), PostgresqlError> {
        if undo.server.system_identifier == self.server.system_identifier {
            return Ok(());
        }
        let ChangedServer { system_identifier, address: expected } = undo.server.clone();
        let address = self.server.address.clone();
        Err(ServerRefusal::Another { expected, system_identifier, address }.into())
    }

    fn alter_system(&mut self, name: &str, value: Option<&str>) -> Result<(), PostgresqlError> {
        debug_assert!(is_setting_name(name), "a journal and a survey name nothing else");
        let quoted = quoted(name);
        let statement = match value {
            Some(value) => format!("ALTER SYSTEM SET {quoted} = {}", literal(value)),
            None => format!("ALTER SYSTEM RESET {quoted}"),
        };
        self.session.execute(&format!("change {name}"), &statement)
    }

    /// What ALTER SYSTEM has written so far. Refuses if the server cannot read its files: it reports none of the lines
    /// after the error, and a reload would change nothing.
    fn in_auto_conf(&mut self) -> Result<BTreeMap<String, String>, PostgresqlError> {
        let doing = "read postgresql.auto.conf";
        if let Some(row) = self.session.optional_row(doing, UNREADABLE, &[])? {
            let failed = |error: postgres::Error| PostgresqlError::during(doing, &error);
            let (file, line) = (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
            let why = row.try_get(2).map_err(failed)?;
            return Err(ServerRefusal::UnreadableFiles { file, line, why }.into());
        }
        let rows = self.session.rows(doing, IN_AUTO_CONF, &[])?;
        let pair = |row: &postgres::Row| Ok((row.try_get(0)?, row.try_get::<_, Option<String>>(1)?));
        let pairs: Result<Vec<(String, Option<String>)>, postgres::Error> = rows.iter().map(pair).collect();
        let pairs = pairs.map_err(|error| PostgresqlError::during(doing, &error))?;
        Ok(pairs.into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect())
    }

    /// Has the server read its files again, and waits until this session has: the time of a reload is each process's
    /// own.
    fn reload(&mut self) -> Result<(), PostgresqlError> {
        let doing = "reload the configuration";
        let time = "SELECT pg_conf_load_time()::text";
        let before = self.session.text(doing, time)?;
        self.session.figure(doing, "SELECT pg_reload_conf()::int::bigint")?;
        let started = Instant::now();
        while self.session.text(doing, time)? == before {
            if started.elapsed() > RELOAD_LIMIT {
                return Err(ServerRefusal::NoReload { seconds: RELOAD_LIMIT.as_secs() }.into());
            }
            thread::sleep(RELOAD_PAUSE);
        }
        Ok(())
    }
}

/// The statement that changes a setting in its own session.
pub fn set_in_session(name: &str, value: &str) -> String {
    format!("SET {} = {}", quoted(name), literal(value))
}

fn quoted(name: &str) -> String {
    name.split('.').map(|part| format!("\"{}\"", part.replace('"', "\"\""))).collect::<Vec<_>>().join(".")
}

/// A text as a statement has it, whatever `standard_conforming_strings` is.
pub(crate) fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if quoted.contains('\\') {
        format!(" E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_end_its_statement() {
        assert_eq!(literal("128MB"), "'128MB'");
        assert_eq!(literal("x'; DROP DATABASE a; --"), "'x''; DROP DATABASE a; --'");
        assert_eq!(literal(r"\'"), r" E'\\'''");
    }
}
