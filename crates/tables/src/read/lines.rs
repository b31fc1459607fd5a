//! The lines of a CSV file: RFC 4180 with commas, semicolons or tabs; those that start with `#` are comments.

use super::error::ReadError;
use super::limits::{FIELD_MAX, LINES_MAX};
use ::csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use model::excerpt;

/// The lines of a table, checked: UTF-8, of the header's length, no field too long.
pub(super) struct Lines<'a> {
    source: &'a str,
    reader: Reader<&'a [u8]>,
    record: ByteRecord,
    header: Vec<String>,
    count: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: &'a str, bytes: &'a [u8]) -> Result<Self, ReadError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.contains(&0) {
            return Err(ReadError::whole(source, "it holds NUL bytes, so it is not text: UTF-8 is needed"));
        }
        let header =
            bytes.split(|byte| *byte == b'\n').find(|line| !line.starts_with(b"#") && !line.is_empty());
        let count =
            |delimiter: u8| header.map_or(0, |line| line.split(|byte| *byte == delimiter).count() - 1);
        let delimiter = if count(b',') > 0 || count(b';') + count(b'\t') == 0 {
            b','
        } else if count(b';') >= count(b'\t') {
            b';'
        } else {
            b'\t'
        };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).comment(Some(b'#')).trim(Trim::All).delimiter(delimiter);
        let reader = builder.from_reader(bytes);
        Ok(Self { source, reader, record: ByteRecord::new(), header: Vec::new(), count: 0 })
    }

    /// From here on lines must be as long as this one.
    pub(super) fn expect(&mut self, header: &[String]) {
        self.header = header.to_vec();
    }

    /// The next line's number and cells.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Vec<String>)>, ReadError> {
        let before = self.reader.position().line();
        let found = self.reader.read_byte_record(&mut self.record);
        let more = found.map_err(|error| ReadError::at(self.source, before, error.to_string()))?;
        if !more {
            return Ok(None);
        }
        let line = self.record.position().map_or(before, ::csv::Position::line);
        self.count += 1;
        if self.count > LINES_MAX + 1 {
            return Err(ReadError::at(
                self.source,
                line,
                format!("more than {LINES_MAX} lines: audit a part of it"),
            ));
        }
        let known = self.header.len();
        if known > 0 && self.record.len() != known {
            let what = format!("{} cells where the header has {known}", self.record.len());
            return Err(ReadError::at(self.source, line, what));
        }
        let cells = self.record.iter().enumerate().map(|(index, field)| self.text(line, index, field));
        Ok(Some((line, cells.collect::<Result<_, _>>()?)))
    }

    fn text(&self, line: u64, index: usize, field: &[u8]) -> Result<String, ReadError> {
        let column = || self.header.get(index).map_or_else(|| (index + 1).to_string(), |name| excerpt(name));
        let error = |what: String| ReadError::at(self.source, line, what).in_column(column());
        if field.len() > FIELD_MAX {
            return Err(error(format!(
                "{} bytes in one cell, at most {FIELD_MAX}; a quote may be left open",
                field.len()
            )));
        }
        let text = std::str::from_utf8(field);
        text.map(str::to_owned).map_err(|_| error("not UTF-8: convert the file".to_owned()))
    }
}
