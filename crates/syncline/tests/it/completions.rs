//! Completions, as the shells ask for them.

use crate::laboratory::Laboratory;
use std::path::Path;
use std::process::Command;

/// The directory of the program, as an entry of `PATH`.
fn path() -> String {
    let directory = Path::new(env!("CARGO_BIN_EXE_syncline")).parent().unwrap();
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default())
}

/// What a shell prints for this script; `None`, with the reason printed, if the shell is not installed.
fn said(lab: &Laboratory, shell: &str, script: &str) -> Option<String> {
    let mut command = Command::new(shell);
    command.args(["-c", script]).current_dir(lab.path()).env("PATH", path());
    let Ok(output) = command.output() else {
        skip::because(format_args!("{shell} is not installed"));
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// What bash offers for the last of these words, as it splits them: at blanks, and at `=`.
fn bash(lab: &Laboratory, line: &str) -> Vec<String> {
    let split = line.replace('=', " = ");
    let words: Vec<&str> = split.split(' ').filter(|word| !word.is_empty()).collect();
    let begins = line.ends_with(' ');
    let shown: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (index, typed) = match words.last() {
        // bash does not take the separator for the beginning of a word.
        Some(&"=") => (words.len() - 1, ""),
        Some(word) if !begins => (words.len() - 1, *word),
        Some(_) | None => (words.len(), ""),
    };
    let empty = if begins { " ''" } else { "" };
    let script = format!(
        "source <(syncline completions bash)\nCOMP_WORDS=({}{empty}); COMP_CWORD={index}\n_syncline syncline '{typed}' before\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        shown.join(" ")
    );
    said(lab, "bash", &script).unwrap().lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()
}

/// bash is on every machine that builds this.
#[test]
fn bash_completes_commands_options_studies_parameters_and_levels() {
    let lab = Laboratory::new();
    for (line, expected) in [
        ("syncline comp", &["compare", "completions"][..]),
        ("syncline compare --fail", &["--fail-if"]),
        ("syncline run commit-", &["commit-modes"]),
        ("syncline run tin", &["tiny.toml"]),
        ("syncline studies wal", &["wal-layout", "wal-sync"]),
        ("syncline run commit --profile s", &["seed", "standard", "sustained"]),
        ("syncline run --for post", &["postgresql"]),
        ("syncline run commit --fix record", &["record_size="]),
        ("syncline run depth --fix record", &[]),
        ("syncline run commit --fix mode=b", &["buffered"]),
        ("syncline run commit --vary mode=", &["buffered", "direct", "dontcache"]),
        ("syncline run commit --vary mode=buffered,di", &["buffered,direct"]),
        ("syncline run commit --fix mode=direct --vary group_", &["group_size=", "group_write="]),
        ("syncline run --color ", &["always", "auto", "never"]),
        ("syncline export RUN --format m", &["markdown"]),
        ("syncline doctor --dir di", &["disk/"]),
    ] {
        let mut found = bash(&lab, line);
        found.sort();
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn zsh_and_fish_take_their_scripts() {
    let lab = Laboratory::new();
    if let Some(found) = said(
        &lab,
        "fish",
        "syncline completions fish | source; complete -C 'syncline run commit --fix mode=b'",
    ) {
        assert_eq!(found.split_whitespace().next(), Some("mode=buffered"), "{found}");
    }
    // The function itself needs a terminal; the script has to be one that zsh takes.
    let script = "autoload -Uz compinit; compinit -D -u; source <(syncline completions zsh); print ${_comps[syncline]}";
    if let Some(found) = said(&lab, "zsh", script) {
        assert_eq!(found.trim(), "_clap_dynamic_completer_syncline");
    }
}
