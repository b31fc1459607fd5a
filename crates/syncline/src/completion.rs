//! What a shell completes: studies, and the profiles, parameters and levels of the studies on the command line.

mod bash;

use crate::studies;
use bash::Bash;
use clap::Command;
use clap_complete::engine::{PathCompleter, ValueCompleter};
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use clap_complete::{CompleteEnv, CompletionCandidate, Shell};
use model::FileSystem;
use model::parameter::{Parameter, ParameterKind};
use model::study::Study;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;

/// Set by the scripts that a shell loads; the words to complete follow `--` on the command line.
const VARIABLE: &str = "SYNCLINE_COMPLETE";

/// zsh loads a script from `$fpath` when it completes the command for the first time, as the function `_syncline`.
/// Without this the first completion has no answer.
const LOADED_BY_ZSH: &str = r#"
if [[ ${funcstack[1]} == _syncline ]]; then
    _clap_dynamic_completer_syncline "$@"
fi
"#;

/// Answers a shell and ends, if one of its scripts asks.
pub(crate) fn answer(program: fn() -> Command) {
    CompleteEnv::with_factory(program)
        .var(VARIABLE)
        .shells(Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]))
        .complete();
}

/// The script that a shell loads: it asks the program for each completion.
pub(crate) fn script(shell: Shell, program: &str) -> io::Result<Vec<u8>> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::PowerShell => &Powershell,
        Shell::Zsh => &Zsh,
        // The others of a later clap_complete are refused before they come here.
        _ => &Bash,
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, program, program, program, &mut script)?;
    if shell == Shell::Zsh {
        script.extend(LOADED_BY_ZSH.as_bytes());
    }
    Ok(script)
}

/// Built-in studies, and study files.
pub(crate) fn study(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed_text = typed.to_string_lossy();
    let named = studies::all().unwrap_or_default().into_iter();
    let named = named.filter(|study| study.name.starts_with(&*typed_text));
    let mut found: Vec<CompletionCandidate> =
        named.map(|study| CompletionCandidate::new(study.name).help(Some(study.question.into()))).collect();
    let is_study = |path: &std::path::Path| path.extension().is_some_and(|extension| extension == "toml");
    found.extend(PathCompleter::file().filter(is_study).complete(typed));
    found
}

/// Profiles of the studies on the command line, or of all.
pub(crate) fn profile(typed: &OsStr) -> Vec<CompletionCandidate> {
    let studies = studies_of(env::args_os());
    let names: BTreeSet<&str> =
        studies.iter().flat_map(|study| study.profiles.keys()).map(String::as_str).collect();
    starting_with(typed, names.into_iter().map(str::to_owned))
}

/// Databases that get advice.
pub(crate) fn database(typed: &OsStr) -> Vec<CompletionCandidate> {
    starting_with(typed, advice::databases().map(str::to_owned))
}

/// `NAME=VALUE` of a parameter.
pub(crate) fn fix(typed: &OsStr) -> Vec<CompletionCandidate> {
    assignments(typed, &studies_of(env::args_os()), false)
}

/// `NAME=A,B` of a parameter.
pub(crate) fn vary(typed: &OsStr) -> Vec<CompletionCandidate> {
    assignments(typed, &studies_of(env::args_os()), true)
}

/// The studies that these words name; every built-in one if they name none.
fn studies_of(words: impl Iterator<Item = OsString>) -> Vec<Study> {
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let named = words.iter().skip(1).filter_map(|word| studies::find(word).ok());
    let named: Vec<Study> = named.collect();
    if named.is_empty() { studies::all().unwrap_or_default() } else { named }
}

fn assignments(typed: &OsStr, studies: &[Study], is_list: bool) -> Vec<CompletionCandidate> {
    let typed_text = typed.to_string_lossy();
    let Some((name, value)) = typed_text.split_once('=') else {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for study in studies {
            names.extend(parameters(study).map(|parameter| format!("{}=", parameter.name)));
        }
        return starting_with(typed, names);
    };
    let chosen = if is_list { value.rsplit_once(',').map_or("", |(chosen, _)| chosen) } else { "" };
    let before = if chosen.is_empty() { String::new() } else { format!("{chosen},") };
    let taken: Vec<&str> = chosen.split(',').collect();
    let mut levels: Vec<String> = Vec::new();
    for level in studies.iter().flat_map(|study| levels_of(study, name)) {
        if !levels.contains(&level) && !taken.contains(&level.as_str()) {
            levels.push(level);
        }
    }
    starting_with(typed, levels.into_iter().map(|level| format!("{name}={before}{level}")))
}

fn parameters(study: &Study) -> impl Iterator<Item = &'static Parameter> {
    workload::schema(&study.workload).into_iter().flat_map(model::Schema::all)
}

/// The levels that a parameter can have or that the study gives it; its default if it is a number.
fn levels_of(study: &Study, name: &str) -> Vec<String> {
    let factor = study.factors.iter().find(|(factor, _)| factor == name);
    let mut levels = factor.map_or_else(Vec::new, |(_, levels)| levels.clone());
    levels.extend(study.fixed.get(name).cloned());
    let Some(parameter) = parameters(study).find(|parameter| parameter.name == name) else { return levels };
    match parameter.kind {
        ParameterKind::Choice(names) => levels.extend(names.iter().map(|name| (*name).to_owned())),
        ParameterKind::FileSystem => levels.extend(FileSystem::examples()),
        ParameterKind::Flag => levels.extend(["true", "false"].map(str::to_owned)),
        ParameterKind::Bytes { .. }
        | ParameterKind::Count { .. }
        | ParameterKind::Number { .. }
        | ParameterKind::Duration
        | ParameterKind::Name
        | ParameterKind::Place
        | ParameterKind::Endpoints
        | ParameterKind::Cap
        | ParameterKind::IoCap
        | ParameterKind::Settings
        | ParameterKind::Shares(_)
        | ParameterKind::Sizes
        | ParameterKind::Teams
        | ParameterKind::Zones
        | ParameterKind::ReadSize { .. }
        | ParameterKind::OptionalCount { .. } => levels.push(parameter.default.to_owned()),
    }
    levels
}

fn starting_with(typed: &OsStr, names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fitting = names.into_iter().filter(|name| name.starts_with(&*typed));
    fitting.map(CompletionCandidate::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(found: &[CompletionCandidate]) -> Vec<String> {
        found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    fn named(words: &str) -> Vec<Study> {
        studies_of(words.split(' ').map(OsString::from))
    }

    #[test]
    fn parameters_and_levels_are_those_of_the_study() {
        let commit = named("syncline run commit");
        assert_eq!(commit.len(), 1);
        assert_eq!(values(&assignments(OsStr::new("record"), &commit, false)), ["record_size="]);
        assert_eq!(values(&assignments(OsStr::new("mode=b"), &commit, false)), ["mode=buffered"]);
        let second = values(&assignments(OsStr::new("mode=buffered,d"), &commit, true));
        assert!(second.contains(&"mode=buffered,direct".to_owned()), "{second:?}");
        let again = values(&assignments(OsStr::new("mode=buffered,b"), &commit, true));
        assert_eq!(again, Vec::<String>::new(), "a level is taken once");
        let depth = named("syncline run depth");
        assert_eq!(values(&assignments(OsStr::new("record"), &depth, false)), Vec::<String>::new());
        assert!(named("syncline run").len() > 10);
    }

    #[test]
    fn studies_and_files_begin_with_what_was_typed() {
        let mut found = values(&study(OsStr::new("commit")));
        found.sort();
        assert_eq!(found, ["commit", "commit-modes", "committers"]);
    }
}
