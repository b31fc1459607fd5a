//! What a proof asks for before anything is measured.

use super::made_up::{begins_with_current, changes, design};
use crate::{Asked, Design, NamedServer};
use crate::{CURRENT, Database, Load, Server, StageKind, Subject, Work, next, refused};
use crate::{Doubt, Ending, Limits, Obstacle, ProofOutcome, conclude};
use model::{FileSystem, Script};

#[test]
fn the_bundle_comes_first_and_holds_every_change_under_every_load_that_can_show_one() {
    let asked = changes(&[("wal_sync_method", "open_datasync"), ("random_page_cost", "1.1")]);
    let stage = next(&design(Asked::Changes(asked)), &[]).unwrap();
    assert_eq!(stage.kind, StageKind::Bundle);
    let loads: Vec<Load> = stage.studies.iter().flat_map(|study| study.loads.clone()).collect();
    assert_eq!(
        loads,
        [
            Load::of(Script::Insert, 1),
            Load::of(Script::SimpleUpdate, 8),
            Load::of(Script::Insert, 32),
            Load::of(Script::Queries, 1)
        ]
    );
    assert!(begins_with_current(&stage));
    for study in &stage.studies {
        assert_eq!(study.arms[0].server, Server::default());
        assert_eq!(
            study.arms[1].server.settings().unwrap().to_string(),
            "random_page_cost = 1.1; wal_sync_method = open_datasync"
        );
        assert_eq!(study.comparisons[0].subject, Subject::Bundle);
    }
}

#[test]
fn a_stage_is_ordinary_studies_of_one_workload() {
    let design = design(Asked::Changes(changes(&[("commit_delay", "50")])));
    let studies = next(&design, &[]).unwrap().studies(&design);
    let names: Vec<&str> = studies.iter().map(|study| study.name.as_str()).collect();
    assert_eq!(names, ["insert-1", "insert-8", "insert-32"]);
    for study in &studies {
        assert_eq!(study.workload, "transactions");
        assert_eq!(study.baseline["arm"], CURRENT);
        assert_eq!(study.arms[0]["settings"], "none");
        assert_eq!(study.arms[1]["settings"], "commit_delay = 50");
        assert_eq!(study.fixed["runtime"], "2s");
        assert_eq!(study.fixed["scale"], "1");
        assert_eq!(study.profiles["quick"].rounds, Some(6));
    }
    assert_eq!(studies[1].fixed["clients"], "8");
}

#[test]
fn the_error_is_shared_before_the_first_trial() {
    let one = design(Asked::Changes(changes(&[("commit_delay", "50")])));
    assert_eq!(one.family(StageKind::Bundle), 3, "three loads and nothing else");
    let apart = design(Asked::Changes(changes(&[("commit_delay", "50"), ("random_page_cost", "1.1")])));
    assert_eq!(apart.family(StageKind::Bundle), 4, "no load shows both, so the bundle shows each");
    let two =
        design(Asked::Changes(changes(&[("commit_delay", "50"), ("wal_sync_method", "open_datasync")])));
    assert_eq!(two.family(StageKind::Bundle), 2 * 4);
    assert_eq!(
        two.family(StageKind::Settings),
        2 * 2 * (2 + 1),
        "of two loads both settings and what is left"
    );
    let race = design(Asked::Race(changes(&[("commit_delay", "50"), ("commit_delay", "200")])));
    assert_eq!(race.family(StageKind::Heat(1)), 2 * 2 * 2 * 3);
    assert_eq!(race.family(StageKind::Bundle), 2 * 3);
    // The parts of the error add up to at most all of it.
    for design in [&two, &race] {
        let of_bundle = design.all_loads().len() as f64 / design.family(StageKind::Bundle) as f64;
        assert!((of_bundle - 0.5).abs() < 1e-12);
    }
}

#[test]
fn a_race_begins_with_every_candidate_and_few_servers_at_a_time() {
    let candidates = Database::named("postgresql").unwrap().candidates(None, &settings::Release::Any);
    let design = design(Asked::Race(candidates.clone()));
    let stage = next(&design, &[]).unwrap();
    assert_eq!(stage.kind, StageKind::Heat(1));
    assert!(begins_with_current(&stage));
    for candidate in candidates {
        let subject = Subject::Candidate { name: candidate.name.clone(), value: candidate.value.clone() };
        let compared = stage.studies.iter().flat_map(|study| &study.comparisons);
        let loads = compared.filter(|comparison| comparison.subject == subject).count();
        assert_eq!(loads, design.loads(&candidate.name).len(), "{candidate:?}");
    }
    for study in &stage.studies {
        let has_checkpoints = study.loads.iter().any(|load| load.has_checkpoints);
        assert!(study.arms.len() <= if has_checkpoints { 3 } else { 7 }, "{}", study.name);
    }
    let mut names: Vec<&str> = stage.studies.iter().map(|study| study.name.as_str()).collect();
    names.dedup();
    assert_eq!(names.len(), stage.studies.len());
}

#[test]
fn servers_are_compared_with_the_baseline() {
    let server = Server { programs: Some("/opt/postgresql/bin".to_owned()), ..Server::default() };
    let asked = Asked::Servers(vec![NamedServer { name: "next".to_owned(), server }]);
    let design = design(asked);
    let stage = next(&design, &[]).unwrap();
    assert_eq!(stage.kind, StageKind::Servers);
    assert_eq!(stage.studies[0].loads, [Load::of(Script::TpcbLike, 8)]);
    let study = &stage.studies(&design)[0];
    assert_eq!(study.arms[0]["programs"], "none");
    assert_eq!(study.arms[1]["programs"], "/opt/postgresql/bin");
}

#[test]
fn a_fresh_file_system_is_compared_with_fresh_ones_only() {
    let on = |filesystem: &str| Server {
        filesystem: Some(FileSystem::parse(filesystem).unwrap()),
        ..Server::default()
    };
    let ask = |current: Server, other: Server| {
        let asked = Asked::Servers(vec![NamedServer { name: "other".to_owned(), server: other }]);
        Design { current, ..design(asked) }
    };
    let fair = ask(on("ext4"), on("xfs+noatime"));
    assert_eq!(fair.require_sense(), Ok(()));
    let stage = next(&fair, &[]).unwrap();
    assert_eq!(stage.studies[0].loads, [Load::of(Script::TpcbLike, 8)], "the loads of servers");
    let study = &stage.studies(&fair)[0];
    assert_eq!(
        (study.arms[0]["filesystem"].as_str(), study.arms[1]["filesystem"].as_str()),
        ("ext4", "xfs+noatime")
    );
    let written = Design::parse(fair.text().unwrap().as_bytes()).unwrap();
    assert_eq!(written, fair);

    let in_directory = Server { directory: Some("/srv".to_owned()), ..on("xfs") };
    let mut fixed = fair.clone();
    fixed.fixed.insert("filesystem".to_owned(), "btrfs".to_owned());
    for unfair in [
        ask(Server::default(), on("xfs")),
        ask(on("ext4"), Server::default()),
        ask(on("host"), on("host")),
        ask(in_directory, on("xfs")),
        fixed,
    ] {
        assert!(unfair.require_sense().is_err(), "{unfair:?}");
    }
    let store = Design { database: Database::named("sqlite").unwrap(), ..fair };
    assert!(store.require_sense().is_err(), "a store has settings only");
    let plain =
        design(Asked::Servers(vec![NamedServer { name: "next".to_owned(), server: Server::default() }]));
    assert!(!next(&plain, &[]).unwrap().studies(&plain)[0].arms[0].contains_key("filesystem"));
}

#[test]
fn what_gives_up_durability_is_refused_by_name_in_every_arm() {
    let mut asked = design(Asked::Changes(changes(&[("synchronous_commit", "off"), ("commit_delay", "50")])));
    asked.current.settings.insert("fsync".to_owned(), "off".to_owned());
    let names: Vec<(String, String)> =
        refused(&asked).into_iter().map(|refusal| (refusal.arm, refusal.name)).collect();
    let expected = [("current", "fsync"), ("", "synchronous_commit")];
    assert_eq!(names, expected.map(|(arm, name)| (arm.to_owned(), name.to_owned())));
    let mut server = Server::default();
    server.settings.insert("full_page_writes".to_owned(), "off".to_owned());
    let servers = design(Asked::Servers(vec![NamedServer { name: "fast".to_owned(), server }]));
    assert_eq!(refused(&servers)[0].arm, "fast");
    assert!(refused(&design(Asked::Changes(changes(&[("commit_delay", "50")])))).is_empty());
}

#[test]
fn a_user_who_knows_the_load_names_it() {
    let mut named = design(Asked::Changes(changes(&[("temp_buffers", "64MB"), ("io_method", "sync")])));
    named.under = vec![Load::of(Script::TpcbLike, 16)];
    let stage = next(&named, &[]).unwrap();
    let names: Vec<&str> = stage.studies.iter().map(|study| study.name.as_str()).collect();
    assert_eq!(names, ["tpcb_like-16"]);
    assert_eq!(named.family(StageKind::Bundle), 2);
}

/// Three loads of commits took the time of a proof, and the reads that its change concerns got none.
#[test]
fn loads_come_in_the_order_of_the_changes_and_controls_last() {
    let (insert, scan) = (Load::of(Script::Insert, 16), Load::of(Script::SequentialScan, 2));
    let queries = Load::of(Script::Queries, 4);
    let mut named = design(Asked::Changes(changes(&[("effective_io_concurrency", "64")])));
    named.under = vec![insert, queries, scan];
    let planned = |design: &Design| {
        let stage = next(design, &[]).unwrap();
        stage.studies.iter().map(|study| (study.loads[0], study.is_control)).collect::<Vec<_>>()
    };
    assert_eq!(planned(&named), [(scan, false), (insert, true), (queries, true)]);
    named.asked = Asked::Changes(changes(&[("random_page_cost", "1.1"), ("effective_io_concurrency", "64")]));
    assert_eq!(planned(&named), [(queries, false), (scan, false), (insert, true)]);
    assert_eq!(named.family(StageKind::Bundle), 2 * 3, "the user's loads may show every change");
    named.asked = Asked::Changes(changes(&[("work_mem", "64MB")]));
    assert_eq!(planned(&named), [insert, queries, scan].map(|load| (load, false)), "the user states it");
    named.under = Vec::new();
    named.asked =
        Asked::Changes(changes(&[("effective_io_concurrency", "64"), ("wal_sync_method", "fsync")]));
    let loads = planned(&named);
    assert!(
        loads[..4]
            .iter()
            .all(|(load, _)| matches!(load.work, Work::Transactions(script) if script.is_cold()))
    );
    assert!(loads.iter().all(|(_, is_control)| !is_control));
}

/// An arm whose levels a change leaves as they are would be compared with itself: the change came out harmless.
#[test]
fn a_change_that_leaves_its_arm_as_it_is_is_refused_by_name() {
    let of = |database: &str, asked: Asked| Design {
        database: Database::named(database).unwrap(),
        ..design(asked)
    };
    for (database, idle, other) in [
        ("sqlite", ("synchronous", "EXTRA"), ("journal_mode", "WAL")),
        ("rocksdb", ("manual_wal_flush", "0"), ("bytes_per_sync", "1048576")),
    ] {
        for asked in [Asked::Changes, Asked::Race] {
            let why = of(database, asked(changes(&[idle, other]))).require_effect().unwrap_err();
            assert!(why.starts_with(&format!("{} = {} changes nothing", idle.0, idle.1)), "{why}");
            assert_eq!(of(database, asked(changes(&[other]))).require_effect(), Ok(()));
        }
    }
    assert_eq!(
        design(Asked::Changes(Vec::new())).require_effect(),
        Ok(()),
        "a comment is compared with itself"
    );
}

#[test]
fn what_is_now_comes_from_the_users_server_if_the_proof_runs_on_it() {
    let mut asked = design(Asked::Changes(changes(&[("random_page_cost", "1.1"), ("commit_delay", "10")])));
    assert_eq!(asked.now("random_page_cost"), Some("4.0"), "the default");
    asked.users_server = Some([("random_page_cost".to_owned(), "2".to_owned())].into());
    assert_eq!(asked.now("random_page_cost"), Some("2"));
    assert_eq!(asked.now("commit_delay"), None, "no default stands for what was not read");
}

/// A proof by TCP gave its time to loads that could never be decided, and then printed that the time was up.
#[test]
fn what_a_users_server_does_not_permit_is_dropped_before_the_comparisons_are_counted() {
    let asked = changes(&[
        ("effective_io_concurrency", "64"),
        ("shared_buffers", "1GB"),
        ("max_wal_size", "2GB"),
        ("commit_delay", "10"),
        ("random_page_cost", "1.1"),
    ]);
    let restart = Obstacle::NotReloadable { when: "the server starts".to_owned() };
    let socket = Some("/run/postgresql".to_owned());
    let mut limits = Limits::of_users_server();
    limits.of_settings.insert("shared_buffers".to_owned(), restart.clone());
    let by_socket = design(Asked::Changes(asked.clone())).within(&limits);
    let names =
        |design: &Design| design.changes().iter().map(|change| change.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&by_socket), ["commit_delay", "random_page_cost"]);
    assert_eq!(by_socket.family(StageKind::Bundle), 4);
    let dropped: Vec<(&str, &Obstacle)> =
        by_socket.dropped().map(|(change, obstacle)| (change.name.as_str(), obstacle)).collect();
    assert_eq!(
        dropped,
        [
            ("shared_buffers", &restart),
            ("effective_io_concurrency", &Obstacle::ColdFiles),
            ("max_wal_size", &Obstacle::Cycles)
        ]
    );
    limits.of_loads.push(Obstacle::Tcp { socket: socket.clone() });
    let by_tcp = design(Asked::Changes(asked)).within(&limits);
    assert_eq!(names(&by_tcp), ["random_page_cost"]);
    assert_eq!(by_tcp.unmeasured[0].obstacle, Obstacle::Tcp { socket }, "what the user can mend comes first");
    assert!(by_tcp.unmeasured[0].text().contains("host=/run/postgresql"));
    assert!(by_tcp.has_question());
    // What was dropped is not called harmless.
    let proof = conclude(&by_tcp, &[], true);
    assert_eq!(proof.settings.len(), 5);
    let doubts = proof.settings[1..].iter().map(|setting| match &setting.claim.outcome {
        ProofOutcome::Undecided { doubt: Doubt::NotPossible(obstacle), .. } => obstacle.clone(),
        other => panic!("{other:?}"),
    });
    assert!(doubts.eq(by_tcp.dropped().map(|(_, obstacle)| obstacle.clone())));
    assert_eq!(proof.ending, Ending::Undecided);
    let none = design(Asked::Race(changes(&[("effective_io_concurrency", "64")]))).within(&limits);
    assert!(!none.has_question());
    let text = by_tcp.text().unwrap();
    assert_eq!(Design::parse(text.as_bytes()).unwrap(), by_tcp);
}
