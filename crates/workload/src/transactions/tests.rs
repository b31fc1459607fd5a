//! Clients, their transactions and their arrivals.

use super::*;
use crate::configured::configured;
use driver::{Backend, Clock, Driver, VirtualClock, Workload};
use model::study::ARM_FACTOR;
use model::{Completion, Configuration, Nanos, Script, Transaction};
use std::collections::BTreeSet;
use std::io;

fn values(changes: &[(&str, &str)]) -> Configuration {
    configured(&SCHEMA, changes)
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    Parameters::read(&values(changes)).unwrap()
}

/// The first transactions of a client.
fn transactions(parameters: &Parameters, client: u32, seed: u64, count: usize) -> Vec<Transaction> {
    let mut client = Client::new(parameters, Nanos::ZERO, client, seed);
    let mut recorder = driver::Recorder::new(client.families());
    let mut all = Vec::new();
    for _ in 0..count {
        client.poll(Nanos::ZERO, &mut all);
        client.complete(&Completion { id: 0, result: 0, stamps: None }, &mut recorder);
    }
    all
}

#[test]
fn rows_are_those_of_the_scale_and_differ_by_client() {
    let p = parameters(&[("scale", "2"), ("script", "simple_update")]);
    let all = transactions(&p, 0, 7, 20_000);
    assert!(all.iter().all(|t| (1..=200_000).contains(&t.account) && (1..=2).contains(&t.branch)));
    assert!(all.iter().all(|t| (1..=20).contains(&t.teller) && (-5000..=5000).contains(&t.delta)));
    assert!(all.iter().all(|t| t.script == Script::SimpleUpdate));
    let tellers: BTreeSet<u32> = all.iter().map(|t| t.teller).collect();
    assert_eq!(tellers.len(), 20);
    assert_eq!(all[..100], transactions(&p, 0, 7, 100), "a seed fixes them");
    assert_ne!(all[..100], transactions(&p, 1, 7, 100));
}

#[test]
fn scans_read_pages_and_accounts_anywhere() {
    let p = parameters(&[("script", "sequential_scan"), ("scale", "20"), ("clients", "2")]);
    let pages = pages_of_accounts(20) as i32;
    assert_eq!(pages, 32_787, "two million rows, 61 on a page");
    let all = transactions(&p, 0, 7, 1000);
    assert!(all.iter().all(|t| t.from >= 0 && t.to - t.from == 2048 && t.to <= pages));
    let first = |page: &i32| all.iter().filter(|t| (t.from..t.to).contains(page)).count();
    let seen: Vec<usize> = [2048, 8192, 16_384, 28_000].iter().map(first).collect();
    // 1000 × 2048 of 30 739 places where a scan begins: some 67 scans read a page.
    assert!(seen.iter().all(|seen| (40..100).contains(seen)), "{seen:?}");
    assert_ne!(transactions(&p, 1, 7, 1)[0].from, all[0].from);

    let p = parameters(&[("script", "index_scan"), ("scale", "20")]);
    let all = transactions(&p, 0, 7, 1000);
    // 64 of two million of all hashes.
    let width = ((1_u64 << 32) * 64 / 2_000_000) as i64;
    assert!(all.iter().all(|t| i64::from(t.to) - i64::from(t.from) == width), "{:?}", all[0]);
    assert!(all.iter().any(|t| t.from < -1_900_000_000) && all.iter().any(|t| t.to > 1_900_000_000));
    let p = parameters(&[("script", "large_index_scan"), ("scale", "20")]);
    let large = transactions(&p, 0, 7, 1000);
    let times = |t: &Transaction| (i64::from(t.to) - i64::from(t.from)) / width;
    assert!(large.iter().all(|t| times(t) == 16), "{:?}", large[0]);

    let p = parameters(&[("script", "correlated_index_scan"), ("scale", "20")]);
    let all = transactions(&p, 0, 7, 1000);
    assert!(
        all.iter().all(|t| t.from >= 1 && t.to - t.from == 128 * 61 && t.to <= 2_000_000),
        "{:?}",
        all[0]
    );
    assert!(all.iter().any(|t| t.from < 200_000) && all.iter().any(|t| t.to > 1_800_000));
}

/// Takes so long for each transaction, in virtual time.
struct Slow {
    clock: VirtualClock,
    took: Nanos,
    waiting: Option<u32>,
}

impl Backend for Slow {
    type Op = Transaction;

    fn submit(&mut self, operations: &[Transaction]) -> io::Result<usize> {
        self.waiting = operations.first().map(|transaction| transaction.id);
        Ok(operations.len())
    }

    fn reap(&mut self, _: usize, deadline: Option<Nanos>, out: &mut Vec<Completion>) -> io::Result<()> {
        match self.waiting.take() {
            Some(id) => {
                self.clock.advance_to(self.clock.now() + self.took);
                out.push(Completion { id, result: 0, stamps: None });
            }
            None => self.clock.advance_to(deadline.unwrap_or_default()),
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

fn driven(changes: &[(&str, &str)], took: Nanos) -> driver::Driven<Client> {
    let p = parameters(changes);
    let clock = VirtualClock::default();
    let backend = Slow { clock: clock.clone(), took, waiting: None };
    Driver::new(Client::new(&p, p.runtime, 0, 1), backend, clock).run().unwrap()
}

#[test]
fn a_closed_loop_starts_a_transaction_when_the_one_before_is_acknowledged() {
    let driven = driven(&[("runtime", "1s")], Nanos::from_millis(2));
    assert_eq!((driven.operations, driven.workload.transactions()), (500, 500));
    assert_eq!(driven.workload.unserved(Nanos::from_millis(1000)), 0);
}

/// A server that stalls must not slow the arrivals: what waits is late from when it was due.
#[test]
fn an_open_loop_counts_from_the_intended_start() {
    let keeps_up = driven(&[("runtime", "10s"), ("rate", "100")], Nanos::from_millis(1));
    assert!((900..1100).contains(&keeps_up.operations), "{}", keeps_up.operations);
    let too_slow = driven(&[("runtime", "10s"), ("rate", "1000")], Nanos::from_millis(2));
    assert_eq!(too_slow.operations, 5000);
    let unserved = too_slow.workload.unserved(Nanos::from_millis(10_000));
    assert!((4500..5500).contains(&unserved), "{unserved}");
    let latency = too_slow.recorder.histogram("transaction_latency").unwrap();
    assert!(latency.value_at_quantile(0.5) > 1_000_000_000, "half of them waited for more than a second");
}

#[test]
fn cycles_of_checkpoints_are_made_small_and_a_trial_may_go_on_to_the_end_of_one() {
    let p = parameters(&[("checkpoints", "cycle"), ("settings", "max_wal_size = 4GB; commit_delay = 10")]);
    let of_server: Vec<_> =
        p.settings_with_effect().map(|(name, value)| (name, p.server_value(name, value))).collect();
    assert_eq!(of_server, [("commit_delay", "10".into()), ("max_wal_size", "64MB".into())]);
    let duration = (SCHEMA.describe)(&values(&[("checkpoints", "cycle")])).unwrap().duration;
    assert!(duration.extension_max_s > 0.0 && !duration.ends_on_time);
    let without = parameters(&[("settings", "max_wal_size = 4GB")]);
    assert_eq!(without.server_value("max_wal_size", "4GB"), "4GB");
    assert!(without.settings_of_cycles().is_empty());
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    for (changes, part) in [
        (&[("runtime", "0s")][..], "runtime = 0s measures nothing: set a length"),
        (&[("rate", "0")], "rate = 0 issues no transaction: set a rate, or none for a closed loop"),
        (
            &[("script", "index_scan")],
            "scale = 4 is too small for script = index_scan, whose data is to come from the device: set scale to at least 20",
        ),
        (
            &[("script", "select_only"), ("checkpoints", "cycle")],
            "script = select_only writes nothing that a checkpoint would write: set checkpoints = none",
        ),
    ] {
        let why = (SCHEMA.check)(&values(changes)).unwrap_err();
        assert_eq!(why, part);
    }
    for (changes, setting, part) in [
        (
            &[][..],
            "max_wal_size = 4GB",
            "settings: max_wal_size changes nothing: no checkpoint happens while a trial is measured; set checkpoints = cycle",
        ),
        (
            &[][..],
            "wal_compression = on",
            "settings: wal_compression changes nothing: no whole page is logged while a trial is measured; set checkpoints = cycle",
        ),
        (
            &[],
            "wal_init_zero = off",
            "settings: wal_init_zero changes nothing: no segment is made while a trial is measured; set wal_segments = fresh",
        ),
        (
            &[],
            "autovacuum_naptime = 10",
            "settings: autovacuum_naptime changes nothing: autovacuum is off in every arm",
        ),
        (
            &[],
            "port = 5433",
            "settings: port changes nothing: Syncline sets it, and every arm has the same value",
        ),
        (
            &[("script", "index_scan"), ("scale", "20")],
            "shared_buffers = 1GB",
            "settings: shared_buffers changes nothing: this script has small buffers in every arm, so that its data comes from the device",
        ),
    ] {
        let changes = [changes, &[("settings", setting)]].concat();
        let why = (SCHEMA.check)(&values(&changes)).unwrap_err();
        assert_eq!(why, part);
    }
    let timeout = [("checkpoints", "cycle"), ("settings", "checkpoint_timeout = 15min")];
    let why = (SCHEMA.check)(&values(&timeout)).unwrap_err();
    insta::assert_snapshot!(why, @"settings: checkpoint_timeout changes nothing: checkpoints come by the growth of the log, because a timeout would end while another server has its turn");
    let bundle = parameters(&[("settings", "max_wal_size = 4GB; commit_delay = 10")]);
    assert_eq!(bundle.settings_with_effect().collect::<Vec<_>>(), [("commit_delay", "10")]);
    assert_eq!(bundle.settings_without_effect().map(|(name, _)| name).collect::<Vec<_>>(), ["max_wal_size"]);
    (SCHEMA.check)(&values(&[("settings", "max_wal_size = 4GB; commit_delay = 10")])).unwrap();
    // The plan of a proof lost the bundle without commit_delay, and the proof ended there.
    let mut arm = values(&[("settings", "max_wal_size = 4GB")]);
    arm.0.insert(ARM_FACTOR.to_owned(), model::Value::Name("without_commit_delay".to_owned()));
    (SCHEMA.check)(&arm).unwrap();
    for changes in [
        [("checkpoints", "cycle"), ("settings", "max_wal_size = 4GB")],
        [("wal_segments", "fresh"), ("settings", "wal_init_zero = off")],
    ] {
        (SCHEMA.check)(&values(&changes)).unwrap();
    }
    (SCHEMA.check)(&values(&[("script", "index_scan"), ("scale", "20")])).unwrap();
    (SCHEMA.check)(&values(&[("settings", "commit_delay = 10; wal_sync_method = fdatasync")])).unwrap();
}
