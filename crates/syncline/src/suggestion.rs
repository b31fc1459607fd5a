//! What the command line probably meant: the suggestion in an error of clap is one that [`model::suggestion`] finds
//! near. Clap's own proposed `--budget` for `--quiet`.

use crate::arguments::Arguments;
use crate::studies;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};
use model::suggestion::nearest;
use std::ffi::OsString;

/// The same error, whose suggestions are near what was typed and valid for the command that was typed.
pub(crate) fn correct(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let text = |error: &clap::Error, kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(_) | None => None,
    };
    let listed = |error: &clap::Error, kind: ContextKind| match error.get(kind) {
        Some(ContextValue::Strings(all)) => all.clone(),
        Some(_) | None => Vec::new(),
    };
    // The names that are valid in this place, and the one that was typed in it.
    let (kind, typed, valid) = match error.kind() {
        clap::error::ErrorKind::UnknownArgument => {
            (ContextKind::SuggestedArg, text(&error, ContextKind::InvalidArg), options(words))
        }
        clap::error::ErrorKind::InvalidSubcommand => {
            (ContextKind::SuggestedSubcommand, text(&error, ContextKind::InvalidSubcommand), commands())
        }
        clap::error::ErrorKind::InvalidValue => {
            let valid = listed(&error, ContextKind::ValidValue);
            (ContextKind::SuggestedValue, text(&error, ContextKind::InvalidValue), valid)
        }
        _ => return error,
    };
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::SuggestedSubcommand);
    error.remove(ContextKind::SuggestedValue);
    let Some(typed) = typed else { return error };
    // An option that does not exist is never a value after `--`.
    if typed.starts_with('-') {
        error.remove(ContextKind::Suggested);
    }
    let name = typed.trim_start_matches('-').split('=').next().unwrap_or_default();
    if kind == ContextKind::SuggestedSubcommand
        && let Some(meant) = command_meant(name)
    {
        error.insert(kind, ContextValue::String(meant));
        return error;
    }
    let bare: Vec<&str> = valid.iter().map(|name| name.trim_start_matches('-')).collect();
    if let Some(meant) = nearest(name, bare) {
        let dashes = if kind == ContextKind::SuggestedArg { "--" } else { "" };
        error.insert(kind, ContextValue::String(format!("{dashes}{meant}")));
    }
    error
}

/// What other programs call the commands.
const COMMANDS_ELSEWHERE: &[(&str, &str)] = &[
    ("advice", "advise"),
    ("bench", "run"),
    ("benchmark", "run"),
    ("diff", "compare"),
    ("list", "studies"),
    ("measure", "run"),
    ("study", "studies"),
    ("version", "--version"),
];

/// The command that a word means which is the name of a study, of a database, or of another program's command.
fn command_meant(word: &str) -> Option<String> {
    let elsewhere = COMMANDS_ELSEWHERE.iter().find(|(theirs, _)| *theirs == word);
    let of_run = || {
        let database = advice::database_known_as(word).map(|database| format!("run --for {database}"));
        database.or_else(|| studies::find(word).ok().map(|study| format!("run {}", study.name)))
    };
    elsewhere.map(|(_, ours)| (*ours).to_owned()).or_else(of_run)
}

/// The long options of the command that these words name, those of every command included.
fn options(words: &[OsString]) -> Vec<String> {
    let mut program = Arguments::command();
    program.build();
    let named = words.iter().skip(1).filter_map(|word| word.to_str());
    let mut commands = named.filter_map(|word| program.find_subcommand(word));
    let command = commands.next().unwrap_or(&program);
    let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
    visible.filter_map(|argument| argument.get_long()).map(str::to_owned).collect()
}

fn commands() -> Vec<String> {
    let program = Arguments::command();
    let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
    visible.map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn refusal(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        correct(Arguments::try_parse_from(&words).unwrap_err(), &words).to_string()
    }

    /// The line of a refusal that proposes something else.
    fn tip(refusal: &str) -> Option<&str> {
        refusal.lines().find_map(|line| line.trim_start().strip_prefix("tip: "))
    }

    #[test]
    fn a_suggestion_is_near_and_of_that_command() {
        let mistyped = [
            "syncline run --quiett",
            "syncline --verbos run",
            "syncline run --buget=5m",
            "syncline compare a b --fail-iff x",
            "syncline export run --formt csv",
            "syncline rum",
            "syncline list",
            "syncline version",
            "syncline commit",
            "syncline postgres",
            "syncline export run --format markdwon",
            "syncline run --color alwys",
        ];
        let tips = mistyped.map(|line| format!("{line}: {}", tip(&refusal(line)).unwrap_or_default()));
        insta::assert_snapshot!(tips.join("\n"), @"
        syncline run --quiett: a similar argument exists: '--quiet'
        syncline --verbos run: a similar argument exists: '--verbose'
        syncline run --buget=5m: a similar argument exists: '--budget'
        syncline compare a b --fail-iff x: a similar argument exists: '--fail-if'
        syncline export run --formt csv: a similar argument exists: '--format'
        syncline rum: a similar subcommand exists: 'run'
        syncline list: a similar subcommand exists: 'studies'
        syncline version: a similar subcommand exists: '--version'
        syncline commit: a similar subcommand exists: 'run commit'
        syncline postgres: a similar subcommand exists: 'run --for postgresql'
        syncline export run --format markdwon: a similar value exists: 'markdown'
        syncline run --color alwys: a similar value exists: 'always'
        ");
    }

    /// `--quiet` proposed `--budget`, and `report --budget` an option of another command.
    #[test]
    fn what_is_not_near_is_not_suggested() {
        for line in [
            "syncline run --json",
            "syncline audit file --output-format json",
            "syncline report run --budget 5m",
            "syncline frobnicate",
            "syncline export run --format pdf",
        ] {
            assert_eq!(tip(&refusal(line)), None, "{line}");
        }
    }
}
