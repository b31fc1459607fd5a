//! Which settings a version has: every name of a stock file is known, and nothing is advised that the version lacks.

use crate::current::{Lacking, Review, review};
use crate::database::DATABASES;
use crate::names::Names;
use crate::{
    Advice, Cause, Decision, Setting, advise, has_list_of, is_overridden, settings, unmeasured, versions,
};
use model::server::ServerIdentity;
use settings::{Entry, Place, Release, Syntax, Version, Versions, read_with_includes, version_said};
use verdict::analyse;

/// `/etc/postgresql/15/main/postgresql.conf` as Debian 12 makes it.
const DEBIAN_15: &str = include_str!("debian-15.conf");
const POSTGRESQL: &str = "postgresql";

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn entries(text: &str) -> Vec<Entry> {
    read_with_includes(Syntax::PostgresqlConf, text, &mut |_, _| Ok(Vec::new())).unwrap()
}

fn reviewed(text: &str, release: &Release) -> Review {
    review(&unmeasured(POSTGRESQL).unwrap(), &entries(text), release).unwrap()
}

fn slips(review: &Review) -> Vec<(&str, &str)> {
    let slip = |unknown: &'_ crate::current::UnknownSetting| unknown.meant.is_some();
    let slips = review.unknown.iter().filter(|unknown| slip(unknown));
    slips.map(|unknown| (unknown.setting.as_str(), unknown.meant.as_deref().unwrap())).collect()
}

fn setting<'a>(advice: &'a Advice, name: &str) -> &'a Setting {
    advice.settings.iter().find(|setting| setting.name == name).unwrap()
}

/// The review of this file asked whether min_wal_size was meant as max_wal_size, and named commands for io_method.
#[test]
fn the_stock_file_of_debian_has_no_unknown_name_and_gets_no_advice_of_a_later_version() {
    let said = version_said(Syntax::PostgresqlConf, DEBIAN_15, &entries(DEBIAN_15)).unwrap();
    assert_eq!(said, version("15"));
    let found = reviewed(DEBIAN_15, &Release::Of(said));
    assert_eq!((slips(&found), &found.lacking[..]), (Vec::new(), &[][..]));
    assert!(found.unknown.iter().any(|unknown| unknown.setting == "min_wal_size"), "{:?}", found.unknown);
    for (name, since) in [("io_method", "18"), ("io_workers", "18"), ("io_combine_limit", "17")] {
        let unadvised = found.unadvised.iter().find(|unadvised| unadvised.setting == name).unwrap();
        let versions = Versions { since: Some(since), until: None };
        assert_eq!(*unadvised.because.cause, Cause::NotInVersion { program: "PostgreSQL", versions });
        assert_eq!(unadvised.because.needs, None, "{name}");
    }
    let needing = found.unadvised.iter().filter(|unadvised| unadvised.because.needs.is_some());
    for unadvised in needing {
        assert!(versions(POSTGRESQL, &unadvised.setting).unwrap().has(&version("15")), "{unadvised:?}");
    }
}

/// Comments of the stock file have every setting with its default.
#[test]
fn every_name_in_a_comment_of_the_stock_file_is_known() {
    let all = DEBIAN_15.lines().filter_map(|line| line.trim().strip_prefix('#')?.split_once(" = "));
    let names: Vec<&str> = all.map(|(name, _)| name).filter(|name| !name.contains(' ')).collect();
    assert!(names.len() > 250, "{names:?}");
    let unknown: Vec<&&str> = names
        .iter()
        .filter(|name| !versions(POSTGRESQL, name).is_some_and(|versions| versions.has(&version("15"))))
        .collect();
    // A patch of Debian's, and directives of the file's own.
    let others = ["extension_destdir", "include", "include_if_exists", "include_dir"];
    assert!(unknown.iter().all(|name| others.contains(name)), "{unknown:?}");
}

#[test]
fn a_setting_that_the_version_lacks_is_named_and_not_judged() {
    let text = "io_method = worker\nold_snapshot_threshold = -1\nmin_wal_size = 1GB\nmy_extension.x = 1\nshared_bufers = 1GB";
    let at = |release: &Release| {
        let found = reviewed(text, release);
        let lacking: Vec<String> = found.lacking.iter().map(|lacking| lacking.setting.clone()).collect();
        let slips: Vec<String> = slips(&found).iter().map(|(name, _)| (*name).to_owned()).collect();
        (lacking, slips)
    };
    let slip = vec!["shared_bufers".to_owned()];
    let names = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    assert_eq!(at(&Release::Of(version("15"))), (names(&["io_method"]), slip.clone()));
    assert_eq!(
        at(&Release::Of(version("17"))),
        (names(&["io_method", "old_snapshot_threshold"]), slip.clone())
    );
    assert_eq!(at(&Release::Of(version("18"))), (names(&["old_snapshot_threshold"]), slip.clone()));
    assert_eq!(at(&Release::Unknown), (Vec::new(), slip));
    // Its settings are not listed, so any name may be right.
    assert_eq!(at(&Release::Of(version("13.2"))).1, Vec::<String>::new());
    let first = reviewed(text, &Release::Of(version("15"))).lacking.remove(0);
    let place = Place { file: None, line: 1 };
    let versions = Versions { since: Some("18"), until: None };
    assert_eq!(first, Lacking { setting: "io_method".to_owned(), place, program: "PostgreSQL", versions });
}

#[test]
fn what_not_every_version_has_is_withheld_until_the_version_is_known() {
    let found = reviewed("fsync = on", &Release::Unknown);
    let withheld = found
        .unadvised
        .iter()
        .filter(|unadvised| matches!(*unadvised.because.cause, Cause::VersionUnknown { .. }));
    let withheld: Vec<&str> = withheld.map(|unadvised| unadvised.setting.as_str()).collect();
    assert_eq!(withheld, ["io_method", "io_workers", "io_combine_limit"]);
    let found = reviewed("fsync = on", &Release::Of(version("18.6")));
    let io_method = found.unadvised.iter().find(|unadvised| unadvised.setting == "io_method").unwrap();
    assert!(io_method.because.needs.is_some());
}

#[test]
fn the_advice_of_a_run_is_for_the_version_of_its_server() {
    let causes = |version: &str| {
        let mut run = super::log().run();
        run.plan.server = Some(ServerIdentity::Own { version: version.to_owned() });
        let advice = advise(&run, &analyse(&run, &|_| None));
        let postgresql = advice.into_iter().find(|advice| advice.id == POSTGRESQL).unwrap();
        let io_method = setting(&postgresql, "io_method").decision.open().unwrap().clone();
        let is_lacking = matches!(*io_method.cause, Cause::NotInVersion { .. });
        (is_lacking, io_method.needs.is_some())
    };
    assert_eq!(causes("15.18"), (true, false));
    assert_eq!(causes("18.6"), (false, true));
}

/// 16 reads in flight are the default of 18: a server of 15 was advised as if it had them.
#[test]
fn a_default_is_that_of_the_version() {
    let advice = unmeasured(POSTGRESQL).unwrap();
    let default = |release: &Release| {
        let advice = advice.of(release);
        setting(&advice, "effective_io_concurrency").in_use.value().map(str::to_owned)
    };
    assert_eq!(default(&Release::Of(version("15.18"))).as_deref(), Some("1"));
    assert_eq!(default(&Release::Of(version("18"))).as_deref(), Some("16"));
    assert_eq!(default(&Release::Any).as_deref(), Some("16"));
    // The advice for one version can be turned into that for another.
    let back = advice.of(&Release::Of(version("15"))).of(&Release::Of(version("18")));
    assert!(matches!(setting(&back, "io_method").decision, Decision::Undecided(_)));
}

#[test]
fn a_setting_that_another_one_overrides_is_not_advised() {
    for (other, value, is) in [
        ("wal_recovery_mode", "kAbsoluteConsistency", true),
        ("wal_recovery_mode", "kPointInTimeRecovery", false),
        ("WAL_ttl_seconds", "0", false),
        ("WAL_ttl_seconds", "60", true),
        ("bytes_per_sync", "60", false),
    ] {
        assert_eq!(is_overridden("rocksdb", "recycle_log_file_num", (other, value)), is, "{other} = {value}");
    }
    let found = reviewed("io_method = sync", &Release::Of(version("18")));
    let workers = found.unadvised.iter().find(|unadvised| unadvised.setting == "io_workers").unwrap();
    let (setting, value) = ("io_method".to_owned(), "sync".to_owned());
    assert_eq!(*workers.because.cause, Cause::Overridden { program: "PostgreSQL", setting, value });
    assert_eq!(workers.because.needs, None);
}

#[test]
fn every_setting_with_a_rule_or_a_hazard_is_listed() {
    for database in DATABASES.iter().filter(|database| database.names().is_some()) {
        let rules = database.rules().map(|rule| rule.facts.name);
        for name in rules.chain(database.hazards.iter().map(|hazard| hazard.setting)) {
            assert!(database.names().unwrap().versions(name).is_some(), "{name}");
        }
        for rule in database.rules() {
            assert_eq!(rule.facts.since, None, "{}: the list has its versions", rule.facts.name);
        }
    }
}

#[test]
fn every_line_of_the_list_is_read() {
    let text = include_str!("../database/postgresql/settings.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(Names::parse(text).iter().count(), lines);
    assert_eq!(settings(POSTGRESQL).count(), lines);
    for (listed, is) in
        [("14", false), ("15", true), ("16", true), ("17", true), ("18.6", true), ("19", false)]
    {
        assert_eq!(has_list_of(POSTGRESQL, &version(listed)), is, "{listed}");
    }
    assert!(!has_list_of("sqlite", &version("3")));
}
