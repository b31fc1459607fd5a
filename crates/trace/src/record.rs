//! Records of a ring (`perf_event_open(2)`, "MMAP layout").

use crate::clock::KernelClock;

/// `PERF_RECORD_LOST` and `PERF_RECORD_SAMPLE` of `enum perf_event_type`.
const LOST: u32 = 2;
const SAMPLE: u32 = 9;
const HEADER_BYTES: usize = 8;

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A tracepoint was passed.
    Sample(Sample<'a>),
    /// The ring was full: this many records were not written.
    Lost(u64),
    /// A record that says nothing about operations.
    Other,
}

/// A tracepoint that was passed, in the order of the fields that `disk::kernel::tracepoint_ring` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<'a> {
    /// The process, by its number in the name space of processes that the reader is in.
    pub process: u32,
    /// The thread, by its number in the name space of processes that the reader is in.
    pub thread: u32,
    /// `CLOCK_MONOTONIC` of the kernel, nanoseconds.
    pub time_ns: u64,
    pub cpu: u32,
    /// What the tracepoint itself wrote, laid out as its format says.
    pub raw: &'a [u8],
}

impl<'a> Record<'a> {
    /// Reads a record with its header; `None` if it is shorter than its type says.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Rest(bytes.get(HEADER_BYTES..)?);
        match Rest(bytes).u32()? {
            LOST => {
                let _event = rest.u64()?;
                rest.u64().map(Self::Lost)
            }
            SAMPLE => {
                let process = rest.u32()?;
                let thread = rest.u32()?;
                let time_ns = rest.u64()?;
                let cpu = rest.u32()?;
                let _reserved = rest.u32()?;
                let length = rest.u32()?;
                let raw = rest.0.get(..length as usize)?;
                Some(Self::Sample(Sample { process, thread, time_ns, cpu, raw }))
            }
            _ => Some(Self::Other),
        }
    }

    /// The sample of a record, if it is one, with its time on this process's clock. Records that were lost, or that
    /// cannot be read, are added to `lost`.
    pub(crate) fn sample(bytes: &'a [u8], clock: KernelClock, lost: &mut u64) -> Option<Sample<'a>> {
        let missing = match Self::read(bytes) {
            Some(Self::Sample(sample)) => {
                return Some(Sample { time_ns: clock.time_ns(sample.time_ns), ..sample });
            }
            Some(Self::Other) => 0,
            Some(Self::Lost(records)) => records,
            None => 1,
        };
        *lost = lost.saturating_add(missing);
        None
    }
}

/// Bytes that are not read yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn u32(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_ne_bytes(*bytes))
    }

    fn u64(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header(kind: u32) -> Vec<u8> {
        [kind.to_ne_bytes(), [0; 4]].concat()
    }

    fn sample(length: u32, raw: &[u8]) -> Vec<u8> {
        let mut bytes = header(SAMPLE);
        bytes.extend([7_u32.to_ne_bytes(), 8_u32.to_ne_bytes()].concat());
        bytes.extend(1234_u64.to_ne_bytes());
        bytes.extend([3_u32.to_ne_bytes(), [0; 4], length.to_ne_bytes()].concat());
        bytes.extend(raw);
        bytes
    }

    #[test]
    fn a_sample_has_the_thread_the_time_the_cpu_and_the_events_bytes() {
        let bytes = sample(2, &[5, 6, 0, 0]);
        let expected = Sample { process: 7, thread: 8, time_ns: 1234, cpu: 3, raw: &[5, 6] };
        assert_eq!(Record::read(&bytes), Some(Record::Sample(expected)));
    }

    #[test]
    fn lost_records_are_counted_and_others_passed_over() {
        let lost = [header(LOST), 1_u64.to_ne_bytes().to_vec(), 42_u64.to_ne_bytes().to_vec()].concat();
        assert_eq!(Record::read(&lost), Some(Record::Lost(42)));
        assert_eq!(Record::read(&header(5)), Some(Record::Other));
    }

    #[test]
    fn a_record_that_ends_too_early_is_none() {
        assert_eq!(Record::read(&[]), None);
        assert_eq!(Record::read(&header(LOST)), None);
        assert_eq!(Record::read(&sample(5, &[5, 6, 0, 0])), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(kind in 0_u32..16, rest in proptest::collection::vec(any::<u8>(), 0..80)) {
            let bytes = [header(kind), rest].concat();
            if let Some(Record::Sample(sample)) = Record::read(&bytes) {
                prop_assert!(sample.raw.len() < bytes.len());
            }
        }
    }
}
