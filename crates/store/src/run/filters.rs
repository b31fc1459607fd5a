//! The filters of a run: one for each span of its keys, so that a flush or compaction needs memory to build one span's
//! filter only.
//!
//! While a binary fuse filter is built, each of its keys takes some 35 bytes: its hash and the tables of the
//! construction. A large merge would take hundreds of megabytes for a filter of all its keys.

use super::filter::Filter;
use crate::codec::{Decoder, put_bytes, put_varint};
use crate::options::FilterKind;

/// Keys of one filter: they take some 5 MB while it is built. Filters of four times as many keys take 3 % less a key.
pub(super) const SPAN_KEYS: usize = 1 << 17;

/// The kind byte of several filters. A run of one span has that one's kind.
const SPANS: u8 = 1;

/// The filters of a run in the order of its keys.
#[derive(Debug)]
pub(crate) struct Filters(Vec<Span>);

#[derive(Debug)]
struct Span {
    /// No key of the span is smaller, and all keys of the spans before are; empty for the first span.
    first: Box<[u8]>,
    filter: Filter,
}

impl Filters {
    /// Whether the run may have a key of this hash.
    #[inline]
    pub(crate) fn may_contain(&self, key: &[u8], hash: u64) -> bool {
        let after = self.0.partition_point(|span| &*span.first <= key);
        let span = after.checked_sub(1).and_then(|at| self.0.get(at));
        span.is_none_or(|span| span.filter.may_contain(hash))
    }

    /// Memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|span| span.first.len() + span.filter.bytes()).sum()
    }

    pub(super) fn fingerprints(&self) -> usize {
        self.0.iter().map(|span| span.filter.fingerprints()).sum()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        // At most this number of bytes, so that it is allocated once.
        let around = |span: &Span| span.filter.bytes() + span.first.len() + 64;
        let mut out = Vec::with_capacity(self.0.iter().map(around).sum());
        if let [Span { filter, .. }] = &self.0[..] {
            filter.encode(&mut out);
            return out;
        }
        out.push(SPANS);
        put_varint(&mut out, self.0.len() as u64);
        for Span { first, filter } in &self.0 {
            put_bytes(&mut out, first);
            put_varint(&mut out, filter.encoded_bytes() as u64);
            filter.encode(&mut out);
        }
        out
    }

    /// `None` if the bytes are not filters.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.first() != Some(&SPANS) {
            return Some(Self(vec![Span { first: Box::default(), filter: Filter::decode(bytes)? }]));
        }
        let mut decoder = Decoder::new(&bytes[1..]);
        let mut spans: Vec<Span> = Vec::new();
        for _ in 0..decoder.varint()? {
            let first: Box<[u8]> = decoder.bytes()?.into();
            let is_in_order = spans.last().map_or(first.is_empty(), |last| last.first < first);
            if !is_in_order {
                return None;
            }
            spans.push(Span { first, filter: Filter::decode(decoder.bytes()?)? });
        }
        decoder.is_empty().then_some(Self(spans))
    }
}

/// Builds the filters of a run from its keys in their order.
pub(super) struct FiltersBuilder {
    kind: FilterKind,
    span_keys: usize,
    spans: Vec<Span>,
    /// The first key of the span that is being collected; empty for the first span.
    first: Vec<u8>,
    /// The hashes of its keys.
    hashes: Vec<u64>,
}

impl FiltersBuilder {
    pub(super) fn new(kind: FilterKind, span_keys: usize) -> Self {
        Self { kind, span_keys, spans: Vec::new(), first: Vec::new(), hashes: Vec::new() }
    }

    /// Takes a key that is larger than all before.
    pub(super) fn push(&mut self, key: &[u8], hash: u64) {
        if self.kind == FilterKind::None {
            return;
        }
        if self.hashes.len() >= self.span_keys {
            self.finish_span();
            self.first.extend_from_slice(key);
        }
        self.hashes.push(hash);
    }

    fn finish_span(&mut self) {
        let filter = Filter::build(self.kind, &mut self.hashes);
        self.spans.push(Span { first: self.first.as_slice().into(), filter });
        self.first.clear();
        self.hashes.clear();
    }

    pub(super) fn finish(mut self) -> Filters {
        self.finish_span();
        Filters(self.spans)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::checksum::key_hash;
    use proptest::prelude::*;

    fn key(number: u64) -> [u8; 8] {
        number.to_be_bytes()
    }

    /// The filters of even numbers.
    fn even(kind: FilterKind, keys: u64, span_keys: usize) -> Filters {
        let mut builder = FiltersBuilder::new(kind, span_keys);
        for number in 0..keys {
            builder.push(&key(2 * number), key_hash(&key(2 * number)));
        }
        builder.finish()
    }

    #[test]
    fn every_key_is_found_in_its_span_and_others_seldom() {
        for (kind, keys, spans) in [
            (FilterKind::Fuse16, 1, 1),
            (FilterKind::Fuse16, 100, 1),
            (FilterKind::Fuse16, 101, 2),
            (FilterKind::Fuse8, 1000, 10),
            (FilterKind::None, 1000, 1),
        ] {
            let filters = even(kind, keys, 100);
            let copy = Filters::decode(&filters.encode()).unwrap();
            assert_eq!((filters.0.len(), copy.0.len()), (spans, spans), "{kind:?} of {keys}");
            let found = |number: u64| {
                let (key, hash) = (key(number), key_hash(&key(number)));
                assert_eq!(filters.may_contain(&key, hash), copy.may_contain(&key, hash));
                copy.may_contain(&key, hash)
            };
            assert!((0..keys).all(|number| found(2 * number)), "{kind:?} of {keys}");
            let others = (0..keys).filter(|number| found(2 * number + 1)).count() as u64;
            assert!(others * 50 <= keys || kind == FilterKind::None, "{kind:?} of {keys}: {others}");
        }
    }

    #[test]
    fn one_span_is_encoded_as_the_filter_that_it_is() {
        assert_eq!(even(FilterKind::Fuse16, 50, 100).encode()[0], 16);
        assert_eq!(even(FilterKind::None, 50, 100).encode(), [0]);
    }

    #[test]
    fn memory_for_hashes_is_that_of_one_span() {
        let mut builder = FiltersBuilder::new(FilterKind::Fuse8, 128);
        for number in 0..10_000 {
            builder.push(&key(number), key_hash(&key(number)));
        }
        assert!(builder.hashes.capacity() <= 256, "{}", builder.hashes.capacity());
    }

    #[test]
    fn spans_that_are_not_in_order_are_refused() {
        let mut filters = even(FilterKind::Fuse8, 300, 100);
        filters.0.swap(1, 2);
        assert!(Filters::decode(&filters.encode()).is_none());
        filters.0.remove(0);
        assert!(Filters::decode(&filters.encode()).is_none(), "the first one begins before every key");
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_filters_that_answer(
            bytes in prop::collection::vec(any::<u8>(), 0..200), hash: u64,
        ) {
            for bytes in [bytes.clone(), [&[SPANS][..], &bytes].concat()] {
                if let Some(filters) = Filters::decode(&bytes) {
                    filters.may_contain(&bytes, hash);
                }
            }
        }
    }
}
