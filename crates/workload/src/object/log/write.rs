//! Writes a log of operations.

use super::super::levels::{LogFormat, Step};
use super::journal::{Entry, Journal};
use csv::WriterBuilder;
use jiff::Timestamp;
use model::{Nanos, ObjectTree};
use std::io;
use std::time::SystemTime;

/// The columns of Syncline's own format. Times count from the beginning of the measurement.
const OWN: [&str; 10] = [
    "start_ns",
    "client",
    "operation",
    "object",
    "offset_bytes",
    "bytes",
    "names",
    "first_byte_ns",
    "end_ns",
    "failed",
];
/// Those of sai3-bench's op-log (s3dlio, `src/s3_logger.rs`) …
const OP_LOG: [&str; 13] = [
    "idx",
    "thread",
    "op",
    "client_id",
    "n_objects",
    "bytes",
    "endpoint",
    "file",
    "error",
    "start",
    "first_byte",
    "end",
    "duration_ns",
];
/// … and the one more that warp's has (`pkg/bench/ops.go`).
const WARP: &str = "cat";

/// How a log is written.
#[derive(Clone, Debug)]
pub struct LogWriter<'a> {
    pub format: LogFormat,
    /// What objects are called.
    pub tree: ObjectTree,
    /// The beginning of the measurement.
    pub began: SystemTime,
    /// Where the objects are, such as `s3://bucket`; only formats of others say it.
    pub endpoint: &'a str,
}

impl LogWriter<'_> {
    /// Writes what the clients did, in the order in which it began. Returns the number of operations.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&self, clients: &[&Journal], output: impl io::Write) -> io::Result<u64> {
        let of_client = |(client, journal): (usize, &&Journal)| {
            (0..journal.entries().len() as u32).map(move |place| (client as u32, place)).collect::<Vec<_>>()
        };
        let mut order: Vec<(u32, u32)> = clients.iter().enumerate().flat_map(of_client).collect();
        let entry = |(client, place): (u32, u32)| &clients[client as usize].entries()[place as usize];
        order.sort_by_key(|of| entry(*of).start);
        let separator = if self.format == LogFormat::Csv { b',' } else { b'\t' };
        let mut writer = WriterBuilder::new().delimiter(separator).from_writer(output);
        match self.format {
            LogFormat::Csv => writer.write_record(OWN)?,
            LogFormat::OpLog => writer.write_record(OP_LOG)?,
            LogFormat::Warp => writer.write_record(OP_LOG.iter().chain([&WARP]))?,
        }
        for (number, of) in order.iter().enumerate() {
            let fields = match self.format {
                LogFormat::Csv => self.own(of.0, entry(*of)),
                LogFormat::OpLog => self.of_others(number, of.0, entry(*of)),
                LogFormat::Warp => {
                    let mut fields = self.of_others(number, of.0, entry(*of));
                    fields.push("0".to_owned());
                    fields
                }
            };
            writer.write_record(fields)?;
        }
        writer.flush()?;
        Ok(order.len() as u64)
    }

    /// A list is of the folder.
    fn name(&self, entry: &Entry) -> String {
        if entry.step == Step::List { self.tree.folder(entry.object) } else { self.tree.name(entry.object) }
    }

    fn own(&self, client: u32, entry: &Entry) -> Vec<String> {
        vec![
            entry.start.0.to_string(),
            client.to_string(),
            entry.step.name().to_owned(),
            self.name(entry),
            entry.offset.to_string(),
            entry.bytes.to_string(),
            entry.names.to_string(),
            entry.first_byte.0.to_string(),
            entry.end.0.to_string(),
            entry.has_failed.to_string(),
        ]
    }

    fn of_others(&self, number: usize, client: u32, entry: &Entry) -> Vec<String> {
        let reads = entry.step.reads() && !entry.has_failed;
        vec![
            number.to_string(),
            client.to_string(),
            request(entry.step).to_owned(),
            "syncline".to_owned(),
            if entry.step == Step::List { entry.names.to_string() } else { "1".to_owned() },
            // A request for a size moves none of the object's bytes.
            if entry.step == Step::Stat { "0".to_owned() } else { entry.bytes.to_string() },
            self.endpoint.to_owned(),
            self.name(entry),
            if entry.has_failed { "failed".to_owned() } else { String::new() },
            self.date(entry.start),
            if reads { self.date(entry.first_byte) } else { String::new() },
            self.date(entry.end),
            entry.end.since(entry.start).0.to_string(),
        ]
    }

    fn date(&self, since: Nanos) -> String {
        // A machine whose clock is beyond the calendar has no date.
        let began = Timestamp::try_from(self.began).unwrap_or(Timestamp::UNIX_EPOCH);
        let moment = Timestamp::from_nanosecond(began.as_nanosecond() + i128::from(since.0));
        moment.unwrap_or(began).to_string()
    }
}

/// What sai3-bench and warp call it: neither knows offsets and parts.
const fn request(step: Step) -> &'static str {
    match step {
        Step::Get | Step::GetRange => "GET",
        Step::Put | Step::MultipartPut => "PUT",
        Step::Stat => "STAT",
        Step::List => "LIST",
        Step::Delete => "DELETE",
    }
}
