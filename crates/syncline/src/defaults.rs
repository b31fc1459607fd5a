//! Options that files give: `syncline.toml` in the current directory, and in the user's configuration directory.
//!
//! - **A default is an option that was not typed.** It is added to the command line as words, so that clap reads and
//!   checks it, and the run records it, as if it had been typed. What is typed wins, and so does what a typed option
//!   excludes.
//! - **The current directory's file wins over the user's**, and in a file the table of a command wins over the options
//!   before it.
//! - **A file is read only if nobody but the caller and root can have written it**, and every command names the files
//!   that it read: a stranger's file in the current directory could otherwise run programs as root.
//! - **What runs programs, names a server or names what is written has to be typed**: each option declares its
//!   [`Origin`](crate::arguments::origin::Origin).
//! - **A key that no option has is an error** with its line and the nearest option, so that no mistake changes a
//!   measurement unseen.

mod file;

pub(crate) use file::reaches_outside;

use crate::appearance::{Appearance, Progress};
use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::output;
use crate::suggestion;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};
use file::{DefaultsFile, Place, may_be_given};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

const NAME: &str = "syncline.toml";
/// How a program that reads messages starts this one.
const MESSAGES: &str = "--messages=json";
/// Commands that nothing measures with. What is observed, and for how long, is typed; so is what an agent may reach.
const WITHOUT: &[&str] = &["completions", "man", "mcp", "observe", "worker"];
/// The command line with the defaults in it.
pub(crate) struct Completed {
    pub(crate) arguments: Arguments,
    /// A line for each file that was read or ignored. None if the user typed `--quiet`: a file cannot hide that it was
    /// read.
    pub(crate) remarks: Vec<String>,
}

/// Reads a command line. What clap refuses of it ends the program.
pub(crate) fn complete(words: &[OsString]) -> Result<Completed, Failure> {
    let refused = |error| -> ArgMatches { refuse(&suggestion::correct(error, words), words) };
    let typed = program().try_get_matches_from(words).unwrap_or_else(refused);
    let (name, options) = typed.subcommand().unwrap_or(("", &typed));
    let (mut files, mut remarks) = (Vec::new(), Vec::new());
    if !WITHOUT.contains(&name) && !options.get_flag("no_defaults") {
        for path in places(env::var_os("XDG_CONFIG_HOME"), env::var_os("HOME")) {
            match DefaultsFile::read(&path)? {
                Place::Empty => {}
                Place::Ignored(why) => remarks.push(why),
                Place::Read(file) => {
                    remarks.push(format!("defaults: {}", file.path.display()));
                    files.push(file);
                }
            }
        }
    }
    if options.get_flag("quiet") {
        remarks.clear();
    }
    let matches = if files.is_empty() { typed } else { with_defaults(words, &typed, &files)? };
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| refuse(&error, words));
    Ok(Completed { arguments, remarks })
}

/// Ends the program with what clap says about the command line: an error, or the requested help. A program that
/// started this one and reads messages gets the error as one.
fn refuse(error: &clap::Error, words: &[OsString]) -> ! {
    if !(error.use_stderr() && words.iter().any(|word| word == MESSAGES)) {
        error.exit();
    }
    output::set_appearance(Appearance { progress: Progress::Messages, ..Appearance::PLAIN });
    let failure = Failure::Usage(reason(&error.to_string()));
    output::report_error(&failure);
    std::process::exit(error.exit_code())
}

/// What is wrong, without the usage below it: `invalid value 'x' for '--rounds <N>': …`.
fn reason(error: &str) -> String {
    let paragraphs = error.split("\n\n").map(str::trim);
    let told = paragraphs.take_while(|text| !text.starts_with("Usage:") && !text.starts_with("For more"));
    let told = told.collect::<Vec<_>>().join("; ");
    told.trim_start_matches("error: ").to_owned()
}

/// The files that are looked for; the first has precedence. The second follows the XDG Base Directory Specification.
fn places(configuration: Option<OsString>, home: Option<OsString>) -> Vec<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let user = configuration.and_then(absolute).or_else(|| Some(absolute(home?)?.join(".config")));
    let user = user.map(|directory| directory.join("syncline").join(NAME));
    std::iter::once(PathBuf::from(NAME)).chain(user).collect()
}

fn program() -> Command {
    let mut program = Arguments::command();
    program.build();
    program
}

/// The same command line with what the files add to it.
fn with_defaults(
    words: &[OsString],
    typed: &ArgMatches,
    files: &[DefaultsFile],
) -> Result<ArgMatches, Failure> {
    let program = program();
    files.iter().try_for_each(|file| file.check(&program))?;
    let Some((name, options)) = typed.subcommand() else { return Ok(typed.clone()) };
    let Some(command) = program.find_subcommand(name) else { return Ok(typed.clone()) };
    let mut added: Vec<(&str, Vec<OsString>)> = Vec::new();
    for file in files {
        for entry in file.entries_for(name) {
            let Some(option) = option(command, &entry.key) else { continue };
            let is_new = added.iter().all(|(id, _)| *id != option.get_id().as_str());
            if is_new && is_open(command, option, options) && entry.suits(option) {
                added.push((option.get_id().as_str(), entry.words()));
            }
        }
    }
    // Options of the program itself have no value that a command is named like.
    let place = words.iter().skip(1).position(|word| word.as_os_str() == OsStr::new(name));
    let place = place.map_or(words.len(), |place| place + 2);
    let (before, after) = words.split_at(place);
    let added = added.into_iter().flat_map(|(_, words)| words);
    let all: Vec<OsString> = before.iter().cloned().chain(added).chain(after.iter().cloned()).collect();
    self::program().try_get_matches_from(&all).map_err(|error| {
        let shown: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
        let why = error.to_string();
        let why = why.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::Usage(format!("{} with the command line: {why}", shown.join(" and ")))
    })
}

/// The option of this name, if a file may give it.
fn option<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let mut options = command.get_arguments().filter(|option| may_be_given(option));
    options.find(|option| option.get_long() == Some(key))
}

/// Whether neither the option nor one that excludes it was typed.
fn is_open(command: &Command, option: &Arg, typed: &ArgMatches) -> bool {
    let is_typed = |other: &Arg| {
        let id = other.get_id().as_str();
        typed.try_contains_id(id).is_ok() && typed.value_source(id) == Some(ValueSource::CommandLine)
    };
    let excludes = |other: &Arg| {
        let between = |one: &Arg, two: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|found| found.get_id() == two.get_id())
        };
        between(option, other) || between(other, option)
    };
    !is_typed(option) && !command.get_arguments().any(|other| is_typed(other) && excludes(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Coloring, Command as Parsed, Format};
    use std::path::Path;
    use std::time::Duration;

    #[test]
    fn an_error_of_the_command_line_is_told_without_its_usage() {
        for (line, expected) in [
            (
                "syncline run --rounds 0",
                "invalid value '0' for '--rounds <N>': write a whole number from 1 to 1000",
            ),
            (
                "syncline run --buget=5m",
                "unexpected argument '--buget' found; tip: a similar argument exists: '--budget'",
            ),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = program().try_get_matches_from(&words).unwrap_err();
            assert_eq!(reason(&suggestion::correct(error, &words).to_string()), expected);
        }
    }

    fn with(line: &str, texts: &[&str]) -> Result<Arguments, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let typed = program().try_get_matches_from(&words).unwrap();
        let files: Result<Vec<DefaultsFile>, Failure> =
            texts.iter().map(|text| DefaultsFile::parse(Path::new("d.toml"), text)).collect();
        let matches = files.and_then(|files| with_defaults(&words, &typed, &files));
        matches.map_err(|why| why.to_string()).map(|found| Arguments::from_arg_matches(&found).unwrap())
    }

    fn budget(arguments: &Arguments) -> Option<u64> {
        let Parsed::Run(run) = &arguments.command else { panic!("{arguments:?}") };
        run.budget.map(|budget: Duration| budget.as_secs())
    }

    #[test]
    fn what_is_typed_wins_then_the_nearer_file_then_the_table() {
        let user = "color = 'never'\nquiet = true\n[run]\nbudget = '4m'\nrounds = 8\n";
        let near = "color = 'always'\n[run]\nbudget = '3m'\n";
        let found = with("syncline run commit", &[near, user]).unwrap();
        assert_eq!(budget(&found), Some(180));
        assert_eq!((found.global.color, found.global.quiet), (Coloring::Always, true));
        let Parsed::Run(run) = &found.command else { panic!() };
        assert_eq!(run.rounds, Some(8));
        assert_eq!(budget(&with("syncline run commit --budget 2m", &[near, user]).unwrap()), Some(120));
        assert_eq!(budget(&with("syncline run commit", &["dir = 'a'\n[run]\ndir = 'b'"]).unwrap()), None);
        let found = with("syncline run commit", &["dir = 'a'\n[run]\ndir = 'b'"]).unwrap();
        let Parsed::Run(run) = &found.command else { panic!() };
        assert_eq!(run.dir.as_deref(), Some(Path::new("b")));
    }

    #[test]
    fn a_default_that_a_typed_option_excludes_is_left_out() {
        let found =
            with("syncline run --resume RUN", &["[run]\nprofile = 'quick'\nbudget = '1h30m'"]).unwrap();
        assert_eq!(budget(&found), Some(5400));
        assert!(with("syncline run -v", &["quiet = true"]).unwrap().global.verbose);
        let vary = "[run]\nfix = ['runtime=1s', 'record_size=4k']";
        let found = with("syncline run commit", &[vary]).unwrap();
        let Parsed::Run(run) = &found.command else { panic!() };
        assert_eq!(run.fix.len(), 2);
    }

    #[test]
    fn a_format_of_some_commands_is_one_for_those_only() {
        let Parsed::Export { format, .. } =
            with("syncline export RUN", &["format = 'text'"]).unwrap().command
        else {
            panic!()
        };
        assert_eq!(format, Format::Long);
        let Parsed::Export { format, .. } =
            with("syncline export RUN", &["format = 'json'"]).unwrap().command
        else {
            panic!()
        };
        assert_eq!(format, Format::Json);
    }

    #[test]
    fn a_mistake_names_its_line_and_the_nearest_name() {
        let mistakes = [
            "\nbugdet = '5m'",
            "[run]\n\ncolour = 'never'",
            "[chek]\nrounds = 6",
            "[check]\nbudget = '5m'",
            "[run]\nbudget = 5 m",
            "[run]\nbudget = 1979-05-27",
            "[run]\nresume = 'x'",
            "pg-bin = '/tmp'",
            "[report]\nhtml = '/etc/passwd'",
            "[run]\nfix = ['programs=/tmp']",
            "[run]\nvary = 'target=s3://a,s3://b'",
            "[run]\nquiet = 'yes'",
            "[run]\nrounds = 'many'",
            "format = 'pdf'",
        ];
        let refusals = mistakes.map(|text| with("syncline run commit", &[text]).unwrap_err());
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        syncline: d.toml line 2: unknown option "bugdet"; did you mean "budget"?
        syncline: d.toml line 3: unknown option "colour"; did you mean "color"?
        syncline: d.toml line 1: unknown command "chek"; did you mean "check"?
        syncline: d.toml line 2: unknown option "budget"; there are: color, dir, format, quiet, rounds, seed, verbose
        syncline: d.toml line 2: string values must be quoted, expected literal string
        syncline: d.toml line 2: budget = a datetime: write a text or a number
        syncline: d.toml line 2: resume has to be typed: it concerns one run
        syncline: d.toml line 1: pg-bin has to be typed: it names programs that run
        syncline: d.toml line 2: html has to be typed: it names what is written
        syncline: d.toml line 2: fix programs has to be typed: it names programs, a place, or settings of a server
        syncline: d.toml line 2: vary target has to be typed: it names programs, a place, or settings of a server
        syncline: d.toml line 2: quiet is true or false
        syncline: d.toml with the command line: invalid value 'many' for '--rounds <N>': write a whole number from 1 to 1000
        syncline: d.toml line 1: format = "pdf": no command takes it
        "#);
    }

    #[test]
    fn the_users_file_is_where_the_specification_has_it() {
        let text = |path: &str| Some(OsString::from(path));
        let user = |configuration, home| places(configuration, home).into_iter().nth(1);
        assert_eq!(user(text("/c"), text("/h")), Some(PathBuf::from("/c/syncline/syncline.toml")));
        assert_eq!(user(None, text("/h")), Some(PathBuf::from("/h/.config/syncline/syncline.toml")));
        assert_eq!(user(text("relative"), None), None);
    }
}
