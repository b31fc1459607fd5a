//! The description of one tracepoint: its number, and where its fields are. The kernel writes it
//! (`Documentation/trace/events.rst`, "Event formats"), and every kernel may lay the fields out otherwise.

/// A tracepoint as this kernel has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its number, which each of its records begins with.
    pub id: u16,
    fields: Vec<(String, Field)>,
}

/// The place of one value in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    offset: usize,
    size: usize,
}

/// Text that is not a description of a tracepoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// It does not say which number the tracepoint has.
    #[error("no number (ID)")]
    NoId,
    /// A line of a field has no name, offset or size, or a size or offset that no record has.
    #[error("line {line} describes no field")]
    BadField {
        /// Counted from 1.
        line: usize,
    },
}

/// No record of the kernel's is longer (`PERF_MAX_TRACE_SIZE`).
const RECORD_BYTES_MAX: usize = 8192;

impl Format {
    /// Reads the text of a file `format`.
    ///
    /// # Errors
    /// The text is not one.
    pub fn read(text: &str) -> Result<Self, FormatError> {
        let mut id = None;
        let mut fields = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(text) = line.strip_prefix("ID:") {
                id = text.trim().parse().ok();
            } else if let Some(described) = line.trim_start().strip_prefix("field:") {
                fields.push(described_field(described).ok_or(FormatError::BadField { line: number })?);
            }
        }
        Ok(Self { id: id.ok_or(FormatError::NoId)?, fields })
    }

    /// Where a field of this name is.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(listed, _)| listed == name).map(|(_, field)| *field)
    }
}

/// `char comm[16]; offset:8; size:16; signed:0;`, with tabs
fn described_field(text: &str) -> Option<(String, Field)> {
    let mut parts = text.split(';').map(str::trim);
    let declaration = parts.next()?;
    let declared = declaration.split_once('[').map_or(declaration, |(before, _)| before);
    let name = declared.split_whitespace().next_back()?.trim_start_matches('*');
    let (mut offset, mut size) = (None, None);
    for (key, value) in parts.filter_map(|part| part.split_once(':')) {
        match key {
            "offset" => offset = value.parse().ok(),
            "size" => size = value.parse().ok(),
            _ => {}
        }
    }
    let field = Field { offset: offset?, size: size? };
    let is_possible = field.offset <= RECORD_BYTES_MAX && field.size <= RECORD_BYTES_MAX;
    (is_possible && !name.is_empty()).then(|| (name.to_owned(), field))
}

impl Field {
    /// Its bytes, if the record is long enough.
    pub fn bytes(self, record: &[u8]) -> Option<&[u8]> {
        record.get(self.offset..self.offset + self.size)
    }

    /// The fields of its numbers, if it is several, such as the arguments of a call; otherwise itself.
    pub(crate) fn numbers(self) -> impl Iterator<Item = Self> {
        const NUMBER: usize = size_of::<u64>();
        let size = if self.size > NUMBER && self.size.is_multiple_of(NUMBER) { NUMBER } else { self.size };
        (0..self.size / size.max(1)).map(move |place| Self { offset: self.offset + place * size, size })
    }

    /// Its bytes as a number without a sign, if it is a number.
    pub fn number(self, record: &[u8]) -> Option<u64> {
        let bytes = self.bytes(record)?;
        match bytes.len() {
            1 => Some(bytes[0].into()),
            2 => bytes.try_into().ok().map(|bytes| u16::from_ne_bytes(bytes).into()),
            4 => bytes.try_into().ok().map(|bytes| u32::from_ne_bytes(bytes).into()),
            8 => bytes.try_into().ok().map(u64::from_ne_bytes),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WAKING: &str = include_str!("../tests/fixtures/formats/sched_waking");

    #[test]
    fn the_kernels_own_text_is_read() {
        let format = Format::read(WAKING).unwrap();
        assert_eq!(format.id, 375);
        assert_eq!(format.field("common_pid"), Some(Field { offset: 4, size: 4 }));
        assert_eq!(format.field("comm"), Some(Field { offset: 8, size: 16 }));
        assert_eq!(format.field("pid"), Some(Field { offset: 24, size: 4 }));
        assert_eq!(format.field("pi"), None);
    }

    #[test]
    fn several_numbers_are_a_field_each() {
        let offsets = |offset, size| -> Vec<(usize, usize)> {
            Field { offset, size }.numbers().map(|field| (field.offset, field.size)).collect()
        };
        assert_eq!(offsets(16, 24), [(16, 8), (24, 8), (32, 8)]);
        assert_eq!((offsets(8, 4), offsets(8, 16).len(), offsets(8, 0).len()), (vec![(8, 4)], 2, 0));
    }

    #[test]
    fn a_number_needs_its_bytes() {
        let field = Field { offset: 2, size: 4 };
        assert_eq!(field.number(&[0, 0, 1, 0, 0, 0]), Some(u32::from_ne_bytes([1, 0, 0, 0]).into()));
        assert_eq!(field.number(&[0, 0, 1, 0, 0]), None);
        assert_eq!(Field { offset: 0, size: 3 }.number(&[0; 8]), None);
    }

    #[test]
    fn what_is_no_description_is_refused() {
        assert_eq!(Format::read(""), Err(FormatError::NoId));
        assert_eq!(Format::read("ID: 70000"), Err(FormatError::NoId));
        let bad = "ID: 1\n\tfield:int a;\toffset:99999999999;\tsize:4;";
        assert_eq!(Format::read(bad), Err(FormatError::BadField { line: 2 }));
        assert_eq!(Format::read("ID: 1\nfield:;offset:1;size:1"), Err(FormatError::BadField { line: 2 }));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(ID: [0-9]{0,6}|field:[a-z\\[\\]; :0-9*\n]{0,60}|\\PC{0,20}|\n){0,20}") {
            let read = Format::read(&text);
            let fields = read.iter().flat_map(|format| &format.fields);
            for (name, field) in fields {
                prop_assert!(!name.is_empty());
                prop_assert!(field.bytes(&[0; 2 * RECORD_BYTES_MAX]).is_some());
                prop_assert!(field.size == 0 || field.bytes(&[]).is_none());
            }
        }
    }
}
