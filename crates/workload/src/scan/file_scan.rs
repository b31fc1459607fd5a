//! One reader of local files: open, advise, read, close, one operation after another.

use super::accelerator::Taken;
use super::levels::{HintScope, Opening, PageCache};
use super::queue::Piece;
use super::{BLOCK_LATENCY, FAMILIES, FILE_LATENCY, FileQueue, Parameters, Reader, Tally};
use driver::{Next, Recorder, Workload};
use model::scan::ReadSize;
use model::{Completion, Hint, Nanos, ScanKind, ScanOp};
use std::sync::Arc;

/// The next step for the current file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Open,
    /// The hint about the whole file, either once or before every block.
    AdviseWhole,
    Read,
    /// The hint about the block that was just read.
    AdviseBehind,
    Close,
}

/// The current file, or piece of one.
#[derive(Clone, Copy, Debug)]
struct File {
    index: u32,
    /// Where what is read of it ends.
    end: u64,
    hint: Option<Hint>,
    /// Where the next block begins and the last one ended.
    offset: u64,
    /// Bytes of the last block.
    block: u32,
    /// When its first operation began; `None` before that.
    began: Option<Nanos>,
    /// When the first operation of the current block began.
    block_began: Option<Nanos>,
}

/// One reader in one pass.
#[derive(Clone, Debug)]
pub struct FileScan {
    page_cache: PageCache,
    hint_scope: HintScope,
    opening: Opening,
    block_size: ReadSize,
    sizes: Arc<[u64]>,
    queue: Arc<FileQueue>,
    /// The file, and its next or current step.
    at: Option<(File, Step)>,
    is_under_way: bool,
    /// Since when the next block has waited for the accelerator.
    waiting_since: Option<Nanos>,
    taken: Taken,
    /// When the last operation ended.
    ended: Nanos,
    tally: Tally,
    /// The part of it that ended inside windows.
    measured: Tally,
}

impl FileScan {
    /// The step after a completed step; `None` at the end of the file.
    fn after(&self, file: &File, step: Step) -> Option<Step> {
        let hinted = |scope: HintScope| file.hint.is_some() && self.hint_scope == scope;
        let is_at_end = file.offset >= file.end;
        let block = || if hinted(HintScope::EveryBlock) { Step::AdviseWhole } else { Step::Read };
        Some(match step {
            Step::Open if is_at_end => Step::Close,
            Step::Open if hinted(HintScope::Open) => Step::AdviseWhole,
            Step::Open => block(),
            Step::AdviseWhole => Step::Read,
            Step::Read if hinted(HintScope::Behind) => Step::AdviseBehind,
            Step::Read | Step::AdviseBehind if is_at_end => Step::Close,
            Step::Read | Step::AdviseBehind => match self.opening {
                Opening::PerFile => block(),
                Opening::PerBlock => Step::Close,
            },
            Step::Close if is_at_end => return None,
            Step::Close => Step::Open,
        })
    }

    /// Bytes of the block at the file's offset.
    fn block_bytes(&self, file: &File) -> u32 {
        self.block_size.of(file.end - file.offset) as u32
    }

    fn operation(&self, file: &File, step: Step) -> ScanOp {
        let of = |kind, offset, length| ScanOp { id: 0, kind, file: file.index, offset, length };
        match (step, file.hint) {
            (Step::Open, _) => of(ScanKind::Open, 0, 0),
            (Step::AdviseWhole, Some(hint)) => of(ScanKind::Advise(hint), 0, 0),
            (Step::AdviseBehind, Some(hint)) => {
                of(ScanKind::Advise(hint), file.offset - u64::from(file.block), file.block)
            }
            // Without a hint there is no step that gives one.
            (Step::Read | Step::AdviseWhole | Step::AdviseBehind, _) => {
                of(ScanKind::Read, file.offset, self.block_bytes(file))
            }
            (Step::Close, _) => of(ScanKind::Close, 0, 0),
        }
    }

    #[inline]
    fn count(&mut self, read: Tally, completion: &Completion, recorder: &Recorder) {
        self.tally = self.tally.plus(read);
        if recorder.counts(completion.ended()) {
            self.measured = self.measured.plus(read);
        }
    }

    /// Takes note of a turn that has ended: the time goes on from its end, and what completed later still belongs to
    /// its file.
    #[inline]
    fn go_on(&mut self, now: Nanos) {
        let drained = self.ended.since(now);
        if drained > Nanos::ZERO
            && let Some((file, _)) = &mut self.at
        {
            let earlier = |began: Nanos| Nanos(began.0.saturating_sub(drained.0));
            file.began = file.began.map(earlier);
            file.block_began = file.block_began.map(earlier);
        }
        self.ended = self.ended.min(now);
    }

    fn next_file(&self) -> Option<(File, Step)> {
        let Piece { file: index, begin, end } = self.queue.take()?;
        let hint = self.page_cache.hint(self.sizes[index as usize]);
        let file = File { index, end, hint, offset: begin, block: 0, began: None, block_began: None };
        Some((file, Step::Open))
    }

    /// Starts the next block; `Err` with the time at which to try again if that would be too far ahead of the
    /// accelerator. Waiting for it is in no latency.
    #[inline]
    fn start_block(&mut self, now: Nanos, bytes: u64) -> Result<(), Nanos> {
        if let Err(later) = self.queue.start(&mut self.taken, now, bytes) {
            self.waiting_since.get_or_insert(now);
            return Err(later);
        }
        if let Some(since) = self.waiting_since.take()
            && let Some((file, _)) = &mut self.at
        {
            let waited = now.since(since);
            file.began = file.began.map(|began| began + waited);
            file.block_began = file.block_began.map(|began| began + waited);
        }
        Ok(())
    }
}

impl Reader for FileScan {
    fn new(parameters: &Parameters, sizes: &Arc<[u64]>, queue: &Arc<FileQueue>) -> Self {
        Self {
            page_cache: parameters.page_cache,
            hint_scope: parameters.hint_scope,
            opening: parameters.open,
            block_size: parameters.block_size,
            sizes: Arc::clone(sizes),
            queue: Arc::clone(queue),
            at: None,
            is_under_way: false,
            waiting_since: None,
            taken: Taken::default(),
            ended: Nanos::ZERO,
            tally: Tally::default(),
            measured: Tally::default(),
        }
    }

    fn tally(&self) -> Tally {
        self.tally
    }

    fn measured(&self) -> Tally {
        self.measured
    }
}

impl Workload for FileScan {
    type Op = ScanOp;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<ScanOp>) -> Next {
        if self.is_under_way {
            return Next::Wait;
        }
        self.go_on(now);
        if self.at.is_none() {
            self.at = self.next_file();
        }
        let Some((file, step)) = self.at else { return Next::Done };
        if step == Step::Read
            && let Err(later) = self.start_block(now, u64::from(self.block_bytes(&file)))
        {
            return Next::At(later);
        }
        out.push(self.operation(&file, step));
        self.is_under_way = true;
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        self.is_under_way = false;
        self.ended = completion.ended();
        let Some((mut file, step)) = self.at else { return };
        let began = completion.began();
        file.began.get_or_insert(began);
        // If a file is opened once, the opening and its hint belong to all its blocks.
        let is_of_block = match step {
            Step::Open => self.opening == Opening::PerBlock,
            Step::AdviseWhole => {
                self.opening == Opening::PerBlock || self.hint_scope == HintScope::EveryBlock
            }
            Step::Read => true,
            Step::AdviseBehind | Step::Close => false,
        };
        if is_of_block {
            file.block_began.get_or_insert(began);
        }
        if step == Step::Read {
            file.block = self.block_bytes(&file);
            file.offset += u64::from(file.block);
            self.count(Tally { files: 0, blocks: 1, bytes: u64::from(file.block) }, completion, recorder);
            self.queue.end(u64::from(file.block), completion.ended());
            let block_began = file.block_began.take().unwrap_or(began);
            recorder.latency(BLOCK_LATENCY, block_began, completion.ended());
        }
        self.at = self.after(&file, step).map(|next| (file, next));
        if self.at.is_none() {
            self.count(Tally { files: 1, blocks: 0, bytes: 0 }, completion, recorder);
            recorder.latency(FILE_LATENCY, file.began.unwrap_or(began), completion.ended());
        }
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        FAMILIES
    }
}
