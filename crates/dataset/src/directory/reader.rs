//! Reads of local files, one system call after another, in every I/O mode.

use crate::buffers::Pool;
use crate::{Buffers, OperationFailed, Readers, Reading};
use disk::buffer::{ALIGNMENT_BYTES, Buffer, MappedFile};
use driver::{Inline, MonotonicClock, Perform};
use model::mechanism::Measured;
use model::{BufferMemory, Hint, IoMode, Operation, ScanKind, ScanOp};
use rustix::fs::{Advice, FileType, Mode, OFlags, fadvise, fstat};
use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the readers of a directory share.
#[derive(Debug)]
pub struct FileReaders {
    paths: Arc<[PathBuf]>,
    reading: Reading,
    /// One for each reader, with pooled buffers.
    pool: Arc<Pool<Buffer>>,
}

impl FileReaders {
    pub(super) fn new(paths: Vec<PathBuf>, reading: Reading) -> io::Result<Self> {
        let pooled = if reading.buffers == Buffers::Pooled { reading.readers } else { 0 };
        let buffers = (0..pooled)
            .map(|_| Buffers::Pooled.make(buffer_bytes(reading), reading.buffer_pages, reading.mode));
        Ok(Self {
            paths: paths.into(),
            reading,
            pool: Arc::new(Pool::new(buffers.collect::<io::Result<_>>()?)),
        })
    }
}

fn buffer_bytes(reading: Reading) -> usize {
    reading.read_bytes_max.max(1) as usize
}

impl Readers for FileReaders {
    type Backend = FileReader;

    fn backend(&self, clock: MonotonicClock) -> io::Result<FileReader> {
        let kept = match self.reading.buffers {
            Buffers::Pooled => Some(
                self.pool.take().ok_or_else(|| io::Error::other("there are more readers than buffers"))?,
            ),
            Buffers::Malloc | Buffers::Fresh => None,
        };
        let reads = FileReads {
            paths: Arc::clone(&self.paths),
            reading: self.reading,
            pool: Arc::clone(&self.pool),
            kept,
            open: None,
            system_calls: 0,
        };
        Inline::new(reads, clock, 1)
    }

    fn retries(&self) -> u64 {
        0
    }

    fn retry_causes(&self) -> Vec<String> {
        Vec::new()
    }

    fn buffer_memory(&self) -> Option<Measured<BufferMemory>> {
        let Reading { buffers, buffer_pages, mode, .. } = self.reading;
        let found = match buffers {
            Buffers::Pooled => self.pool.each(Buffer::touched_memory),
            // Those of the reads are gone.
            Buffers::Malloc | Buffers::Fresh => {
                let made = buffers.make(buffer_bytes(self.reading), buffer_pages, mode);
                vec![made.map_or_else(|error| Err(error).into(), |mut buffer| buffer.touched_memory())]
            }
        };
        let unknown = found.iter().find(|memory| memory.value().is_none()).cloned();
        let sum = found.iter().filter_map(Measured::value).copied();
        Some(
            unknown.unwrap_or_else(|| Measured::Value(sum.fold(BufferMemory::default(), BufferMemory::plus))),
        )
    }
}

/// A backend of local files.
pub type FileReader = Inline<FileReads>;

/// One file open at a time, read by the thread itself.
#[derive(Debug)]
pub struct FileReads {
    paths: Arc<[PathBuf]>,
    reading: Reading,
    pool: Arc<Pool<Buffer>>,
    /// The pooled buffer of this reader.
    kept: Option<Buffer>,
    open: Option<OpenFile>,
    system_calls: u64,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    /// What is mapped, and how many bytes that are.
    mapped: Option<(MappedFile, u64)>,
}

impl Drop for FileReads {
    fn drop(&mut self) {
        if let Some(buffer) = self.kept.take() {
            self.pool.give(buffer);
        }
    }
}

impl Perform for FileReads {
    type Op = ScanOp;

    #[inline]
    fn perform(&mut self, operation: &ScanOp) -> io::Result<i32> {
        match operation.kind {
            ScanKind::Open => self.open(operation),
            ScanKind::Advise(hint) => self.advise(operation, hint),
            ScanKind::Read => self.read(operation),
            ScanKind::Close => {
                let closed = self.open.take().ok_or_else(|| not_open(operation))?;
                self.system_calls += 1 + u64::from(closed.mapped.is_some());
                Ok(0)
            }
        }
    }

    fn system_calls(&self) -> u64 {
        self.system_calls
    }
}

impl FileReads {
    fn open(&mut self, operation: &ScanOp) -> io::Result<i32> {
        let Some(path) = self.paths.get(operation.file as usize) else { return Err(not_open(operation)) };
        let mode = self.reading.mode;
        let file = open(path, mode).map_err(|error| refused(path, operation, &error, mode))?;
        self.system_calls += 2;
        let mut mapped = None;
        if mode == IoMode::Mmap {
            let failed = |error: io::Error| {
                OperationFailed::error(path.display().to_string(), operation, error.to_string())
            };
            let bytes = file.metadata().map_err(failed)?.len();
            self.system_calls += 2;
            if bytes > 0 {
                mapped = Some((MappedFile::new(&file, bytes).map_err(failed)?, bytes));
            }
        }
        self.open = Some(OpenFile { file, mapped });
        Ok(0)
    }

    fn advise(&mut self, operation: &ScanOp, hint: Hint) -> io::Result<i32> {
        let Some(open) = &self.open else { return Err(not_open(operation)) };
        let advice = match hint {
            Hint::Normal => Advice::Normal,
            Hint::Sequential => Advice::Sequential,
            Hint::Random => Advice::Random,
            Hint::DontNeed => Advice::DontNeed,
        };
        self.system_calls += 1;
        let length = NonZeroU64::new(u64::from(operation.length));
        match fadvise(&open.file, operation.offset, length, advice) {
            Ok(()) => Ok(0),
            Err(errno) => Err(self.failed(operation, &errno.into())),
        }
    }

    #[inline]
    fn read(&mut self, operation: &ScanOp) -> io::Result<i32> {
        // A buffer of one read is made and released within its time: that is what it costs.
        let mut fresh = None;
        let buffer = match &mut self.kept {
            Some(buffer) => buffer,
            None => fresh.insert(self.reading.buffers.make(
                operation.length as usize,
                self.reading.buffer_pages,
                self.reading.mode,
            )?),
        };
        let Some(open) = &self.open else { return Err(not_open(operation)) };
        let length = operation.length as usize;
        let moved = match self.reading.mode {
            IoMode::Mmap => match &open.mapped {
                Some((mapped, bytes)) if operation.offset + u64::from(operation.length) <= *bytes => {
                    buffer.copy(mapped, operation.offset, operation.length)
                }
                // The file has become shorter since it was listed.
                Some((_, bytes)) => Ok(bytes.saturating_sub(operation.offset) as usize),
                None => Ok(0),
            },
            IoMode::Direct => {
                // The last block of a file may end anywhere: the kernel stops there.
                let aligned = length.next_multiple_of(ALIGNMENT_BYTES);
                buffer.read(&open.file, operation.offset, aligned, false).map(|moved| moved.min(length))
            }
            IoMode::DontCache => buffer.read(&open.file, operation.offset, length, true),
            IoMode::Buffered => buffer.read(&open.file, operation.offset, length, false),
        };
        self.system_calls += u64::from(self.reading.mode != IoMode::Mmap);
        match moved {
            Ok(moved) if moved == length => Ok(operation.length as i32),
            Ok(moved) => Err(self.shrunk(operation, moved)),
            Err(error) => Err(self.failed(operation, &error)),
        }
    }

    #[cold]
    fn shrunk(&self, operation: &ScanOp, moved: usize) -> io::Error {
        let size =
            self.open.as_ref().and_then(|open| open.file.metadata().ok()).map_or(0, |facts| facts.len());
        let why = format!(
            "only {moved} bytes arrived: the file has {size} bytes now and was longer when it was listed; scan a \
             dataset that nobody writes to"
        );
        OperationFailed::error(self.place(operation), operation, why)
    }

    #[cold]
    fn failed(&self, operation: &ScanOp, error: &io::Error) -> io::Error {
        match self.paths.get(operation.file as usize) {
            Some(path) => refused(path, operation, error, self.reading.mode),
            None => not_open(operation),
        }
    }

    fn place(&self, operation: &ScanOp) -> String {
        self.paths.get(operation.file as usize).map_or_else(String::new, |path| path.display().to_string())
    }
}

/// Opens a regular file for reading and nothing else.
pub(super) fn open(path: &Path, mode: IoMode) -> io::Result<File> {
    let direct = if mode == IoMode::Direct { OFlags::DIRECT } else { OFlags::empty() };
    // Not through a symbolic link, and a pipe that took a file's place is not waited for; a regular file ignores
    // NONBLOCK.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | direct;
    let file = rustix::fs::open(path, flags, Mode::empty()).map(File::from)?;
    if FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::RegularFile {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

#[cold]
fn not_open(operation: &ScanOp) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{operation}: no file with this index is open"))
}

/// The kernel's error of a path, and what it means.
#[cold]
pub(super) fn refused(path: &Path, operation: &impl Operation, error: &io::Error, mode: IoMode) -> io::Error {
    let place = path.display().to_string();
    match (error.kind(), mode) {
        (io::ErrorKind::InvalidInput, IoMode::Direct) if error.raw_os_error().is_some() => {
            OperationFailed::unsupported(
                place,
                operation,
                "this file system has no direct I/O in this size (EINVAL)",
            )
        }
        (io::ErrorKind::Unsupported, IoMode::DontCache) => OperationFailed::unsupported(
            place,
            operation,
            "RWF_DONTCACHE is not supported by this kernel or file system",
        ),
        (io::ErrorKind::NotFound, _) => OperationFailed::error(
            place,
            operation,
            "the file has disappeared since the directory was listed; scan a dataset that nobody changes",
        ),
        (io::ErrorKind::PermissionDenied, _) => {
            OperationFailed::error(place, operation, format!("{error}: this user may not read the file"))
        }
        _ => OperationFailed::error(place, operation, error.to_string()),
    }
}
