//! etcd: servers of one member that take turns under the workload `requests`.
//!
//! Flags and defaults: <https://etcd.io/docs/v3.5/op-guide/configuration/>; `snapshot-count` is 10000 since 3.6
//! (<https://github.com/etcd-io/etcd/blob/main/CHANGELOG/CHANGELOG-3.6.md>).

use super::description::{Database, Levels};
use super::known::{Known, known};
use super::requests;
use crate::conditions::Conditions;
use crate::load::Load;
use crate::work::{RequestWork, Work};
use advice::DefaultValue;
use settings::Syntax;
use workload::requests::ServerKind;

pub(super) static DATABASE: Database = Database {
    id: "etcd",
    name: "etcd",
    instance: "etcd server",
    settings_file: "etcd.env",
    syntax: Syntax::EtcdEnvironment,
    first_in_file: &[],
    note: Some(NOTE),
    has_programs: true,
    server: Some("etcd"),
    advised_as: None,
    promised_with: &[],
    workload: "requests",
    settings: SETTINGS,
    proposed: &[("snapshot-count", "10000"), ("backend-batch-interval", "10ms")],
    loads_of_servers: PUTS,
    reserved: &[],
    fixed,
    pool_bytes: None,
    levels: requests::arm,
};

const NOTE: &str = "Every server is a cluster of one member, and its clients use the gateway from JSON to gRPC, which takes a \
                    part of each request.";

/// For what acts in the log and in the database's own transactions.
const PUTS: &[Load] = &[Load::asking(RequestWork::PutKey, 1), Load::asking(RequestWork::PutKey, 32)];
/// The same, and what acts in reads beside compactions.
const ALL: &[Load] = &[
    Load::asking(RequestWork::PutKey, 1),
    Load::asking(RequestWork::PutKey, 32),
    Load::asking(RequestWork::RangeKeys, 8),
];
/// For what acts between members.
const ELSEWHERE: &[Load] = &[];

const SETTINGS: &[Known] = &[
    known("snapshot-count", PUTS).trying_over(
        DefaultValue::Since { version: "3.6", value: "10000", before: "100000" },
        &["1000", "10000", "100000"],
    ),
    known("backend-batch-interval", ALL).trying("100ms", &["10ms", "50ms", "1s"]),
    known("backend-batch-limit", ALL).trying("10000", &["100", "1000"]),
    known("backend-bbolt-freelist-type", ALL).trying("map", &["array"]),
    known("heartbeat-interval", ELSEWHERE),
    known("quota-backend-bytes", ELSEWHERE),
    known("unsafe-no-fsync", PUTS),
];

/// 20 MB of keys and values.
const KEYS: u32 = 20_000;

fn fixed(load: Load, conditions: Conditions) -> Option<Levels> {
    let is_on_keys = match load.work {
        Work::Requests(work) => match work {
            RequestWork::PutKey | RequestWork::RangeKeys => true,
            RequestWork::InsertRow
            | RequestWork::InsertRowLogged
            | RequestWork::UpdateRow
            | RequestWork::ReadRow => false,
        },
        Work::Transactions(_) | Work::Store(_) => false,
    };
    requests::fixed(ServerKind::Etcd, KEYS, load, conditions).filter(|_| is_on_keys)
}
