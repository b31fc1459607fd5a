//! A run directory from somebody else, with links and pipes where files should be: no command leaves it, and none
//! waits.

use crate::laboratory::{Laboratory, prints, text};

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Output;

/// What a program of Rust's exits with that panics.
const PANICKED: i32 = 101;

/// A run of a second, and beside it a directory of the user's with what the old commands deleted and overwrote.
struct Hostile {
    lab: Laboratory,
    victims: Vec<PathBuf>,
}

impl Hostile {
    fn new() -> Self {
        let lab = Laboratory::new();
        let output = lab.run(&["--rounds", "1"]).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        fs::create_dir(lab.path().join("elsewhere")).unwrap();
        let victims =
            ["postgresql.conf", "my.cnf", "page"].map(|name| lab.path().join("elsewhere").join(name));
        for victim in &victims {
            fs::write(victim, "mine").unwrap();
        }
        Self { lab, victims: victims.into() }
    }

    /// Puts a link to `target` in the place of a file or directory of the run.
    fn link(&self, name: &str, target: &str) {
        let path = self.lab.run_directory().join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        symlink(target, path).unwrap();
    }

    /// What a command says; whatever it says, the user's files are as they were.
    #[track_caller]
    fn say(&self, arguments: &[&str]) -> Output {
        let output = self.lab.syncline(arguments).output().unwrap();
        let said = text(&output);
        assert_ne!(output.status.code(), Some(PANICKED), "{said}");
        for victim in &self.victims {
            assert_eq!(fs::read_to_string(victim).unwrap(), "mine", "{arguments:?}: {said}");
        }
        assert_eq!(fs::read_dir(self.lab.path().join("elsewhere")).unwrap().count(), 3, "{arguments:?}");
        output
    }
}

/// Issue: with `RUN/advice` a link, `report` and `advise` deleted the user's postgresql.conf and my.cnf behind it; with
/// `RUN/report.html` a link, they overwrote the page behind it.
#[test]
fn no_command_writes_or_deletes_through_a_link_in_a_run_directory() {
    let hostile = Hostile::new();
    hostile.link("report.html", "../elsewhere/page");
    hostile.say(&["report", "run"]);
    let page = fs::symlink_metadata(hostile.lab.run_directory().join("report.html")).unwrap();
    assert!(page.is_file(), "the report is in the place of the link");
    hostile.link("advice", "../elsewhere");
    for command in [&["report", "run"][..], &["advise", "run"], &["run", "--resume", "run"]] {
        prints(
            &hostile.lab,
            &hostile.say(command),
            "syncline: run/advice: cannot open the directory: it is a symbolic link, and Syncline follows none inside a run directory[..]",
        );
    }
    hostile.link("sidecars", "../elsewhere");
    for command in [&["export", "run", "--format", "json"][..], &["compare", "run", "run"], &["audit", "run"]]
    {
        hostile.say(command);
    }
    prints(
        &hostile.lab,
        &hostile.say(&["run", "--resume", "run"]),
        "syncline: run/sidecars: cannot clear: it is a symbolic link, and Syncline follows none inside a run directory",
    );
    hostile.link("trials.jsonl", "../elsewhere/page");
    let readers = [&["report", "run"][..], &["advise", "run"], &["export", "run", "--format", "long"]];
    let others = [&["compare", "run", "run"][..], &["audit", "run"], &["run", "--resume", "run"]];
    for command in readers.into_iter().chain(others) {
        prints(
            &hostile.lab,
            &hostile.say(command),
            "syncline: run/trials.jsonl: cannot [..]: it is a symbolic link, and Syncline follows none inside a run directory",
        );
    }
}
