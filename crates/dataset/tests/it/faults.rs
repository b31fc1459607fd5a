//! A store that fails: what is safe to repeat is repeated and counted, what is not ends the trial with one clear line.

#![cfg(feature = "object-store")]

use crate::gateway;

use dataset::bucket::{Access, Bucket, ObjectReaders, RetryPolicy};
use dataset::{Buffers, Clients, Contents, Dataset, Object, OperationFailed, Readers, Reading, Working};
use driver::{Backend, MonotonicClock};
use gateway::{ACCESS_KEY, BUCKET, Fault, Gateway, Proxy, SECRET};
use model::{IoMode, ObjectKind, ObjectOp, ObjectTree, ScanKind, ScanOp};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

const BYTES: u64 = 100_000;
/// A request that nothing was done to ends within this time, however busy the machine is.
const RETRIES: RetryPolicy = RetryPolicy { retries_max: 2, request_timeout: Duration::from_mins(2) };
/// For an answer that is too late on purpose. On a busy machine others are too late as well, and repeated as well.
const RETRIES_BRIEF: RetryPolicy = RetryPolicy { retries_max: 60, request_timeout: Duration::from_secs(1) };
const TOO_LATE_MS: u64 = 8000;

/// An object behind a proxy.
struct Scene {
    _gateway: Gateway,
    proxy: Proxy,
    readers: ObjectReaders,
}

impl Scene {
    fn set(buffers: Buffers, retry_policy: RetryPolicy) -> Option<Self> {
        let gateway = Gateway::start()?;
        let proxy = Proxy::before(&gateway);
        let object = Object { name: "object".to_owned(), bytes: BYTES };
        let access = Access::from_settings(Gateway::environment(proxy.address()));
        let connect = |retry_policy| {
            Bucket::connect_with(BUCKET, "", access.clone(), retry_policy).unwrap().own("test")
        };
        let bucket = connect(RETRIES);
        // Through the store: a file that is put into its directory has no ETag, and without one the rest of a body that
        // was broken off is not asked for, because it might be another object's.
        bucket.write(&object, 1).unwrap();
        assert_eq!(bucket.list().unwrap(), std::slice::from_ref(&object));
        let reading = Reading {
            mode: IoMode::Buffered,
            buffers,
            buffer_pages: model::BufferPages::Small,
            readers: 1,
            in_flight_max: 1,
            read_bytes_max: BYTES,
        };
        let readers = connect(retry_policy).readers(&[object], reading).unwrap();
        Some(Self { _gateway: gateway, proxy, readers })
    }

    /// Reads the object once.
    fn read(&self) -> io::Result<()> {
        let mut backend = self.readers.backend(MonotonicClock::start())?;
        let read = ScanOp { id: 0, kind: ScanKind::Read, file: 0, offset: 0, length: BYTES as u32 };
        backend.submit(&[read])?;
        let mut done = Vec::new();
        backend.reap(1, None, &mut done)?;
        assert_eq!(done[0].result, BYTES as i32);
        Ok(())
    }
}

#[test]
fn what_is_safe_to_repeat_is_repeated_and_counted() {
    for (fault, cause) in [
        (Fault::Reset, "connection broken off (1 times)"),
        (Fault::SlowDown, "503 SlowDown (1 times)"),
        (Fault::Truncated, "body broken off (1 times)"),
    ] {
        for buffers in [Buffers::Pooled, Buffers::Malloc] {
            let Some(scene) = Scene::set(buffers, RETRIES) else { return };
            scene.proxy.inject(&[fault]);
            scene.read().unwrap_or_else(|error| panic!("{fault:?}: {error}"));
            assert_eq!((scene.readers.retries(), scene.proxy.left()), (1, 0), "{fault:?}");
            let causes = scene.readers.retry_causes().join(", ");
            assert!(causes.contains(cause), "{fault:?}: {causes}");
            scene.read().unwrap();
            assert_eq!(scene.readers.retries(), 1, "a read that went well was counted: {fault:?}");
        }
    }
}

#[test]
fn an_answer_that_is_too_late_is_asked_for_again() {
    for buffers in [Buffers::Pooled, Buffers::Malloc] {
        let Some(scene) = Scene::set(buffers, RETRIES_BRIEF) else { return };
        scene.proxy.inject(&[Fault::SlowFirstByte(TOO_LATE_MS)]);
        scene.read().unwrap();
        assert!(scene.readers.retries() >= 1 && scene.proxy.left() == 0);
        let causes = scene.readers.retry_causes().join(", ");
        assert!(causes.contains("timeout ("), "{causes}");
    }
}

/// Within its time an answer that comes late is an answer: it is in the latency and no retry.
#[test]
fn a_slow_first_byte_is_a_latency() {
    let Some(scene) = Scene::set(Buffers::Pooled, RETRIES) else { return };
    scene.proxy.inject(&[Fault::SlowFirstByte(300)]);
    let started = Instant::now();
    scene.read().unwrap();
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(scene.readers.retries(), 0);
}

#[test]
fn what_fails_in_the_end_fails_with_the_object_and_the_reason() {
    for (faults, reason) in [
        (vec![Fault::SlowDown; 3], "the store stayed overloaded (SlowDown)"),
        (vec![Fault::Skewed], "this machine's clock is too far from the store's"),
        // An earlier refusal used to hide what happened in the end.
        (vec![Fault::SlowDown, Fault::Reset, Fault::Reset], "the store does not answer: "),
    ] {
        let Some(scene) = Scene::set(Buffers::Pooled, RETRIES) else { return };
        scene.proxy.inject(&faults);
        let said = scene.read().unwrap_err().to_string();
        assert!(said.contains("s3://data/syncline-test/object: read of 100000 bytes at offset 0"), "{said}");
        assert!(said.contains(reason), "{said}");
        assert!(!said.contains(SECRET) && !said.contains('\n'), "{said}");
        // The scene goes on: a refusal is not remembered as the reason of the next failure.
        scene.read().unwrap();
    }
}

#[test]
fn what_cannot_be_listed_says_why_in_one_line_without_a_secret() {
    let Some(gateway) = Gateway::start() else { return };
    let wrong = "another-secret-that-must-not-be-repeated";
    let settings = |address: &str, key: &str, secret: &str| {
        let mut settings = Gateway::environment(address);
        (settings[1].1, settings[2].1) = (key.to_owned(), secret.to_owned());
        Access::from_settings(settings)
    };
    let address = gateway.address();
    for (bucket, access, reason) in [
        ("nothing", settings(address, ACCESS_KEY, SECRET), "the bucket does not exist"),
        (BUCKET, settings(address, ACCESS_KEY, wrong), "does not accept the credentials"),
        (BUCKET, settings(address, "nobody", wrong), "does not accept the credentials"),
        (BUCKET, settings("127.0.0.1:1", ACCESS_KEY, SECRET), "the store does not answer"),
        (BUCKET, settings(address, ACCESS_KEY, SECRET), "no object's key begins with the prefix"),
    ] {
        let dataset = Bucket::connect_with(bucket, "none/", access, RETRIES).unwrap();
        let said = dataset.list().unwrap_err().to_string();
        assert!(said.starts_with(&format!("s3://{bucket}/none/: ")) && said.contains(reason), "{said}");
        assert!(!said.contains(wrong) && !said.contains(SECRET) && !said.contains('\n'), "{said}");
    }
}

/// A list of 360 MB took 798 MB; one without end took all of the memory.
#[test]
fn an_answer_without_end_is_refused_with_a_few_megabytes_of_it() {
    for head in ["200 OK", "403 Forbidden"] {
        let access = Access::from_settings(Gateway::environment(&gateway::endless(head)));
        let bucket = Bucket::connect_with(BUCKET, "", access, RETRIES).unwrap();
        let why = bucket.list().unwrap_err().to_string();
        assert!(why.contains("longer than any of S3"), "{head}: {why}");
    }
}

/// A client reads a few megabytes at most of an answer without end, and marks nothing there.
#[test]
fn a_prefix_is_not_marked_where_answers_have_no_end() {
    // An object without a length is refused before its body is read.
    for (head, part) in [("200 OK", "Content-Length"), ("403 Forbidden", "longer than any of S3")] {
        let access = Access::from_settings(Gateway::environment(&gateway::endless(head)));
        let bucket = Bucket::connect_with(BUCKET, "", access, RETRIES).unwrap().own("test");
        let why = bucket.mark().unwrap_err().to_string();
        assert!(why.contains(part), "{head}: {why}");
    }
}

/// A store that sends its clients around in circles is given up, in one line.
#[test]
fn a_redirect_without_end_is_refused_and_no_host_gets_the_secret() {
    let (other, seen_by_other) = gateway::redirecting(None);
    let (address, seen) = gateway::redirecting(Some(other.replace("127.0.0.1", "localhost")));
    let access = Access::from_settings(Gateway::environment(&address));
    let bucket = Bucket::connect_with(BUCKET, "", access, RETRIES).unwrap();
    let why = bucket.list().unwrap_err().to_string();
    assert!(why.starts_with("s3://data/: ") && !why.contains(SECRET) && !why.contains('\n'), "{why}");
    for heads in [seen, seen_by_other] {
        let heads = heads.lock().unwrap();
        assert!(!heads.is_empty() && heads.iter().all(|head| !head.contains(SECRET)), "{heads:?}");
    }
}

/// An object that is not what was written fails the trial, however many failures it tolerates.
#[test]
fn wrong_bytes_of_a_store_are_never_tolerated() {
    let Some(gateway) = Gateway::start() else { return };
    let notes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let access = Access::from_settings(Gateway::environment(gateway.address()));
    let bucket = Bucket::connect_with(BUCKET, "", access, RETRIES).unwrap().own("test");
    bucket.mark().unwrap();
    let tree = ObjectTree { objects: 1, prefixes: 1, depth: 0 };
    let working = Working { verifies: true, failures_max: 1000, ..working(tree, BYTES, notes.path()) };
    let clients = bucket.clients(working).unwrap();
    let mut backend = clients.backend(0, MonotonicClock::start()).unwrap();
    let of = |kind| ObjectOp { id: 0, kind, object: 0, content: 0, offset: 0, length: BYTES as u32 };
    backend.submit(&[of(ObjectKind::Put)]).unwrap();
    backend.reap(1, None, &mut Vec::new()).unwrap();
    let file = gateway.bucket().join("syncline-test").join(tree.name(0));
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    backend.submit(&[of(ObjectKind::Get)]).unwrap();
    let wrong = backend.reap(1, None, &mut Vec::new()).unwrap_err();
    let said = OperationFailed::of(&wrong).expect("the object is named").to_string();
    assert!(said.starts_with("s3://data/syncline-test/data/0000000000: get of 100000 bytes"), "{said}");
}

/// One client with objects of this size. It does not compare them: a length alone has to show what is wrong.
fn working(tree: ObjectTree, bytes: u64, notes: &Path) -> Working {
    Working {
        tree,
        contents: Contents { seed: 1, compressible: 0, duplicates: 0 },
        verifies: false,
        mode: IoMode::Buffered,
        syncs: false,
        renames: false,
        syncs_deletes: false,
        clients: 1,
        client_first: 0,
        in_flight_max: 1,
        object_bytes_max: bytes,
        read_bytes: bytes,
        part_bytes: bytes,
        parts_in_flight: 1,
        failures_max: 0,
        uploads: notes.join("uploads"),
    }
}

const MARKER: &str = "The objects below this prefix were made by Syncline and will be deleted by it.\n";
const DATE: &str = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
const SESSION_TOKEN: &str = "a-session-token-that-must-never-be-printed";

/// What one operation of a client comes to in a store that has Syncline's marker and answers everything else like this.
fn operation(kind: ObjectKind, answer: impl Fn(&str) -> String + Send + Sync + 'static) -> String {
    let address = gateway::answering(move |head| {
        let path = head.split(' ').nth(1).unwrap_or_default();
        if path.ends_with("SYNCLINE-PREPARED") {
            return gateway::answer("200 OK", &format!("{DATE}ETag: \"marker\"\r\n"), MARKER);
        }
        answer(head)
    });
    let notes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let token = ("AWS_SESSION_TOKEN", SESSION_TOKEN.to_owned());
    let access = Access::from_settings(Gateway::environment(&address).into_iter().chain([token]));
    let bucket = Bucket::connect_with(BUCKET, "", access, RETRIES).unwrap().own("test");
    let tree = ObjectTree { objects: 4, prefixes: 1, depth: 0 };
    let working = Working { part_bytes: 5, ..working(tree, 10, notes.path()) };
    let clients = bucket.clients(working).unwrap();
    let mut backend = clients.backend(0, MonotonicClock::start()).unwrap();
    let mut step = ObjectOp { id: 0, kind, object: 0, content: 0, offset: 0, length: 10 };
    loop {
        let mut done = Vec::new();
        backend.submit(&[step]).unwrap();
        if let Err(failed) = backend.reap(1, None, &mut done) {
            let failed = OperationFailed::of(&failed).expect("the object is named").to_string();
            assert!(failed.starts_with("s3://data/syncline-test/data/0000000000: "), "{failed}");
            assert!(!failed.contains('\n') && failed.len() < 600, "{failed}");
            assert!(!failed.contains(SECRET) && !failed.contains(SESSION_TOKEN), "{failed}");
            return failed;
        }
        let moved = done[0].result as u32;
        if kind != ObjectKind::Get || moved >= step.length {
            return format!("moved {moved}");
        }
        step = ObjectOp {
            kind: ObjectKind::GetRest,
            offset: u64::from(moved),
            length: step.length - moved,
            ..step
        };
    }
}

/// The answer to a get of ten bytes, with this range and body.
fn part(range: &str, body: &str) -> String {
    let headers = format!("{DATE}ETag: \"one\"\r\nContent-Range: bytes {range}\r\n");
    gateway::answer("206 Partial Content", &headers, body)
}

/// Nothing of what a store answers is taken for an operation that was performed, if it is not what was requested.
#[test]
fn wrong_answers_of_a_store_fail_the_operation() {
    assert_eq!(operation(ObjectKind::Get, |_| part("0-9/10", "0123456789")), "moved 10");
    let wrong_gets: [fn(&str) -> String; 6] = [
        |_| part("0-4/5", "01234"),
        |_| part("0-19/20", "01234567890123456789"),
        |_| part("90-99/100", "0123456789"),
        |_| part("what/ever", "0123456789"),
        // More bytes than were requested, from a store that ignores ranges.
        |_| gateway::answer("200 OK", &format!("{DATE}ETag: \"one\"\r\n"), &"0123456789".repeat(9)),
        |_| gateway::answer("200 OK", "", "<html>welcome</html>"),
    ];
    for (case, wrong) in wrong_gets.into_iter().enumerate() {
        let why = operation(ObjectKind::Get, wrong);
        assert!(!why.starts_with("moved"), "case {case}: {why}");
    }
    let documents =
        ["", "<html>", "<ListBucketResult><Contents><Key>a", "{}", "<ListBucketResult><Contents/>"];
    for document in documents {
        let why = operation(ObjectKind::List, move |_| gateway::answer("200 OK", "", document));
        assert!(!why.starts_with("moved"), "list {document}: {why}");
        let why = operation(ObjectKind::PutInParts, move |_| gateway::answer("200 OK", "", document));
        assert!(!why.starts_with("moved"), "put in parts {document}: {why}");
    }
}

/// A body broke off, and its rest is of another object by now: no operation may join the two.
#[test]
fn the_rest_of_a_body_with_another_etag_fails_the_operation() {
    let asked = std::sync::atomic::AtomicU32::new(0);
    let why = operation(ObjectKind::Get, move |_| {
        let times = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if times == 0 {
            let whole = part("0-9/10", "0123456789");
            return whole[..whole.len() - 5].to_owned();
        }
        part("5-9/10", "56789").replace("one", "another")
    });
    assert!(!why.starts_with("moved"), "{why}");
}

#[test]
fn credentials_that_have_expired_are_named_and_not_printed() {
    for kind in
        [ObjectKind::Get, ObjectKind::Put, ObjectKind::PutInParts, ObjectKind::List, ObjectKind::Delete]
    {
        let why = operation(kind, |_| {
            let body = format!("<Error><Code>ExpiredToken</Code><Token>{SESSION_TOKEN}</Token></Error>");
            gateway::answer("400 Bad Request", "", &body)
        });
        assert!(why.contains("AWS_SESSION_TOKEN") && why.contains("ExpiredToken"), "{why}");
    }
}

/// A closed port without credentials was a lack of rights: what refused was the service of the instance's role.
#[test]
fn without_credentials_the_error_says_where_they_are_looked_for() {
    let forbids = gateway::answering(|_| gateway::answer("403 Forbidden", "", ""));
    for (role, why_none) in [(forbids.as_str(), "has none: 403"), ("127.0.0.1:1", "efused")] {
        let access = Access::from_settings([
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:1".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_METADATA_ENDPOINT", format!("http://{role}")),
        ]);
        let bucket = Bucket::connect_with(BUCKET, "", access, RETRIES).unwrap();
        let why = bucket.check().unwrap_err().to_string();
        assert!(why.contains("no credentials: set AWS_ACCESS_KEY_ID"), "{why}");
        assert!(why.contains(why_none) && !why.contains('\n'), "{why}");
        assert!(!why.contains("owner of the bucket") && !why.contains("AWS_ENDPOINT_URL"), "{why}");
    }
}
