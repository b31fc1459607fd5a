//! One trial in the scratch database of a proof, on the user's server.
//!
//! Before it, every setting of the undo journal gets the value of this arm, or the one that it had before the proof.
//! The proof gives all of them their values back; a trial that is killed leaves that to it.

use super::arms::contents;
use super::postgres::{counted, drive, outcome, unserved};
use super::start::{connect, read_plans, require_tables, settle_pages, verify};
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::site::Site;
use disk::kernel::block_device::BlockDevice;
use model::Settings;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use postgresql::{Activity, Login, ScratchTables, Session, Undo, UserServer, UsersLogin, set_in_session};
use std::path::{Path, PathBuf};
use workload::transactions::{Checkpoints, Parameters, ServerCounts, WalSegments};

/// Why the script cannot be measured here.
const NOT_COLD: &str = "this script reads cold data, and Syncline cannot evict the files of the user's server from the \
                        page cache: it is measured on servers of Syncline's own";
const NOT_FRESH: &str =
    "wal_segments = fresh needs a cluster of its own: it is measured on servers of Syncline's own";
const NO_CYCLES: &str =
    "checkpoints = cycle sets when checkpoints begin: it is measured on servers of Syncline's own";
const ELSEWHERE: &str =
    "the device is unknown, because the user's server is reached by TCP and may be on another machine";

const SHARED: &str =
    "not checked: other sessions may work on the server, and their requests to its device are counted too";
const OF_ALL_SESSIONS: &str =
    "not checked: the server counts this for all of its sessions together, and others may use it";
const NOT_CHECKED: &str = "whether it changes anything is not checked, because the log, the checkpoints and the \
                           autovacuum of this server serve other sessions too";
const NOT_ITS_DOING: &str = "whether other sessions kept it from that is not checked";

fn require_possible(p: &Parameters) -> Result<(), Refusal> {
    if p.script.is_cold() {
        return Err(Refusal::Unsupported(NOT_COLD.to_owned()));
    }
    if p.checkpoints == Checkpoints::Cycle {
        return Err(Refusal::Unsupported(NO_CYCLES.to_owned()));
    }
    if p.wal_segments == WalSegments::Fresh {
        return Err(Refusal::Unsupported(NOT_FRESH.to_owned()));
    }
    Ok(())
}

/// The tables of a trial. What it writes to, no other trial finds.
fn tables(p: &Parameters) -> ScratchTables {
    ScratchTables { contents: contents(p), is_written: p.script.writes() }
}

/// Loads the tables, unless another trial has left them as they were. Not measured.
pub(super) fn condition(spec: &TrialSpec, dsn: &str, journal: &Path) -> Result<(), Refusal> {
    let p = &Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    require_possible(p)?;
    let undo = Undo::read(journal)?;
    let mut session = Session::observe_users(&UsersLogin::new(dsn, &undo.database)?)?;
    Ok(tables(p).prepare(&mut session)?)
}

/// The device below the server's write-ahead log, if that is on this machine.
fn device(session: &mut Session, login: &UsersLogin) -> Measured<BlockDevice> {
    if !login.is_local() {
        return Measured::unsupported(ELSEWHERE);
    }
    let directory = session.text("read where its files are", "SELECT current_setting('data_directory')");
    let directory = match directory {
        Ok(directory) => PathBuf::from(directory),
        Err(error) => return Measured::unsupported(error.to_string()),
    };
    let log = directory.join("pg_wal");
    let place = if log.is_dir() { log } else { directory };
    BlockDevice::below(&place)
}

/// The user's server, as a trial may use it.
pub(super) struct Scratch<'a> {
    pub(super) dsn: &'a str,
    pub(super) journal: &'a Path,
    /// Whether others may work on it meanwhile.
    pub(super) is_shared: bool,
}

pub(super) fn measure(
    site: &Site,
    spec: &TrialSpec,
    server: &Scratch<'_>,
) -> Result<SubjectMeasurement, Refusal> {
    let Scratch { dsn, journal, is_shared } = *server;
    let p = &Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let seed = spec.seed;
    let undo = Undo::read(journal)?;
    let (reloaded, of_session): (Vec<_>, Vec<_>) =
        p.settings_with_effect().partition(|(name, _)| undo.settings.contains_key(*name));
    let reloaded = Settings::new(reloaded).map_err(Refusal::Failed)?;
    UserServer::connect(dsn)?.apply(&undo, &reloaded)?;
    let login = UsersLogin::new(dsn, &undo.database)?;
    let mut setting_up = vec![tables(p).search_path()];
    setting_up.extend(of_session.into_iter().map(|(name, value)| set_in_session(name, value)));
    let mut session = Session::observe_users(&login)?;
    setting_up.iter().try_for_each(|statement| session.execute("set the session up", statement))?;
    let mut verified = verify(&mut session, p)?;
    for why in verified.facts.not_applied.values_mut() {
        NOT_CHECKED.clone_into(why);
    }
    require_tables(&mut session, p)?;
    settle_pages(&mut session, p)?;
    read_plans(&mut session, p, &mut verified.facts)?;
    let clients = connect((&Login::Users(&login), &setting_up), (p, seed), None, &mut session)?;
    let before = session.activity()?;
    let device = if is_shared { Measured::unsupported(SHARED) } else { device(&mut session, &login) };
    let mut ran = drive((site, &device), (p, seed), clients, None, None)?;
    session.await_disconnects()?;
    let counts = of_database(&session.activity()?.since(&before));
    ran.notes.push(format!("PostgreSQL {}, the user's server", verified.facts.version));
    ran.notes.extend(unserved(&ran, p, None).map(|note| format!("{note}; {NOT_ITS_DOING}")));
    outcome(ran, (p, seed), (&counts, None), verified)
}

/// What the server counts for the scratch database alone. It counts its log and its checkpoints for all sessions
/// together.
fn of_database(activity: &Activity) -> ServerCounts {
    let of_all = || Measured::unsupported(OF_ALL_SESSIONS);
    ServerCounts {
        wal_bytes: of_all(),
        wal_syncs: of_all(),
        full_page_images: of_all(),
        wal_segments_created: of_all(),
        checkpoints: of_all(),
        blocks_read: counted(activity).blocks_read,
    }
}
