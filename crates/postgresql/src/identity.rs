//! Which server a connection leads to, as far as trials have to have it in common. There is no password in it.

use crate::error::PostgresqlError;
use crate::session::Session;
use model::server::NamedServer;
use postgres::Config;
use postgres::config::Host;

impl Session {
    /// What the server that a connection string names says about itself.
    pub fn identity(&mut self, dsn: &str) -> Result<NamedServer, PostgresqlError> {
        let config: Config =
            dsn.parse().map_err(|error| PostgresqlError::Connect { why: crate::error::told(&error) })?;
        let database = self.text("read the database's name", "SELECT current_database()")?;
        // The server refuses a user without the privilege; that ends the statement and not the session.
        let identifier = "SELECT system_identifier::text FROM pg_control_system()";
        let system_identifier = self.text("read the system identifier", identifier);
        let directory = "SELECT current_setting('data_directory')";
        let data_directory = self.text("read where the data directory is", directory);
        Ok(NamedServer {
            version: self.version().to_string(),
            address: address(&config),
            database,
            system_identifier: system_identifier.into(),
            data_directory: data_directory.into(),
        })
    }
}

/// Whether a connection string has a password in it. One that cannot be read has none that could be used.
pub fn has_password(dsn: &str) -> bool {
    dsn.parse::<Config>().is_ok_and(|config| config.get_password().is_some())
}

/// Every host with its port, as `host:port`.
fn address(config: &Config) -> String {
    let ports = config.get_ports();
    let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
    let named = config.get_hosts().iter().enumerate().map(|(index, host)| match host {
        Host::Tcp(name) => format!("{name}:{}", port(index)),
        Host::Unix(path) => format!("{}:{}", path.display(), port(index)),
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { format!("localhost:{}", port(0)) } else { named.join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address_in(dsn: &str) -> String {
        address(&dsn.parse().expect("a connection string"))
    }

    #[test]
    fn an_address_has_hosts_and_ports_and_nothing_else() {
        assert_eq!(address_in("postgresql://me:secret@db1:5433/bench"), "db1:5433");
        assert_eq!(address_in("host=db1,/tmp port=5433,5434 password=secret"), "db1:5433,/tmp:5434");
        assert_eq!(address_in("host=db1 user=me"), "db1:5432");
    }

    #[test]
    fn a_password_in_a_connection_string_is_seen() {
        assert!(has_password("postgresql://me:secret@db1/bench") && has_password("host=x password=secret"));
        assert!(!has_password("host=x user=me") && !has_password("no connection string"));
    }
}
