//! The changes of a proof on the user's server: surveyed, written down, made, undone.

use super::{JOURNAL, Rights};
use crate::failure::Failure;
use crate::output::tell;
use crate::request::seed_from_clock;
use crate::servers::Wanted;
use postgresql::{Permits, Survey, UndoJournal, UserServer, Wish};
use proof::{Asked, Design, Limits, Obstacle, Server};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The user's server.
pub(in crate::command::prove) struct UsersServer {
    server: UserServer,
    dsn: String,
}

/// The user's server, with all that a proof may change on it.
pub(in crate::command::prove) struct Lent {
    server: UserServer,
    survey: Survey,
}

/// Connects to the server that `--dsn` names, if it names one.
pub(in crate::command::prove) fn connect(wanted: Wanted<'_>) -> Result<Option<UsersServer>, Failure> {
    let Some(dsn) = wanted.connection_string()? else { return Ok(None) };
    let server = UserServer::connect(&dsn).map_err(Failure::runtime)?;
    Ok(Some(UsersServer { server, dsn }))
}

/// Undoes what a killed proof has changed.
pub(in crate::command::prove) fn undo(proof: &Path, wanted: Wanted<'_>) -> Result<(), Failure> {
    let path = proof.join(JOURNAL);
    let journal = UndoJournal::open(&path).map_err(Failure::runtime)?;
    let Some(mut users) = connect(wanted)? else {
        return Err(Failure::Usage(format!(
            "{} names the server at {}: name it again with --dsn or --dsn-file",
            path.display(),
            journal.undo().server.address
        )));
    };
    take_back(&mut users.server, journal)
}

fn take_back(server: &mut UserServer, journal: UndoJournal) -> Result<(), Failure> {
    server.undo(journal.undo()).map_err(Failure::runtime)?;
    journal.remove().map_err(Failure::runtime)?;
    tell("the server's settings are as they were before the proof, and the scratch database is dropped");
    Ok(())
}

impl UsersServer {
    /// What runs there now.
    pub(in crate::command::prove) fn current(&mut self) -> Result<Server, Failure> {
        let settings = self.server.settings().map_err(Failure::runtime)?;
        Ok(Server { settings, ..Server::default() })
    }

    /// Its version, such as `18.6`.
    pub(in crate::command::prove) fn version(&mut self) -> String {
        self.server.session().version().to_string()
    }

    /// What the server does not let be measured of a question.
    pub(in crate::command::prove) fn limits(&mut self, design: &Design) -> Result<Limits, Failure> {
        let names = match &design.asked {
            // An arm is compared whole, so the survey refuses a setting that it cannot have.
            Asked::Servers(_) => BTreeSet::new(),
            Asked::Changes(_) | Asked::Race(_) => changed(design)?,
        };
        let permits = self.server.permits(&self.dsn, &names).map_err(Failure::runtime)?;
        Ok(limits(permits))
    }

    /// What the proof would change. Refuses what may not be changed; a proof that goes on is undone first.
    pub(in crate::command::prove) fn survey(
        mut self,
        design: &Design,
        rights: &Rights<'_>,
    ) -> Result<Lent, Failure> {
        if let Some(journal) = rights.resumes.map(|proof| proof.join(JOURNAL)).filter(|path| path.exists()) {
            take_back(&mut self.server, UndoJournal::open(&journal).map_err(Failure::runtime)?)?;
        }
        let wish = Wish {
            settings: changed(design)?,
            writes: design.writes(),
            allow_busy: rights.busy,
            random: seed_from_clock(),
        };
        let survey = self.server.survey(&wish).map_err(Failure::runtime)?;
        Ok(Lent { server: self.server, survey })
    }
}

impl Lent {
    /// The user has to allow the changes.
    pub(in crate::command::prove) fn require_allowed(&self, rights: &Rights<'_>) -> Result<(), Failure> {
        let survey = &self.survey;
        if rights.settings {
            return Ok(());
        }
        let names: Vec<&str> = survey.undo.settings.keys().map(String::as_str).collect();
        let by_reload = if names.is_empty() { "no setting".to_owned() } else { names.join(", ") };
        Err(Failure::Usage(format!(
            "the proof would change {by_reload} by ALTER SYSTEM and a reload for as long as it runs, and make and drop \
             a database on the server at {}: allow it with --allow-settings",
            survey.undo.server.address
        )))
    }

    /// Does something with the server, and undoes every change, however that ends. `act` gets the path of the journal.
    pub(in crate::command::prove) fn during(
        mut self,
        proof: &Path,
        act: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let proof: PathBuf = fs::canonicalize(proof).map_err(Failure::runtime)?;
        let path = proof.join(JOURNAL);
        let journal = UndoJournal::create(&path, self.survey.undo).map_err(Failure::runtime)?;
        let made = self.server.make_scratch(journal.undo(), &proof.display().to_string());
        let acted = made.map_err(Failure::runtime).and_then(|()| act(&path));
        let undone = take_back(&mut self.server, journal);
        if let Err(why) = &undone {
            tell(format!("the changes could not be undone: {why}"));
            tell(format!("undo them with: syncline prove --undo {} --dsn …", proof.display()));
        }
        acted.and(undone)
    }
}

fn limits(permits: Permits) -> Limits {
    let Permits { role, is_local, socket, reads_directory, may_checkpoint, not_reloadable, without_right } =
        permits;
    let mut limits = Limits::of_users_server();
    if !is_local {
        limits.of_loads.push(Obstacle::Tcp { socket });
    } else if !reads_directory {
        limits.of_loads.push(Obstacle::HiddenDirectory { role: role.clone() });
    }
    if !may_checkpoint {
        limits.of_loads.push(Obstacle::NoCheckpoint { role: role.clone() });
    }
    for name in without_right {
        limits.of_settings.insert(name, Obstacle::NoRight { role: role.clone() });
    }
    for (name, when) in not_reloadable {
        limits.of_settings.insert(name, Obstacle::NotReloadable { when: when.to_owned() });
    }
    limits
}

/// Every setting that an arm changes. The user's server has its own programs and its own directory.
fn changed(design: &Design) -> Result<BTreeSet<String>, Failure> {
    let has_more = |server: &Server| {
        server.programs.is_some() || server.directory.is_some() || server.filesystem.is_some()
    };
    let refused = |arm: &str| {
        let why = "with --dsn an arm has settings only, because the server is yours";
        Err(Failure::Usage(format!("{arm}: {why}")))
    };
    if has_more(&design.current) {
        return refused("the first --arm");
    }
    if let Asked::Servers(servers) = &design.asked
        && let Some(named) = servers.iter().find(|named| has_more(&named.server))
    {
        return refused(&format!("--arm {}", named.name));
    }
    Ok(design.settings_asked_about().into_iter().map(str::to_owned).collect())
}
