//! What every dataset does, a directory and a bucket alike.

use crate::gateway;

use dataset::directory::Directory;
use dataset::{
    Buffers, Clients, Content, Contents, Dataset, Object, ObjectError, OperationFailed, Readers, Reading,
    Working,
};
use driver::{Backend, MonotonicClock};
use model::object::FAILED;
use model::{BufferPages, IoMode, Nanos, ObjectKind, ObjectOp, ObjectTree, Operation, ScanKind, ScanOp};

const SIZES: [u64; 3] = [10_000, 0, 5000];

fn reading(buffers: Buffers) -> Reading {
    Reading {
        mode: IoMode::Buffered,
        buffers,
        buffer_pages: BufferPages::Small,
        readers: 1,
        in_flight_max: 1,
        read_bytes_max: 10_000,
    }
}

fn read(file: u32, offset: u64, length: u32) -> ScanOp {
    ScanOp { id: 0, kind: ScanKind::Read, file, offset, length }
}

/// Writes, lists, reads whole and in ranges, reads through a backend, removes. `steps` is what a backend does to read
/// the last 4000 bytes of the first file.
fn conforms(dataset: &impl Dataset, steps: &[ScanOp], buffers: &[Buffers]) {
    let objects: Vec<Object> = SIZES
        .iter()
        .enumerate()
        .map(|(index, bytes)| Object { name: format!("object-{index}"), bytes: *bytes })
        .collect();
    for (seed, object) in objects.iter().enumerate() {
        dataset.write(object, seed as u64).unwrap();
    }
    assert_eq!(dataset.list().unwrap(), objects);
    for object in &objects {
        let whole = dataset.read(object).unwrap();
        assert_eq!(whole.len() as u64, object.bytes);
        let half = object.bytes / 2;
        let parts = [
            dataset.read_range(object, 0, half).unwrap(),
            dataset.read_range(object, half, object.bytes - half).unwrap(),
        ];
        assert_eq!(parts.concat(), whole);
    }
    let mut expected = vec![0; 10_000];
    Content::new(0).fill(&mut expected);
    assert!(dataset.read(&objects[0]).unwrap() == expected, "not the bytes of the seed");
    let longer = Object { bytes: 20_000, ..objects[0].clone() };
    assert!(dataset.read(&longer).is_err(), "an object that shrank was read");

    for buffers in buffers {
        let readers = dataset.readers(&objects, reading(*buffers)).unwrap();
        // Two passes: what a pool gave out comes back.
        for _ in 0..2 {
            let mut backend = readers.backend(MonotonicClock::start()).unwrap();
            for step in steps {
                let mut done = Vec::new();
                assert_eq!(backend.submit(&[*step]).unwrap(), 1);
                backend.reap(1, None, &mut done).unwrap();
                assert_eq!(done[0].result, step.length as i32, "{step}");
            }
        }
        assert_eq!((readers.retries(), readers.retry_causes().len()), (0, 0));
        if let Some(memory) = readers.buffer_memory() {
            let memory = memory.value().copied().expect("smaps can be read");
            assert!(memory.resident_bytes >= 10_000, "{buffers:?}: {memory:?}");
        }
    }
    assert_eq!(dataset.remove_written().unwrap(), 3);
}

const TREE: ObjectTree = ObjectTree { objects: 4, prefixes: 2, depth: 1 };
const CONTENTS: Contents = Contents { seed: 5, compressible: 10, duplicates: 10 };

/// How clients work on objects of up to 20,000 bytes.
fn working(directory: &std::path::Path, mode: IoMode) -> Working {
    Working {
        tree: TREE,
        contents: CONTENTS,
        verifies: true,
        mode,
        syncs: true,
        renames: false,
        syncs_deletes: false,
        clients: 1,
        client_first: 0,
        in_flight_max: 1,
        object_bytes_max: 20_000,
        read_bytes: 8192,
        part_bytes: 5 << 20,
        parts_in_flight: 2,
        failures_max: 0,
        uploads: directory.join("uploads"),
    }
}

/// Performs one operation; what has to go on does. Returns the sum of the results, and how many operations they were.
fn perform<B: Backend<Op = ObjectOp>>(backend: &mut B, operation: ObjectOp) -> std::io::Result<(i32, u32)> {
    let (mut sum, mut parts, mut next) = (0, 0, Some(operation));
    while let Some(step) = next {
        let mut done = Vec::new();
        assert_eq!(backend.submit(&[step])?, 1);
        backend.reap(1, None, &mut done)?;
        let result = done[0].result;
        assert!(step.is_success(result), "{step}: {result}");
        assert!(done[0].stamps.is_some_and(|stamps| stamps.ended >= stamps.began));
        sum += result;
        parts += 1;
        next = match operation.kind {
            ObjectKind::Get if sum < operation.length as i32 => Some(ObjectOp {
                kind: ObjectKind::GetRest,
                offset: operation.offset + sum as u64,
                length: operation.length - sum as u32,
                ..operation
            }),
            ObjectKind::List if result > 0 => Some(ObjectOp { kind: ObjectKind::ListRest, ..operation }),
            _ => None,
        };
    }
    Ok((sum, parts))
}

fn object(kind: ObjectKind, object: u64, offset: u64, length: u32) -> ObjectOp {
    ObjectOp { id: 0, kind, object, content: object, offset, length }
}

/// Puts, reads whole and in ranges, replaces, asks, lists and removes.
fn clients_conform<D: Dataset>(dataset: &D, working: &Working, put: ObjectKind) {
    let clients = dataset.clients(working.clone()).unwrap();
    let mut backend = clients.backend(0, MonotonicClock::start()).unwrap();
    let sizes = [20_000, 1, 4096, 12_345];
    for (number, bytes) in (0..).zip(sizes) {
        assert_eq!(perform(&mut backend, object(put, number, 0, bytes)).unwrap(), (bytes as i32, 1));
    }
    // The written folder has an object of its own.
    perform(&mut backend, object(put, 4, 0, 10)).unwrap();
    let listed: Vec<(String, u64)> =
        dataset.list().unwrap().into_iter().map(|object| (object.name, object.bytes)).collect();
    let mut expected: Vec<(String, u64)> =
        (0..).zip(sizes).map(|(number, bytes)| (TREE.name(number), u64::from(bytes))).collect();
    expected.push((TREE.name(4), 10));
    expected.sort();
    assert_eq!(listed, expected);
    for (number, bytes) in (0..).zip(sizes) {
        assert_eq!(perform(&mut backend, object(ObjectKind::Get, number, 0, bytes)).unwrap().0, bytes as i32);
        assert_eq!(
            perform(&mut backend, object(ObjectKind::Stat, number, 0, bytes)).unwrap().0,
            bytes as i32
        );
    }
    assert_eq!(perform(&mut backend, object(ObjectKind::Get, 0, 8192, 11_000)).unwrap().0, 11_000);
    assert_eq!(perform(&mut backend, object(ObjectKind::Get, 3, 4096, 100)).unwrap().0, 100);
    // Two names in pages of one, and an empty page behind them.
    assert_eq!(perform(&mut backend, object(ObjectKind::List, 1, 0, 1)).unwrap(), (2, 3));
    assert_eq!(perform(&mut backend, object(ObjectKind::List, 1, 0, 10)).unwrap().0, 2);
    // A smaller object in the place of a larger one, with bytes of its own.
    let replaced = ObjectOp { content: 77, ..object(put, 0, 0, 5000) };
    perform(&mut backend, replaced).unwrap();
    let whole = ObjectOp { content: 77, ..object(ObjectKind::Get, 0, 0, 5000) };
    assert_eq!(perform(&mut backend, whole).unwrap().0, 5000);
    assert_eq!(perform(&mut backend, object(ObjectKind::Stat, 0, 0, 5000)).unwrap().0, 5000);
    // Other bytes than those that are expected are an error that names the object.
    let wrong = perform(&mut backend, object(ObjectKind::Get, 0, 0, 5000)).unwrap_err();
    let wrong = OperationFailed::of(&wrong).expect("the object is named").to_string();
    assert!(wrong.contains(&TREE.name(0)) && wrong.contains("not those that were written"), "{wrong}");
    drop(backend);
    let mut backend = clients.backend(0, MonotonicClock::start()).unwrap();
    assert_eq!(perform(&mut backend, object(ObjectKind::Delete, 1, 0, 0)).unwrap(), (0, 1));
    let gone = perform(&mut backend, object(ObjectKind::Get, 1, 0, 1)).unwrap_err();
    assert!(OperationFailed::of(&gone).is_some_and(|failed| !failed.is_unsupported));
    drop(backend);
    // A failure that is tolerated is a result, and counted.
    let tolerant = dataset.clients(Working { failures_max: 1, ..working.clone() }).unwrap();
    let mut backend = tolerant.backend(0, MonotonicClock::start()).unwrap();
    let of_gone = object(ObjectKind::Stat, 1, 0, 1);
    assert_eq!(perform(&mut backend, of_gone).unwrap().0, FAILED);
    assert!(perform(&mut backend, of_gone).is_err(), "one too many");
    drop(backend);
    assert_eq!(tolerant.faults().failures.values().sum::<u64>(), 1);
    assert_eq!(clients.faults().retries.unwrap_or(0), 0);
    assert_eq!(clients.requests().is_some(), clients.faults().retries.is_some(), "files get no requests");
    assert_eq!(dataset.empty(model::object::WRITTEN).unwrap(), 1);
    assert_eq!(dataset.empty(model::object::WRITTEN).unwrap(), 0);
    assert_eq!(dataset.remove_written().unwrap(), 3);
}

#[test]
fn the_clients_of_a_directory_conform_buffered_and_direct() {
    let work = disk::work_directory::WorkDirectory::create(env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap();
    let can_direct = disk::files::direct_support(work.path());
    for mode in [IoMode::Buffered, IoMode::Direct] {
        if let (IoMode::Direct, Err(why)) = (mode, &can_direct) {
            skip::because(why);
            continue;
        }
        for (name, put) in [("whole", ObjectKind::Put), ("pieces", ObjectKind::PutInParts)] {
            let root = work.path().join(format!("{}-{name}", mode.name()));
            std::fs::create_dir(&root).unwrap();
            let working = Working { part_bytes: 8192, ..working(work.path(), mode) };
            clients_conform(&Directory::at(&root), &working, put);
            // A file that is written under another name ends as the same file, and the other name is gone.
            let renaming = Working { renames: true, syncs_deletes: true, ..working };
            clients_conform(&Directory::at(&root), &renaming, put);
        }
    }
}

/// A user's directory is not worked on.
#[test]
fn clients_work_only_where_a_marker_is() {
    let theirs = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let directory = Directory::at(theirs.path());
    let refused = directory.clients(working(theirs.path(), IoMode::Buffered));
    assert!(matches!(refused, Err(ObjectError::NotOurs { .. })));
    assert!(matches!(directory.empty("data"), Err(ObjectError::NotOurs { .. })));
    assert_eq!(std::fs::read_dir(theirs.path()).unwrap().count(), 0);
}

#[test]
fn a_directory_conforms() {
    let work = disk::work_directory::WorkDirectory::create(env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap();
    let root = work.path().join("dataset");
    std::fs::create_dir(&root).unwrap();
    let of = |kind| ScanOp { kind, ..read(0, 0, 0) };
    let steps = [of(ScanKind::Open), read(0, 6000, 4000), of(ScanKind::Close)];
    conforms(&Directory::at(&root), &steps, &[Buffers::Pooled, Buffers::Malloc, Buffers::Fresh]);
    assert!(matches!(Directory::at(&root).list(), Err(ObjectError::Empty { .. })));
}

/// A user's directory is read and nothing else.
#[test]
fn nothing_is_written_or_removed_where_no_marker_is() {
    let theirs = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(theirs.path().join("precious"), "data").unwrap();
    let directory = Directory::at(theirs.path());
    assert!(directory.write(&Object { name: "new".to_owned(), bytes: 10 }, 1).is_err());
    assert!(matches!(directory.remove_written(), Err(ObjectError::NotOurs { .. })));
    assert_eq!(std::fs::read_dir(theirs.path()).unwrap().count(), 1);
}

/// A file of more than 4 GiB among small ones used to be read as what its size is modulo that.
#[test]
fn a_file_that_no_read_moves_whole_is_refused_with_the_way_out() {
    let objects = [Object { name: "large".to_owned(), bytes: 1 << 32 }];
    let whole = Reading { read_bytes_max: 1 << 32, ..reading(Buffers::Malloc) };
    let said = Directory::at("/data").readers(&objects, whole).unwrap_err().to_string();
    assert!(said.starts_with("/data: cannot read files whole: the largest has 4GiB"), "{said}");
    assert!(said.ends_with("set a block_size"), "{said}");
}

/// A dataset under somebody's hands: what was listed is gone, or shorter, by the time it is read.
#[test]
fn a_file_that_changes_is_named_with_what_happened_to_it() {
    let theirs = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for name in ["a", "b"] {
        std::fs::write(theirs.path().join(name), vec![1; 10_000]).unwrap();
    }
    let directory = Directory::at(theirs.path());
    let objects = directory.list().unwrap();
    let readers = directory.readers(&objects, reading(Buffers::Pooled)).unwrap();
    let perform = |backend: &mut dataset::directory::FileReader, step: ScanOp| {
        backend.submit(&[step]).unwrap();
        backend.reap(1, None, &mut Vec::new())
    };
    let mut backend = readers.backend(MonotonicClock::start()).unwrap();
    let open = |file| ScanOp { kind: ScanKind::Open, ..read(file, 0, 0) };
    perform(&mut backend, open(0)).unwrap();
    perform(&mut backend, read(0, 0, 5000)).unwrap();
    std::fs::File::options().write(true).open(theirs.path().join("a")).unwrap().set_len(6000).unwrap();
    let said = perform(&mut backend, read(0, 5000, 5000)).unwrap_err().to_string();
    assert!(said.contains("/a: read of 5000 bytes at offset 5000") && !said.contains('\n'), "{said}");
    assert!(said.contains("only 1000 bytes arrived: the file has 6000 bytes now"), "{said}");
    let mapped = Reading { mode: IoMode::Mmap, ..reading(Buffers::Malloc) };
    let of_maps = directory.readers(&objects, mapped).unwrap();
    let mut mapping = of_maps.backend(MonotonicClock::start()).unwrap();
    perform(&mut mapping, open(0)).unwrap();
    let said = perform(&mut mapping, read(0, 5000, 5000)).unwrap_err().to_string();
    assert!(said.contains("only 1000 bytes arrived: the file has 6000 bytes now"), "{said}");
    std::fs::remove_file(theirs.path().join("b")).unwrap();
    // A backend that failed is at its end.
    drop(backend);
    let mut backend = readers.backend(MonotonicClock::start()).unwrap();
    let said = perform(&mut backend, open(1)).unwrap_err().to_string();
    assert!(said.contains("/b: open of file 1: the file has disappeared"), "{said}");
}

#[cfg(feature = "object-store")]
mod s3 {
    use super::*;
    use dataset::bucket::{Access, Bucket, RetryPolicy};
    use gateway::{BUCKET, Gateway};
    use model::object::Requests;

    fn bucket(gateway: &Gateway, prefix: &str) -> Bucket {
        let access = Access::from_settings(Gateway::environment(gateway.address()));
        Bucket::connect_with(BUCKET, prefix, access, RetryPolicy::default()).unwrap()
    }

    #[test]
    fn a_bucket_conforms() {
        let Some(gateway) = Gateway::start() else { return };
        let dataset = bucket(&gateway, "set/").own("test");
        conforms(&dataset, &[read(0, 6000, 4000)], &[Buffers::Pooled, Buffers::Malloc]);
        assert!(matches!(dataset.list(), Err(ObjectError::Empty { .. })));
    }

    #[test]
    fn the_clients_of_a_bucket_conform_whole_and_in_parts() {
        let Some(gateway) = Gateway::start() else { return };
        let notes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for put in [ObjectKind::Put, ObjectKind::PutInParts] {
            let dataset = bucket(&gateway, "set/").own("clients");
            dataset.mark().unwrap();
            clients_conform(&dataset, &working(notes.path(), IoMode::Buffered), put);
        }
    }

    /// What a store charges for: a put in three parts is five requests.
    #[test]
    fn requests_are_counted_as_they_are_sent() {
        let Some(gateway) = Gateway::start() else { return };
        let notes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let dataset = bucket(&gateway, "set/").own("requests");
        dataset.mark().unwrap();
        let bytes: u32 = (11 << 20) + 7;
        let working = Working { object_bytes_max: bytes.into(), ..working(notes.path(), IoMode::Buffered) };
        let clients = dataset.clients(working).unwrap();
        let mut backend = clients.backend(0, MonotonicClock::start()).unwrap();
        for (kind, length) in [
            (ObjectKind::PutInParts, bytes),
            (ObjectKind::Put, 10),
            (ObjectKind::Get, 10),
            (ObjectKind::Stat, 10),
            (ObjectKind::List, 10),
            (ObjectKind::Delete, 0),
        ] {
            perform(&mut backend, object(kind, 0, 0, length)).unwrap();
        }
        drop(backend);
        let expected = Requests { writes: 6, lists: 1, reads: 2, deletes: 1 };
        assert_eq!(clients.requests(), Some(expected));
        assert_eq!(clients.faults().retries, Some(0));
        dataset.remove_written().unwrap();
    }

    /// Several parts, and the parts that a killed process left behind.
    #[test]
    fn parts_become_one_object_and_those_that_are_left_are_aborted() {
        let Some(gateway) = Gateway::start() else { return };
        let notes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let dataset = bucket(&gateway, "set/").own("parts");
        dataset.mark().unwrap();
        let bytes = (11 << 20) + 7;
        let working = Working { object_bytes_max: bytes, ..working(notes.path(), IoMode::Buffered) };
        let clients = dataset.clients(working.clone()).unwrap();
        let mut backend = clients.backend(0, MonotonicClock::start()).unwrap();
        let put = object(ObjectKind::PutInParts, 0, 0, bytes as u32);
        assert_eq!(perform(&mut backend, put).unwrap(), (bytes as i32, 1));
        let get = object(ObjectKind::Get, 0, 0, bytes as u32);
        assert_eq!(perform(&mut backend, get).unwrap().0, bytes as i32);
        // One that is dropped in the middle: its process was killed.
        backend.submit(&[ObjectOp { object: 4, ..put }]).unwrap();
        let began = std::time::Instant::now();
        let note = || std::fs::read_to_string(&working.uploads).unwrap();
        while note().matches("begun").count() < 2 {
            assert!(began.elapsed() < std::time::Duration::from_mins(5));
            // Requests continue although the deadline has passed.
            backend.reap(1, Some(Nanos::ZERO), &mut Vec::new()).unwrap();
        }
        drop(backend);
        assert_eq!((clients.faults().retries, note().matches("ended").count()), (Some(0), 1));
        dataset.abort_uploads(&working.uploads).unwrap();
        assert_eq!(note().matches("ended").count(), 2);
        dataset.abort_uploads(&working.uploads).unwrap();
        assert_eq!(note().matches("ended").count(), 2, "nothing is left to abort");
        assert_eq!(dataset.remove_written().unwrap(), 1);
    }

    #[test]
    fn a_prefix_that_is_called_like_ours_and_has_objects_is_not_ours() {
        let Some(gateway) = Gateway::start() else { return };
        std::fs::create_dir_all(gateway.bucket().join("syncline-theirs")).unwrap();
        std::fs::write(gateway.bucket().join("syncline-theirs/precious"), "data").unwrap();
        let theirs = bucket(&gateway, "").own("theirs");
        assert!(matches!(theirs.mark(), Err(ObjectError::NotOurs { .. })));
        let notes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let refused = theirs.clients(working(notes.path(), IoMode::Buffered));
        assert!(matches!(refused, Err(ObjectError::NotOurs { .. })));
        assert!(matches!(theirs.empty("data"), Err(ObjectError::NotOurs { .. })));
        assert!(gateway.bucket().join("syncline-theirs/precious").exists());
    }

    #[test]
    fn nothing_is_written_or_deleted_where_no_marker_is() {
        let Some(gateway) = Gateway::start() else { return };
        std::fs::create_dir_all(gateway.bucket().join("syncline-theirs")).unwrap();
        std::fs::write(gateway.bucket().join("syncline-theirs/precious"), "data").unwrap();
        let theirs = bucket(&gateway, "");
        assert!(matches!(
            theirs.write(&Object { name: "new".to_owned(), bytes: 10 }, 1),
            Err(ObjectError::NotOurs { .. })
        ));
        assert!(matches!(theirs.remove_written(), Err(ObjectError::NotOurs { .. })));
        // The name alone proves nothing.
        assert!(matches!(
            bucket(&gateway, "").own("theirs").remove_written(),
            Err(ObjectError::NotOurs { .. })
        ));
        assert!(gateway.bucket().join("syncline-theirs/precious").exists());
    }

    /// Their keys were escaped once more: what had been listed was not found, nor was the prefix itself. And whatever
    /// began like a prefix of Syncline was left out.
    #[test]
    fn whatever_a_users_objects_are_called_they_are_read() {
        let Some(gateway) = Gateway::start() else { return };
        let below = gateway.bucket().join("a~b {1}");
        std::fs::create_dir_all(below.join("syncline-other")).unwrap();
        std::fs::write(below.join("syncline-other/prepared"), "another run's").unwrap();
        let names = ["50% [of] it~#1", "plain", "syncline-log.bin"];
        for name in names {
            std::fs::write(below.join(name), name).unwrap();
        }
        let dataset = bucket(&gateway, "a~b {1}/");
        let objects = dataset.list().unwrap();
        let listed: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(listed, names);
        for object in &objects {
            assert_eq!(dataset.read(object).unwrap(), object.name.as_bytes());
        }
    }

    /// Larger than one part of an upload.
    #[test]
    fn a_large_object_is_written_in_parts() {
        let Some(gateway) = Gateway::start() else { return };
        let dataset = bucket(&gateway, "").own("large");
        let object = Object { name: "large".to_owned(), bytes: (20 << 20) + 1 };
        dataset.write(&object, 3).unwrap();
        let mut expected = vec![0; object.bytes as usize];
        Content::new(3).fill(&mut expected);
        assert!(dataset.read(&object).unwrap() == expected);
        assert_eq!(dataset.remove_written().unwrap(), 1);
    }
}
