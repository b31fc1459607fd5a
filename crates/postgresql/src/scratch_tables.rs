//! pgbench's tables in a scratch database on the user's server, which may hold those of several scales.

use crate::error::PostgresqlError;
use crate::loaded::{Contents, statements};
use crate::session::Session;

const DOING: &str = "load pgbench's tables";
/// Tables that are not all there.
const PART: &str = "part";

/// One trial's tables, in a schema of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchTables {
    pub contents: Contents,
    /// Whether the trial writes to them: then no other trial finds them.
    pub is_written: bool,
}

impl ScratchTables {
    fn schema(self) -> String {
        let Contents { scale, has_hash_index, .. } = self.contents;
        let hashed = if has_hash_index { "_hashed" } else { "" };
        let written = if self.is_written { "_written" } else { "" };
        format!("scale_{scale}{hashed}{written}")
    }

    /// The statement by which a session finds them.
    pub fn search_path(self) -> String {
        format!("SET search_path = {}", self.schema())
    }

    /// Loads them. Tables that are only read serve all trials; those that are written are made again, because each
    /// trial begins with the same pages.
    ///
    /// # Errors
    /// The server refuses a statement.
    pub fn prepare(self, session: &mut Session) -> Result<(), PostgresqlError> {
        let schema = self.schema();
        if !self.is_written {
            let is_there = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'");
            if session.figure(DOING, &is_there)? > 0 {
                return Ok(());
            }
        }
        session.execute(DOING, &format!("DROP SCHEMA IF EXISTS {schema} CASCADE"))?;
        // Its name is given last: a load that was killed begins again.
        session.execute(DOING, &format!("DROP SCHEMA IF EXISTS {PART} CASCADE"))?;
        session.execute(DOING, &format!("CREATE SCHEMA {PART}"))?;
        session.execute(DOING, &format!("SET search_path = {PART}"))?;
        statements(self.contents).iter().try_for_each(|statement| session.execute(DOING, statement))?;
        session.execute(DOING, &format!("ALTER SCHEMA {PART} RENAME TO {schema}"))
    }
}
