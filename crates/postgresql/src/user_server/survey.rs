//! What a proof would change on the user's server, and whether it may. Only reads.

use super::UserServer;
use crate::client::UsersLogin;
use crate::error::PostgresqlError;
use crate::server_refusal::ServerRefusal;
use crate::undo_journal::{SCRATCH_PREFIX, Undo, is_setting_name, scratch_name};
use std::collections::{BTreeMap, BTreeSet};

/// PostgreSQL gives rights to change single settings, and to write a checkpoint, since 15.
const RIGHTS_OF_SETTINGS: u32 = 15;
/// Settings without which a commit is not durable.
const OF_DURABILITY: [&str; 3] = ["fsync", "full_page_writes", "synchronous_commit"];
const SUPERUSER: &str = "connect as a superuser";
const READS_FILES: &str = "GRANT SELECT ON pg_file_settings and EXECUTE ON FUNCTION pg_show_all_file_settings(), or \
    connect as a superuser";
/// A session whose state this role may not see counts as one that works.
const BUSY: &str = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> \
                    pg_backend_pid() AND state IS DISTINCT FROM 'idle'";

const ALTER_SYSTEM: &str = "ALTER SYSTEM";
const SET: &str = "SET";
const IS_SUPERUSER: &str = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user";
/// `data_directory` is hidden from other roles.
const READS_DIRECTORY: &str = "SELECT EXISTS (SELECT FROM pg_settings WHERE name = 'data_directory')";
const SOCKET: &str = "SELECT setting FROM pg_settings WHERE name = 'unix_socket_directories'";

/// What a proof wants of the user's server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Every setting that an arm changes.
    pub settings: BTreeSet<String>,
    /// Whether trials write, and so begin with a checkpoint.
    pub writes: bool,
    /// Whether others may work on the server meanwhile.
    pub allow_busy: bool,
    /// The name of the scratch database comes from it.
    pub random: u64,
}

/// What a proof would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// What undoes it: the scratch database, and the settings that are changed by ALTER SYSTEM and a reload.
    pub undo: Undo,
    /// Settings that Syncline changes in its own sessions only.
    pub of_sessions: BTreeSet<String>,
}

/// What a server permits a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permits {
    pub role: String,
    /// Whether it is reached by its Unix socket.
    pub is_local: bool,
    /// The directory of that socket, if it is known.
    pub socket: Option<String>,
    /// Whether the role may read where the server's files are.
    pub reads_directory: bool,
    pub may_checkpoint: bool,
    /// Settings that no reload brings into force, and when they take effect: a clause.
    pub not_reloadable: BTreeMap<String, &'static str>,
    /// Settings that the role may not change.
    pub without_right: BTreeSet<String>,
}

impl UserServer {
    /// What would be changed. Refuses what may not be done, before anything is.
    ///
    /// # Errors
    /// A refusal, or a server that does not answer.
    pub fn survey(&mut self, wish: &Wish) -> Result<Survey, PostgresqlError> {
        if self.is("SELECT pg_is_in_recovery()")? {
            return Err(ServerRefusal::Standby.into());
        }
        self.require_durable()?;
        let (reloaded, of_sessions) = self.contexts(&wish.settings)?;
        self.require_rights(&reloaded, &of_sessions, wish.writes)?;
        self.require_none_left_over()?;
        let sessions = self.session.figure("count the sessions that work", BUSY)?;
        if sessions > 0 && !wish.allow_busy {
            return Err(ServerRefusal::Busy { sessions }.into());
        }
        let now = self.in_auto_conf()?;
        let before: BTreeMap<String, Option<String>> =
            reloaded.into_iter().map(|name| (name.clone(), now.get(&name).cloned())).collect();
        let undo =
            Undo { server: self.server.clone(), database: scratch_name(wish.random), settings: before };
        Ok(Survey { undo, of_sessions })
    }

    fn is(&mut self, query: &str) -> Result<bool, PostgresqlError> {
        let as_figure = format!("SELECT ({query})::int::bigint");
        Ok(self.session.figure("read what the server is", &as_figure)? == 1)
    }

    fn require_durable(&mut self) -> Result<(), PostgresqlError> {
        for name in OF_DURABILITY {
            let value = self.session.text("read a setting", &format!("SELECT current_setting('{name}')"))?;
            if value == "off" {
                return Err(ServerRefusal::NotDurable { name: name.to_owned() }.into());
            }
        }
        Ok(())
    }

    /// What the server permits this role: of these settings, and of what trials that write need. [`Self::survey`]
    /// refuses a setting that the server lacks.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn permits(&mut self, dsn: &str, settings: &BTreeSet<String>) -> Result<Permits, PostgresqlError> {
        let has_rights = self.is(IS_SUPERUSER)? || self.session.version().major() < RIGHTS_OF_SETTINGS;
        let mut permits = Permits {
            role: self.role()?,
            is_local: UsersLogin::new(dsn, "postgres")?.is_local(),
            socket: self.socket()?,
            reads_directory: self.is(READS_DIRECTORY)?,
            may_checkpoint: has_rights || self.may_checkpoint()?,
            not_reloadable: BTreeMap::new(),
            without_right: BTreeSet::new(),
        };
        for name in settings {
            let (reloaded, of_sessions) = match self.contexts(&BTreeSet::from([name.clone()])) {
                Err(PostgresqlError::Refused(ServerRefusal::NotReloadable { name, when })) => {
                    permits.not_reloadable.insert(name, when);
                    continue;
                }
                Err(PostgresqlError::Refused(ServerRefusal::Unknown { .. })) => continue,
                contexts => contexts?,
            };
            let right = if reloaded.is_empty() { SET } else { ALTER_SYSTEM };
            for name in reloaded.into_iter().chain(of_sessions) {
                if !has_rights && !self.may_change(&name, right)? {
                    permits.without_right.insert(name);
                }
            }
        }
        Ok(permits)
    }

    fn role(&mut self) -> Result<String, PostgresqlError> {
        self.session.text("read which role it is", "SELECT current_user::text")
    }

    fn may_checkpoint(&mut self) -> Result<bool, PostgresqlError> {
        self.is("SELECT pg_has_role(current_user, 'pg_checkpoint', 'USAGE')")
    }

    /// Only for the names of settings that the server has.
    fn may_change(&mut self, name: &str, right: &str) -> Result<bool, PostgresqlError> {
        self.is(&format!(
            "SELECT has_parameter_privilege('{name}', '{right}') OR ('{right}' = 'SET' AND context = 'user') \
             FROM pg_settings WHERE lower(name) = lower('{name}')"
        ))
    }

    /// The first directory of the server's sockets; `None` if there is none, or if the role may not read it.
    fn socket(&mut self) -> Result<Option<String>, PostgresqlError> {
        let rows = self.session.rows("read where the socket is", SOCKET, &[])?;
        let directories: Option<String> = rows.first().and_then(|row| row.try_get(0).ok());
        let first = directories.and_then(|all| all.split(',').next().map(|first| first.trim().to_owned()));
        Ok(first.filter(|first| !first.is_empty()))
    }

    /// The settings that a reload brings into force, and those that a session sets for itself.
    fn contexts(
        &mut self,
        settings: &BTreeSet<String>,
    ) -> Result<(BTreeSet<String>, BTreeSet<String>), PostgresqlError> {
        let (mut reloaded, mut of_sessions) = (BTreeSet::new(), BTreeSet::new());
        for name in settings {
            let doing = "read how a setting takes effect";
            let rows = self
                .session
                .rows(doing, "SELECT context FROM pg_settings WHERE lower(name) = lower($1)", &[name])
                .map(|rows| if is_setting_name(name) { rows } else { Vec::new() })?;
            let context = rows.first().map(|row| row.try_get::<_, String>(0)).transpose();
            let context = context.map_err(|error| PostgresqlError::during(doing, &error))?;
            let not_reloadable = |when| Err(ServerRefusal::NotReloadable { name: name.clone(), when }.into());
            match context.as_deref() {
                Some("sighup") => reloaded.insert(name.clone()),
                Some("user" | "superuser") => of_sessions.insert(name.clone()),
                Some("postmaster") => return not_reloadable("the server starts"),
                Some("backend" | "superuser-backend") => return not_reloadable("a session begins"),
                Some(_) => return not_reloadable("the server is built or initialised"),
                None => return Err(ServerRefusal::Unknown { name: name.clone() }.into()),
            };
        }
        Ok((reloaded, of_sessions))
    }

    fn require_rights(
        &mut self,
        reloaded: &BTreeSet<String>,
        of_sessions: &BTreeSet<String>,
        writes: bool,
    ) -> Result<(), PostgresqlError> {
        let role = self.role()?;
        let refuse = |what: String, remedy| -> Result<(), PostgresqlError> {
            Err(ServerRefusal::Privilege { role: role.clone(), what, remedy }.into())
        };
        if self.is(IS_SUPERUSER)? {
            if self.is("SELECT coalesce(current_setting('allow_alter_system', true), 'on') = 'off'")? {
                return refuse("use ALTER SYSTEM".to_owned(), "allow_alter_system is off on this server");
            }
            return Ok(());
        }
        if self.session.version().major() < RIGHTS_OF_SETTINGS {
            return refuse("use ALTER SYSTEM and CHECKPOINT".to_owned(), SUPERUSER);
        }
        if !self.is("SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user")? {
            return refuse("make a database".to_owned(), "ALTER ROLE … CREATEDB, or connect as a superuser");
        }
        if writes && !self.may_checkpoint()? {
            return refuse("use CHECKPOINT".to_owned(), "GRANT pg_checkpoint, or connect as a superuser");
        }
        let reads_files = "SELECT has_table_privilege('pg_file_settings', 'SELECT') AND \
                           has_function_privilege('pg_show_all_file_settings()', 'EXECUTE')";
        if !self.is(reads_files)? {
            return refuse("read which settings ALTER SYSTEM has set".to_owned(), READS_FILES);
        }
        if !self.is("SELECT has_function_privilege('pg_reload_conf()', 'EXECUTE')")? {
            return refuse("reload the configuration".to_owned(), SUPERUSER);
        }
        for (names, right) in [(reloaded, ALTER_SYSTEM), (of_sessions, SET)] {
            for name in names {
                if !self.may_change(name, right)? {
                    let remedy = "GRANT SET, ALTER SYSTEM ON PARAMETER …, or connect as a superuser";
                    return refuse(format!("change {name} ({right})"), remedy);
                }
            }
        }
        Ok(())
    }

    /// A scratch database is there while its proof runs, and after a kill until that is undone.
    fn require_none_left_over(&mut self) -> Result<(), PostgresqlError> {
        let doing = "look for scratch databases";
        let query = format!(
            "SELECT datname::text, coalesce(shobj_description(oid, 'pg_database'), 'without a comment') FROM \
             pg_database WHERE datname ~ '^{SCRATCH_PREFIX}[0-9a-f]{{16}}$' LIMIT 1"
        );
        let rows = self.session.rows(doing, &query, &[])?;
        let Some(row) = rows.first() else { return Ok(()) };
        let text = |place: usize| row.try_get(place).map_err(|error| PostgresqlError::during(doing, &error));
        Err(ServerRefusal::LeftOver { database: text(0)?, comment: text(1)? }.into())
    }
}
