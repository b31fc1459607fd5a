//! An encoded histogram as the few counters that are not zero.
//!
//! Decoded into HDR's own array a latency histogram is half a megabyte of zeros, and a length in a hostile file decides
//! how much is allocated. Here memory grows with what was recorded, and the text is inflated no further than a
//! histogram can be.
//!
//! Format: HdrHistogram's V2 encoding (`HdrHistogram_c/src/hdr_histogram_log.c`; `EncodableHistogram` in Java).

use super::error::SidecarError;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// Operations by latency in nanoseconds, ascending: each counter that is not zero, at the highest latency it stands
/// for.
pub type Counts = Vec<(u64, u64)>;

const COOKIE: u32 = 0x1c84_9303 | 0x10;
const COOKIE_DEFLATED: u32 = 0x1c84_9304 | 0x10;
/// Cookie, length, normalisation, digits, lowest, highest, ratio.
const HEADER_BYTES: usize = 40;
/// Fifty times the counters of a recorder's histogram (three digits), and what they take when none is zero.
const COUNTERS_MAX: u64 = 1 << 22;
const INFLATED_BYTES_MAX: u64 = 16 << 20;
const DIGITS_MAX: u32 = 5;

/// Reads a deflated histogram.
pub(super) fn decode(bytes: &[u8]) -> Result<Counts, SidecarError> {
    let (cookie, rest) = split_u32(bytes)?;
    let (length, deflated) = split_u32(rest)?;
    if cookie != COOKIE_DEFLATED {
        return Err(malformed("it is not a deflated HDR V2 histogram"));
    }
    let deflated = deflated.get(..length as usize).ok_or_else(|| malformed("it is cut off"))?;
    let mut inflated = Vec::new();
    ZlibDecoder::new(deflated)
        .take(INFLATED_BYTES_MAX)
        .read_to_end(&mut inflated)
        .map_err(|error| malformed(&error.to_string()))?;
    plain(&inflated)
}

fn plain(bytes: &[u8]) -> Result<Counts, SidecarError> {
    let (cookie, rest) = split_u32(bytes)?;
    let (length, rest) = split_u32(rest)?;
    let (normalisation, rest) = split_u32(rest)?;
    let (digits, _) = split_u32(rest)?;
    let payload = bytes.get(HEADER_BYTES..).and_then(|payload| payload.get(..length as usize));
    let (Some(payload), Some(lowest)) = (payload, bytes.get(16..24)) else {
        return Err(malformed("it is cut off"));
    };
    // The slice has eight bytes.
    let lowest = lowest.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    if cookie != COOKIE || normalisation != 0 || digits > DIGITS_MAX || lowest == 0 {
        return Err(malformed("its header is not that of a latency histogram"));
    }
    let buckets = Buckets::new(lowest, digits);
    let mut counts = Counts::new();
    let (mut index, mut rest) = (0_u64, payload);
    while !rest.is_empty() {
        let (number, after) = zigzag(rest)?;
        rest = after;
        match u64::try_from(number) {
            Ok(0) => index += 1,
            Ok(count) => {
                counts.push((
                    buckets.highest(index).ok_or_else(|| malformed("it has too many counters"))?,
                    count,
                ));
                index += 1;
            }
            // A negative number skips that number of zeros.
            Err(_) => index = index.saturating_add(number.unsigned_abs()),
        }
        if index > COUNTERS_MAX {
            return Err(malformed("it has too many counters"));
        }
    }
    // Ten thousand trials keep theirs at once.
    counts.shrink_to_fit();
    Ok(counts)
}

/// How HDR lays latencies out: buckets of doubling width, each cut into as many parts as the digits need.
struct Buckets {
    unit_magnitude: u32,
    half_magnitude: u32,
}

impl Buckets {
    fn new(lowest: u64, digits: u32) -> Self {
        let parts = 2 * 10_u64.pow(digits);
        let magnitude = parts.next_power_of_two().trailing_zeros();
        Self { unit_magnitude: lowest.ilog2(), half_magnitude: magnitude.max(1) - 1 }
    }

    /// The highest latency that the counter at this place stands for; `None` beyond 64 bits.
    fn highest(&self, index: u64) -> Option<u64> {
        let half = 1_u64 << self.half_magnitude;
        let (bucket, part) = match index >> self.half_magnitude {
            0 => (0, index),
            bucket => (u32::try_from(bucket - 1).ok()?, (index & (half - 1)) + half),
        };
        let shift = bucket.checked_add(self.unit_magnitude).filter(|shift| *shift < 64)?;
        let next = u128::from(part + 1) << shift;
        u64::try_from(next - 1).ok()
    }
}

fn split_u32(bytes: &[u8]) -> Result<(u32, &[u8]), SidecarError> {
    let (number, rest) = bytes.split_first_chunk::<4>().ok_or_else(|| malformed("it is cut off"))?;
    Ok((u32::from_be_bytes(*number), rest))
}

/// A ZigZag LEB128 number of at most nine bytes, the ninth taken whole.
fn zigzag(bytes: &[u8]) -> Result<(i64, &[u8]), SidecarError> {
    let mut number = 0_u64;
    for (place, byte) in bytes.iter().enumerate().take(9) {
        let (bits, last) = if place == 8 { (*byte, true) } else { (byte & 0x7f, byte & 0x80 == 0) };
        number |= u64::from(bits) << (7 * place);
        if last {
            return Ok(((number >> 1) as i64 ^ -((number & 1) as i64), &bytes[place + 1..]));
        }
    }
    Err(malformed("it is cut off"))
}

fn malformed(what: &str) -> SidecarError {
    SidecarError::Format(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sidecar::Sidecar;
    use hdrhistogram::Histogram;
    use proptest::prelude::*;

    /// What HDR itself says about the same histogram.
    fn expected(histogram: &Histogram<u64>) -> Counts {
        histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
    }

    fn encoded(lowest: u64, digits: u8, values: &[u64]) -> (Sidecar, Histogram<u64>) {
        let mut histogram = Histogram::new_with_bounds(lowest, 60_000_000_000, digits).unwrap();
        for value in values {
            histogram.saturating_record(*value);
        }
        let mut sidecar = Sidecar::default();
        sidecar.insert("read_latency", &histogram).unwrap();
        (sidecar, histogram)
    }

    #[test]
    fn what_no_histogram_is_says_so() {
        for bytes in [&b""[..], b"abc", b"\x1c\x84\x93\x14\xff\xff\xff\xff", &[0; 64]] {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
    }

    /// A header that promises four gigabytes of counters, and a deflated megabyte of zeros for each kilobyte of file.
    #[test]
    fn lengths_in_the_file_allocate_nothing() {
        let mut plain = Vec::new();
        plain.extend(COOKIE.to_be_bytes());
        plain.extend(u32::MAX.to_be_bytes());
        plain.resize(HEADER_BYTES, 0);
        plain[15] = 3;
        plain[23] = 1;
        assert!(super::plain(&plain).unwrap_err().to_string().contains("cut off"));
        plain[4..8].copy_from_slice(&(32_u32 << 20).to_be_bytes());
        plain.resize(HEADER_BYTES + (32 << 20), 0);
        assert!(super::plain(&plain).unwrap_err().to_string().contains("too many counters"));
    }

    proptest! {
        #[test]
        fn counters_are_those_of_hdr(
            values in proptest::collection::vec(0..70_000_000_000_u64, 0..60),
            lowest in 1..3000_u64,
            digits in 0..4_u8,
        ) {
            let (sidecar, histogram) = encoded(lowest, digits, &values);
            prop_assert_eq!(sidecar.counts("read_latency").unwrap(), Some(expected(&histogram)));
        }

        #[test]
        fn a_spoiled_histogram_is_read_or_refused(
            values in proptest::collection::vec(0..1_000_000_u64, 1..60),
            place in any::<proptest::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let (sidecar, _) = encoded(1, 3, &values);
            let text = &sidecar.histograms["read_latency"];
            let mut bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text).unwrap();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            let _ = decode(&bytes);
            let _ = decode(&bytes[..place]);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
            let _ = plain(&bytes);
        }
    }
}
