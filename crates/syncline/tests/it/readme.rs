//! Every command in the README and in `docs/` runs on the real disk, with small files and short trials: a test for each
//! page, in a directory of its own. A command that several pages show belongs to the first of them.

use crate::laboratory;

use laboratory::{Laboratory, WITHOUT_WAITING, root, text};
use std::fs;
use std::path::Path;

/// What makes a study small, by its workload and if needed by its name; the later one counts.
const SMALL: &[(&str, &str)] = &[
    ("commit", "--fix data_size=8MiB --fix wal_size=4MiB --fix groups=20 --fix runtime=0s"),
    ("device", "--fix size=8MiB --fix runtime=50ms"),
    // Under the smallest cap a worker must still fit.
    ("memory", "--fix size=64MiB --vary memory_cap=none,100%,50%"),
    ("depth", "--vary iodepth=1,4,16"),
    ("blocksize", "--vary bs=4KiB,64KiB"),
    ("matrix", "--vary bs=4KiB,64KiB"),
    ("file-systems", "--vary filesystem=ext4,btrfs+nodatacow"),
    ("append", "--fix entries=200 --fix key_order=sequential"),
    ("scan", "--fix files=2 --fix file_size=1MiB"),
    ("loader-files", "--fix files=64 --fix file_size=16KiB --fix batch_size=64KiB --fix step_time=1ms"),
    ("loader-shards", "--fix files=4 --fix file_size=2MiB --fix batch_size=1MiB --fix step_time=1ms"),
    ("object", "--fix objects=20 --fix runtime=50ms"),
    ("object-mix", "--fix kept_objects=64 --vary clients=1,2 --fix object_size=64KiB"),
    ("object-sizes", "--vary object_size=4KiB,64KiB"),
    ("multipart", "--fix objects=1 --fix object_size=10MiB --vary part_size=5MiB,8MiB"),
    (
        "checkpoint",
        "--fix objects=1 --fix object_size=1MiB --fix runtime=0s --vary part_size=1MiB --vary clients=1,2",
    ),
    ("pool", "--vary subject=ours --vary blocks=64 --vary headroom=1.0,1.1"),
    ("temp-buffers", "--fix blocks=64"),
    ("page-cost-postgres", "--fix table=temporary --fix reads=32"),
    ("page-write-postgres", "--vary table=temporary"),
    ("kv", "--fix keys=500 --fix phase_runtime=10ms"),
    ("transactions", "--fix runtime=100ms"),
    ("requests", "--fix runtime=100ms --vary clients=1,2"),
];
/// Two runs that are compared: one configuration, with commits enough for a p99. One round has no interval, so that a
/// limit cannot be judged; `compare.rs` has rounds enough.
const COMPARED: &str = "--vary mode=buffered --vary group_size=1 --vary reads_per_commit=1 --fix data_size=8MiB \
    --fix wal_size=4MiB --fix groups=1100 --fix runtime=0s --rounds 1 --budget 1h";
/// What a user without privileges leaves out.
const UNPRIVILEGED: &[(&str, &str)] = &[
    ("wal-layout", "--vary filesystem=host"),
    ("file-systems", "--fix filesystem=host"),
    ("memory", "--fix memory_cap=none"),
];

/// The lines after `$ ` in the page's console blocks.
fn commands(path: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join(path)).unwrap();
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            found.push(command.split(" #").next().unwrap_or_default().trim().to_owned());
        }
    }
    found
}

/// The newest run, of the workload that a command needs; where the page shows none, a small one of the study commit.
fn newest_run(lab: &Laboratory, workload: &str) -> String {
    if !lab.path().join("syncline-runs").exists() {
        let output =
            lab.syncline(&["run", "commit"]).args(small(&["commit"])).args(WITHOUT_WAITING).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    }
    let mut runs: Vec<_> = fs::read_dir(lab.path().join("syncline-runs"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    runs.retain(|run| fs::read_to_string(run.join("plan.json")).is_ok_and(|plan| plan.contains(workload)));
    runs.sort();
    runs.pop().unwrap_or_default().display().to_string()
}

/// A file of the repository takes its place in the laboratory, where commands run; a fio job with a small file and a
/// short time.
fn bring(lab: &Laboratory, word: &str) {
    let source = root().join(word);
    if word.starts_with(['-', '/']) || !source.is_file() {
        return;
    }
    let target = lab.path().join(word);
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::copy(&source, &target).unwrap();
    if target.extension().is_some_and(|extension| extension == "fio") {
        let small = |line: &str| match line.split_once('=') {
            Some(("size", _)) => "size=8m".to_owned(),
            Some(("runtime", _)) => "runtime=50ms".to_owned(),
            _ => line.to_owned(),
        };
        let job: Vec<String> = fs::read_to_string(&source).unwrap().lines().map(small).collect();
        fs::write(&target, job.join("\n") + "\n").unwrap();
    }
}

/// `workload = "…"` of a built-in study.
fn workload(study: &str) -> Option<String> {
    let text = fs::read_to_string(root().join("studies").join(format!("{study}.toml"))).ok()?;
    let table: toml::Table = text.parse().unwrap();
    Some(table["workload"].as_str().unwrap().to_owned())
}

/// Options that make these studies small.
fn small(words: &[&str]) -> Vec<&'static str> {
    let studies = || words.iter().filter_map(|word| Some((*word, workload(word)?)));
    let mut names: Vec<String> = studies().map(|(_, workload)| workload).collect();
    if names.is_empty() {
        names.push("commit".to_owned());
    }
    names.dedup();
    names.extend(
        studies().map(|(study, _)| study.to_owned()).filter(|study| study != "commit" && study != "device"),
    );
    let privileged = rustix::process::geteuid().is_root();
    let lists = [SMALL, if privileged { &[] } else { UNPRIVILEGED }];
    let chosen = lists.into_iter().flatten().filter(|(name, _)| names.iter().any(|wanted| wanted == name));
    chosen.flat_map(|(_, options)| options.split_whitespace()).chain(["--rounds", "1"]).collect()
}

/// `syncline …` as the page shows it, with less to do.
fn run(lab: &Laboratory, command: &str, words: &[&str]) {
    // Only a device run can be a fio job.
    let wanted = if words.contains(&"fio") { "\"workload\":\"device\"" } else { "" };
    let is_of_a_fleet = words.starts_with(&["fleet", "fleet"]);
    let takes_runs = is_of_a_fleet || words.iter().any(|word| ["RUN", "syncline-runs"].contains(word));
    let run = if takes_runs { newest_run(lab, wanted) } else { String::new() };
    let own = std::process::id().to_string();
    let own = own.as_str();
    let mut words = words.to_vec();
    for word in &mut words {
        match *word {
            "RUN" => *word = run.as_str(),
            "PID" => *word = own,
            _ => {}
        }
    }
    if is_of_a_fleet {
        std::os::unix::fs::symlink("syncline-runs", lab.path().join("fleet")).unwrap();
    }
    for word in &words {
        bring(lab, word);
    }
    let mut process = lab.syncline(&words);
    match words[..] {
        // All studies, for as long as one of them takes.
        ["run"] | ["run", "--for", ..] => drop(process.args(["--rounds", "1", "--budget", "5s"])),
        ["check", ..] => drop(process.args(["--rounds", "1"])),
        ["preflight", ..] => drop(process.args(["--rounds", "1", "--fix", "runtime=50ms"])),
        ["watch", ..] => drop(process.args(["--rounds", "1", "--budget", "1h", "--busy-limit", "100%"])),
        // Crashes and prices are tested elsewhere.
        ["survive", ..] => drop(process.args(["--crashes", "1", "--rounds", "1"])),
        // Whatever the processes of these tests do meanwhile.
        ["observe", ..] => drop(process.args(["--for", "200ms"])),
        // Servers are proven elsewhere; one round gives no advice that could be.
        ["prove", ..] => drop(process.arg("--dry-run")),
        ["run", ..] if words.contains(&"--out") => drop(process.args(COMPARED.split_whitespace())),
        ["run", ..] if words.contains(&"--budget") => drop(process.args(small(&words))),
        ["run", ..] if !words.contains(&"--resume") => {
            process.args(small(&words)).args(WITHOUT_WAITING);
        }
        _ => {}
    }
    let output = process.output().unwrap();
    let said = text(&output);
    let is_as_told = match output.status.code() {
        Some(0 | 3) => true,
        // The user's server is not there.
        Some(1) if words.contains(&"--dsn") => said.contains("cannot connect to the server"),
        // The laboratory may be closed to the user as whom a server of root's runs.
        Some(1) if words.contains(&"prove") => {
            ["nothing to prove", "--dir names another place", "built without PostgreSQL", "install-servers"]
                .iter()
                .any(|why| said.contains(why))
        }
        // The laboratory may be closed to the user as whom a server of root's runs; only root can crash a disk.
        Some(98) if words.contains(&"survive") => said.contains("Not tried") || said.contains("not tried"),
        // This build or this machine has no such server.
        Some(1 | 2) if words.iter().any(|word| ["postgresql-settings", "server-commits"].contains(word)) => {
            ["built without PostgreSQL", "install-servers"].iter().any(|why| said.contains(why)) || {
                skip::because("the kernel permits no tracepoints here");
                ["CAP_PERFMON", "tracefs"].iter().any(|why| said.contains(why))
            }
        }
        // The kernel does not let every user trace.
        Some(1) if words.contains(&"--explain") => {
            skip::because("the kernel permits no tracepoints here");
            ["CAP_PERFMON", "tracefs"].iter().any(|why| said.contains(why))
        }
        // A few runs of one disk are too few to judge.
        Some(98) => {
            ["fleet", "preflight"].iter().any(|word| words.contains(word))
                || said.contains("cannot be judged")
        }
        // This machine has no such unit, directory or disk, or a run too small to be believed.
        Some(2) if words.contains(&"observe") => {
            ["no control group", "no such directory", "no block device", "--run "]
                .iter()
                .any(|why| said.contains(why))
        }
        // Only root may observe; and this process may have written nothing.
        Some(1) if words.contains(&"observe") => {
            ["tracefs", "tracepoints", "no load"].iter().any(|why| said.contains(why))
        }
        // Directories and builds are measured in turns elsewhere.
        Some(2) => words.contains(&"--interleave") && said.contains("No such file"),
        // One round has no interval.
        Some(1) => words.contains(&"export") && said.contains("an interval needs 6"),
        _ => false,
    };
    assert!(is_as_told, "{command}: {said}");
}

/// The README comes first.
macro_rules! pages {
    ($($page:ident $path:literal,)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $page() {
                run_page($path);
            }
        )*
    };
}

pages! {
    readme "README.md",
    advice "docs/advice.md",
    answer "docs/answer.md",
    audit "docs/audit.md",
    command_line "docs/command-line.md",
    commit "docs/commit.md",
    device "docs/device.md",
    engines "docs/engines.md",
    extending "docs/extending.md",
    file_systems "docs/file-systems.md",
    fleet "docs/fleet.md",
    history "docs/history.md",
    kv "docs/kv.md",
    loaders "docs/loaders.md",
    objects "docs/objects.md",
    observe "docs/observe.md",
    pool "docs/pool.md",
    preflight "docs/preflight.md",
    prove "docs/prove.md",
    requests "docs/requests.md",
    records "docs/records.md",
    scan "docs/scan.md",
    store "docs/store.md",
    survive "docs/survive.md",
    trace "docs/trace.md",
    watch "docs/watch.md",
}

#[test]
fn every_page_that_shows_commands_has_a_test() {
    let entries = fs::read_dir(root().join("docs")).unwrap();
    let mut shown: Vec<String> =
        entries.map(|entry| format!("docs/{}", entry.unwrap().file_name().display())).collect();
    shown.push("README.md".to_owned());
    shown.retain(|path| {
        Path::new(path).extension().is_some_and(|extension| extension == "md") && !commands(path).is_empty()
    });
    shown.sort_unstable();
    let mut tested = PAGES.to_vec();
    tested.sort_unstable();
    assert_eq!(shown, tested);
}

/// Runs the commands of a page that no page before it shows.
fn run_page(path: &str) {
    let before: Vec<String> =
        PAGES.iter().take_while(|page| **page != path).flat_map(|page| commands(page)).collect();
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let shown: Vec<String> = commands(path).into_iter().filter(|command| !before.contains(command)).collect();
    let watches = shown.iter().any(|command| command.starts_with("syncline watch"));
    let watching = if watches { laboratory::watching() } else { None };
    if watches && watching.is_none() {
        return;
    }
    // A server of root's runs as another user.
    let lab = Laboratory::open_to_all();
    for command in shown {
        let mut words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches('\'')).collect();
        match words.remove(0) {
            "make" => {
                let targets = words.iter().filter(|word| !word.contains('='));
                for target in targets {
                    assert!(makefile.contains(&format!("\n{target}:")), "{command}");
                }
            }
            "syncline" => run(&lab, &command, &words),
            // The variables that a script of the repository prints.
            "export" => {
                let script = words[0].strip_prefix("$(").and_then(|word| word.strip_suffix(')'));
                assert!(script.is_some_and(|script| root().join(script).exists()), "{command}");
            }
            "cargo" | "git" | "cd" => {}
            other => panic!("{other}: {path} shows a command that this test does not know"),
        }
    }
}
