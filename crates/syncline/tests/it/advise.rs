//! `syncline advise` on real runs: what follows is written, and loads in the real thing; a file of settings is
//! compared.

use crate::laboratory;

use laboratory::calm::undisturbed;
use laboratory::{Laboratory, WITHOUT_WAITING, assert_line, is_line, prints, remarks, text};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The fragments that `report`'s tests hold against what is rendered: each has every setting that can be advised.
pub(crate) fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/advice").join(name);
    fs::read_to_string(path).unwrap()
}

/// Names and values of the settings in a fragment of `name = value` lines.
pub(crate) fn assignments(fragment: &str) -> Vec<(&str, &str)> {
    fragment.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = ")).collect()
}

pub(crate) fn small_log_run(lab: &Laboratory, rounds: &str) -> PathBuf {
    let run = lab.path().join("run");
    let output = lab
        .syncline(&[
            "run",
            "wal-layout",
            "--vary",
            "filesystem=host",
            "--vary",
            "mode=buffered",
            "--rounds",
            rounds,
        ])
        .args([
            "--fix",
            "wal_size=4MiB",
            "--fix",
            "data_size=8MiB",
            "--fix",
            "groups=40",
            "--fix",
            "runtime=0s",
        ])
        .args(["--out", &run.display().to_string()])
        .args(WITHOUT_WAITING)
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    run
}

#[test]
fn sqlite_takes_its_pragmas() {
    let fragment = golden("sqlite.sql");
    let directory = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(directory.path().join("a.sqlite")).unwrap();
    database.execute_batch(&fragment).unwrap();
    // A default that is kept is a comment.
    let synchronous: i64 = database.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
    assert_eq!(synchronous, 2, "FULL");
    let journal: String = database.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(journal, "wal");
}

/// The reader of option files that MySQL and MariaDB share, asked for what a server would be given. There is no MySQL
/// here to start: its manual has the names and values.
#[test]
fn the_reader_of_option_files_takes_the_fragment_for_mysql() {
    let fragment = golden("my.cnf");
    let wanted = ["--innodb_flush_method=O_DIRECT", "--innodb_use_fdatasync=ON"];
    let settings: Vec<String> =
        assignments(&fragment).iter().map(|(name, value)| format!("--{name}={value}")).collect();
    assert_eq!(settings, wanted);
    assert_eq!(fragment.lines().find(|line| !line.starts_with('#')), Some("[mysqld]"));
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("my.cnf");
    fs::write(&file, &fragment).unwrap();
    let option = format!("--defaults-file={}", file.display());
    let output = match Command::new("my_print_defaults").args([&option, "mysqld"]).output() {
        Ok(output) => output,
        Err(error) => {
            skip::because(format_args!("my_print_defaults cannot be run: {error}"));
            return;
        }
    };
    assert!(output.status.success(), "{}", text(&output));
    let read = String::from_utf8(output.stdout).unwrap();
    assert_eq!(read.lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn a_run_is_advised_upon_and_a_file_compared() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "2");
    let directory = run.display().to_string();
    let document = |arguments: &[&str]| {
        let output = lab.syncline(arguments).args(["--format", "json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let advised = document(&["advise", &directory]);
    let databases: Vec<&Value> =
        advised["advice"].as_array().unwrap().iter().map(|advice| &advice["id"]).collect();
    assert_eq!(
        databases,
        ["postgresql", "rocksdb", "mysql", "mariadb", "sqlite", "etcd", "data-loader", "linux"]
    );
    assert_eq!(advised["written"], json!([]), "two rounds");
    let printed = lab.syncline(&["advise", &directory]).output().unwrap();
    assert_eq!(printed.status.code(), Some(0), "{}", text(&printed));
    assert!(!run.join("advice").exists(), "two rounds: {}", text(&printed));

    let content = "fsync = off\nwal_recycle = on # as it is\nrandom_page_cost = 1.1\n";
    fs::write(lab.path().join("postgresql.conf"), content).unwrap();
    let review = document(&["advise", &directory, "--current", "postgresql.conf"])["review"].take();
    let hazards = review["hazards"].as_array().unwrap();
    let [hazard] = &hazards[..] else { panic!("{hazards:?}") };
    let place = json!({ "file": null, "line": 1 });
    assert_eq!(
        (&hazard["setting"], &hazard["value"], &hazard["place"]),
        (&json!("fsync"), &json!("off"), &place)
    );
    let unadvised = review["unadvised"].as_array().unwrap();
    let cost = unadvised.iter().find(|unadvised| unadvised["setting"] == "random_page_cost").unwrap();
    assert_eq!((&cost["value"], &cost["because"]["why"]), (&json!("1.1"), &json!("not_measured")));
    let reported = lab.syncline(&["report", &directory, "--format", "json"]).output().unwrap();
    let reported: Value = serde_json::from_slice(&reported.stdout).unwrap();
    assert_eq!(reported["advice"], advised["advice"]);
}

#[test]
fn a_file_is_compared_with_what_it_takes_in() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "1").display().to_string();
    let write = |name: &str, content: &str| {
        let path = lab.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let compare = |name: &str| {
        let arguments = ["advise", &run, "--current", name, "--format", "json"];
        let output = lab.syncline(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["review"].take()
    };
    // A setting that gives up durability, with its value and its place; the place has no file if the line is in the
    // named file.
    let hazard = |review: &Value, setting: &str| {
        let found = review["hazards"].as_array().unwrap().iter().find(|hazard| hazard["setting"] == setting);
        let place = |found: &Value| json!([found["value"], found["place"]["file"], found["place"]["line"]]);
        found.map(place)
    };
    write(
        "pg/postgresql.conf",
        "fsync = off\ninclude_dir 'conf.d'\ninclude_if_exists = 'gone'\nwal_recycl = on\nport = 1\n",
    );
    write("pg/conf.d/1.conf", "fsync = on\nfull_page_writes = off\n");
    write("pg/conf.d/ignored", "fsync = maybe =");
    let review = compare("pg/postgresql.conf");
    assert_eq!(hazard(&review, "fsync"), None, "the last counts: {review:#}");
    assert_eq!(hazard(&review, "full_page_writes"), Some(json!(["off", "pg/conf.d/1.conf", 2])));
    let unknown = json!([
        { "setting": "wal_recycl", "place": { "file": null, "line": 4 }, "meant": "wal_recycle" },
        { "setting": "port", "place": { "file": null, "line": 5 }, "meant": null },
    ]);
    assert_eq!(review["unknown"], unknown);
    // What ALTER SYSTEM set comes after everything else.
    write("pg/postgresql.auto.conf", "fsync = 'off'\n");
    let review = compare("pg/postgresql.conf");
    assert_eq!(hazard(&review, "fsync"), Some(json!(["off", "pg/postgresql.auto.conf", 1])));

    write("my.cnf", "[mysqld]\ninnodb-doublewrite = ON\n!includedir my.cnf.d\n");
    write("my.cnf.d/a.cnf", "[mysqld]\ninnodb_doublewrite = OFF\n");
    write("my.cnf.d/b.conf", "[mysqld]\ninnodb_doublewrite = ON\n");
    let review = compare("my.cnf");
    assert_eq!(hazard(&review, "innodb_doublewrite"), Some(json!(["OFF", "my.cnf.d/a.cnf", 2])));
}

/// Makes six rounds of a recorded one, their rates a few percent apart, and takes out by what audits would judge them:
/// what else the machine did in those seconds is no matter of the test.
fn six_calm_rounds(run: &Path) {
    let path = run.join("plan.json");
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    plan["studies"][0]["rounds"] = 6.into();
    fs::write(&path, plan.to_string()).unwrap();
    let path = run.join("trials.jsonl");
    let recorded = fs::read_to_string(&path).unwrap();
    let mut records = String::new();
    for round in 0_u32..6 {
        for line in recorded.lines() {
            let mut record: Value = serde_json::from_str(line).unwrap();
            assert_eq!(record["outcome"], "ok", "{record:#}");
            undisturbed(&mut record);
            record["round"] = round.into();
            let scatter = f64::from((7 * round + record["configuration"].as_u64().unwrap() as u32) % 5);
            let metrics = &mut record["measurement"]["phases"][0]["metrics"];
            let rate = metrics["entries_per_s"].as_f64().unwrap();
            metrics["entries_per_s"] = (rate * (1.0 + scatter / 100.0)).into();
            let taken_out = || json!({ "unsupported": "taken out" });
            for judged in ["in_flight_mean", "instrument_overhead_ns"] {
                metrics[judged] = taken_out();
            }
            // Data that is to survive a power loss must have been flushed.
            metrics["device_flushes_per_entry"] = 1.0.into();
            records.push_str(&record.to_string());
            records.push('\n');
            // The baseline ran twice in a round, and how far the two were apart nobody knows.
            if record["configuration"] == plan["studies"][0]["duplicate"] && record["duplicate"] == false {
                record["duplicate"] = true.into();
                record["measurement"]["phases"][0]["metrics"]["entries_per_s"] = taken_out();
                records.push_str(&record.to_string());
                records.push('\n');
            }
        }
    }
    fs::write(&path, records).unwrap();
}

/// SQLite's `synchronous` stays FULL whatever was measured, so a short run has an advice to hold to the machine.
#[test]
fn an_advice_that_was_measured_elsewhere_has_expired() {
    let lab = Laboratory::new();
    let run = lab.path().join("run");
    let directory = run.display().to_string();
    let output = lab
        .syncline(&["run", "append", "--vary", "arm=fdatasync,sqlite_normal,sqlite_full"])
        .args(["--fix", "entries=300", "--rounds", "1", "--out", &directory])
        .args(WITHOUT_WAITING)
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    six_calm_rounds(&run);
    let advise = |more: &[&str]| lab.syncline(&["advise", &directory]).args(more).output().unwrap();
    let document = |more: &[&str]| {
        let output = advise(&[&["--format", "json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let advised = document(&[]);
    let of = |list: &Value, name: &str, value: &str| {
        list.as_array().unwrap().iter().find(|entry| entry[name] == value).unwrap().clone()
    };
    let sqlite = of(&advised["advice"], "id", "sqlite");
    let synchronous = of(&sqlite["settings"], "name", "synchronous");
    assert_eq!(synchronous["decision"]["keep"]["value"], "FULL", "{synchronous:#}");
    let notices =
        |more: &[&str]| -> Vec<String> { serde_json::from_value(document(more)["notices"].clone()).unwrap() };
    assert_eq!(advised["notices"], json!([]));
    // A default that is kept is a comment.
    let fragment = fs::read_to_string(run.join("advice/sqlite.sql")).unwrap();
    assert!(fragment.lines().all(|line| line.is_empty() || line.starts_with("--")), "{fragment}");
    let expired = notices(&["--dir", "/proc"]);
    let file_system =
        "EXPIRED here: the file system was [..] and is proc (every setting below). Measure again.";
    assert!(expired.iter().any(|line| is_line(line, file_system)), "{expired:?}");
    let absent = advise(&["--dir", "nowhere"]);
    assert_eq!(absent.status.code(), Some(2), "{}", text(&absent));
    prints(&lab, &absent, "syncline: --dir nowhere: no such directory");

    let path = run.join("host.json");
    let mut host: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    host["kernel"] = "5.4.0-made-up".into();
    host["name"] = "elsewhere".into();
    fs::write(&path, host.to_string()).unwrap();
    fs::write(lab.path().join("a.sql"), "PRAGMA synchronous = FULL;").unwrap();
    for more in [&[][..], &["--current", "a.sql"]] {
        let notices = notices(more);
        let [elsewhere, kernel] = &notices[..] else { panic!("{notices:?}") };
        assert_line(elsewhere, "The run measured elsewhere, and this machine is [..].");
        assert_line(
            kernel,
            "EXPIRED here: the kernel was 5.4.0-made-up and is [..] (every setting below). Measure again.",
        );
    }
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "1");
    let directory = run.display().to_string();
    let refused = |name: &str, content: &[u8], line: &str| {
        fs::write(lab.path().join(name), content).unwrap();
        let output = lab.syncline(&["advise", &directory, "--current", name]).output().unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{}", text(&output));
        let remarks = remarks(&lab, &output);
        let [remark] = &remarks[..] else { panic!("{remarks:?}") };
        assert_line(remark, line);
    };
    refused(
        "a.conf",
        b"# c\ninclude 'gone.conf'\n",
        "syncline: a.conf:2: cannot include gone.conf: gone.conf: cannot read the settings: No such file or directory (os error 2)",
    );
    refused(
        "a.conf",
        b"include 'a.conf'\n",
        "syncline: a.conf:1: cannot include a.conf: includes are nested more than 10 deep",
    );
    refused("a.conf", b"wal_recycle = 'on", "syncline: a.conf:1: the quote of wal_recycle does not end");
    refused("a.conf", b"\xff\xfe", "syncline: a.conf: not UTF-8: not a settings file");
    refused(
        "a.toml",
        b"",
        "syncline: --current a.toml: no database has settings files of this name: use postgresql.conf, my.cnf, an OPTIONS file or .ini of RocksDB, or .sql with SQLite's pragmas",
    );
    let absent = lab.syncline(&["advise", &directory, "--current", "none.conf"]).output().unwrap();
    prints(
        &lab,
        &absent,
        "syncline: none.conf: cannot read the settings: No such file or directory (os error 2)",
    );
    let output = lab.syncline(&["advise", "nowhere"]).output().unwrap();
    prints(
        &lab,
        &output,
        "syncline: nowhere is not a run directory: it does not exist; syncline run creates run directories below syncline-runs, or where its option --out names one",
    );
}
