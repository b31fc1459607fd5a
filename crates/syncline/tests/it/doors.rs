//! What a new user types first, and other tools' words for the same: accepted, or answered with the command that does
//! it.

use crate::laboratory::{Laboratory, WITHOUT_WAITING, refuses, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::Command;

const USAGE: i32 = 2;

/// The JSON document of a command that succeeds, or whose audits fail.
fn document(mut command: Command) -> Value {
    let output = command.args(["--format", "json"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", text(&output)))
}

/// Names of the studies that a dry run plans or skips.
fn studies(lab: &Laboratory, arguments: &[&str]) -> Vec<String> {
    let mut command = lab.syncline(&["run"]);
    command.args(arguments).args(["--dir", "disk", "--dry-run"]);
    let planned = document(command);
    let name = |study: &Value, key: &str| study[key].as_str().unwrap().to_owned();
    let all = |list: &str, key: &str| -> Vec<String> {
        planned[list].as_array().unwrap().iter().map(|study| name(study, key)).collect()
    };
    [all("studies", "name"), all("skipped", "study")].concat()
}

/// `check /data` and `doctor .` were refused: only `--dir` was known.
#[test]
fn check_and_doctor_take_a_directory_without_the_option() {
    let lab = Laboratory::new();
    let disk = fs::canonicalize(lab.disk()).unwrap();
    let planned = document(lab.syncline(&["check", "disk", "--dry-run"]));
    assert_eq!(planned["directory"].as_str(), disk.to_str());
    for arguments in [&["doctor", "disk"][..], &["doctor", "."], &["doctor", "--dir", "disk"], &["doctor"]] {
        let examined = document(lab.syncline(arguments));
        assert!(examined["checks"]["disk"].is_array(), "{arguments:?}");
    }
    let both = ["check", "disk", "--dir", "disk"];
    refuses(&lab, &mut lab.syncline(&both), USAGE, "the argument '[DIR]' cannot be used with '--dir <DIR>'");
    fs::write(lab.path().join("syncline.toml"), "dir = 'elsewhere'\n").unwrap();
    let planned = document(lab.syncline(&["check", "disk", "--dry-run"]));
    assert_eq!(planned["directory"].as_str(), disk.to_str(), "what is typed wins over a default");
}

/// `--for postgres` was asked whether it meant postgresql, and `run postgresql` got a list of 29 studies.
#[test]
fn a_database_has_the_names_that_its_users_give_it() {
    let lab = Laboratory::new();
    let postgresql = studies(&lab, &["--for", "postgresql"]);
    assert!(postgresql.len() > 2, "{postgresql:?}");
    for words in [
        &["--for", "postgres"][..],
        &["--for", "PostgreSQL"],
        &["--for", "pg"],
        &["postgresql"],
        &["Postgres"],
    ] {
        assert_eq!(studies(&lab, words), postgresql, "{words:?}");
    }
    assert_eq!(studies(&lab, &["innodb"]), studies(&lab, &["--for", "mysql"]));
    assert_eq!(studies(&lab, &["mariadb"]), studies(&lab, &["--for", "MariaDB"]));
    let prove = ["prove", "--for", "sqlite3", "--settings", "all", "--dir", "disk", "--dry-run"];
    assert!(document(lab.syncline(&prove))["studies"].is_array());
    for (arguments, message) in [
        (
            &["run", "postgres", "commit"][..],
            "postgresql is a database, not a study: syncline run --for postgresql runs the studies of its settings",
        ),
        (
            &["studies", "mysql"],
            "mysql is a database, not a study: syncline run --for mysql runs the studies of its settings",
        ),
        (
            &["run", "postgres", "--profile", "quick"],
            "a run for a database takes neither --profile nor --shared",
        ),
    ] {
        refuses(&lab, &mut lab.syncline(arguments), USAGE, message);
    }
}

#[test]
fn what_is_meant_for_another_place_is_answered_with_the_command_that_does_it() {
    let lab = Laboratory::new();
    for (arguments, message) in [
        (
            &["run", "disk"][..],
            "disk is a directory, not a study: syncline run --dir disk measures the disk below it",
        ),
        (&["run", "commit,device"], "separate studies by blanks: commit device"),
        (
            &["run", "commit", "--rounds", "1e9"],
            "invalid value '1e9' for '--rounds <N>': write a whole number from 1 to 1000",
        ),
        (
            &["report", "latest"],
            "invalid value 'latest' for '<RUN>': no run in syncline-runs, below the current directory",
        ),
        (
            &["prove", "--resume", "latest"],
            "invalid value 'latest' for '--resume <PROOF>': no proof in syncline-runs, below the current directory",
        ),
    ] {
        refuses(&lab, &mut lab.syncline(arguments), USAGE, message);
    }
    let planned = lab.syncline(&["run", "commit", "--rounds", "1e1", "--dir", "disk", "--dry-run"]);
    assert_eq!(document(planned)["studies"][0]["rounds"], 10);
}

/// Each command after a run wanted its name, a date to the second.
#[test]
fn latest_is_the_newest_run_of_this_directory() {
    let lab = Laboratory::new();
    for seed in ["1", "2"] {
        let run = ["run", "tiny.toml", "--dir", "disk", "--rounds", "1", "--seed", seed];
        let output = lab.syncline(&run).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    }
    let runs = lab.path().join("syncline-runs");
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let names: Vec<String> = fs::read_dir(&runs).unwrap().map(name).collect();
    let (oldest, newest) = (names.iter().min().unwrap(), names.iter().max().unwrap());
    // Neither a renamed run nor a folder that sorts behind is newer.
    fs::create_dir(runs.join("zzz")).unwrap();
    let report = document(lab.syncline(&["report", "latest"]));
    assert!(report["report"].as_str().unwrap().contains(newest.as_str()), "{newest}: {}", report["report"]);
    let oldest = format!("syncline-runs/{oldest}");
    for arguments in [&["advise", "latest"][..], &["audit", "latest"], &["compare", &oldest, "latest"]] {
        document(lab.syncline(arguments));
    }
    // A directory of that name is the one that is meant.
    fs::create_dir(lab.path().join("latest")).unwrap();
    refuses(&lab, &mut lab.syncline(&["report", "latest"]), 1, "latest is not a run directory: [..]");
}

/// A dataset had to be named as a parameter: `--fix target=…`.
#[test]
fn a_data_loader_reads_the_dataset_that_target_names() {
    let lab = Laboratory::new();
    fs::create_dir(lab.path().join("dataset")).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(lab.path().join("dataset").join(name), vec![7; 3 << 20]).unwrap();
    }
    let run = ["run", "--for", "data-loader", "--target", "dataset", "--dir", "disk", "--dry-run"];
    let planned = document(lab.syncline(&run));
    assert_eq!(planned["total"]["files_written_bytes"], 0, "the files are there already");
    let none = ["run", "--for", "data-loader", "--target", "nowhere", "--dir", "disk", "--dry-run"];
    let output = lab.syncline(&none).output().unwrap();
    assert_ne!(output.status.code(), Some(0), "{}", text(&output));
}

/// The bytes and the time of a run of 13 studies had to be added up by hand.
#[test]
fn a_dry_run_adds_its_studies_up() {
    let lab = Laboratory::new();
    let planned = document(lab.syncline(&["run", "commit", "depth", "--dir", "disk", "--dry-run"]));
    let studies = planned["studies"].as_array().unwrap();
    for figure in ["trials", "files_written_bytes", "counted_read_bytes", "counted_written_bytes"] {
        let sum: u64 = studies.iter().map(|study| study[figure].as_u64().unwrap()).sum();
        assert_eq!(planned["total"][figure].as_u64(), Some(sum), "{figure}");
    }
    let seconds = |of: &Value| of["measuring_s_max"].as_f64().unwrap();
    let sum: f64 = studies.iter().map(seconds).sum();
    assert!((seconds(&planned["total"]) - sum).abs() < 1e-6);
    assert_eq!(planned["total"]["room_bytes"], planned["room_bytes"]);
}

/// `syncline studies` listed 29 names over three screens.
#[test]
fn the_list_of_studies_is_a_screen_of_questions() {
    let lab = Laboratory::new();
    let list = String::from_utf8(lab.syncline(&["studies"]).output().unwrap().stdout).unwrap();
    assert!(list.lines().count() <= 24, "{list}");
    let summaries = document(lab.syncline(&["studies"]));
    let summaries = summaries.as_array().unwrap();
    let field =
        |name: &str| -> Vec<&str> { summaries.iter().map(|study| study[name].as_str().unwrap()).collect() };
    let below = list.lines().filter(|line| line.starts_with(' '));
    let words: Vec<&str> = below.flat_map(|line| line.split([' ', ','])).collect();
    for study in field("name") {
        assert_eq!(words.iter().filter(|word| **word == study).count(), 1, "{study}: {list}");
    }
    let topics: BTreeSet<&str> = field("topic").into_iter().collect();
    let headings: BTreeSet<&str> = list.lines().filter(|line| line.ends_with('?')).collect();
    assert_eq!(headings, topics);
    // Each with its own question, for who looks for one.
    let all = String::from_utf8(lab.syncline(&["studies", "-v"]).output().unwrap().stdout).unwrap();
    let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(field("question").iter().all(|question| all.contains(question)), "{all}");
}

/// The help of commands that nobody launches on many machines listed the options of launchers.
#[test]
fn options_of_launchers_are_in_the_help_of_fleet() {
    let lab = Laboratory::new();
    let help = |command: &str| text(&lab.syncline(&[command, "--help"]).output().unwrap());
    for option in ["--rank", "--of", "--again"] {
        let is_in = |command: &str| help(command).split_whitespace().any(|word| word == option);
        assert!(is_in("fleet") && !is_in("run") && !is_in("check"), "{option}");
    }
    let planned = lab.syncline(&["check", "disk", "--rank", "1", "--of", "2", "--again", "--dry-run"]);
    assert_eq!(document(planned)["studies"].as_array().unwrap().len(), 2);
}

/// Lines of a command on a terminal of 80 columns that are longer, but for a word that no line holds; `None`, with the
/// reason printed, if script(1) is not installed.
fn torn(lab: &Laboratory, columns: usize, command: &str) -> Option<Vec<String>> {
    let program = env!("CARGO_BIN_EXE_syncline");
    let line = format!("stty cols {columns}; {program} {command}");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(lab.path());
    let Ok(output) = script.env("TERM", "dumb").env("XDG_CONFIG_HOME", lab.path()).output() else {
        skip::because("script(1) is not installed");
        return None;
    };
    let said = text(&output);
    assert!(said.lines().count() > 5, "{command}: {said}");
    let is_torn = |line: &&str| line.chars().count() > columns;
    // A path, an address or an option is not broken: it could not be copied.
    let is_long_word = |line: &&str| line.split(' ').any(|word| word.len() > columns / 2);
    Some(said.lines().filter(is_torn).filter(|line| !is_long_word(line)).map(str::to_owned).collect())
}

/// The width was 100 or 110, and a terminal of 80 columns tore 133 lines of a run's screen.
#[test]
fn a_terminal_of_80_columns_tears_no_line() {
    let lab = Laboratory::new();
    for run in ["one", "two"] {
        let command = ["run", "tiny.toml", "--dir", "disk", "--rounds", "6", "--out", run];
        let output = lab.syncline(&command).args(WITHOUT_WAITING).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    }
    for command in [
        "report one",
        "compare one two",
        "advise one",
        "audit one",
        "doctor disk",
        "studies",
        "studies commit",
        "run --dir disk --dry-run",
        "check disk --dry-run",
    ] {
        let Some(torn) = torn(&lab, 80, command) else { return };
        assert_eq!(torn, Vec::<String>::new(), "{command}");
    }
}
