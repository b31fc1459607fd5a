//! Reads of many keys in order: a merge of memtables and runs, over all partitions.
//!
//! A scan first reads a little of every run, all at once, and more of a run each time it gets to the end of what it has
//! of it. It reads separated values many at once.

use crate::ahead::Ahead;
use crate::cursor::{Cursor, Merge};
use crate::error::StoreError;
use crate::keys::Keys;
use crate::read::{Lookup, Reading};
use crate::run::{LevelCursor, Run, RunReads};
use crate::storage::{Read, Reads};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Pages of a scan's first read of a run, if nothing says how far it goes: one that begins anywhere in a page sees one
/// more.
const FIRST_PAGES: usize = 2;

impl Reading<'_> {
    /// Hands keys and values to `visit` in the order of the keys until it breaks. Returns how many.
    pub(crate) fn scan(
        &self,
        keys: &Keys,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        self.shared.files.check_process()?;
        let limit = keys.limit_if_any().unwrap_or(u64::MAX);
        if limit == 0 {
            return Ok(0);
        }
        let mut merge = Merge::new(self.sources(keys)?);
        let (mut left, mut visited) = (limit, 0);
        let mut visit = |key: &[u8], value: &[u8]| {
            visited += 1;
            visit(key, value)
        };
        let (mut ahead, mut elsewhere) = (self.ahead(keys), Vec::new());
        while let Some(entry) = merge.entry().filter(|entry| !keys.is_behind(entry.key)) {
            let found = Lookup::of(entry);
            if !matches!(found, Lookup::Absent) && !keys.is_before(entry.key) {
                left -= 1;
                let flow = if matches!(found, Lookup::Separated(_)) || !ahead.is_empty() {
                    ahead.pass(entry, found);
                    if ahead.is_full() { ahead.visit(self, &mut visit)? } else { ControlFlow::Continue(()) }
                } else {
                    self.value(found, &mut elsewhere)?;
                    visit(entry.key, if matches!(found, Lookup::Value) { entry.value } else { &elsewhere })
                };
                if flow.is_break() || left == 0 {
                    break;
                }
            }
            merge.advance()?;
        }
        let _ = ahead.visit(self, &mut visit)?;
        Ok(visited)
    }

    /// Room for entries whose separated values are read together: as many as a scan has reads in flight, or one at
    /// first if it may break anywhere.
    fn ahead(&self, keys: &Keys) -> Ahead {
        let options = &self.shared.options;
        let together_max = options.reads.depth;
        let together = keys.limit_if_any().map_or(1, |_| together_max);
        Ahead::new(together, together_max, (together_max * options.data.scan_read_bytes) as u64)
    }

    /// Everything that may have one of the keys, in each partition the newest first.
    fn sources<'a>(&'a self, keys: &'a Keys) -> Result<Vec<Box<dyn Cursor + 'a>>, StoreError> {
        let mut levels = self.levels(keys)?;
        self.read_first(&mut levels)?;
        let mut sources: Vec<Box<dyn Cursor + 'a>> = Vec::new();
        for memtable in &self.view.memtables {
            for partition in 0..self.view.version.partitions.len() {
                sources.push(memtable.cursor(partition, keys.first(), self.sequence));
            }
        }
        for mut level in levels {
            level.begin(keys.first())?;
            sources.push(Box::new(level));
        }
        Ok(sources)
    }

    /// The runs that may have one of the keys: each run of level 0 by itself, and the levels below. Nothing is read
    /// yet.
    fn levels<'a>(&'a self, keys: &'a Keys) -> Result<Vec<LevelCursor<'a>>, StoreError> {
        let may_have = |run: &&Arc<Run>| run.largest() >= keys.first() && !keys.is_behind(run.smallest());
        let first_bytes = self.first_bytes(keys);
        let (mut cursors, mut in_vain) = (Vec::new(), 0);
        for levels in &self.view.version.partitions {
            let (others, newest) = (cursors.len(), levels[0].chunks(1));
            for level in newest.chain(levels[1..].iter().map(Vec::as_slice)) {
                let runs: Vec<_> = level.iter().filter(may_have).cloned().collect();
                let reads = self.scan_reads(first_bytes(level));
                cursors.extend(LevelCursor::new(runs, keys, reads)?);
            }
            in_vain += (cursors.len() - others).saturating_sub(1);
        }
        if in_vain > 0 {
            self.shared.count_in_vain(in_vain as u64);
        }
        Ok(cursors)
    }

    /// How many bytes of a level a scan of these keys reads first: what it needs of that level if keys are spread
    /// evenly.
    fn first_bytes(&self, keys: &Keys) -> impl Fn(&[Arc<Run>]) -> usize {
        let page_bytes = self.shared.options.data.page_bytes;
        let entries: u64 = self.view.version.runs().map(|run| run.entries()).sum();
        let limit = keys.limit_if_any();
        move |level| match limit {
            Some(limit) => {
                let level_bytes: u64 = level.iter().map(|run| run.index().data_bytes()).sum();
                let needed = limit as f64 * level_bytes as f64 / entries as f64;
                // It begins anywhere in the first page.
                needed as usize + FIRST_PAGES * page_bytes - page_bytes / 2
            }
            None => FIRST_PAGES * page_bytes,
        }
    }

    fn scan_reads(&self, first_bytes: usize) -> RunReads<'_> {
        let (options, counters) = (&self.shared.options, &self.shared.counters);
        RunReads {
            first_bytes: first_bytes.min(options.data.scan_read_bytes),
            bytes_max: options.data.scan_read_bytes,
            depth: 0,
            io: None,
            verify_checksums: options.reads.verify_checksums,
            cache: self.shared.cache.as_ref(),
            reads: &counters.scan_reads,
            bytes_read: &counters.scan_read_bytes,
            cache_hits: &counters.cache_hits,
        }
    }

    /// Reads the first pages of all levels that are not in the cache, many at once.
    fn read_first(&self, levels: &mut [LevelCursor<'_>]) -> Result<(), StoreError> {
        // One after another, each level may as well read by itself.
        if self.shared.options.reads.depth == 1 || levels.len() == 1 {
            return Ok(());
        }
        let mut first = FirstReads { reading: self, levels, begun: 0, error: None };
        self.shared.files.read_many(&mut first)?;
        first.error.map_or(Ok(()), Err)
    }
}

/// The first reads of a scan.
struct FirstReads<'a, 'b> {
    reading: &'a Reading<'a>,
    levels: &'a mut [LevelCursor<'b>],
    /// Levels whose read was begun, or that need none.
    begun: usize,
    error: Option<StoreError>,
}

impl Reads for FirstReads<'_, '_> {
    fn next(&mut self) -> Option<Read> {
        while self.error.is_none() && self.begun < self.levels.len() {
            let at = self.begun;
            self.begun += 1;
            if let Some(read) = self.levels[at].first_read(at as u32) {
                return Some(read);
            }
        }
        None
    }

    fn complete(&mut self, token: u32, read: io::Result<&[u8]>) {
        if let Err(error) = self.levels[token as usize].take_first(read) {
            self.error.get_or_insert(error);
        }
    }

    fn files(&self) -> Vec<(u64, String)> {
        self.reading.view.version.files()
    }
}
