//! The databases that were found on the machine come first.

use crate::{Advice, advise, databases, first_screen, in_a_sentence};
use model::host::{FoundDatabase, Trace};
use page::Block;
use verdict::analyse;

/// The advice of a run lists the databases in this order, those that were found with their trace.
fn check(found: Option<&[(&str, Trace)]>, expected: &[(&str, Option<Trace>)]) {
    let mut run = super::log().run();
    let database =
        |(database, trace): &(&str, Trace)| FoundDatabase { database: (*database).to_owned(), trace: *trace };
    run.host.databases = found.map(|found| found.iter().map(database).collect());
    let advice = advise(&run, &analyse(&run, &|_| None));
    assert_eq!(advice.len(), databases().count());
    let first: Vec<(&str, Option<Trace>)> =
        advice.iter().take(expected.len()).map(|advice| (advice.id.as_str(), advice.trace)).collect();
    assert_eq!(first, expected);
}

#[test]
fn the_most_certain_comes_first() {
    let unfound = [("postgresql", None), ("rocksdb", None), ("mysql", None)];
    check(None, &unfound);
    check(Some(&[]), &unfound);
    // A later version may find a database that this one does not know.
    let found = [("etcd", Trace::Process), ("unknown", Trace::Socket), ("mysql", Trace::DataDirectory)];
    check(
        Some(&found),
        &[
            ("etcd", Some(Trace::Process)),
            ("mysql", Some(Trace::DataDirectory)),
            ("postgresql", None),
            ("rocksdb", None),
        ],
    );
}

/// A run about objects printed a list of PostgreSQL's settings first, none of them decided.
#[test]
fn a_run_that_concerns_no_setting_is_one_line_unless_the_user_named_the_database() {
    let mut run = super::log().run();
    let measured = advise(&run, &analyse(&run, &|_| None));
    assert!(in_a_sentence(&measured).is_some());
    run.plan.studies.clear();
    run.records.clear();
    let all = advise(&run, &analyse(&run, &|_| None));
    let blocks = |advice: &[Advice]| first_screen(&run.host, advice).unwrap().blocks;
    assert!(matches!(&blocks(&all)[..], [Block::Paragraph(..)]), "{:?}", blocks(&all));
    assert_eq!(in_a_sentence(&all), None);
    assert!(blocks(&all[..1]).iter().any(|block| matches!(block, Block::List(_))));
    assert!(in_a_sentence(&all[..1]).is_some());
}

/// A run for data loaders printed a list of PostgreSQL's settings first, none of them decided, because its data
/// directory was there.
#[test]
fn a_database_that_the_run_measured_comes_before_one_that_was_found() {
    let mut run = super::log().run();
    let found = FoundDatabase { database: "data-loader".to_owned(), trace: Trace::Process };
    run.host.databases = Some(vec![found]);
    let advice = advise(&run, &analyse(&run, &|_| None));
    assert_eq!(advice[0].id, "data-loader");
    assert!(!crate::to_do::is_measured(&advice[0]));
    let measured = advice.iter().find(|advice| crate::to_do::is_measured(advice)).unwrap();
    let section = first_screen(&run.host, &advice).unwrap();
    assert_eq!(section.heading, format!("Settings of {}", measured.database_and_trace()).into());
    assert!(!matches!(&section.blocks[0], Block::Paragraph(page::Role::Note, _)), "{:?}", section.blocks[0]);
}

/// A name has no directory, and a pattern begins at the root.
#[test]
fn signs_can_be_found() {
    for (database, signs) in crate::signs() {
        assert!(signs.sockets.iter().all(|name| !name.contains('/')), "{database}");
        assert!(signs.programs.iter().all(|name| !name.contains('/')), "{database}");
        assert!(signs.data_directories.iter().all(|path| path.starts_with('/')), "{database}");
    }
}
