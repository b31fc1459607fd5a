//! A proof on the terminal, on its page and as the file that PostgreSQL loads.

use crate::outline::{outline, outline_of, texts};
use model::server::{Circumstances, Pinned};
use model::{Script, TableScan};
use proof::{
    Agreement, Asked, Change, Claim, Database, Design, Doubt, Ending, FileLine, Judged, JudgedSetting, Load,
    Plots, Predicted, Proof, ProofOutcome, Ratio, Scope, Server, StageKind, Subject, Work,
};
use scraper::{Html, Selector};
use settings::Syntax;
use std::fs;
use std::path::Path;

fn ratio(point: f64) -> Ratio {
    Ratio { point, low: point * 0.97, high: point * 1.03, level: 0.9937 }
}

/// Those of a server's load: a scan reads the device.
fn circumstances(load: Load) -> Option<Circumstances> {
    let Work::Transactions(script) = load.work else { return None };
    let dropped = script.scan().into_iter().flat_map(TableScan::relations).map(str::to_owned);
    Some(Circumstances {
        shared_buffers: if script.is_cold() { "64MB" } else { "128MB" }.to_owned(),
        buffers: std::collections::BTreeMap::new(),
        dropped: dropped.collect(),
        drops_after_turns: false,
        pinned: if script.is_cold() { Pinned::Nothing } else { Pinned::ClientsAndBackends },
        cpus: Some(2),
    })
}

fn judged(subject: &Subject, stage: StageKind, load: Load, point: f64, outcome: ProofOutcome) -> Judged {
    Judged {
        subject: subject.clone(),
        stage,
        study: load.to_string(),
        load,
        scope: Scope::new(load, circumstances(load)),
        metric: load.work.metric().to_owned(),
        means: Some((8160.0, 8160.0 * point)),
        ratio: Some(ratio(point)),
        alone: Some(ratio(point)),
        outcome,
        rounds: 9,
        floor: Some(1.012),
        warnings: Vec::new(),
        in_force: [].into(),
        plans: None,
    }
}

fn claim(subject: Subject, stage: StageKind, script: Script, point: f64, outcome: ProofOutcome) -> Claim {
    let by_load = vec![judged(&subject, stage, Load::of(script, 8), point, outcome.clone())];
    Claim { subject, outcome, agreement: Agreement::OneLoad, decisive: Some(0), by_load }
}

fn standing(name: &str, value: &str, now: &str, claim: Claim, line: FileLine) -> JudgedSetting {
    let (name, value) = (name.to_owned(), value.to_owned());
    JudgedSetting {
        name,
        value,
        now: Some(now.to_owned()),
        predicted: None,
        score: None,
        claim,
        line,
        measured_among: Vec::new(),
    }
}

fn setting(name: &str) -> Subject {
    Subject::Setting(name.to_owned())
}

/// One setting of each outcome.
fn proven() -> Proof {
    let predicted = Predicted {
        ratio: Ratio { point: 1.31, low: 1.22, high: 1.4, level: 0.99 },
        metric: "commits_per_s".to_owned(),
        over: "fdatasync".to_owned(),
        study: "commit-modes".to_owned(),
    };
    let changes = [
        ("wal_sync_method", "open_datasync"),
        ("io_method", "sync"),
        ("random_page_cost", "1.1"),
        ("temp_buffers", "64 MB"),
    ];
    let stage = StageKind::Settings;
    let no_load = ProofOutcome::Undecided { doubt: Doubt::NoLoad, smallest_effect: None };
    let mut first = standing(
        "wal_sync_method",
        "open_datasync",
        "fdatasync",
        claim(setting("wal_sync_method"), stage, Script::Insert, 1.2, ProofOutcome::Proven),
        FileLine::Active,
    );
    first.predicted = Some(predicted);
    first.measured_among = vec!["temp_buffers".to_owned()];
    let settings = vec![
        first,
        standing(
            "io_method",
            "sync",
            "worker",
            claim(setting("io_method"), stage, Script::SequentialScan, 0.8, ProofOutcome::Refuted),
            FileLine::Comment,
        ),
        standing(
            "random_page_cost",
            "1.1",
            "4.0",
            claim(setting("random_page_cost"), stage, Script::Queries, 1.001, ProofOutcome::Harmless),
            FileLine::Active,
        ),
        standing(
            "temp_buffers",
            "64 MB",
            "8MB",
            Claim {
                subject: setting("temp_buffers"),
                outcome: no_load,
                agreement: Agreement::OneLoad,
                decisive: None,
                by_load: Vec::new(),
            },
            FileLine::Comment,
        ),
    ];
    let scatter = Doubt::Scatter { rounds_needed: Some(21) };
    let undecided = ProofOutcome::Undecided { doubt: scatter, smallest_effect: Some(1.03) };
    let mut current = Server::default();
    current.settings.insert("wal_buffers".to_owned(), "16MB".to_owned());
    Proof {
        design: Design {
            format_version: model::FORMAT_VERSION,
            program_version: "0.1.0".to_owned(),
            created_at: "2026-11-23T00:00:00Z".to_owned(),
            database: Database::named("postgresql").unwrap(),
            current,
            asked: Asked::Changes(changes.map(|(name, value)| Change::new(name, value)).to_vec()),
            under: Vec::new(),
            unmeasured: Vec::new(),
            left_out: vec!["log_line_prefix".to_owned()],
            users_server: None,
            server_version: None,
            advised_by: Some("runs/a".to_owned()),
            budget_s: 600.0,
            runtime_s: 2.0,
            fixed: [].into(),
            seed: 1,
        },
        stages: vec![StageKind::Bundle, StageKind::Settings, StageKind::Mended],
        is_complete: true,
        next_command: None,
        bundle: Some(claim(Subject::Bundle, StageKind::Bundle, Script::Insert, 1.03, undecided)),
        mended: Some(claim(Subject::Mended, StageKind::Mended, Script::Insert, 1.19, ProofOutcome::Proven)),
        settings,
        candidates: Vec::new(),
        servers: Vec::new(),
        ending: Ending::Refuted,
    }
}

#[test]
fn the_terminal_has_the_bundle_first_and_what_was_predicted_beside_what_was_proven() {
    insta::assert_snapshot!(report::proof(&proven(), 100, false));
}

#[test]
fn markdown_of_a_proof() {
    insta::assert_snapshot!(page::markdown::document(&proven().document(&Plots::NONE)));
}

#[test]
fn page_of_a_proof() {
    insta::assert_snapshot!(outline(&report::proof_html(&proven())));
}

#[test]
fn beside_the_run_a_proof_has_its_outcome_and_each_change() {
    insta::assert_snapshot!(report::proof_beside(&proven(), 100, false));
}

#[test]
fn the_settings_file_has_a_proof_above_each_line_and_nothing_else_is_set() {
    let text = proof::proven_settings(&proven()).unwrap();
    let entries = settings::read(Syntax::PostgresqlConf, &text).unwrap();
    let set: Vec<(&str, &str)> =
        entries.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect();
    assert_eq!(set, [("wal_sync_method", "open_datasync"), ("random_page_cost", "1.1")]);
    insta::assert_snapshot!(text);
}

/// A value from outside cannot end its quotes, nor a trial's words their comment.
#[test]
fn text_from_outside_stays_in_its_place() {
    let mut proof = proven();
    proof.settings.truncate(1);
    proof.settings[0].value = "a'; fsync = off\nfsync = off".to_owned();
    proof.settings[0].claim.by_load.clear();
    proof.settings[0].claim.decisive = None;
    proof.settings[0].claim.outcome = ProofOutcome::Undecided {
        doubt: Doubt::TrialsFailed("no\nfsync = off".to_owned()),
        smallest_effect: None,
    };
    for line in [FileLine::Active, FileLine::Comment] {
        proof.settings[0].line = line;
        let text = proof::proven_settings(&proof).unwrap();
        let entries = settings::read(Syntax::PostgresqlConf, &text).unwrap();
        assert!(entries.iter().all(|entry| entry.name != "fsync"), "{text}");
    }
}

#[test]
fn the_page_draws_each_interval_and_escapes_what_it_quotes() {
    let mut proof = proven();
    proof.design.advised_by = Some("<script>".to_owned());
    let page = Html::parse_document(&report::proof_html(&proof));
    assert_eq!(texts(&page, "#checked dd"), ["wal_buffers = 16MB", "<script>", "bundle, settings, mended"]);
    let count = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    // The bundle, the rest of it, and three settings have a ratio; both tables have each.
    assert_eq!(count("svg circle"), 2 * 5);
    assert_eq!(count("section"), 3);
}

/// A change that helps one kind of scan, and no other.
fn mixed() -> Proof {
    let mut proof = proven();
    let open = ProofOutcome::Undecided {
        doubt: Doubt::Scatter { rounds_needed: None },
        smallest_effect: Some(1.08),
    };
    let subject = setting("io_method");
    let found = [
        (Script::IndexScan, 1.68, ProofOutcome::Proven),
        (Script::SequentialScan, 1.0, ProofOutcome::Harmless),
        (Script::LargeIndexScan, 1.02, open),
    ];
    let by_load = found.map(|(script, point, outcome)| {
        judged(&subject, StageKind::Settings, Load::of(script, 1), point, outcome)
    });
    proof.settings[1].claim = Claim {
        by_load: by_load.to_vec(),
        subject,
        outcome: ProofOutcome::Proven,
        agreement: Agreement::Mixed,
        decisive: Some(0),
    };
    proof.settings[1].line = FileLine::Active;
    proof
}

/// "1.68× proven" was one of several kinds of scans.
#[test]
fn effects_that_differ_are_printed_by_load_and_never_as_one_ratio() {
    let proof = mixed();
    insta::assert_snapshot!("mixed_effects_on_the_terminal", report::proof(&proof, 100, false));
    insta::assert_snapshot!("mixed_effects_in_the_settings_file", proof::proven_settings(&proof).unwrap());
    let page = Html::parse_document(&report::proof_html(&proof));
    let rows = Selector::parse("#outcome tbody tr").unwrap();
    let is_about = |text: &str| text == "io_method = sync, now worker";
    let row = page.select(&rows).find(|row| row.text().any(is_about)).unwrap();
    let within = |selector: &str| row.select(&Selector::parse(selector).unwrap()).count();
    assert_eq!((within("svg"), within("li"), within("p.note")), (0, 3, 2));
}

#[test]
fn the_markdown_of_a_run_has_the_proof_with_each_load_and_its_scope() {
    let (run, verdict) = crate::fixture::specimen(6);
    let proof = mixed();
    let page = |proof: Option<&Proof>| {
        let beside = report::Beside { proof, ..report::Beside::default() };
        report::markdown_with(&run, &verdict, &[], beside, &report::Repeat::default())
    };
    let (with, without) = (page(Some(&proof)), page(None));
    let section =
        |page: &str| page.split("## ").find(|section| section.starts_with("Proof")).map(str::to_owned);
    assert_eq!(section(&without), None);
    insta::assert_snapshot!("mixed_effects_in_markdown", section(&with).unwrap());
}

#[test]
fn nothing_asked_writes_no_settings() {
    let mut proof = proven();
    proof.settings.clear();
    assert_eq!(proof::proven_settings(&proof), None);
}

/// A reader of the advice sees on the same page what became of it.
#[test]
fn the_report_of_a_run_has_the_proof_of_its_advice() {
    let (run, verdict) = crate::fixture::specimen(6);
    let (none, repeat) = (None, report::Repeat::default());
    let page = |proof: Option<&Proof>| {
        let beside = report::Beside { proof, ..report::Beside::default() };
        Html::parse_document(&report::html_with(&run, &verdict, &[], beside, &repeat))
    };
    let changes = |page: &Html| texts(page, "#proof tbody td:first-child");
    let with = page(Some(&proven()));
    assert_eq!(with.errors, Vec::<String>::new());
    assert!(changes(&page(none)).is_empty());
    insta::assert_snapshot!(changes(&with).join("\n"), @"");
}

/// A proof in which the first value that a race tries of each setting is harmless.
fn harmless(id: &str) -> Proof {
    let database = Database::named(id).unwrap();
    let mut changes = database.candidates(None, &settings::Release::Any);
    // Not every kernel lets a server use it.
    changes.retain(|change| change.value != "io_uring");
    changes.sort_by(|a, b| a.name.cmp(&b.name));
    changes.dedup_by(|a, b| a.name == b.name);
    let load = |name: &str| if id == "postgresql" { name } else { "read_warm-1" }.parse::<Load>().unwrap();
    let claim = |subject: Subject| Claim {
        by_load: vec![judged(&subject, StageKind::Bundle, load("insert-1"), 1.0, ProofOutcome::Harmless)],
        subject,
        outcome: ProofOutcome::Harmless,
        agreement: Agreement::OneLoad,
        decisive: Some(0),
    };
    let standing = |change: &Change| {
        standing(&change.name, &change.value, "", claim(setting(&change.name)), FileLine::Active)
    };
    let mut proof = proven();
    proof.settings = changes.iter().map(standing).collect();
    proof.bundle = Some(claim(Subject::Bundle));
    proof.mended = None;
    proof.ending = Ending::Proven;
    proof.design = Design { database, asked: Asked::Changes(changes), ..proof.design };
    proof
}

/// The databases load these files in tests of their own: `engine` and `postgresql`.
#[test]
fn a_proof_is_written_as_the_file_that_its_database_loads() {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proven");
    for id in ["postgresql", "rocksdb", "sqlite"] {
        let proof = harmless(id);
        let database = proof.design.database;
        let text = proof::proven_settings(&proof).unwrap();
        let entries = settings::read(database.syntax, &text).unwrap();
        let mut set: Vec<(&str, &str)> =
            entries.iter().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect();
        set.sort_unstable();
        let asked = proof.settings.iter().map(|found| (found.name.as_str(), found.value.as_str()));
        assert_eq!(set, asked.collect::<Vec<_>>());
        let file = database.settings_file;
        if fs::read_to_string(known.join(file)).unwrap_or_default() != text {
            let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("proven-{file}"));
            fs::write(&new, text).unwrap();
            panic!("{file} changed: look at {} and take it over", new.display());
        }
    }
}

/// A journal that is WAL has pages of the size that they had when it was made.
#[test]
fn the_size_of_pages_is_set_before_the_journal() {
    let mut proof = harmless("sqlite");
    proof.settings.retain(|found| ["journal_mode", "page_size"].contains(&found.name.as_str()));
    let text = proof::proven_settings(&proof).unwrap();
    let place = |name: &str| text.find(&format!("PRAGMA {name}")).unwrap();
    assert!(place("page_size") < place("journal_mode"), "{text}");
}

#[test]
fn a_proof_on_the_users_server_says_where_its_values_are_from_and_what_is_not_checked() {
    let mut proof = proven();
    proof.design.current = Server::default();
    proof.design.users_server = Some([("random_page_cost".to_owned(), "2".to_owned())].into());
    insta::assert_snapshot!(outline_of(&report::proof_html(&proof), "h1, #checked"), @r#"
    h1: 4 changes compared with what runs now, on your PostgreSQL server
    section id="checked" aria-labelledby="title-checked":
      h2 id="title-checked": What was checked
      p: The baseline differs from itself by at most 1.2 % in every study (A/A, noise floor).
      p: Each server's settings were read back before it was measured, and a trial whose server has other values fails. The intervals are simultaneous: all comparisons of the proof share 5 % of error.
      p.remark: It ran on your server, in a scratch database. The values of now are those that the server reported (SHOW) before the proof. Not checked: how often the log was flushed, which segments and checkpoints were made, and what pg_stat_io counted, because the server counts that for all of its sessions together.
      p.remark: No PostgreSQL server of the proof has these settings of your file: log_line_prefix.
      dl.facts:
        div.wide:
          dt: What runs now
          dd: your server, with random_page_cost = 2
        div.wide:
          dt: Advice of
          dd: runs/a
        div.wide:
          dt: Stages
          dd: bundle, settings, mended
    "#);
    let terminal = report::proof(&proof, 200, false);
    let (heading, checked) = (terminal.lines().next().unwrap(), terminal.split_once("What was checked\n"));
    insta::assert_snapshot!(format!("{heading}\n{}", checked.unwrap().1), @r"
    4 changes compared with what runs now, on your PostgreSQL server
    The baseline differs from itself by at most 1.2 % in every study (A/A, noise floor).
    Each server's settings were read back before it was measured, and a trial whose server has other values fails. The
    intervals are simultaneous: all comparisons of the proof share 5 % of error.
      note  It ran on your server, in a scratch database. The values of now are those that the server reported (SHOW) before
            the proof. Not checked: how often the log was flushed, which segments and checkpoints were made, and what
            pg_stat_io counted, because the server counts that for all of its sessions together.
      note  No PostgreSQL server of the proof has these settings of your file: log_line_prefix.
      What runs now  your server, with random_page_cost = 2
      Advice of      runs/a
      Stages         bundle, settings, mended
    ");
    let file = proof::proven_settings(&proof).unwrap();
    insta::assert_snapshot!(file.split_once("\n\n").unwrap().0, @r"
    # 4 changes compared with what runs now, on your PostgreSQL server, 2026-11-23T00:00:00Z.
    # A change is proven worse.
    # undecided: all 4 changes together. transactions/s 1.03× (0.999–1.06, 99.37 %) with 8 clients of
    # insert: 8 400 against 8 160/s, 9 rounds: neither a difference nor equality is proven; about 21
    # rounds would decide; an effect below about 1.03× could not have been seen.
    # proven: the rest of the bundle, without what is refuted. transactions/s 1.19× (1.15–1.23,
    # 99.37 %) with 8 clients of insert: 9 710 against 8 160/s, 9 rounds.
    # The baseline differs from itself by at most 1.2 % in every study (A/A, noise floor).
    # It ran on your server, in a scratch database. The values of now are those that the server
    # reported (SHOW) before the proof. Not checked: how often the log was flushed, which segments and
    # checkpoints were made, and what pg_stat_io counted, because the server counts that for all of
    # its sessions together.
    ");
}
