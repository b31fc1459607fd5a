//! The kernel's descriptions of tracepoints, and the records that they describe.

use trace::format::Format;
use trace::record::{Record, Sample};
use trace::{Catalogue, TRACEPOINTS};

/// A description is read or refused, and no field of it reaches beyond a record.
pub(super) fn format(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(format) = Format::read(&text) else { return };
    for tracepoint in TRACEPOINTS {
        let mut catalogue = Catalogue::default();
        if catalogue.add(tracepoint, &format).is_ok() {
            let raw = [format.id.to_ne_bytes().to_vec(), bytes.to_vec()].concat();
            catalogue.event(&Sample { process: 1, thread: 1, time_ns: 2, cpu: 3, raw: &raw });
        }
    }
}

/// A record is an event of a tracepoint, or none.
pub(super) fn record(bytes: &[u8]) {
    let mut catalogue = Catalogue::default();
    for (path, text) in FORMATS {
        let tracepoint = TRACEPOINTS.iter().find(|tracepoint| tracepoint.path == *path);
        let format = Format::read(text).expect("the kernel wrote it");
        catalogue.add(tracepoint.expect("it is listed"), &format).expect("it has its fields");
    }
    if let Some(Record::Sample(sample)) = Record::read(bytes) {
        assert!(sample.raw.len() < bytes.len());
        let event = catalogue.event(&sample);
        assert!(event.is_none_or(|event| (event.time_ns, event.cpu) == (sample.time_ns, sample.cpu)));
    }
}

const FORMATS: &[(&str, &str)] = &[
    ("sched/sched_switch", include_str!("../../../trace/tests/fixtures/formats/sched_switch")),
    ("sched/sched_waking", include_str!("../../../trace/tests/fixtures/formats/sched_waking")),
    ("block/block_rq_complete", include_str!("../../../trace/tests/fixtures/formats/block_rq_complete")),
];
