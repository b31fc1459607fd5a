//! Which database server a run drives, as far as its trials have to have it in common.

use crate::figure::count;
use crate::mechanism::Measured;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Trials of two servers are not replicates of each other. Nothing here lets anybody connect: there is no password in
/// it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerIdentity {
    /// Clusters of Syncline's own.
    Own {
        /// Version of the programs, such as `18.6`.
        version: String,
    },
    /// A server of the user's, named by a connection string.
    Named(NamedServer),
}

/// A server of the user's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedServer {
    /// Its version, such as `18.6`.
    pub version: String,
    /// Where it was reached: host or socket directory, and port.
    pub address: String,
    pub database: String,
    /// `system_identifier` of its control file, which initdb draws for a cluster; copies of a cluster share it.
    pub system_identifier: Measured<String>,
    /// Its data directory, which only some users may read.
    pub data_directory: Measured<String>,
}

/// What a server that was measured reported about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// Its version, such as `18.6`.
    pub version: String,
    /// The requested settings as the server has them, by name, in the form of SHOW.
    pub settings: BTreeMap<String, String>,
    /// Requested settings that it was not started with, because they change nothing in what was measured: names, and
    /// why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_applied: BTreeMap<String, String>,
    /// Plans of the queries that were measured, if their plans matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<PlanFact>,
    /// In which circumstances it was measured; absent in records of before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circumstances: Option<Circumstances>,
}

/// What a figure of a server is limited to, beside what its clients did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// PostgreSQL's `shared_buffers`, in the form of SHOW; empty for another server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shared_buffers: String,
    /// Another server's settings that limit what it keeps in memory, which are the same in every arm.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub buffers: BTreeMap<String, String>,
    /// Tables and indexes whose pages were dropped from the page cache after each transaction.
    pub dropped: Vec<String>,
    /// Whether they were dropped after each turn instead, when the device had all of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drops_after_turns: bool,
    /// What was kept on a CPU.
    pub pinned: Pinned,
    /// CPUs that the server's processes could run on, those that are kept on one not counted; absent if they are not
    /// Syncline's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<usize>,
}

/// What of a server and its clients is kept on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pinned {
    /// Nothing: the scheduler decides.
    Nothing,
    /// Each client: the server is not Syncline's own.
    Clients,
    /// Each client, and the backend that serves it on the next CPU; no other process of the server.
    ClientsAndBackends,
}

impl Circumstances {
    /// As a clause: what was not cached, the buffers, and where the server's processes ran.
    pub fn words(&self) -> String {
        let after = if self.drops_after_turns { "turn" } else { "transaction" };
        let dropped = match self.dropped.split_last() {
            None => "nothing is dropped from the page cache".to_owned(),
            Some((last, [])) => format!("{last} is dropped from the page cache after each {after}"),
            Some((last, others)) => {
                let others = others.join(", ");
                format!("{others} and {last} are dropped from the page cache after each {after}")
            }
        };
        let cpus = self.cpus.map_or_else(String::new, |cpus| format!(" of {}", count(cpus, "CPU")));
        let placed = match self.pinned {
            Pinned::Nothing => format!("clients and backends run on any{cpus}"),
            Pinned::Clients => "clients are pinned to a CPU each, backends are not".to_owned(),
            Pinned::ClientsAndBackends => format!("clients and backends are pinned to one{cpus} each"),
        };
        let postgresql =
            Some(("shared_buffers", &self.shared_buffers)).filter(|(_, value)| !value.is_empty());
        let others = self.buffers.iter().map(|(name, value)| (name.as_str(), value));
        let buffers = postgresql.into_iter().chain(others).map(|(name, value)| format!("; {name} {value}"));
        format!("{dropped}{}; {placed}", buffers.collect::<String>())
    }
}

/// How a server runs a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFact {
    /// The query, with the values of one transaction.
    pub query: String,
    /// Types of the plan's nodes, from the top.
    pub nodes: Vec<String>,
    /// Hash of the whole plan without its costs: two arms with the same one run the query alike.
    pub hash: String,
}

impl ServerIdentity {
    /// Its version, such as `18.6`.
    pub fn version(&self) -> &str {
        match self {
            Self::Own { version } => version,
            Self::Named(server) => &server.version,
        }
    }

    /// What of two identities cannot belong to one server, in words; `None` if nothing contradicts it.
    ///
    /// If both clusters report their identity, only that counts, because an address is only a name.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differ = |what: &str, a: &str, b: &str| (a != b).then(|| format!("{what} {a} and {b}"));
        match (self, other) {
            (Self::Own { version: a }, Self::Own { version: b }) => differ("the versions", a, b),
            (Self::Named(a), Self::Named(b)) => {
                let known = |a: &Measured<String>, b: &Measured<String>| {
                    Some((a.value()?.clone(), b.value()?.clone()))
                };
                let identifiers = known(&a.system_identifier, &b.system_identifier);
                let directories = known(&a.data_directory, &b.data_directory);
                let is_told = identifiers.is_some() && directories.is_some();
                let of_cluster = identifiers
                    .and_then(|(a, b)| differ("the system identifiers", &a, &b))
                    .or_else(|| directories.and_then(|(a, b)| differ("the data directories", &a, &b)));
                let of_address = || differ("the addresses", &a.address, &b.address).filter(|_| !is_told);
                of_cluster
                    .or_else(|| differ("the versions", &a.version, &b.version))
                    .or_else(|| differ("the databases", &a.database, &b.database))
                    .or_else(of_address)
            }
            (Self::Own { .. }, Self::Named(named)) | (Self::Named(named), Self::Own { .. }) => {
                Some(format!("a server of Syncline's own and the one at {}", named.address))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(change: impl FnOnce(&mut NamedServer)) -> ServerIdentity {
        let mut server = NamedServer {
            version: "18.6".to_owned(),
            address: "localhost:5432".to_owned(),
            database: "bench".to_owned(),
            system_identifier: Measured::Value("7500000000000000001".to_owned()),
            data_directory: Measured::Value("/srv/a".to_owned()),
        };
        change(&mut server);
        ServerIdentity::Named(server)
    }

    /// `--resume` mixed two servers in the same configurations and answers.
    #[test]
    fn two_servers_are_never_taken_for_one() {
        let one = named(|_| ());
        assert_eq!(one.difference(&named(|_| ())), None);
        let changes: [fn(&mut NamedServer); 5] = [
            |server| server.system_identifier = Measured::Value("7500000000000000002".to_owned()),
            |server| server.data_directory = Measured::Value("/srv/copy".to_owned()),
            |server| server.version = "18.7".to_owned(),
            |server| server.database = "postgres".to_owned(),
            |server| {
                server.address = "elsewhere:5432".to_owned();
                server.system_identifier = Measured::unsupported("permission denied");
            },
        ];
        for change in changes {
            assert!(one.difference(&named(change)).is_some());
            assert!(named(change).difference(&one).is_some());
        }
        let own = ServerIdentity::Own { version: "18.6".to_owned() };
        assert!(one.difference(&own).is_some() && own.difference(&one).is_some());
        assert!(own.difference(&ServerIdentity::Own { version: "17.2".to_owned() }).is_some());
    }

    #[test]
    fn a_record_of_before_circumstances_were_kept_has_none() {
        let facts = ServerFacts { version: "18.6".to_owned(), ..ServerFacts::default() };
        let text = serde_json::to_string(&facts).unwrap();
        assert!(!text.contains("circumstances"), "{text}");
        assert_eq!(serde_json::from_str::<ServerFacts>(&text).unwrap(), facts);
    }

    #[test]
    fn one_server_may_be_reached_in_two_ways() {
        let by_socket = named(|server| server.address = "/run/postgresql:5432".to_owned());
        assert_eq!(named(|_| ()).difference(&by_socket), None);
    }
}
