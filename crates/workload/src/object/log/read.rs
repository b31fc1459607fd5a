//! Reads a log of operations.

use super::super::levels::Step;
use super::error::LogError;
use super::operation::{LoggedOperation, OperationLog};
use super::zstd::{Frames, is_compressed};
use csv::{ReaderBuilder, StringRecord};
use jiff::Timestamp;
use model::Nanos;
use model::object::OBJECT_BYTES_MAX;
use model::printable::excerpt;
use model::units::{GIB, format_bytes};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};

/// Operations of a log.
pub const OPERATIONS_MAX: usize = 5_000_000;
/// Objects that a log names.
pub const KEYS_MAX: u32 = 1_000_000;
/// What is read of a file, decompressed.
const LOG_BYTES_MAX: u64 = GIB;
/// Bytes of the names of all objects.
const KEY_BYTES_MAX: usize = 256 << 20;
/// Different reasons for which operations are left out.
const REASONS_MAX: usize = 64;
/// From the first operation of a log to the end of the last one.
const LENGTH_MAX: Nanos = Nanos::from_millis(7 * 86_400_000);

impl OperationLog {
    /// Reads a log in Syncline's own format, sai3-bench's or warp's, which its header tells apart. It may be compressed
    /// by zstd.
    ///
    /// # Errors
    /// A log without the columns that a replay needs, a line that cannot be read, damage of a compressed log, or more
    /// than the limits of this module.
    pub fn read(mut source: impl BufRead) -> Result<Self, LogError> {
        if is_compressed(begin(&mut source)?) {
            return Self::read_text(BufReader::new(Frames::new(source)));
        }
        Self::read_text(source)
    }

    fn read_text(mut source: impl BufRead) -> Result<Self, LogError> {
        let begin = begin(&mut source)?;
        let header = begin.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let separator = if header.contains(&b'\t') { b'\t' } else { b',' };
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .comment(Some(b'#'))
            .flexible(true)
            .from_reader(source.take(LOG_BYTES_MAX));
        let columns = Columns::find(reader.headers().map_err(|error| refused(&error))?)?;
        let mut reading = Reading { columns, ..Reading::default() };
        let mut record = StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| refused(&error))? {
            let line = record.position().map_or(0, csv::Position::line);
            reading.add(&record).map_err(|what| LogError::at(line, what))?;
        }
        if reader.get_ref().limit() == 0 {
            let why = format!("the log has more than {}: cut it", format_bytes(LOG_BYTES_MAX));
            return Err(LogError::of_all(why));
        }
        reading.finish()
    }
}

/// What a log begins with, as far as it is read at once.
fn begin(source: &mut impl BufRead) -> Result<&[u8], LogError> {
    source.fill_buf().map_err(|error| LogError::of_all(error.to_string()))
}

fn refused(error: &csv::Error) -> LogError {
    let line = error.position().map(csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "the line is not UTF-8".to_owned(),
        _ => error.to_string(),
    };
    LogError::new(line, what)
}

/// The form of a moment.
#[derive(Clone, Copy, Debug, Default)]
enum Clock {
    /// Nanoseconds since some moment.
    #[default]
    Nanoseconds,
    /// RFC 3339.
    Date,
}

/// Where the columns are.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    clock: Clock,
    operation: usize,
    object: usize,
    start: usize,
    end: Option<usize>,
    bytes: usize,
    offset: Option<usize>,
    names: Option<usize>,
    failed: Option<usize>,
}

impl Columns {
    /// By the names in the header.
    fn find(header: &StringRecord) -> Result<Self, LogError> {
        let place = |name: &str| header.iter().position(|column| column.trim() == name);
        let needed = |name: &str| {
            let why = || {
                format!(
                    "the header has no column {name}: a log is Syncline's own CSV, sai3-bench's op-log or warp's CSV"
                )
            };
            place(name).ok_or_else(|| LogError::at(1, why()))
        };
        if place("start_ns").is_some() {
            return Ok(Self {
                clock: Clock::Nanoseconds,
                operation: needed("operation")?,
                object: needed("object")?,
                start: needed("start_ns")?,
                end: place("end_ns"),
                bytes: needed("bytes")?,
                offset: place("offset_bytes"),
                names: place("names"),
                failed: place("failed"),
            });
        }
        Ok(Self {
            clock: Clock::Date,
            operation: needed("op")?,
            object: needed("file")?,
            start: needed("start")?,
            end: place("end"),
            bytes: needed("bytes")?,
            offset: None,
            names: place("n_objects"),
            failed: place("error"),
        })
    }
}

/// What was read so far.
#[derive(Debug, Default)]
struct Reading {
    columns: Columns,
    /// Start and end in nanoseconds of the log's clock; the operation's own are not set yet.
    operations: Vec<(i64, i64, LoggedOperation)>,
    keys: HashMap<Box<str>, u32>,
    key_bytes: usize,
    left_out: BTreeMap<String, u64>,
}

impl Reading {
    fn add(&mut self, record: &StringRecord) -> Result<(), String> {
        let columns = self.columns;
        let field =
            |place: usize| record.get(place).map(str::trim).ok_or("the line lacks columns of the header");
        let optional = |place: Option<usize>| place.and_then(|place| record.get(place)).map_or("", str::trim);
        let (name, object) = (field(columns.operation)?, field(columns.object)?);
        let Some(step) = step(columns.clock, name) else {
            return self.leave_out(format!("{} cannot be repeated", excerpt(name)));
        };
        if !["", "false"].contains(&optional(columns.failed)) {
            return self.leave_out(format!("{step} that failed when it was recorded"));
        }
        if object.is_empty() && step != Step::List {
            return self.leave_out(format!("{step} without the name of an object"));
        }
        let start = moment(columns.clock, field(columns.start)?)?;
        let end = match optional(columns.end) {
            "" => start,
            text => moment(columns.clock, text)?.max(start),
        };
        let number = |what: &str, text: &str, max: u64| match text.parse() {
            Ok(number) if number <= max => Ok(number),
            _ if text.is_empty() => Ok(0),
            _ => Err(format!("{what} = \"{}\": expected a whole number up to {max}", excerpt(text))),
        };
        let bytes = number("bytes", field(columns.bytes)?, OBJECT_BYTES_MAX)?;
        let offset = number("offset_bytes", optional(columns.offset), OBJECT_BYTES_MAX - bytes)?;
        let names = number("names", optional(columns.names), u64::from(u32::MAX))? as u32;
        if self.operations.len() == OPERATIONS_MAX {
            return Err(format!("a log has at most {OPERATIONS_MAX} operations: cut it"));
        }
        let key = if step == Step::List { folder(object) } else { self.key(object)? };
        let operation =
            LoggedOperation { start: Nanos::ZERO, end: Nanos::ZERO, step, key, offset, bytes, names };
        self.operations.push((start, end, operation));
        Ok(())
    }

    fn leave_out(&mut self, why: String) -> Result<(), String> {
        if self.left_out.len() == REASONS_MAX && !self.left_out.contains_key(&why) {
            return Err(format!(
                "more than {REASONS_MAX} kinds of operations cannot be repeated: is this a log of operations?"
            ));
        }
        *self.left_out.entry(why).or_default() += 1;
        Ok(())
    }

    fn key(&mut self, object: &str) -> Result<u32, String> {
        if let Some(key) = self.keys.get(object) {
            return Ok(*key);
        }
        let key = self.keys.len() as u32;
        self.key_bytes += object.len();
        if key == KEYS_MAX || self.key_bytes > KEY_BYTES_MAX {
            return Err(format!(
                "a log names at most {KEYS_MAX} objects with {} of names: cut it",
                format_bytes(KEY_BYTES_MAX as u64)
            ));
        }
        self.keys.insert(object.into(), key);
        Ok(key)
    }

    fn finish(self) -> Result<OperationLog, LogError> {
        let first = self.operations.iter().map(|(start, ..)| *start).min();
        let last = self.operations.iter().map(|(_, end, _)| *end).max();
        let (Some(first), Some(last)) = (first, last) else {
            return Err(LogError::of_all("the log has no operation that can be repeated"));
        };
        let since = |moment: i64| Nanos(moment.abs_diff(first));
        if since(last) > LENGTH_MAX {
            return Err(LogError::of_all(format!(
                "the log is {:.0} days long, at most {:.0}: cut it",
                since(last).seconds() / 86_400.0,
                LENGTH_MAX.seconds() / 86_400.0
            )));
        }
        let timed = |(start, end, operation): (i64, i64, LoggedOperation)| LoggedOperation {
            start: since(start),
            end: since(end),
            ..operation
        };
        let mut operations: Vec<LoggedOperation> = self.operations.into_iter().map(timed).collect();
        operations.sort_by_key(|operation| operation.start);
        Ok(OperationLog { operations, keys: self.keys.len() as u32, left_out: self.left_out })
    }
}

/// The operation of this name: Syncline's names, or those of requests.
fn step(clock: Clock, name: &str) -> Option<Step> {
    match clock {
        Clock::Nanoseconds => Step::from_name(name),
        Clock::Date => match name.to_ascii_uppercase().as_str() {
            "GET" => Some(Step::Get),
            "PUT" => Some(Step::Put),
            "STAT" | "HEAD" => Some(Step::Stat),
            "LIST" => Some(Step::List),
            "DELETE" => Some(Step::Delete),
            _ => None,
        },
    }
}

/// Nanoseconds on the log's clock.
fn moment(clock: Clock, text: &str) -> Result<i64, String> {
    let nanoseconds = match clock {
        Clock::Nanoseconds => text.parse().ok().filter(|nanoseconds: &i64| *nanoseconds >= 0),
        Clock::Date => {
            text.parse::<Timestamp>().ok().and_then(|moment| i64::try_from(moment.as_nanosecond()).ok())
        }
    };
    nanoseconds.ok_or_else(|| {
        let expected = match clock {
            Clock::Nanoseconds => "nanoseconds",
            Clock::Date => "a date such as 2026-01-31T12:00:00.5Z (RFC 3339)",
        };
        format!("\"{}\" is not a time: expected {expected}", excerpt(text))
    })
}

/// A number for a folder (FNV-1a): which of them are the same, a replay need not know.
fn folder(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
