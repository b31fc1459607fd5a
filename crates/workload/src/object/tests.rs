//! The operations of clients against a store in memory.

mod replay;

use super::moved::Moved;
use super::*;
use crate::Popularity;
use driver::{Next, Recorder, Workload};
use model::object::FAILED;
use model::{Completion, Nanos, ObjectKind, ObjectOp, Stamps};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

fn configuration(changes: &[(&str, &str)]) -> model::Configuration {
    let few = [("objects", "100"), ("operations_max", "2000"), ("runtime", "0s"), ("object_size", "10000B")];
    crate::configured::configured(&SCHEMA, &[&few[..], changes].concat())
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let configuration = configuration(changes);
    (SCHEMA.check)(&configuration).unwrap();
    Parameters::read(&configuration).unwrap()
}

const S3: (&str, &str) = ("target", "s3://bucket/set");

/// Object → its content and its size.
type Store = BTreeMap<u64, (u64, u32)>;

/// What a store answers. First bytes come 3,000 at a time, and every so often it fails.
struct Simulated {
    store: Store,
    tree: model::ObjectTree,
    /// Names of a list that were given, by client and operation id.
    listed: BTreeMap<(usize, u32), u64>,
    fails_every: u64,
    answered: u64,
    kinds: BTreeMap<&'static str, u64>,
    read: BTreeMap<u64, u64>,
}

impl Simulated {
    fn of(parameters: &Parameters, fails_every: u64) -> Self {
        let sizes = parameters.sizes();
        let store = (0..parameters.objects).map(|object| (object, (object, sizes.of(object) as u32)));
        Self {
            store: store.collect(),
            tree: parameters.tree(),
            listed: BTreeMap::new(),
            fails_every,
            answered: 0,
            kinds: BTreeMap::new(),
            read: BTreeMap::new(),
        }
    }

    fn count(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    fn perform(&mut self, client: usize, operation: &ObjectOp) -> i32 {
        self.answered += 1;
        if self.fails_every > 0 && self.answered.is_multiple_of(self.fails_every) {
            return FAILED;
        }
        let found = self.store.get(&operation.object).copied();
        match operation.kind {
            ObjectKind::Get => {
                let (content, bytes) = found.expect("an object that is read is there");
                assert_eq!(content, operation.content);
                assert!(operation.offset + u64::from(operation.length) <= u64::from(bytes));
                self.count("get");
                *self.read.entry(operation.content).or_default() += 1;
                operation.length.min(3000) as i32
            }
            ObjectKind::GetRest => {
                let (content, bytes) = found.unwrap();
                assert_eq!(content, operation.content, "an object was replaced while it was read");
                assert!(operation.offset + u64::from(operation.length) <= u64::from(bytes));
                operation.length as i32
            }
            ObjectKind::Put | ObjectKind::PutInParts => {
                self.count(if operation.kind == ObjectKind::Put { "put" } else { "put in parts" });
                self.store.insert(operation.object, (operation.content, operation.length));
                operation.length as i32
            }
            ObjectKind::Stat => {
                self.count("stat");
                found.expect("an object that is asked for is there").1 as i32
            }
            ObjectKind::List | ObjectKind::ListRest => {
                if operation.kind == ObjectKind::List {
                    self.count("list");
                    self.listed.insert((client, operation.id), 0);
                }
                let given = self.listed[&(client, operation.id)];
                let page =
                    (self.tree.in_folder_of(operation.object) - given).min(u64::from(operation.length));
                self.listed.insert((client, operation.id), given + page);
                page as i32
            }
            ObjectKind::Delete => {
                self.count("delete");
                assert!(self.store.remove(&operation.object).is_some(), "an object that is deleted is there");
                0
            }
        }
    }
}

struct Seen {
    clients: Vec<ObjectLoad>,
    recorder: Recorder,
    simulated: Simulated,
}

/// Runs all clients in turns; operations in flight complete in any order, a microsecond each.
fn run(parameters: &Parameters, seed: u64, fails_every: u64) -> Seen {
    let mut clients: Vec<ObjectLoad> =
        (0..parameters.clients).map(|client| ObjectLoad::new(parameters, client, seed)).collect();
    let mut simulated = Simulated::of(parameters, fails_every);
    let mut recorder = Recorder::new(clients[0].families());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut in_flight: Vec<Vec<ObjectOp>> = vec![Vec::new(); clients.len()];
    let mut now = 0;
    loop {
        let mut is_done = true;
        for (number, (client, flying)) in clients.iter_mut().zip(&mut in_flight).enumerate() {
            let next = client.poll(Nanos(now), flying);
            let ids: BTreeSet<u32> = flying.iter().map(|operation| operation.id).collect();
            assert_eq!(ids.len(), flying.len(), "an id is used twice");
            assert!(flying.len() <= client.in_flight_max());
            if let Next::At(at) = next {
                now = now.max(at.0);
            }
            is_done &= next == Next::Done && flying.is_empty();
            if flying.is_empty() {
                continue;
            }
            let operation = flying.swap_remove((random.next_u64() % flying.len() as u64) as usize);
            let result = simulated.perform(number, &operation);
            let stamps = Some(Stamps { began: Nanos(now), ended: Nanos(now + 1000) });
            now += 1000;
            client.complete(&Completion { id: operation.id, result, stamps }, &mut recorder);
        }
        if is_done {
            return Seen { clients, recorder, simulated };
        }
    }
}

const ALL: &str = "get/30:get_range/10:put/20:multipart_put/5:stat/10:list/10:delete/15";

#[test]
fn whatever_the_mix_only_what_is_there_is_read_and_deleted() {
    for popularity in Popularity::NAMES {
        for (clients, iodepth) in [("1", "1"), ("3", "1"), ("2", "8")] {
            let changes = [
                S3,
                ("mix", ALL),
                ("kept_objects", "40"),
                ("list_page", "3"),
                ("size_distribution", "uniform"),
                ("popularity", popularity),
                ("clients", clients),
                ("iodepth", iodepth),
            ];
            let parameters = parameters(&changes);
            let seen = run(&parameters, 5, 0);
            let count = |kind: &str| seen.simulated.kinds.get(kind).copied().unwrap_or(0);
            let all = ["get", "put", "put in parts", "stat", "list", "delete"].map(count);
            assert_eq!(all.iter().sum::<u64>(), 2000, "{popularity} {clients} {iodepth}: {all:?}");
            assert!(all.iter().all(|count| *count > 50), "{all:?}");
            assert_eq!(seen.recorder.completed("object_latency"), 2000);
            let gets = seen.recorder.completed("object_get_latency");
            let ranges = seen.recorder.completed("object_range_latency");
            assert_eq!(gets + ranges, count("get"));
            assert_eq!(seen.recorder.completed("object_first_byte_latency"), count("get"));
            assert!(seen.recorder.completed("object_page_latency") > count("list"));
            assert!(seen.clients.iter().all(|client| client.unexpected() == 0 && client.failed() == 0));
            assert!(seen.simulated.store.len() as u64 <= 100 + 42, "puts keep what they are told to");
            let has_read_new = seen.simulated.read.keys().any(|content| *content >= 100);
            assert_eq!(has_read_new, *popularity == Popularity::Latest.name(), "{popularity}");
        }
    }
}

#[test]
fn writers_leave_the_rest_of_the_mix_to_the_others() {
    let changes =
        [S3, ("mix", ALL), ("kept_objects", "40"), ("clients", "5"), ("writers", "2"), ("iodepth", "2")];
    let seen = run(&parameters(&changes), 5, 0);
    for (number, client) in seen.clients.iter().enumerate() {
        let Moved { read_bytes, written_bytes, names, .. } = client.moved();
        let is_writer = number < 2;
        assert_eq!(
            (read_bytes > 0, names > 0, written_bytes > 0),
            (!is_writer, !is_writer, is_writer),
            "{number}"
        );
    }
    let kept = seen.simulated.store.len() as u64 - 100;
    assert!((20..=42).contains(&kept), "the writers share what is kept: {kept}");
}

/// A failure counts in no rate, and nothing is asked of an object whose put failed.
#[test]
fn what_fails_is_counted_by_itself() {
    let changes = [
        S3,
        ("mix", "get/40:put/30:delete/30"),
        ("kept_objects", "40"),
        ("popularity", "latest"),
        ("iodepth", "4"),
    ];
    let parameters = parameters(&changes);
    let mut clients = ObjectLoad::new(&parameters, 0, 1);
    let mut simulated = Simulated::of(&parameters, 0);
    let mut recorder = Recorder::new(clients.families());
    let (mut flying, mut now, mut failed) = (Vec::new(), 0, 0);
    while clients.poll(Nanos(now), &mut flying) != Next::Done || !flying.is_empty() {
        let operation = flying.remove(0);
        // A put that fails leaves nothing; a delete that fails has deleted nothing, and nobody asks again.
        let fails = matches!(operation.kind, ObjectKind::Put) && operation.content % 7 == 0;
        let result = if fails { FAILED } else { simulated.perform(0, &operation) };
        if fails {
            simulated.store.remove(&operation.object);
        }
        failed += u64::from(fails);
        now += 1;
        let stamps = Some(Stamps { began: Nanos(now - 1), ended: Nanos(now) });
        clients.complete(&Completion { id: operation.id, result, stamps }, &mut recorder);
    }
    assert!(failed > 20);
    assert_eq!((clients.failed(), recorder.completed("object_latency")), (failed, 2000 - failed));
    assert_eq!(recorder.completed("object_latency"), recorder.performed("object_latency"));
}

/// A restore reads what the puts have left: nothing that was replaced or removed, everything else once.
#[test]
fn what_was_put_and_is_there_is_restored_once() {
    for (mix, clients) in [("multipart_put/100", "1"), ("put/60:delete/40", "3")] {
        let changes = [
            ("mix", mix),
            ("clients", clients),
            ("kept_objects", "30"),
            ("operations_max", "500"),
            ("restore", "true"),
        ];
        let parameters = parameters(&changes);
        let mut seen = run(&parameters, 5, 0);
        let there: BTreeMap<u64, (u64, u32)> = seen
            .simulated
            .store
            .iter()
            .filter(|(object, _)| **object >= 100)
            .map(|(k, v)| (*k, *v))
            .collect();
        assert!(!there.is_empty() && seen.simulated.read.is_empty());
        let mut restored = 0;
        for (number, client) in seen.clients.iter().enumerate() {
            let mut restoring = client.restoring(&parameters);
            let mut recorder = Recorder::new(restoring.families());
            let mut out = Vec::new();
            while restoring.poll(Nanos::ZERO, &mut out) != Next::Done {
                let operation = out.remove(0);
                let result = seen.simulated.perform(number, &operation);
                let stamps = Some(Stamps { began: Nanos::ZERO, ended: Nanos(7) });
                restoring.complete(&Completion { id: operation.id, result, stamps }, &mut recorder);
            }
            let objects = recorder.completed("object_latency");
            // Two operations each: the first 3,000 bytes come by themselves.
            assert_eq!(restoring.moved().reading, Nanos(2 * 7 * objects));
            assert_eq!(restoring.moved().read_bytes, 10_000 * objects);
            restored += objects;
        }
        let contents: BTreeSet<u64> = there.values().map(|(content, _)| *content).collect();
        assert_eq!(seen.simulated.read.keys().copied().collect::<BTreeSet<_>>(), contents);
        assert_eq!(restored, there.len() as u64);
    }
}

/// Between two puts a client of files makes bytes: that time is in no figure of the puts.
#[test]
fn puts_and_restore_have_times_of_their_own() {
    let parameters =
        parameters(&[("mix", "put/100"), ("clients", "2"), ("kept_objects", "30"), ("restore", "true")]);
    let seen = run(&parameters, 5, 0);
    let each = seen.clients[0].moved();
    assert_eq!((each.written_bytes, each.writing), (1000 * 10_000, Nanos(1000 * 1000)));
}

#[test]
fn a_list_that_lacks_names_is_seen() {
    let parameters = parameters(&[("mix", "list/100"), ("prefix_depth", "0")]);
    let mut client = ObjectLoad::new(&parameters, 0, 1);
    let mut recorder = Recorder::new(client.families());
    // One list of a page, one that lacks a name.
    for (names, unexpected) in [(100, 0), (99, 0), (0, 1)] {
        let mut out = Vec::new();
        client.poll(Nanos::ZERO, &mut out);
        let stamps = Some(Stamps { began: Nanos::ZERO, ended: Nanos(1) });
        client.complete(&Completion { id: out[0].id, result: names, stamps }, &mut recorder);
        assert_eq!(client.unexpected(), unexpected);
    }
}

/// An open loop's latency counts from when an operation was due.
#[test]
fn an_open_loop_counts_the_wait() {
    let slow = parameters(&[("rate_ops", "2000000"), ("operations_max", "500"), ("object_size", "1000B")]);
    let seen = run(&slow, 3, 0);
    // Two arrivals per microsecond, one completion per microsecond: the last ones wait half of the time.
    let histogram = seen.recorder.histogram("object_get_latency").unwrap();
    assert_eq!(histogram.len(), 500);
    assert!(histogram.max() > 150_000, "{}", histogram.max());
}

#[test]
fn latencies_are_kept_by_size_if_sizes_vary() {
    let mix = [("mix", "get/50:put/30:stat/20"), ("kept_objects", "40"), ("clients", "2")];
    let by_size = |changes: &[(&str, &str)]| {
        let seen = run(&parameters(&[&mix[..], changes].concat()), 5, 0);
        let classes = size_classes::SizeClasses::merged(seen.clients.iter().map(ObjectLoad::size_classes));
        (seen, classes)
    };
    assert_eq!(by_size(&[]).1, [], "all objects have one size");
    let (seen, classes) = by_size(&[("size_table", "4KiB/50:200KiB/30:1MiB/20")]);
    let bounds = |operation: &str| {
        let of = classes.iter().filter(|class| class.operation == operation);
        of.map(|class| (class.bytes_max.unwrap(), class.operations)).collect::<BTreeMap<_, _>>()
    };
    for (operation, family) in [("get", "object_get_latency"), ("put", "object_put_latency")] {
        let of = bounds(operation);
        assert_eq!(of.keys().copied().collect::<Vec<_>>(), [16 << 10, 1 << 20], "{classes:?}");
        assert_eq!(of.values().sum::<u64>(), seen.recorder.histogram(family).unwrap().len());
    }
}

/// When a turn ends, what has begun is completed: a get whose rest is not read would be half an operation.
#[test]
fn what_has_begun_is_completed_when_a_turn_ends() {
    let parameters = parameters(&[("mix", "get/100")]);
    let mut client = ObjectLoad::new(&parameters, 0, 1);
    let mut recorder = Recorder::new(client.families());
    let mut out = Vec::new();
    client.poll(Nanos::ZERO, &mut out);
    let stamps = Some(Stamps { began: Nanos::ZERO, ended: Nanos(1) });
    client.complete(&Completion { id: 0, result: 3000, stamps }, &mut recorder);
    out.clear();
    assert_eq!(client.complete_started(Nanos(2), &mut out), Next::Done);
    assert_eq!((out[0].kind, out[0].offset, out[0].length), (ObjectKind::GetRest, 3000, 7000));
    out.clear();
    assert_eq!(client.complete_started(Nanos(3), &mut out), Next::Done);
    assert!(out.is_empty());
}

#[test]
fn the_dataset_is_filled_once() {
    let parameters =
        parameters(&[S3, ("part_size", "1MiB"), ("object_size", "1MiB"), ("size_distribution", "uniform")]);
    let sizes = parameters.sizes();
    let mut fill = Fill::new(&parameters, sizes.clone(), vec![3, 5, 7, 9, 11], 2);
    let mut recorder = Recorder::new(fill.families());
    let (mut put, mut flying) = (Vec::new(), Vec::new());
    while fill.poll(Nanos::ZERO, &mut flying) != Next::Done || !flying.is_empty() {
        assert!(flying.len() <= 2);
        let operation = flying.remove(0);
        assert_eq!(u64::from(operation.length), sizes.of(operation.object));
        assert_eq!(operation.kind == ObjectKind::PutInParts, operation.length > 1 << 20);
        put.push(operation.object);
        fill.complete(
            &Completion { id: operation.id, result: operation.length as i32, stamps: None },
            &mut recorder,
        );
    }
    put.sort_unstable();
    assert_eq!(put, [3, 5, 7, 9, 11]);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_out() {
    for (changes, part) in [
        (&[("runtime", "0s"), ("operations_max", "0")][..], "set runtime or operations_max"),
        (&[("iodepth", "2")], "set iodepth = 1"),
        (&[("part_size", "1048577B")], "part_size is not a multiple of 4KiB"),
        (&[("mix", "get/50:delete/50")], "at least the share of delete"),
        (&[S3, ("mix", "put/100"), ("kept_objects", "5"), ("iodepth", "4")], "set at least 8"),
        (&[("target", "/data")], "s3://bucket/prefix"),
        (&[S3, ("sync_puts", "true")], "at their defaults"),
        (&[S3, ("rename_puts", "true")], "at their defaults"),
        (&[S3, ("mix", "put/50:delete/50"), ("sync_deletes", "true")], "at their defaults"),
        (&[("prefixes", "1000"), ("prefix_depth", "2")], "1000000 folders"),
        (&[("read_size", "5000B")], "multiple of 4KiB"),
        (&[("object_size", "1GiB"), ("clients", "16")], "of memory, at most 8GiB"),
        (&[("replay", "log.csv"), ("rate_ops", "5")], "leave out rate_ops"),
        (&[("clients", "4"), ("writers", "2")], "leave writers out"),
        (&[("mix", "get/50:put/50"), ("clients", "2"), ("writers", "2")], "fewer writers"),
        (
            &[("mix", "get/50:put/50"), ("clients", "2"), ("writers", "1"), ("popularity", "latest")],
            "leave out one",
        ),
        (&[("endpoints", "http://a")], "set target = s3://bucket/prefix"),
        (&[S3, ("endpoints", "http://a http://b http://c"), ("clients", "2")], "multiple of 3"),
    ] {
        let why = (SCHEMA.check)(&configuration(changes)).unwrap_err();
        assert!(why.contains(part), "{changes:?}: {why}");
    }
}

/// Through which gateway an object is written does not matter: trials with other endpoints share a dataset.
#[test]
fn endpoints_are_those_of_the_configuration_or_the_environments() {
    assert_eq!(parameters(&[S3]).addresses(), Ok(None));
    let two = parameters(&[S3, ("endpoints", "http://A:1/ http://b"), ("clients", "3")]);
    let addresses = two.addresses().unwrap().unwrap();
    let each: Vec<&str> = (0..3).map(|client| addresses.of_client(client)).collect();
    assert_eq!(each, ["http://a:1", "http://b", "http://a:1"]);
    assert_eq!(two.dataset_name(), parameters(&[S3]).dataset_name());
}

/// A redacted run has another text in place of the addresses: it is described, and not measured.
#[test]
fn a_redacted_address_is_described_and_not_used() {
    let mut redacted = configuration(&[S3]);
    let (name, level) = PARAMETERS.endpoints.at(Some("redacted".to_owned()));
    redacted.0.insert(name.to_owned(), level);
    assert!((SCHEMA.describe)(&redacted).is_ok() && (SCHEMA.check)(&redacted).is_err());
    assert!(Parameters::read(&redacted).unwrap().addresses().is_err());
}

#[test]
fn datasets_that_differ_have_different_names() {
    let name = |changes: &[(&str, &str)]| parameters(changes).dataset_name();
    let names: BTreeSet<String> = [
        &[][..],
        &[("objects", "99")],
        &[("object_size", "9999B")],
        &[("size_distribution", "uniform")],
        &[("size_distribution", "log_normal")],
        &[("size_distribution", "log_normal"), ("size_sigma", "2")],
        &[("size_table", "4KiB/50:8KiB/50")],
        &[("prefixes", "3")],
        &[("prefix_depth", "2")],
        &[("compressible", "50")],
        &[("duplicates", "50")],
    ]
    .into_iter()
    .map(name)
    .collect();
    assert_eq!(names.len(), 11);
    assert!(names.iter().all(|name| !name.contains('/')));
    assert_eq!(name(&[]), name(&[("mix", "stat/100")]));
}
