//! The version of the database that a settings file is of: as the command line names it, or as the files say it.

use crate::input_file;
use advice::current::Review;
use advice::{Advice, Cause, has_list_of, settings};
use model::run::Run;
use model::server::ServerIdentity;
use settings::Entry;
use settings::{Release, Syntax, Version};
use std::fs;
use std::path::{Path, PathBuf};

/// PostgreSQL writes its major version into each data directory.
const VERSION_FILE: &str = "PG_VERSION";
/// A number and a line feed.
const VERSION_BYTES_MAX: u64 = 64;

/// A settings file as it was read.
pub(super) struct SettingsFile<'a> {
    pub(super) path: &'a Path,
    pub(super) syntax: Syntax,
    pub(super) text: &'a str,
    pub(super) entries: &'a [Entry],
}

/// A version, and what says it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileVersion {
    pub(super) release: Release,
    says: Option<Says>,
}

/// What says a version.
#[derive(Debug, PartialEq, Eq)]
enum Says {
    /// The command line.
    Option,
    /// `PG_VERSION` in a data directory.
    VersionFile(PathBuf),
    /// The file itself.
    Content,
    /// The file's own path.
    Path,
    /// The user's server, which the run measured.
    MeasuredServer,
}

/// The version of a settings file. What a person or a server says comes before what a path suggests.
pub(super) fn of(file: &SettingsFile<'_>, named: Option<&Version>, run: &Run) -> FileVersion {
    let said = || settings::version_said(file.syntax, file.text, file.entries);
    let found = named
        .map(|version| (version.clone(), Says::Option))
        .or_else(|| version_file(file).map(|(version, path)| (version, Says::VersionFile(path))))
        .or_else(|| said().map(|version| (version, Says::Content)))
        .or_else(|| of_path(file).map(|version| (version, Says::Path)))
        .or_else(|| of_measured_server(file, run).map(|version| (version, Says::MeasuredServer)));
    match found {
        Some((version, says)) => FileVersion { release: Release::Of(version), says: Some(says) },
        None => FileVersion { release: Release::Unknown, says: None },
    }
}

/// `PG_VERSION` beside the file, or in the data directory that it names.
fn version_file(file: &SettingsFile<'_>) -> Option<(Version, PathBuf)> {
    if file.syntax != Syntax::PostgresqlConf {
        return None;
    }
    let beside = file.path.parent().unwrap_or(Path::new(""));
    let named = settings::data_directory(file.entries).map(|directory| beside.join(directory));
    [Some(beside.to_owned()), named].into_iter().flatten().find_map(|directory| {
        let path = directory.join(VERSION_FILE);
        let bytes = input_file::read(&path, VERSION_BYTES_MAX).ok()?;
        let version = String::from_utf8(bytes).ok()?.trim().parse().ok()?;
        Some((version, path))
    })
}

fn of_path(file: &SettingsFile<'_>) -> Option<Version> {
    if file.syntax != Syntax::PostgresqlConf {
        return None;
    }
    let path = fs::canonicalize(file.path).ok()?;
    settings::version_in_path(&path.parent()?.to_string_lossy())
}

/// The server that `--dsn` named is the user's; those of Syncline's own may be of another version than the user's.
fn of_measured_server(file: &SettingsFile<'_>, run: &Run) -> Option<Version> {
    match run.plan.server.as_ref().filter(|_| file.syntax == Syntax::PostgresqlConf)? {
        ServerIdentity::Named(server) => server.version.parse().ok(),
        ServerIdentity::Own { .. } => None,
    }
}

impl FileVersion {
    /// The first lines: the version and what says it, or how to name it if something was left out for want of it. They
    /// name no path if `redact` is set.
    pub(super) fn notice(&self, advice: &Advice, review: &Review, redact: bool) -> String {
        let database = &advice.database;
        match (&self.release, &self.says) {
            (Release::Of(version), Some(says)) => {
                let not_listed = if settings(&advice.id).next().is_some() && !has_list_of(&advice.id, version)
                {
                    format!(
                        "The rules are for {database}, and the names of other versions are not checked.\n"
                    )
                } else {
                    String::new()
                };
                format!(
                    "The settings are those of version {version}: {}.\n{not_listed}\n",
                    says.words(redact)
                )
            }
            (Release::Unknown | Release::Any | Release::Of(_), _) => {
                let is_withheld = review
                    .unadvised
                    .iter()
                    .any(|unadvised| matches!(*unadvised.because.cause, Cause::VersionUnknown { .. }));
                if is_withheld {
                    format!(
                        "Which version of {database} this file is of is not known: settings that not every version has \
                         are left out; name it with --server-version.\n\n"
                    )
                } else {
                    String::new()
                }
            }
        }
    }
}

impl Says {
    /// As a clause.
    fn words(&self, redact: bool) -> String {
        match self {
            Self::Option => "--server-version names it".to_owned(),
            Self::VersionFile(_) if redact => format!("{VERSION_FILE} has it"),
            Self::VersionFile(path) => format!("{} has it", path.display()),
            Self::Content => "the file says it".to_owned(),
            Self::Path => "the path of the file has it".to_owned(),
            Self::MeasuredServer => "the server that the run measured has it".to_owned(),
        }
    }
}
