//! Logs of operations: read in three formats, repeated on objects in memory, and written.

use super::{Seen, configuration, parameters, run};
use crate::object::log::{Journal, LogWriter, LoggedOperation, OperationLog, Replay};
use crate::object::{LogFormat, ObjectLoad, Parameters, SCHEMA, Step};
use driver::{Next, Recorder, Workload};
use model::{Completion, Nanos, ObjectKind, ObjectOp, Stamps};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

const OWN: &str = include_str!("../../../../hostile/seeds/operation_log/own.csv");
const OP_LOG: &str = include_str!("../../../../hostile/seeds/operation_log/op_log.tsv");
const WARP: &str = include_str!("../../../../hostile/seeds/operation_log/warp.csv");
const HEADER: &str = "start_ns,operation,object,offset_bytes,bytes,names,end_ns\n";

fn read(text: &str) -> OperationLog {
    OperationLog::read(text.as_bytes()).unwrap()
}

fn of_lines(lines: &str) -> Arc<Replay> {
    Arc::new(Replay::read(format!("{HEADER}{lines}").as_bytes()).unwrap())
}

fn steps(log: &OperationLog) -> Vec<Step> {
    log.operations.iter().map(|operation| operation.step).collect()
}

#[test]
fn three_formats_are_read() {
    let own = read(OWN);
    let expected =
        [Step::Get, Step::GetRange, Step::Put, Step::Stat, Step::List, Step::MultipartPut, Step::Delete];
    assert_eq!((steps(&own), own.keys), (expected.to_vec(), 4));
    assert_eq!(own.left_out.values().sum::<u64>(), 1, "one operation failed: {:?}", own.left_out);
    let range = LoggedOperation {
        start: Nanos(1_000_000),
        end: Nanos(1_200_000),
        step: Step::GetRange,
        key: 1,
        offset: 4096,
        bytes: 4096,
        names: 0,
    };
    assert_eq!(own.operations[1], range);

    let op_log = read(OP_LOG);
    assert_eq!(steps(&op_log), [Step::Get, Step::Put, Step::Stat, Step::List, Step::Delete]);
    let last = op_log.operations[4];
    assert_eq!((last.start, last.end), (Nanos(9_500_000), Nanos(9_600_000)), "another zone, the same time");
    assert_eq!(op_log.operations[3].names, 5);
    assert_eq!(op_log.left_out.values().sum::<u64>(), 1);

    let warp = read(WARP);
    assert_eq!(steps(&warp), [Step::Put, Step::Get, Step::Stat]);
    assert_eq!(warp.left_out.len(), 3, "a failure, a delete without a name, a part: {:?}", warp.left_out);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    let line = |text: &str| OperationLog::read(text.as_bytes()).unwrap_err().line;
    let of_own = |row: &str| line(&format!("{HEADER}0,get,a,0,1,0,0\n{row}\n"));
    assert_eq!(of_own("1,get,a,0"), Some(3), "columns are missing, not empty: bytes");
    assert_eq!(of_own("x,get,a,0,1,0,0"), Some(3));
    assert_eq!(of_own("-1,get,a,0,1,0,0"), Some(3));
    assert_eq!(of_own("1,get,a,0,99999999999,0,0"), Some(3));
    assert_eq!(line("a,b,c\n1,2,3\n"), Some(1));
    assert_eq!(line(HEADER), None);
    assert_eq!(line(&format!("{HEADER}0,get,a,0,1,0,0\n604800000000001,get,a,0,1,0,0\n")), None);
}

/// By `zstd --check` and by `pzstd`, which puts a skippable frame before each other one.
const COMPRESSED: [(&[u8], &str); 2] = [
    (include_bytes!("../../../../hostile/seeds/operation_log/op_log.tsv.zst"), OP_LOG),
    (include_bytes!("../../../../hostile/seeds/operation_log/own.csv.zst"), OWN),
];

#[test]
fn compressed_logs_are_read_like_their_text() {
    for (compressed, text) in COMPRESSED {
        assert_eq!(OperationLog::read(compressed).unwrap(), read(text));
    }
    // A second frame goes on where the first one ends.
    let more = "20000000,get,of the second frame,0,10,0,30000000\n";
    let head = &HEADER.replace('\n', "\n0,get,of the first frame,0,10,0,5\n");
    let frame = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    let log = OperationLog::read(&[frame(head), frame(more)].concat()[..]).unwrap();
    assert_eq!((log.operations.len(), log.keys), (2, 2));
}

#[test]
fn a_compressed_log_that_is_cut_or_damaged_is_refused() {
    for (compressed, text) in COMPRESSED {
        for end in 1..compressed.len() {
            assert!(OperationLog::read(&compressed[..end]).is_err(), "cut at {end}");
        }
        for place in 0..compressed.len() {
            let mut damaged = compressed.to_vec();
            damaged[place] ^= 0x10;
            // What no checksum covers may change without any effect, such as the length in a header.
            if let Ok(log) = OperationLog::read(&damaged[..]) {
                assert_eq!(log, read(text), "damaged at {place}");
            }
        }
    }
}

/// What is read before it is put is there at the beginning, as large as what is read of it.
#[test]
fn objects_are_there_when_they_are_asked_for() {
    let replay = Replay::read(OWN.as_bytes()).unwrap();
    let sizes = replay.sizes();
    assert_eq!((replay.objects(), sizes.of(0), sizes.of(1)), (2, 10_000, 8192));
    assert_eq!((replay.operations(), replay.bytes_max()), (7, 6_000_000));

    let replay = of_lines("0,put,a,0,100,0,5\n10,delete,a,0,0,0,15\n20,get,a,0,100,0,25\n");
    assert_eq!((replay.operations(), replay.objects()), (2, 1), "an object that is gone is not read");
    assert_eq!(replay.left_out().values().sum::<u64>(), 1);
    // The log has three operations in 25 ns.
    let per_s = replay.figures(1.0)["object_operations_per_s"];
    assert!((per_s * 25e-9 - 3.0).abs() < 1e-6, "{per_s}");
    assert!((replay.figures(2.0)["object_operations_per_s"] / per_s - 2.0).abs() < 1e-6);
}

/// What a replay did: every operation with its start.
struct Repeated {
    operations: Vec<(Nanos, ObjectOp)>,
    recorder: Recorder,
}

/// Repeats a log; each operation takes a microsecond, and no two that conflict are under way together.
fn repeat(replay: &Arc<Replay>, changes: &[(&str, &str)]) -> Repeated {
    let mut values = configuration(changes);
    replay.describe(&mut values);
    (SCHEMA.check)(&values).unwrap();
    let parameters = Parameters::read(&values).unwrap();
    let sizes = replay.sizes();
    let mut operations = Vec::new();
    let mut recorder = Recorder::new(ObjectLoad::new(&parameters, 0, 1).families());
    // Objects that change belong to one client, so what is there can be followed client by client.
    let mut there: BTreeMap<u64, u32> =
        (0..replay.objects()).map(|object| (object, sizes.of(object) as u32)).collect();
    for client in 0..parameters.clients {
        let mut load = ObjectLoad::new(&parameters, client, 1).of_log(replay, &parameters, client);
        let (mut flying, mut now): (Vec<ObjectOp>, u64) = (Vec::new(), 0);
        loop {
            let begin = flying.len();
            let next = load.poll(Nanos(now), &mut flying);
            operations.extend(flying[begin..].iter().map(|operation| (Nanos(now), *operation)));
            assert!(flying.len() <= load.in_flight_max());
            let changes = |operation: &ObjectOp| {
                matches!(operation.kind, ObjectKind::Put | ObjectKind::PutInParts | ObjectKind::Delete)
            };
            for operation in flying.iter().filter(|operation| changes(operation)) {
                let same = flying.iter().filter(|other| other.object == operation.object);
                assert_eq!(same.count(), 1, "{operation} is not alone");
            }
            match next {
                _ if !flying.is_empty() => {
                    let operation = flying.remove(0);
                    let (object, length) = (operation.object, operation.length);
                    match operation.kind {
                        ObjectKind::Put | ObjectKind::PutInParts => {
                            there.insert(object, length);
                        }
                        ObjectKind::Delete => assert!(there.remove(&object).is_some()),
                        ObjectKind::Stat => assert_eq!(there[&object], length),
                        ObjectKind::Get => {
                            let end = operation.offset + u64::from(length);
                            assert!(end <= u64::from(there[&object]));
                        }
                        ObjectKind::List | ObjectKind::ListRest | ObjectKind::GetRest => {}
                    }
                    let stamps = Some(Stamps { began: Nanos(now), ended: Nanos(now + 1000) });
                    now += 1000;
                    let result = if operation.kind == ObjectKind::Delete { 0 } else { length as i32 };
                    load.complete(&Completion { id: operation.id, result, stamps }, &mut recorder);
                }
                Next::At(at) => now = now.max(at.0),
                Next::Done => break,
                Next::Wait => panic!("nothing is under way and nothing is due"),
            }
        }
        assert_eq!((load.unexpected(), load.failed()), (0, 0));
    }
    operations.sort_by_key(|(at, _)| *at);
    Repeated { operations, recorder }
}

#[test]
fn operations_come_at_their_times_whoever_performs_them() {
    let lines = "0,get,a,0,100,0,9\n1000000,put,b,0,50,0,1000009\n2000000,get,b,0,500,0,2000009\n\
                 3000000,stat,b,0,0,0,3000009\n4000000,delete,b,0,0,0,4000009\n5000000,list,x,0,0,7,5000009\n\
                 6000000,get_range,a,5000,10,0,6000009\n";
    let replay = of_lines(lines);
    for (clients, speed) in [("1", "1"), ("3", "1"), ("3", "2")] {
        let Repeated { operations, recorder } =
            repeat(&replay, &[("clients", clients), ("replay", "x.csv"), ("replay_speed", speed)]);
        let speed: u64 = speed.parse().unwrap();
        let times: Vec<u64> = operations.iter().map(|(at, _)| at.0).collect();
        let due: Vec<u64> = (0..7).map(|number| number * 1_000_000 / speed).collect();
        assert_eq!(times, due, "{clients} clients");
        assert_eq!(recorder.completed("object_latency"), 7);
        let second = operations[2].1;
        assert_eq!((second.kind, second.length), (ObjectKind::Get, 50), "no more than was put");
        // Direct reads begin at whole pages.
        assert_eq!((operations[6].1.offset, operations[6].1.length), (4096, 10));
        assert_eq!(recorder.completed("object_range_latency"), 1);
    }
}

/// A run of 200 operations repeated 197 of them: each client ended after its equal share.
#[test]
fn the_first_operations_of_the_log_are_repeated() {
    let replay = of_lines("0,put,a,0,9,0,9\n1,get,a,0,9,0,9\n2,get,a,0,9,0,9\n3,get,a,0,9,0,9\n");
    for (most, performed) in [("2", 2), ("3", 3), ("4", 4)] {
        let changes = [("replay", "x.csv"), ("clients", "2"), ("operations_max", most)];
        assert_eq!(repeat(&replay, &changes).operations.len(), performed);
    }
}

/// Four operations on one object at the same time: the last one waits for the others, and its latency counts that.
#[test]
fn what_is_late_counts_from_when_it_was_due() {
    let replay = of_lines("0,put,a,0,9,0,9\n0,get,a,0,9,0,9\n0,put,a,0,5,0,9\n0,get,a,0,5,0,9\n");
    for changes in [&[("replay", "x.csv")][..], &[super::S3, ("replay", "x.csv"), ("iodepth", "4")]] {
        let Repeated { operations, recorder } = repeat(&replay, changes);
        let lengths: Vec<u32> = operations.iter().map(|(_, operation)| operation.length).collect();
        assert_eq!(lengths, [9, 9, 5, 5]);
        let latest = recorder.histogram("object_get_latency").unwrap().max();
        assert!(latest.abs_diff(4000) < 50, "{latest} ns");
    }
}

fn written(seen: &Seen, parameters: &Parameters, format: LogFormat) -> String {
    let journals: Vec<&Journal> = seen.clients.iter().map(ObjectLoad::journal).collect();
    let writer =
        LogWriter { format, tree: parameters.tree(), began: SystemTime::UNIX_EPOCH, endpoint: "file://" };
    let mut text = Vec::new();
    assert_eq!(writer.write(&journals, &mut text).unwrap(), 50);
    String::from_utf8(text).unwrap()
}

#[test]
fn what_was_done_is_logged_in_three_formats_and_can_be_repeated() {
    let mix = "get/30:get_range/10:put/20:multipart_put/10:stat/10:list/10:delete/10";
    let parameters =
        parameters(&[("mix", mix), ("clients", "3"), ("log_operations", "50"), ("range_size", "4KiB")]);
    let seen = run(&parameters, 7, 0);
    let left_out: u64 = seen.clients.iter().map(|client| client.journal().left_out()).sum();
    assert_eq!(left_out, 1950, "the others have no room");
    let own = read(&written(&seen, &parameters, LogFormat::Csv));
    let requests =
        |log: &OperationLog, of: &[Step]| steps(log).iter().filter(|step| of.contains(step)).count();
    for format in [LogFormat::OpLog, LogFormat::Warp] {
        let other = read(&written(&seen, &parameters, format));
        assert_eq!((other.operations.len(), other.keys), (50, own.keys), "{format}");
        assert_eq!(requests(&other, &[Step::Get]), requests(&own, &[Step::Get, Step::GetRange]));
        assert_eq!(requests(&other, &[Step::Put]), requests(&own, &[Step::Put, Step::MultipartPut]));
        let bytes = |log: &OperationLog| -> u64 {
            log.operations.iter().filter(|of| of.step != Step::Stat).map(|of| of.bytes).sum()
        };
        assert_eq!(bytes(&other), bytes(&own));
        assert_eq!(other.operations[49].start, own.operations[49].start);
    }
    let replay = Arc::new(Replay::new(own).unwrap());
    assert_eq!((replay.operations(), replay.left_out().len()), (50, 0));
    let Repeated { recorder, .. } = repeat(&replay, &[("replay", "x.csv"), ("clients", "2")]);
    assert_eq!(recorder.completed("object_latency"), 50);
}
