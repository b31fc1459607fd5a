//! The state in which all arms begin: settings that were read back, and clients that have worked for a moment.

use super::client::Connected;
use super::loaded::Loaded;
use super::log_cycles::WholeCycles;
use crate::refusal::Refusal;
use crate::server_clients::warm_up;
use disk::kernel::scheduling::cpus_allowed;
use model::Nanos;
use model::server::{Circumstances, Pinned, ServerFacts};
use server::{Client, Running, Server, is_same_value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use workload::requests::{self, Parameters};

/// Length of the clients' work before the measurement: what they read first is read then. A pool that loaded rows do
/// not fit into has to be full.
const WARM_UP: Nanos = Nanos::from_millis(250);
const WARM_UP_OF_LOADED_ROWS: Nanos = Nanos::from_millis(1000);
/// A stream of requests beside those that are measured.
const WARM_UP_SEED: u64 = 0x5741_524d;
/// Requests that are measured are numbered from here on.
pub(super) const FIRST_MEASURED: u64 = 1 << 32;

/// What a trial's server is started with. Later ones win.
pub(super) fn settings<'p>(server: &'static dyn Server, p: &'p Parameters) -> Vec<(&'p str, String)> {
    let of_log = if p.binary_log { server.settings_of_binary_log() } else { &[] };
    let of_server = server.settings_of_requests().iter().chain(of_log);
    let mut all: Vec<(&str, String)> = of_server.map(|(name, value)| (*name, (*value).to_owned())).collect();
    all.extend(p.settings_of_cycles());
    all.extend(
        p.settings_with_effect().map(|(name, value)| (name, p.server_value(name, value).into_owned())),
    );
    all
}

/// Reads every setting back: a server takes some values for others.
pub(super) fn verify(
    loaded: &Loaded,
    client: &mut dyn Client,
    p: &Parameters,
) -> Result<ServerFacts, Refusal> {
    let mut facts = ServerFacts { version: loaded.version.clone(), ..ServerFacts::default() };
    let not_applied = p.settings_without_effect().map(|(name, why)| (name.to_owned(), why.to_owned()));
    facts.not_applied = not_applied.collect();
    for (name, requested) in p.settings_with_effect() {
        // A server that tells nobody refuses to start with what it does not have.
        let found = client.in_force(name).map_err(Refusal::failed)?.unwrap_or_else(|| requested.to_owned());
        let requested = p.server_value(name, requested);
        if !is_same_value(&found, &requested) {
            return Err(Refusal::Failed(format!(
                "settings: {name} = {requested} was requested, and the server has {found}"
            )));
        }
        facts.settings.insert(name.to_owned(), found);
    }
    Ok(facts)
}

/// What the figures are limited to.
pub(super) fn circumstances(
    server: &dyn Server,
    p: &Parameters,
    clients: &[Connected],
) -> Result<Circumstances, Refusal> {
    let drops = p.drops_pages();
    let has_threads = clients.iter().all(|client| client.thread().is_some());
    let buffers = server.settings_of_requests().iter().filter(|(name, _)| name.ends_with("_size"));
    Ok(Circumstances {
        shared_buffers: String::new(),
        buffers: buffers.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        dropped: if drops { vec!["what the server has written".to_owned()] } else { Vec::new() },
        drops_after_turns: drops,
        pinned: match (p.pinned, has_threads) {
            (false, _) => Pinned::Nothing,
            (true, false) => Pinned::Clients,
            (true, true) => Pinned::ClientsAndBackends,
        },
        cpus: Some(cpus_allowed().map_err(Refusal::failed)?),
    })
}

/// Connects the clients, and lets them work together for a moment.
/// If there are whole cycles of the log, they work until they have filled it once.
pub(super) fn connect(
    running: &Running<'_>,
    p: &Parameters,
    seed: u64,
    cycles: Option<&WholeCycles>,
) -> Result<Vec<Connected>, Refusal> {
    let at_least = if p.request.is_on_loaded_rows() { WARM_UP_OF_LOADED_ROWS } else { WARM_UP };
    let mut clients = Vec::new();
    for _ in 0..p.clients {
        let mut client = running.connect().map_err(Refusal::failed)?;
        let thread = client.server_thread().map_err(Refusal::failed)?;
        clients.push(Connected::new(client, thread));
    }
    let is_warm = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_warm = &is_warm;
        let one = |(number, mut client): (u32, Connected)| {
            let workload = requests::Client::new(p, Nanos::ZERO, number, seed ^ WARM_UP_SEED, 0);
            scope.spawn(move || warm_up(&mut client, workload, at_least, is_warm).map(|()| client))
        };
        let warming: Vec<_> = (0..).zip(clients).map(one).collect();
        let filled = cycles.map_or(Ok(()), |cycles| {
            cycles.await_round(|| warming.iter().any(ScopedJoinHandle::is_finished))
        });
        is_warm.store(true, Ordering::Relaxed);
        filled?;
        let joined = warming
            .into_iter()
            .map(|client| client.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    })
}
