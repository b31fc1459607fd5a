//! The design of a proof, from the command line.

use crate::analysis::judge;
use crate::arguments::{ArmArgument, ProveArguments};
use crate::failure::Failure;
use crate::output::tell;
use crate::repeat::quoted;
use crate::request::seed_from_clock;
use crate::servers::{self, Wanted};
use crate::settings_file;
use advice::computed::{Computed, Machine};
use advice::current::against;
use advice::{Cause, Command, Decision, Effect, RunName, Setting};
use lab::run_directory::RunFiles;
use model::settings::reach;
use model::suggestion;
use proof::{Asked, Change, Database, Design, NamedServer, Predicted, Ratio, Server};
use settings::{Entry, Place};
use settings::{Release, Versions};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The database that is a server.
pub(super) const SERVER: &str = "postgresql";
const BUDGET: Duration = Duration::from_mins(10);
const RUNTIME: Duration = Duration::from_secs(2);
const ADVISED: &str = "advised";
const ALL: &str = "all";
const COMPUTED: &str = "computed";

/// The design of a proof. What gives up durability is refused here, before anything runs.
///
/// `now` are the settings of the user's server, if the proof runs on that.
pub(super) fn design(
    arguments: &ProveArguments,
    now: Option<Server>,
    server_version: Option<String>,
) -> Result<Design, Failure> {
    let database = arguments.database;
    let release = server_version.as_ref().and_then(|version| version.parse().ok());
    let release = release.map_or(Release::Any, Release::Of);
    let (mut current, left_out) = match &arguments.current {
        Some(file) => current_server(database, file)?,
        None => (now.clone().unwrap_or_default(), Vec::new()),
    };
    let asked = match arguments.arm.split_first() {
        None => asked(arguments, &current, &release)?,
        Some((only, [])) => Asked::Servers(vec![named(database, only)?]),
        Some((first, others)) => {
            if arguments.current.is_some() {
                let why =
                    "with several --arm the first is the baseline: leave --current out, or name one --arm";
                return Err(Failure::Usage(why.to_owned()));
            }
            current = named(database, first)?.server;
            Asked::Servers(others.iter().map(|arm| named(database, arm)).collect::<Result<_, _>>()?)
        }
    };
    // With several arms the first is the baseline, with settings of its own.
    if now.is_some() && arguments.arm.len() < 2 {
        // A trial gives every other setting its value from before the proof.
        current.settings.clear();
    }
    let mut design = Design {
        format_version: model::FORMAT_VERSION,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: lab::host::now(),
        database,
        current,
        asked,
        under: arguments.load.clone(),
        unmeasured: Vec::new(),
        left_out,
        users_server: None,
        server_version,
        advised_by: arguments.run.as_ref().map(|run| run.display().to_string()),
        budget_s: arguments.budget.unwrap_or(BUDGET).as_secs_f64(),
        runtime_s: arguments.runtime.unwrap_or(RUNTIME).as_secs_f64(),
        fixed: arguments.fix.iter().cloned().collect(),
        seed: arguments.seed.unwrap_or_else(seed_from_clock),
    };
    if let Some(Server { settings: mut found, .. }) = now {
        let asked_about = design.settings_asked_about();
        found.retain(|name, _| asked_about.contains(name.as_str()));
        design.users_server = Some(found);
    }
    require_known(&design)?;
    require_durable(&design)?;
    design.require_sense().map_err(Failure::Usage)?;
    design.require_effect().map_err(Failure::Usage)?;
    design.require_load().map_err(Failure::Usage)?;
    Ok(design)
}

/// Whether every server of a proof has programs of its own, the baseline too.
pub(super) fn names_all_programs(arguments: &ProveArguments) -> bool {
    arguments.arm.len() > 1 && arguments.arm.iter().all(|arm| arm.programs.is_some())
}

/// Changes or candidates.
fn asked(arguments: &ProveArguments, current: &Server, release: &Release) -> Result<Asked, Failure> {
    let database = arguments.database;
    if let Some(file) = &arguments.settings_file {
        let settings = proposed(database, file)?;
        let changes = settings.iter().map(|(name, value)| Change::new(name, value));
        return Ok(Asked::Changes(
            changes.filter(|change| is_new(database, change, current, release)).collect(),
        ));
    }
    let names: Vec<&str> = arguments.settings.iter().map(String::as_str).collect();
    match (&names[..], &arguments.run) {
        ([] | [ADVISED], Some(run)) => advised(database, run, current, release),
        ([], None) if !database.proposed().is_empty() => {
            let mut changes = database.proposed();
            changes.retain(|change| is_new(database, change, current, release));
            Ok(Asked::Changes(changes))
        }
        ([] | [ADVISED], None) => Err(Failure::Usage(
            "what is to be proven? Name a run, or use --settings all, --settings-file FILE or --arm \
             NAME=FILE"
                .to_owned(),
        )),
        ([COMPUTED], _) => all_computed(arguments, current, release),
        ([ALL], _) => Ok(race(database, database.candidates(None, release), current, release)),
        (names, _) => {
            let computed = computed(arguments)?;
            let mut candidates = Vec::new();
            for name in names {
                let value = computed.iter().find(|computed| computed.name == *name).and_then(Computed::value);
                if !database.knows(name) && value.is_none() {
                    return Err(unknown(database, name));
                }
                require_had(database, name, release)?;
                let mut of_setting = database.candidates(Some(name), release);
                let change = value.map(|value| Change::new(name, value));
                of_setting.extend(change.filter(|change| !of_setting.contains(change)));
                if !of_setting.is_empty() && arguments.load.is_empty() && !database.has_load(name) {
                    return Err(Failure::Usage(format!(
                        "--settings {name}: no load of Syncline's own shows what it does; name yours with --load, such \
                         as --load tpcb_like-8, or --load tpcb_like-8-cycle for whole cycles of checkpoints"
                    )));
                }
                if of_setting.is_empty() {
                    return Err(Failure::Usage(format!(
                        "--settings {name}: there are no values to race; use --settings-file FILE to prove one of your \
                         own"
                    )));
                }
                candidates.extend(of_setting);
            }
            Ok(race(database, candidates, current, release))
        }
    }
}

/// The computed settings of the machine that the run measured; none without a run or for another database.
fn computed(arguments: &ProveArguments) -> Result<Vec<Computed>, Failure> {
    let Some(run) = arguments.run.as_ref().filter(|_| arguments.database.id == SERVER) else {
        return Ok(Vec::new());
    };
    let files = RunFiles::open(run).map_err(Failure::runtime)?;
    let measured = files.run().map_err(Failure::runtime)?;
    let wanted = Wanted {
        dsn: arguments.dsn.as_deref(),
        dsn_file: arguments.dsn_file.as_deref(),
        ..Wanted::default()
    };
    let counters = servers::counters(wanted)?;
    Ok(advice::computed::computed(Machine::of(&measured), counters.as_ref()))
}

/// Every computed setting whose effect a load shows.
fn all_computed(arguments: &ProveArguments, current: &Server, release: &Release) -> Result<Asked, Failure> {
    let database = arguments.database;
    if arguments.run.is_none() || database.id != SERVER {
        return Err(Failure::Usage(
            "--settings computed needs a run of PostgreSQL's machine, whose memory and disk it computes from: name RUN"
                .to_owned(),
        ));
    }
    let has_load = |name: &str| database.has_load(name) || !arguments.load.is_empty();
    let (mut changes, mut without) = (Vec::new(), Vec::new());
    for computed in &computed(arguments)? {
        match computed.value() {
            Some(value) if has_load(computed.name) => changes.push(Change::new(computed.name, value)),
            Some(_) => {
                without.push(format!("{}: no load of Syncline's own shows what it does", computed.name));
            }
            None => without.push(format!("{} has no value", computed.name)),
        }
    }
    if !without.is_empty() {
        tell(format!("not proven: {}", without.join("; ")));
    }
    changes.retain(|change| is_new(database, change, current, release));
    if changes.is_empty() {
        return Err(Failure::Runtime("no computed value differs from what runs now".to_owned()));
    }
    Ok(Asked::Changes(changes))
}

fn unknown(database: &Database, name: &str) -> Failure {
    let names = [ALL, ADVISED, COMPUTED].into_iter().chain(database.settings());
    Failure::Usage(suggestion::unknown(&format!("storage setting of {}", database.name), name, names))
}

/// A setting to race has to be there.
fn require_had(database: &Database, name: &str, release: &Release) -> Result<(), Failure> {
    let versions = advice::versions(database.id, name).zip(release.version());
    match versions {
        Some((versions, version)) if !versions.has(version) => {
            let why = versions.lacking(name, database.name, version);
            Err(Failure::Usage(format!("--settings {why}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// A server does not start with a setting that it lacks.
fn require_known(design: &Design) -> Result<(), Failure> {
    let server = design.server_version.as_deref().unwrap_or_default();
    let line = |(name, versions): (&str, Versions)| versions.lacking(name, design.database.name, server);
    let lines: Vec<String> = design.lacking().into_iter().map(line).collect();
    if lines.is_empty() { Ok(()) } else { Err(Failure::Several(lines)) }
}

fn race(database: &Database, mut candidates: Vec<Change>, current: &Server, release: &Release) -> Asked {
    candidates.retain(|change| is_new(database, change, current, release));
    Asked::Race(candidates)
}

/// Whether a change differs from what runs now, as text.
fn is_new(database: &Database, change: &Change, current: &Server, release: &Release) -> bool {
    let now = current.settings.get(&change.name).map(String::as_str);
    let now = now.or_else(|| database.default_value(&change.name, release));
    now.is_none_or(|now| !now.eq_ignore_ascii_case(&change.value))
}

/// What the advice of a run changes.
fn advised(database: &Database, run: &Path, current: &Server, release: &Release) -> Result<Asked, Failure> {
    let files = RunFiles::open(run).map_err(Failure::runtime)?;
    let measured = files.run().map_err(Failure::runtime)?;
    let advice = advice::advise(&measured, &judge(&files, &measured));
    let of_database = advice.iter().find(|advice| advice.id == database.id);
    let of_current = of_database.map(|advice| against(advice, &entries(current), release)).transpose();
    let of_current = of_current.map_err(|why| Failure::Usage(why.why))?;
    let settings = of_current.as_ref().map(|advice| advice.settings.as_slice()).unwrap_or_default();
    let mut settings: Vec<&Setting> = settings.iter().collect();
    // The loads of a proof are in the order of its changes.
    settings.sort_by_key(|setting| strength(&setting.decision));
    let mut changes: Vec<Change> =
        settings.into_iter().filter_map(|setting| change(database, setting)).collect();
    changes.retain(|change| is_new(database, change, current, release));
    if changes.is_empty() {
        let name = RunName::Path(quoted(&run.display().to_string()));
        let race = Command::ProveAll { database: database.id.to_owned() }.text(&name);
        return Err(Failure::Runtime(format!(
            "{}: its advice changes nothing for {}, so there is nothing to prove; {race} races the values of the \
             storage settings",
            run.display(),
            database.name
        )));
    }
    Ok(Asked::Changes(changes))
}

/// The place of a decision among those that a proof follows: what the advice changes, its candidates, what it leaves
/// open.
const fn strength(decision: &Decision) -> u8 {
    match decision {
        Decision::ChangeTo(_) => 0,
        Decision::Candidate(_) => 1,
        Decision::Undecided(_)
        | Decision::Keep(_)
        | Decision::Judged(_)
        | Decision::DoesNotApply(_)
        | Decision::Withheld(_) => 2,
    }
}

/// What runs now, as the advice reads it.
fn entries(current: &Server) -> Vec<Entry> {
    let entry = |(name, value): (&String, &String)| Entry {
        name: name.clone(),
        value: value.clone(),
        place: Place { file: None, line: 1 },
    };
    current.settings.iter().map(entry).collect()
}

/// The change that an advice asks for, with what it predicts.
fn change(database: &Database, setting: &Setting) -> Option<Change> {
    match &setting.decision {
        Decision::ChangeTo(found) | Decision::Candidate(found) if found.loadable => {
            let study = found.grounds.first().map(|ground| ground.study.clone()).unwrap_or_default();
            let predicted = |effect: &Effect| {
                let (metric, over) = (effect.metric.clone(), effect.over.clone());
                Some(Predicted { ratio: Ratio::of(&effect.ratio)?, metric, over, study: study.clone() })
            };
            let predicted = found.effects.first().and_then(predicted);
            Some(Change { predicted, ..Change::new(&setting.name, &found.value) })
        }
        // The disk shows that it may help, nothing predicts by how much, and a load shows it.
        Decision::Undecided(none) => {
            let Cause::Untried { value, .. } = &*none.cause else { return None };
            database.has_load(&setting.name).then(|| Change::new(&setting.name, value))
        }
        Decision::ChangeTo(_)
        | Decision::Candidate(_)
        | Decision::Keep(_)
        | Decision::Judged(_)
        | Decision::DoesNotApply(_)
        | Decision::Withheld(_) => None,
    }
}

/// The storage settings of what runs now, and the names of the others.
fn current_server(database: &Database, file: &Path) -> Result<(Server, Vec<String>), Failure> {
    let (known, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
        settings(database, file)?.0.into_iter().partition(|(name, _)| database.knows(name));
    if !others.is_empty() {
        let names: Vec<&str> = others.keys().map(String::as_str).collect();
        tell(format!(
            "no storage settings, so no {} of the proof has them: {}",
            database.instance,
            names.join(", ")
        ));
    }
    Ok((Server { settings: known, ..Server::default() }, others.into_keys().collect()))
}

fn named(database: &Database, arm: &ArmArgument) -> Result<NamedServer, Failure> {
    let directory = |path: &Path| {
        let absolute = std::fs::canonicalize(path);
        let absolute = absolute
            .map_err(|error| Failure::Usage(format!("--arm {}: {}: {error}", arm.name, path.display())))?;
        Ok::<String, Failure>(absolute.display().to_string())
    };
    if arm.name == proof::CURRENT {
        return Err(Failure::Usage(format!("--arm {}: that name is the baseline's", arm.name)));
    }
    let programs = arm.programs.as_deref().map(directory).transpose()?;
    if let Some((server, programs)) = database.server.zip(programs.as_deref()) {
        let refused = |why| Failure::Usage(format!("--arm {}: {why}", arm.name));
        servers::require_programs(server, Path::new(programs)).map_err(refused)?;
    }
    Ok(NamedServer {
        name: arm.name.clone(),
        server: Server {
            settings: arm
                .settings
                .as_deref()
                .map(|file| proposed(database, file))
                .transpose()?
                .unwrap_or_default(),
            programs,
            directory: arm.directory.as_deref().map(directory).transpose()?,
            filesystem: arm.filesystem,
        },
    })
}

/// The same for a file whose settings a proof is about. What would load or run code is refused: the file may be from
/// somebody else.
fn proposed(database: &Database, file: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let (settings, left_out) = settings(database, file)?;
    let shown = file.display();
    let line = |(name, value): (&String, &String)| {
        let reach = reach(name).filter(|_| !value.trim().is_empty())?;
        Some(format!("{shown}: {name} {}, and no proof does: leave it out", reach.words()))
    };
    let refusals: Vec<String> = settings.iter().filter_map(line).collect();
    if !refusals.is_empty() {
        return Err(Failure::Several(refusals));
    }
    if settings.is_empty() && left_out > 0 {
        let name = database.name;
        return Err(Failure::Usage(format!(
            "{shown}: it has no storage setting of {name}, so it changes nothing"
        )));
    }
    tell_unchecked(database, file, &settings);
    Ok(settings)
}

/// Names the settings that only the database knows. One that it lacks fails the first trial.
fn tell_unchecked(database: &Database, file: &Path, settings: &BTreeMap<String, String>) {
    let unknown = settings.keys().filter(|name| !database.knows(name));
    let unknown: Vec<String> = unknown.map(|name| perhaps(database, name)).collect();
    if !unknown.is_empty() {
        tell(format!(
            "{}: not checked before the first {} starts, because Syncline does not know them as storage settings and \
             only {} knows all of its own: {}",
            file.display(),
            database.instance,
            database.name,
            unknown.join(", ")
        ));
    }
}

/// An unknown name, with the storage setting that may be meant. Names of a database are long and alike, so one that is
/// meant has as many letters, but for one.
fn perhaps(database: &Database, name: &str) -> String {
    let as_long = database.settings().filter(|known| known.len().abs_diff(name.len()) <= 1);
    match suggestion::nearest(name, as_long) {
        Some(nearest) => format!("{name} (did you mean {nearest}?)"),
        None => name.to_owned(),
    }
}

/// The settings of a file, each with the value that counts, without those of a database that Syncline makes; and the
/// number of those that are left out because Syncline does not know them.
fn settings(database: &Database, file: &Path) -> Result<(BTreeMap<String, String>, usize), Failure> {
    let entries = settings_file::read(file, database.syntax)?.entries;
    let all: BTreeMap<String, String> = entries.into_iter().map(|entry| (entry.name, entry.value)).collect();
    let (own, settings): (BTreeMap<_, _>, BTreeMap<_, _>) =
        all.into_iter().partition(|(name, _)| database.is_reserved(name));
    if !own.is_empty() {
        let names: Vec<&str> = own.keys().map(String::as_str).collect();
        tell(format!(
            "{}: these belong to the {} that Syncline makes, so none of the proof has them: {}",
            file.display(),
            database.instance,
            names.join(", ")
        ));
    }
    let (settings, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
        settings.into_iter().partition(|(name, _)| database.takes(name));
    if !others.is_empty() {
        let names: Vec<String> = others.keys().map(|name| perhaps(database, name)).collect();
        tell(format!(
            "{}: Syncline does not know these as storage settings, so no {} of the proof has them: {}",
            file.display(),
            database.instance,
            names.join(", ")
        ));
    }
    Ok((settings, others.len()))
}

/// A proof compares servers that promise the same.
fn require_durable(design: &Design) -> Result<(), Failure> {
    let refusals = proof::refused(design);
    if refusals.is_empty() {
        return Ok(());
    }
    let line = |refusal: &proof::Refusal| {
        let of = if refusal.arm.is_empty() { String::new() } else { format!(" ({})", refusal.arm) };
        format!(
            "{} = {}{of} gives up a guarantee: {}; a proof compares {}s that promise the same",
            refusal.name, refusal.value, refusal.loses, design.database.instance
        )
    };
    Err(Failure::Several(refusals.iter().map(line).collect()))
}
