//! What a server is started with: what all arms of a study have in common, and then its own settings.

use crate::refusal::Refusal;
use model::Script;
use model::trial::{ServerSource, TrialSpec};
use postgresql::{Contents, Installation};
use workload::transactions::{Checkpoints, Parameters, SHARED_BUFFERS_OF_COLD_SCRIPTS, WalSegments};

use super::NEEDS_OWN_SERVERS;

/// Megabytes of a segment of the write-ahead log: initdb's default, and as small as it makes them.
const SEGMENT_MIB: u32 = 16;
const SMALL_SEGMENT_MIB: u32 = 1;
/// Connections beside the clients', PostgreSQL's own reserve included.
const CONNECTIONS_MORE: u32 = 20;
/// The smallest: ANALYZE then reads 300 pages.
const STATISTICS_TARGET_OF_ANALYZE: &str = "1";
/// PostgreSQL's default.
const CONNECTIONS_USUAL: u32 = 100;

/// The programs of a trial's server: those that its configuration names, or the run's.
pub(super) fn installation(spec: &TrialSpec, p: &Parameters) -> Result<Installation, Refusal> {
    let programs = match (&p.programs, &spec.server) {
        (Some(programs), _) | (None, Some(ServerSource::Programs(programs))) => programs,
        (None, Some(ServerSource::Dsn(_) | ServerSource::Scratch { .. })) => {
            return Err(Refusal::Unsupported(NEEDS_OWN_SERVERS.to_owned()));
        }
        (None, Some(ServerSource::Absent(why))) => return Err(Refusal::Unsupported(why.clone())),
        (None, Some(ServerSource::Servers(_)) | None) => {
            return Err(Refusal::Unsupported(
                "no PostgreSQL is configured: the run names no directory of its programs".to_owned(),
            ));
        }
    };
    Ok(Installation::at(programs)?)
}

/// What the cluster of a trial holds.
pub(super) fn contents(p: &Parameters) -> Contents {
    Contents {
        scale: p.scale,
        // Every scan has the same cluster, so that a proof of several loads it once.
        has_hash_index: p.script.scan().is_some() || p.script == Script::Queries,
        wal_segment_mib: match (p.wal_segments, p.checkpoints) {
            (WalSegments::Prefilled, Checkpoints::None) => SEGMENT_MIB,
            (WalSegments::Fresh, Checkpoints::None | Checkpoints::Cycle)
            | (WalSegments::Prefilled, Checkpoints::Cycle) => SMALL_SEGMENT_MIB,
        },
    }
}

/// The options of a trial's server. Later ones win.
pub(super) fn options(p: &Parameters) -> Vec<(&str, String)> {
    let connections = (p.clients + CONNECTIONS_MORE).max(CONNECTIONS_USUAL);
    let mut options = vec![("autovacuum", "off".to_owned()), ("max_connections", connections.to_string())];
    match p.checkpoints {
        Checkpoints::None => {
            options.extend([("checkpoint_timeout", "1d".to_owned()), ("max_wal_size", "64GB".to_owned())]);
            // It would write a waiting server's pages in the turns of others.
            options.push(("bgwriter_lru_maxpages", "0".to_owned()));
        }
        Checkpoints::Cycle => options.extend(p.settings_of_cycles()),
    }
    if p.script == Script::Analyze {
        options.push(("default_statistics_target", STATISTICS_TARGET_OF_ANALYZE.to_owned()));
    }
    if let Some(scan) = p.script.scan() {
        let ways = scan.access.definition().settings;
        options.extend(ways.iter().map(|(name, value)| (*name, (*value).to_owned())));
        options.push(("max_parallel_workers_per_gather", "0".to_owned()));
    }
    if p.script.is_cold() {
        options.push(("shared_buffers", SHARED_BUFFERS_OF_COLD_SCRIPTS.to_owned()));
    }
    let of_server = |(name, value)| (name, p.server_value(name, value).into_owned());
    options.extend(p.settings_with_effect().map(of_server));
    options
}
