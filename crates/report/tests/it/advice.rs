//! The advice of a run: the files that databases load, compared with those in `tests/advice`, and how it is shown.
//!
//! The tests of the binary and of the engines load the same files into the real databases.

use crate::advised;
use crate::fixture::specimen;
use crate::outline::{outline_of, texts};
use advice::{Advice, ComputedValues, Decision, Statement, current};
use model::host::{FoundDatabase, HostFacts, Trace};
use model::run::Run;
use page::{Block, Item, Role};
use scraper::Html;
use settings::Release;
use settings::Syntax;
use std::fs;
use std::path::Path;
use verdict::Verdict;

fn specimen_with_advice() -> (Run, Verdict, Vec<Advice>) {
    let (run, verdict) = specimen(6);
    (run, verdict, advised::all())
}

#[test]
fn fragments_are_those_that_databases_were_started_with() {
    let (run, _, all) = specimen_with_advice();
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/advice");
    for advice in &all {
        let expected = fs::read_to_string(known.join(&advice.fragment)).ok();
        let rendered = advice::fragment(&run, advice, ComputedValues::Comments);
        if rendered != expected {
            let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&advice.fragment);
            fs::write(&new, rendered.unwrap_or_default()).unwrap();
            panic!("{} changed: look at {} and take it over", advice.fragment, new.display());
        }
    }
}

/// A computed value is set only if the user wants it, and then a file has it although nothing is advised.
#[test]
fn computed_values_are_comments_unless_they_are_activated() {
    let (run, _, all) = specimen_with_advice();
    let advice = all.iter().find(|advice| advice.id == "postgresql").unwrap();
    let sets = |advice: &Advice, computed| {
        let text = advice::fragment(&run, advice, computed);
        text.map(|text| text.lines().any(|line| line == "shared_buffers = 256MB"))
    };
    assert_eq!(sets(advice, ComputedValues::Comments), Some(false));
    assert_eq!(sets(advice, ComputedValues::Active), Some(true));
    let nothing = Advice { settings: Vec::new(), ..advice.clone() };
    assert_eq!(sets(&nothing, ComputedValues::Comments), None);
    assert_eq!(sets(&nothing, ComputedValues::Active), Some(true));
}

/// A kernel release or a host's name with a line break would end its comment.
#[test]
fn no_name_ends_its_comment() {
    let (mut run, verdict, mut advice) = specimen_with_advice();
    let clean = advice.clone();
    let hostile = "a\nfsync = off\r\n*/ ; DROP TABLE t; --\u{2028}x<script>alert(1)</script>".to_owned();
    run.host.name.clone_from(&hostile);
    for advice in &mut advice {
        for setting in &mut advice.settings {
            if let Decision::ChangeTo(found) | Decision::Candidate(found) | Decision::Keep(found) =
                &mut setting.decision
            {
                found.expires.device.clone_from(&hostile);
                if let Statement::Compared { pairs, .. } = &mut found.statement {
                    for pair in pairs {
                        pair.study.clone_from(&hostile);
                    }
                }
            }
        }
        let spoilt = advice::fragment(&run, advice, ComputedValues::Comments);
        let clean = clean.iter().find(|known| known.fragment == advice.fragment).unwrap();
        let plain = |text: Option<String>| -> Vec<String> {
            let text = text.unwrap_or_default();
            text.lines().filter(|line| !line.starts_with(['#', '-'])).map(str::to_owned).collect()
        };
        assert_eq!(
            plain(spoilt),
            plain(advice::fragment(&run, clean, ComputedValues::Comments)),
            "{}",
            advice.fragment
        );
    }
    let scripts = |advice: &[Advice]| {
        let page = report::html(&run, &verdict, advice, &report::Repeat::default());
        texts(&Html::parse_document(&page), "script").len()
    };
    assert_eq!(scripts(&advice), scripts(&clean));
}

#[test]
fn the_terminal_says_what_follows_and_what_does_not() {
    let (run, _, advice) = specimen_with_advice();
    let text = report::advice(&run, &advice, 100, false);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn every_form_of_the_report_has_the_advice() {
    let (run, verdict, advice) = specimen_with_advice();
    let terminal = report::terminal(&run, &verdict, &advice, 100, false);
    let settings: Vec<&str> = terminal
        .lines()
        .skip_while(|line| !line.starts_with("Settings of "))
        .take_while(|line| !line.is_empty())
        .collect();
    insta::assert_snapshot!("what_to_change_and_what_to_keep", settings.join("\n"));
    let headings = |advice: &[Advice]| {
        let page = report::html(&run, &verdict, advice, &report::Repeat::default());
        texts(&Html::parse_document(&page), "#advice h2, #advice h3, #settings h2").join("\n")
    };
    insta::assert_snapshot!(headings(&advice), @r"
    Settings: what to change, what to keep, what is open
    Which settings follow?
    PostgreSQL 15–18 → advice/postgresql.conf
    RocksDB → advice/rocksdb-options.ini
    MySQL 8 (InnoDB) → advice/my.cnf
    MariaDB 10.6–12 (InnoDB) → advice/mariadb.cnf
    SQLite 3 → advice/sqlite.sql
    etcd
    Data loaders
    PostgreSQL 15–18: computed, not measured
    ");
    let markdown = report::markdown(&run, &verdict, &advice, &report::Repeat::default());
    let sections = markdown.split("\n## ").find(|section| section.starts_with("Advice")).unwrap();
    let sections: Vec<&str> = sections.lines().filter(|line| line.starts_with("### ")).collect();
    insta::assert_snapshot!(sections.join("\n"), @r"
    ### PostgreSQL 15–18 → `advice/postgresql.conf`
    ### RocksDB → `advice/rocksdb-options.ini`
    ### MySQL 8 (InnoDB) → `advice/my.cnf`
    ### MariaDB 10.6–12 (InnoDB) → `advice/mariadb.cnf`
    ### SQLite 3 → `advice/sqlite.sql`
    ### PostgreSQL 15–18: computed, not measured
    ");
    assert_eq!(headings(&[]), "", "a run without advice has no section");
}

/// A database administrator has one database: the one that was found has a list, each other one a line.
#[test]
fn the_first_screen_shows_the_database_that_was_found() {
    let (run, _, all) = specimen_with_advice();
    for (found, changes) in [("postgresql", 5), ("rocksdb", 3), ("sqlite", 1), ("etcd", 0)] {
        let traced = |advice: &Advice| {
            let trace = (advice.id == found).then_some(Trace::Process);
            Advice { trace, ..advice.clone() }
        };
        let all: Vec<Advice> = all.iter().map(traced).collect();
        let section = advice::first_screen(&run.host, &all).unwrap();
        let [.., Block::List(shown), Block::Facts(others)] = &section.blocks[..] else {
            panic!("{:?}", section.blocks)
        };
        let names = others.iter().map(|(name, _)| name.words());
        let expected = all.iter().filter(|advice| advice.id != found).map(|advice| advice.database.clone());
        assert_eq!(names.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        let is_new_value = |item: &&Item| {
            item.badge.as_ref().is_some_and(|badge| ["change", "candidate"].contains(&badge.word))
        };
        let new_values: Vec<&Item> = shown.items.iter().filter(is_new_value).collect();
        assert_eq!(new_values.len(), changes, "{found}");
        // What each needs and risks, as the facts of the made-up settings have it.
        for item in new_values {
            let text = item.text.words();
            assert!(text.contains("a reload") && text.contains("a full disk stops the server"), "{text}");
        }
    }
}

#[test]
fn the_first_screen_tells_that_no_database_was_found() {
    let (run, _, mut all) = specimen_with_advice();
    for advice in &mut all {
        advice.trace = None;
    }
    let notes = |databases: Option<Vec<FoundDatabase>>, all: &[Advice]| {
        let section = advice::first_screen(&HostFacts { databases, ..run.host.clone() }, all).unwrap();
        let is_note = |block: &&Block| matches!(block, Block::Paragraph(Role::Note, _));
        section.blocks.iter().filter(is_note).count()
    };
    assert_eq!(notes(Some(Vec::new()), &all), 1);
    assert_eq!(notes(None, &all), 0, "an older record knows nothing of it");
    assert_eq!(notes(Some(Vec::new()), &all[..1]), 0, "the user named the database");
}

#[test]
fn the_page_says_what_follows_and_what_does_not() {
    let (run, verdict, advice) = specimen_with_advice();
    let page = report::html(&run, &verdict, &advice, &report::Repeat::default());
    insta::assert_snapshot!(outline_of(&page, "#settings, #advice"));
}

#[test]
fn markdown_says_what_follows_and_what_does_not() {
    let (run, verdict, advice) = specimen_with_advice();
    let page = report::markdown(&run, &verdict, &advice, &report::Repeat::default());
    let found = &page[page.find("## Advice: ").unwrap()..page.find("## How to repeat").unwrap()];
    insta::assert_snapshot!(found);
}

#[test]
fn a_file_of_settings_is_compared() {
    let set = "fsync = off\nwal_sync_method = fdatasync\nwal_recycle = on\n";
    let entries = settings::read(Syntax::PostgresqlConf, set).unwrap();
    let review = current::review(&advised::all()[0], &entries, &Release::Any).unwrap();
    insta::assert_snapshot!(report::review(&review, "postgresql.conf", 100, false));
}
