//! A database's settings file: the user's own, and the files that it includes.

use crate::failure::Failure;
use crate::input_file;
use settings::Syntax;
use settings::{Entry, Include, Included, Place};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of settings are written by hand.
const BYTES_MAX: u64 = 1 << 20;
/// What ALTER SYSTEM writes, and the server reads after everything else.
const ALTERED: &str = "postgresql.auto.conf";

/// A settings file.
pub(crate) struct Content {
    pub(crate) text: String,
    /// Its settings in the order in which the database reads them, with those of the files that it includes and of what
    /// ALTER SYSTEM has set. If a setting occurs twice, the last one counts.
    pub(crate) entries: Vec<Entry>,
}

/// Reads a settings file.
pub(crate) fn read(file: &Path, syntax: Syntax) -> Result<Content, Failure> {
    let text = text(file).map_err(Failure::Usage)?;
    let mut entries = settings::read_with_includes(syntax, &text, &mut |include, from| {
        files(include, from.map_or(file, Path::new))
    })
    .map_err(|why| Failure::Usage(unreadable(file, &why)))?;
    if syntax == Syntax::PostgresqlConf {
        entries.extend(altered(file)?);
    }
    Ok(Content { text, entries })
}

/// The content of a file; an error is a sentence with its name.
fn text(file: &Path) -> Result<String, String> {
    let shown = file.display();
    let bytes = input_file::read(file, BYTES_MAX)
        .map_err(|error| format!("{shown}: cannot read the settings: {error}"))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(format!("{shown}: more than 1 MiB: not a settings file"));
    }
    String::from_utf8(bytes).map_err(|_| format!("{shown}: not UTF-8: not a settings file"))
}

/// The files that an include of `from` means, in the order in which the database reads them.
fn files(include: &Include, from: &Path) -> Result<Vec<Included>, String> {
    let directory = from.parent().unwrap_or(Path::new(""));
    let included = |path: PathBuf| Ok(Included { text: text(&path)?, file: path.display().to_string() });
    match include {
        Include::File { path, is_optional, .. } => {
            let path = directory.join(path);
            if *is_optional && !path.exists() {
                return Ok(Vec::new());
            }
            Ok(vec![included(path)?])
        }
        Include::Directory { path, ending, .. } => {
            let path = directory.join(path);
            let cannot_list = |error: std::io::Error| format!("{}: cannot list it: {error}", path.display());
            let mut found = Vec::new();
            for entry in fs::read_dir(&path).map_err(cannot_list)? {
                let name = entry.map_err(cannot_list)?.file_name();
                let is_one =
                    name.to_str().is_some_and(|name| name.ends_with(ending) && !name.starts_with('.'));
                let file = path.join(&name);
                if is_one && !file.is_dir() {
                    found.push(file);
                }
            }
            found.sort();
            found.into_iter().map(included).collect()
        }
    }
}

/// What ALTER SYSTEM has set, if its file is beside a server's `postgresql.conf`.
fn altered(file: &Path) -> Result<Vec<Entry>, Failure> {
    let beside = file.with_file_name(ALTERED);
    if file.file_name() == beside.file_name() || !beside.exists() {
        return Ok(Vec::new());
    }
    let text = text(&beside).map_err(Failure::Usage)?;
    let entries = settings::read(Syntax::PostgresqlConf, &text)
        .map_err(|why| Failure::Usage(unreadable(&beside, &why)))?;
    let named = |entry: Entry| {
        let place = Place { file: Some(beside.display().to_string()), ..entry.place };
        Entry { place, ..entry }
    };
    Ok(entries.into_iter().map(named).collect())
}

/// With the file's name in front; one that is taken in has its own.
pub(crate) fn unreadable(file: &Path, why: &settings::Unreadable) -> String {
    match &why.place.file {
        Some(_) => why.to_string(),
        None => format!("{}:{why}", file.display()),
    }
}
