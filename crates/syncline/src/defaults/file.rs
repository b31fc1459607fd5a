//! One file of defaults.

use crate::arguments::origin::{self, Origin};
use crate::failure::Failure;
use crate::input_file;
use clap::{Arg, ArgAction, Command};
use disk::trust::{self, Distrust};
use model::parameter::ParameterKind;
use model::suggestion;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// It is written by hand.
const BYTES_MAX: u64 = 1 << 16;

/// What there is where a file is looked for.
#[derive(Debug)]
pub(super) enum Place {
    /// No file, or one that the caller may not read.
    Empty,
    /// Somebody else could have written it: a line that says so.
    Ignored(String),
    /// A file.
    Read(DefaultsFile),
}

/// What a file says, in its order.
#[derive(Debug)]
pub(super) struct DefaultsFile {
    pub(super) path: PathBuf,
    entries: Vec<Entry>,
    /// Names of tables with their lines.
    tables: Vec<(String, usize)>,
}

/// An option and its value.
#[derive(Debug)]
pub(super) struct Entry {
    /// The command whose table it is in; `None` before the tables.
    pub(super) table: Option<String>,
    /// Long name of the option.
    pub(super) key: String,
    /// Values as they would be typed, several for an option that may be repeated.
    pub(super) values: Vec<String>,
    is_boolean: bool,
    line: usize,
}

impl Entry {
    /// What would be typed.
    pub(super) fn words(&self) -> Vec<OsString> {
        let key = &self.key;
        let values = self.values.iter();
        if !self.is_boolean {
            return values.map(|value| OsString::from(format!("--{key}={value}"))).collect();
        }
        values.filter(|value| *value == "true").map(|_| OsString::from(format!("--{key}"))).collect()
    }
}

impl DefaultsFile {
    /// Reads a file, if only the caller and root can have written it.
    pub(super) fn read(path: &Path) -> Result<Place, Failure> {
        let refused =
            |why: String| Failure::Usage(format!("{}: cannot read the defaults: {why}", path.display()));
        let is_nothing = |error: &io::Error| is_absent(path, error);
        if fs::symlink_metadata(path).is_err_and(|error| is_nothing(&error)) {
            return Ok(Place::Empty);
        }
        match trust::require_trusted(path) {
            Ok(()) => {}
            Err(Distrust::Unreadable { source, .. }) if is_nothing(&source) => return Ok(Place::Empty),
            Err(why @ Distrust::Stranger { .. }) => {
                return Ok(Place::Ignored(format!("{} was not read: {why}", path.display())));
            }
            // The user's own, without which they would measure something else than they mean to.
            Err(why @ (Distrust::Writable { .. } | Distrust::Unreadable { .. })) => {
                return Err(refused(format!("{why} (--no-defaults ignores the file)")));
            }
        }
        let bytes = match input_file::read(path, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if is_nothing(&error) => return Ok(Place::Empty),
            Err(error) => return Err(refused(error.to_string())),
        };
        if bytes.len() as u64 > BYTES_MAX {
            return Err(refused("it has more than 64 KiB".to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
        Self::parse(path, &text).map(Place::Read)
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let line = |span: Range<usize>| 1 + text[..span.start.min(text.len())].matches('\n').count();
        let wrong = |span: Range<usize>, why: &str| {
            Failure::Usage(format!("{} line {}: {why}", path.display(), line(span)))
        };
        let table =
            DeTable::parse(text).map_err(|error| wrong(error.span().unwrap_or_default(), error.message()))?;
        let mut file = Self { path: path.to_owned(), entries: Vec::new(), tables: Vec::new() };
        for (key, value) in table.get_ref() {
            let DeValue::Table(options) = value.get_ref() else {
                let read = entry(None, key.get_ref(), value, line(key.span()));
                file.entries.push(read.map_err(|why| wrong(key.span(), &why))?);
                continue;
            };
            file.tables.push((key.get_ref().to_string(), line(key.span())));
            for (name, value) in options {
                let read = entry(Some(key.get_ref()), name.get_ref(), value, line(name.span()));
                file.entries.push(read.map_err(|why| wrong(name.span(), &why))?);
            }
        }
        Ok(file)
    }

    /// What it says for a command: its table first, which has precedence.
    pub(super) fn entries_for(&self, command: &str) -> impl Iterator<Item = &Entry> {
        let own = self.entries.iter().filter(move |entry| entry.table.as_deref() == Some(command));
        own.chain(self.entries.iter().filter(|entry| entry.table.is_none()))
    }

    /// Every table has to be a command, and every key one of its options.
    pub(super) fn check(&self, program: &Command) -> Result<(), Failure> {
        let wrong = |line: usize, why: &str| {
            Err(Failure::Usage(format!("{} line {line}: {why}", self.path.display())))
        };
        let commands: Vec<&Command> =
            program.get_subcommands().filter(|command| !command.is_hide_set()).collect();
        for (table, line) in &self.tables {
            let names = commands.iter().map(|command| command.get_name());
            if !names.clone().any(|name| name == table) {
                return wrong(*line, &suggestion::unknown("command", table, names));
            }
        }
        for entry in &self.entries {
            let of_table =
                |command: &&&Command| entry.table.as_deref().is_none_or(|name| name == command.get_name());
            let options: Vec<&Arg> = commands
                .iter()
                .filter(of_table)
                .flat_map(|command| command.get_arguments())
                .filter(|option| option.get_long().is_some())
                .collect();
            if let Err(why) = entry.check(&options) {
                return wrong(entry.line, &why);
            }
        }
        Ok(())
    }
}

impl Entry {
    /// Whether an option has this value: one before the tables may be an option of several commands, whose values
    /// differ.
    pub(super) fn suits(&self, option: &Arg) -> bool {
        let possible = option.get_possible_values();
        let is_flag = matches!(option.get_action(), ArgAction::SetTrue);
        let is_possible = |value: &String| possible.iter().any(|one| one.matches(value, false));
        // `interleave` is a flag of one command and takes a value of another.
        let is_of_kind = is_flag == self.is_boolean;
        self.table.is_some()
            || is_of_kind && (is_flag || possible.is_empty() || self.values.iter().all(is_possible))
    }

    /// Whether a file may say this.
    fn check_origin(&self, origin: Origin) -> Result<(), String> {
        let key = &self.key;
        match origin {
            Origin::Defaults => Ok(()),
            Origin::Typed(because) => Err(format!("{key} has to be typed: {}", because.words())),
            Origin::Parameters => {
                let names =
                    self.values.iter().map(|value| value.split('=').next().unwrap_or_default().trim());
                let outside = names.into_iter().find(|name| reaches_outside(name));
                outside.map_or(Ok(()), |name| {
                    Err(format!(
                        "{key} {name} has to be typed: it names programs, a place, or settings of a server"
                    ))
                })
            }
        }
    }

    /// Whether one of these options is meant.
    fn check(&self, options: &[&Arg]) -> Result<(), String> {
        let key = self.key.as_str();
        let named: Vec<&&Arg> = options.iter().filter(|option| option.get_long() == Some(key)).collect();
        let Some(first) = named.first() else {
            let open = options.iter().filter(|option| may_be_given(option));
            let mut names: Vec<&str> = open.filter_map(|option| option.get_long()).collect();
            names.sort_unstable();
            names.dedup();
            return Err(suggestion::unknown("option", key, names));
        };
        self.check_origin(origin::of(first))?;
        if matches!(first.get_action(), ArgAction::SetTrue) != self.is_boolean {
            let what = if self.is_boolean { "takes a value" } else { "is true or false" };
            return Err(format!("{key} {what}"));
        }
        if !named.iter().any(|option| self.suits(option)) {
            let value = self.values.first().map_or("", String::as_str);
            return Err(format!("{key} = \"{value}\": no command takes it"));
        }
        Ok(())
    }
}

/// Whether a file may give this option.
pub(super) fn may_be_given(option: &Arg) -> bool {
    option.get_long().is_some() && !matches!(origin::of(option), Origin::Typed(_))
}

/// Whether it is not there, as far as the caller can see. With sudo, HOME can be that of another user: git ignores such
/// a file too.
fn is_absent(path: &Path, error: &io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => true,
        ErrorKind::PermissionDenied => path.is_absolute(),
        _ => false,
    }
}

/// Whether a workload has a parameter of this name that reaches beyond the directory that is measured.
pub(crate) fn reaches_outside(name: &str) -> bool {
    let parameters = workload::SCHEMAS.iter().flat_map(|schema| schema.all());
    let mut named = parameters.filter(|parameter| parameter.name == name);
    named.any(|parameter| {
        matches!(parameter.kind, ParameterKind::Place | ParameterKind::Endpoints | ParameterKind::Settings)
    })
}

fn entry(table: Option<&str>, key: &str, value: &Spanned<DeValue<'_>>, line: usize) -> Result<Entry, String> {
    let table = table.map(str::to_owned);
    let (values, is_boolean) = match value.get_ref() {
        DeValue::Boolean(value) => (vec![value.to_string()], true),
        DeValue::Array(values) => {
            let texts: Option<Vec<String>> = values.iter().map(|value| scalar(value.get_ref())).collect();
            (
                texts.ok_or_else(|| {
                    format!("{key} = a list of other lists or tables: write texts or numbers")
                })?,
                false,
            )
        }
        value => {
            let text = scalar(value);
            (
                vec![
                    text.ok_or_else(|| format!("{key} = a {}: write a text or a number", value.type_str()))?,
                ],
                false,
            )
        }
    };
    Ok(Entry { table, key: key.to_owned(), values, is_boolean, line })
}

/// What would be typed for a text or a number.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().replace('_', "")),
        DeValue::Float(number) => Some(number.as_str().replace('_', "")),
        DeValue::Integer(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => None,
    }
}
