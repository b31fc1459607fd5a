//! Files that are worked on as objects: one operation after another by the client's own thread, buffered or direct.

use super::reader::{open, refused};
use crate::clients::{Tolerance, WRONG_BYTES};
use crate::{Clients, Faults, OperationFailed, Working};
use disk::buffer::ALIGNMENT_BYTES;
use driver::wait::{make_timers_exact, wait_idle};
use driver::{Backend, Clock, MonotonicClock};
use model::object::{FAILED, Requests};
use model::{Completion, IoMode, Nanos, ObjectKind, ObjectOp, Stamps};
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::fs::{self, File, ReadDir};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NO_GET: &str = "there is no get with this id";
/// What follows the name of a file that is not complete.
const PARTIAL: &str = "partial";

/// What the clients of a directory share.
#[derive(Debug)]
pub struct FileClients(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    working: Working,
    tolerance: Tolerance,
}

impl FileClients {
    /// Makes the folders of all objects.
    pub(super) fn new(root: &Path, working: Working) -> io::Result<Self> {
        let tree = working.tree;
        // Above the dataset's numbers are those that are written.
        for object in (0..tree.folders()).chain(tree.objects..tree.objects + tree.folders()) {
            fs::create_dir_all(root.join(tree.folder(object)))?;
        }
        let tolerance = Tolerance::of(working.failures_max);
        Ok(Self(Arc::new(Shared { root: root.to_owned(), working, tolerance })))
    }
}

impl Clients for FileClients {
    type Backend = FileClient;

    fn backend(&self, _: usize, clock: MonotonicClock) -> io::Result<FileClient> {
        make_timers_exact()?;
        Ok(FileClient {
            memory: Aligned::new(self.0.working.object_bytes_max as usize),
            shared: Arc::clone(&self.0),
            clock,
            waiting: None,
            open: None,
            system_calls: 0,
        })
    }

    fn requests(&self) -> Option<Requests> {
        None
    }

    fn requests_by_endpoint(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    fn faults(&self) -> Faults {
        Faults { failures: self.0.tolerance.failures(), ..Faults::default() }
    }
}

/// Memory that begins where direct I/O may, with room for the largest object in whole pages.
#[derive(Debug)]
struct Aligned {
    memory: Vec<u8>,
    start: usize,
}

impl Aligned {
    fn new(bytes: usize) -> Self {
        let capacity = bytes.max(1).next_multiple_of(ALIGNMENT_BYTES);
        // Written once, so that no operation faults.
        let memory = vec![1; capacity + ALIGNMENT_BYTES];
        let start = memory.as_ptr().align_offset(ALIGNMENT_BYTES);
        Self { memory, start }
    }

    fn first(&mut self, bytes: usize) -> &mut [u8] {
        &mut self.memory[self.start..self.start + bytes]
    }
}

/// What an operation leaves for the next one with its id.
#[derive(Debug)]
enum Open {
    File(File),
    Folder(ReadDir),
}

/// A backend of files.
#[derive(Debug)]
pub struct FileClient {
    shared: Arc<Shared>,
    clock: MonotonicClock,
    memory: Aligned,
    /// The operation that the next reap performs.
    waiting: Option<ObjectOp>,
    open: Option<Open>,
    system_calls: u64,
}

impl Backend for FileClient {
    type Op = ObjectOp;

    fn submit(&mut self, operations: &[ObjectOp]) -> io::Result<usize> {
        if self.waiting.is_some() {
            return Ok(0);
        }
        self.waiting = operations.first().copied();
        Ok(operations.len().min(1))
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let Some(operation) = self.waiting.take() else { return wait_idle(self.clock, at_least, deadline) };
        let contents = self.shared.working.contents;
        let length = operation.length as usize;
        // What is written is made, and what was read is checked, outside of the operation's time.
        if matches!(operation.kind, ObjectKind::Put | ObjectKind::PutInParts) {
            contents.fill(operation.content, operation.offset, self.memory.first(length));
        }
        let began = self.clock.now();
        let performed = self.perform(&operation);
        let stamps = Some(Stamps { began, ended: self.clock.now() });
        let reads = matches!(operation.kind, ObjectKind::Get | ObjectKind::GetRest);
        let result = match performed {
            Ok(moved) => {
                let is_wrong = reads && self.shared.working.verifies && {
                    let read = self.memory.first(moved.max(0) as usize);
                    !contents.are(operation.content, operation.offset, read)
                };
                if is_wrong {
                    return Err(OperationFailed::error(self.place(&operation), &operation, WRONG_BYTES));
                }
                moved
            }
            Err(error) => self.failed(&operation, &error)?,
        };
        out.push(Completion { id: operation.id, result, stamps });
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        self.system_calls
    }
}

impl FileClient {
    fn path(&self, operation: &ObjectOp) -> PathBuf {
        self.shared.root.join(self.shared.working.tree.name(operation.object))
    }

    fn folder(&self, operation: &ObjectOp) -> PathBuf {
        self.shared.root.join(self.shared.working.tree.folder(operation.object))
    }

    fn place(&self, operation: &ObjectOp) -> String {
        self.path(operation).display().to_string()
    }

    /// A failure that is tolerated is a result.
    #[cold]
    fn failed(&mut self, operation: &ObjectOp, error: &io::Error) -> io::Result<i32> {
        self.open = None;
        let refused = refused(&self.path(operation), operation, error, self.shared.working.mode);
        let is_unsupported = OperationFailed::of(&refused).is_some_and(|failed| failed.is_unsupported);
        if !is_unsupported && self.shared.tolerance.takes(&error.to_string()) {
            return Ok(FAILED);
        }
        Err(refused)
    }

    fn perform(&mut self, operation: &ObjectOp) -> io::Result<i32> {
        let length = operation.length as usize;
        match operation.kind {
            ObjectKind::Get => {
                let file = open(&self.path(operation), self.shared.working.mode)?;
                self.system_calls += 2;
                let first = length.min(self.shared.working.read_bytes as usize);
                self.read(&file, operation.offset, first)?;
                if first < length {
                    self.open = Some(Open::File(file));
                } else {
                    self.system_calls += 1;
                }
                Ok(first as i32)
            }
            ObjectKind::GetRest => {
                let Some(Open::File(file)) = self.open.take() else { return Err(io::Error::other(NO_GET)) };
                self.read(&file, operation.offset, length)?;
                self.system_calls += 1;
                Ok(length as i32)
            }
            ObjectKind::Put | ObjectKind::PutInParts => self.put(operation),
            ObjectKind::Stat => {
                self.system_calls += 1;
                Ok(fs::symlink_metadata(self.path(operation))?.len() as i32)
            }
            ObjectKind::List => {
                self.system_calls += 1;
                let folder = fs::read_dir(self.folder(operation))?;
                self.list(folder, length)
            }
            ObjectKind::ListRest => {
                // The last page had no other behind it.
                let Some(Open::Folder(folder)) = self.open.take() else { return Ok(0) };
                self.list(folder, length)
            }
            ObjectKind::Delete => {
                self.system_calls += 1;
                fs::remove_file(self.path(operation))?;
                if self.shared.working.syncs_deletes {
                    self.sync_folder(operation)?;
                }
                Ok(0)
            }
        }
    }

    /// Reads exactly this much into the beginning of the memory.
    fn read(&mut self, file: &File, offset: u64, length: usize) -> io::Result<()> {
        let (mode, read_bytes) = (self.shared.working.mode, self.shared.working.read_bytes as usize);
        let mut done = 0;
        while done < length {
            let mut block = read_bytes.min(length - done);
            if mode == IoMode::Direct {
                // The last block of a file may end anywhere: the kernel stops there.
                block = block.next_multiple_of(ALIGNMENT_BYTES);
            }
            let memory = &mut self.memory.first(done + block)[done..];
            let moved = file.read_at(memory, offset + done as u64)?.min(length - done);
            self.system_calls += 1;
            // A direct read goes on where a block begins.
            let is_short = moved < block && done + moved < length;
            if moved == 0 || (is_short && mode == IoMode::Direct && moved % ALIGNMENT_BYTES != 0) {
                let text = format!("only {} of {length} bytes arrived", done + moved);
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
            }
            done += moved;
        }
        Ok(())
    }

    fn put(&mut self, operation: &ObjectOp) -> io::Result<i32> {
        let Working { mode, syncs, renames, part_bytes, .. } = self.shared.working;
        let is_direct = mode == IoMode::Direct;
        let length = operation.length as usize;
        let direct = if is_direct { OFlags::DIRECT } else { OFlags::empty() };
        // Not through a symbolic link.
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC | direct;
        let path = self.path(operation);
        let written = if renames { path.with_extension(PARTIAL) } else { path.clone() };
        let file = File::from(rustix::fs::open(&written, flags, Mode::from_raw_mode(0o644))?);
        let whole = if is_direct { length.next_multiple_of(ALIGNMENT_BYTES) } else { length };
        let piece = if operation.kind == ObjectKind::PutInParts { part_bytes as usize } else { whole };
        for begin in (0..whole).step_by(piece.max(1)) {
            let end = whole.min(begin + piece);
            file.write_all_at(&self.memory.first(end)[begin..], begin as u64)?;
            self.system_calls += 1;
        }
        self.system_calls += 2;
        if whole > length {
            file.set_len(length as u64)?;
            self.system_calls += 1;
        }
        if syncs {
            file.sync_all()?;
            self.system_calls += 1;
        }
        if renames {
            // Only now: after a crash the name stands for the whole file, or for what it stood for before.
            fs::rename(&written, &path)?;
            self.system_calls += 1;
        }
        if syncs {
            self.sync_folder(operation)?;
        }
        Ok(length as i32)
    }

    /// Makes the entries of the object's folder survive a power loss.
    fn sync_folder(&mut self, operation: &ObjectOp) -> io::Result<()> {
        self.system_calls += 3;
        File::open(self.folder(operation))?.sync_all()
    }

    /// Takes names until a page is full.
    fn list(&mut self, mut folder: ReadDir, names_max: usize) -> io::Result<i32> {
        let mut names = 0;
        for entry in folder.by_ref().take(names_max) {
            entry?;
            names += 1;
        }
        if names == names_max {
            self.open = Some(Open::Folder(folder));
        }
        Ok(names as i32)
    }
}
