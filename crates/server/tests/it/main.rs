//! Every server on this machine: what each of them does by the contract.

use model::RequestAction;
use server::{Home, Row, Running, Server, ServerError, Write};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const START_LIMIT: Duration = Duration::from_mins(2);

/// Every row that is there, and its version.
fn rows(running: &Running<'_>) -> BTreeMap<Row, Option<u32>> {
    let mut found = BTreeMap::new();
    let mut client = running.connect().expect("connects");
    let each = &mut |row: Row, text: &[u8]| {
        found.insert(row, row.version_of(text));
    };
    client.rows(each).expect("answers");
    found
}

/// Requests on loaded rows, where they are written for the server.
fn answers_requests(server: &dyn Server, running: &Running<'_>, home: &Home) {
    const ROWS: u64 = 700;
    let mut client = running.connect().expect("connects");
    match client.load(ROWS) {
        Err(ServerError::Unsupported(_)) => return,
        loaded => loaded.unwrap_or_else(|why| panic!("{why}")),
    }
    let actions = [
        RequestAction::Insert { client: 40, row: 7 },
        RequestAction::Update { row: ROWS - 1, number: 1 },
        RequestAction::Update { row: ROWS - 1, number: 2 },
        RequestAction::Read { row: 0 },
        RequestAction::Range { row: ROWS - 20, rows: 20 },
    ];
    for action in actions {
        client.request(action).unwrap_or_else(|why| panic!("{action:?}: {why}"));
    }
    for beyond in [RequestAction::Read { row: ROWS }, RequestAction::Range { row: ROWS - 1, rows: 2 }] {
        assert!(matches!(client.request(beyond), Err(ServerError::Refused { .. })), "{beyond:?}");
    }
    match client.request(RequestAction::Compact) {
        Ok(()) | Err(ServerError::Unsupported(_)) => {}
        Err(why) => panic!("{why}"),
    }
    if let Some(thread) = client.server_thread().expect("answers") {
        assert!(PathBuf::from(format!("/proc/{}/task/{thread}", running.id())).exists());
    }
    for (name, value) in server.settings_of_requests() {
        let found = client.in_force(name).expect("is a setting");
        assert!(found.is_some(), "{name} = {value}");
    }
    // It stands still, and goes on.
    running.pause().expect("is ours");
    running.resume().expect("is ours");
    client.request(RequestAction::Read { row: 1 }).expect("goes on");
    let directories = server.directories_of_requests(home.data());
    assert!(directories.iter().all(|directory| directory.is_dir()), "{directories:?}");
}

/// The files of POSIX shared memory that a process has mapped.
fn shared_memory(process: &Path) -> Vec<PathBuf> {
    let maps = std::fs::read_to_string(process.join("maps")).expect("is ours");
    let shared = maps.lines().filter_map(|line| line.find("/dev/shm/").map(|at| PathBuf::from(&line[at..])));
    shared.filter(|segment| segment.exists()).collect()
}

fn holds_the_contract(server: &dyn Server) {
    let place = tempfile::tempdir().expect("made");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.path(), open).expect("ours");
    let programs = match server.reachable(server::unpacked().as_deref(), place.path()) {
        Err(why) if why.is_absence() => return skip::because(why),
        found => found.expect("found"),
    };
    let home = Home::new(&place.path().join("data")).expect("made");
    server.initialise(&programs, &home).unwrap_or_else(|why| panic!("{why}"));
    let promises = server.promises();
    let start = || Running::start(server, &programs, &home, &promises[0].settings, START_LIMIT);
    let running = start().unwrap_or_else(|why| panic!("{why}"));
    let mut client = running.connect().expect("connects");
    client.prepare().expect("prepares");
    let inserted: Vec<Row> =
        (0..2).flat_map(|writer| (0..50).map(move |sequence| Row { writer, sequence })).collect();
    for row in &inserted {
        client.write(&[row.first()]).unwrap_or_else(|why| panic!("{why}"));
    }
    assert!(rows(&running).into_iter().eq(inserted.iter().map(|row| (*row, Some(0)))));
    // A transaction updates rows, as many as the server takes.
    let updated: Vec<Write> =
        inserted.iter().take(server.rows_at_once()).map(|row| Write { row: *row, version: 1 }).collect();
    client.write(&updated).unwrap_or_else(|why| panic!("{why}"));
    client.checkpoint().unwrap_or_else(|why| panic!("{why}"));
    let version = |place: usize| Some(u32::from(place < updated.len()));
    let expected = inserted.iter().enumerate().map(|(place, row)| (*row, version(place)));
    assert!(rows(&running).into_iter().eq(expected));
    drop(client);
    running.shut_down().expect("ends in good order");

    let mut running = start().expect("starts again");
    let mut client = running.connect().expect("connects");
    let one_more = Row { writer: 9, sequence: 0 };
    client.write(&[one_more.first()]).expect("inserts");
    let process = PathBuf::from(format!("/proc/{}", running.id()));
    let shared = shared_memory(&process);
    assert!(!shared.is_empty() || server.name() != "postgresql");
    running.kill();
    assert!(shared.iter().all(|segment| !segment.exists()), "{shared:?}");
    assert!(client.write(&[Row { writer: 9, sequence: 1 }.first()]).is_err(), "nobody is there");
    drop(running);
    assert!(!process.exists());
    let running = start().unwrap_or_else(|why| panic!("after a kill: {why}"));
    let found = rows(&running);
    assert!(found.len() > inserted.len() && found.get(&one_more) == Some(&Some(0)), "{}", found.len());
    assert!(found.values().all(Option::is_some));

    answers_requests(server, &running, &home);

    // Every promise starts: the server knows its settings.
    running.shut_down().expect("ends in good order");
    for promise in &promises {
        let started = Running::start(server, &programs, &home, &promise.settings, START_LIMIT);
        let running = started.unwrap_or_else(|why| panic!("{}: {why}", promise.name()));
        running.shut_down().expect("ends in good order");
    }
    let wrong = Running::start(server, &programs, &home, &[("no_such_setting", "1")], START_LIMIT);
    assert!(matches!(wrong.err(), Some(ServerError::Start { .. })));
}

#[test]
fn postgresql_holds_the_contract() {
    holds_the_contract(server::named("postgresql").expect("listed"));
}

#[test]
fn mariadb_holds_the_contract() {
    holds_the_contract(server::named("mariadb").expect("listed"));
}

#[test]
fn mysql_holds_the_contract() {
    holds_the_contract(server::named("mysql").expect("listed"));
}

#[test]
fn etcd_holds_the_contract() {
    holds_the_contract(server::named("etcd").expect("listed"));
}

#[test]
fn valkey_holds_the_contract() {
    holds_the_contract(server::named("valkey").expect("listed"));
}

#[test]
fn nats_holds_the_contract() {
    holds_the_contract(server::named("nats").expect("listed"));
}

#[test]
fn clickhouse_holds_the_contract() {
    holds_the_contract(server::named("clickhouse").expect("listed"));
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = server::all().iter().map(|server| server.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), server::all().len());
}
