//! Databases' files of settings, and what is stated about them against an advice.

use advice::{Advice, advise, current};
use model::plan::Plan;
use model::run::Run;
use settings::{Release, Syntax};
use std::sync::LazyLock;

const WIDTH: usize = 80;

pub(super) fn postgresql_conf(bytes: &[u8]) {
    settings(Syntax::PostgresqlConf, bytes);
}

pub(super) fn mysql_options(bytes: &[u8]) {
    settings(Syntax::MysqlOptions, bytes);
    settings(Syntax::MariadbOptions, bytes);
}

pub(super) fn rocksdb_options(bytes: &[u8]) {
    settings(Syntax::RocksdbOptions, bytes);
}

pub(super) fn sqlite_pragmas(bytes: &[u8]) {
    settings(Syntax::SqlitePragmas, bytes);
}

pub(super) fn etcd_environment(bytes: &[u8]) {
    settings(Syntax::EtcdEnvironment, bytes);
}

/// The advice to every database if nothing was measured.
static ADVICE: LazyLock<Vec<Advice>> = LazyLock::new(|| {
    let plan = Plan { seed: 1, ..Plan::default() };
    let run = Run { plan, host: lab::host::facts(), records: Vec::new(), remarks: Vec::new() };
    advise(&run, &verdict::analyse(&run, &|_| None))
});

/// What one of these files takes in is the file itself: an include that never ends has to end.
fn settings(syntax: Syntax, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let included = |_: &settings::Include, _: Option<&str>| {
        Ok(vec![settings::Included { file: "included".to_owned(), text: text.to_owned() }])
    };
    let refused = |_: &settings::Include, _: Option<&str>| Err("there is none".to_owned());
    let _ = settings::read_with_includes(syntax, text, &mut { included });
    let entries = match settings::read_with_includes(syntax, text, &mut { refused }) {
        Ok(entries) => entries,
        Err(error) => return assert!(error.place.line >= 1 && !error.why.is_empty(), "{error:?}"),
    };
    assert!(entries.iter().all(|entry| entry.place.line >= 1 && !entry.name.is_empty()), "{entries:?}");
    // Advice writes none of etcd's settings.
    let Some(advice) = ADVICE.iter().find(|advice| advice.syntax == syntax) else { return };
    let said = settings::version_said(syntax, text, &entries).map(Release::Of);
    for release in said.into_iter().chain([Release::Unknown]) {
        if let Ok(review) = current::review(advice, &entries, &release) {
            assert!(!report::review(&review, "file", WIDTH, false).is_empty());
        }
    }
}
