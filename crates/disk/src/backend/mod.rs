//! What performs [`BlockOp`]s.
//!
//! To add a backend: write its file beside these, implement [`BlockBackend`] for it, and add its line to the list at
//! the end of this file. Names, parsing, probing and building follow from that line.

mod inline;
mod mmap;
mod null;
mod psync;
pub mod simulated;
mod uring;

pub use inline::Prepare;
pub(crate) use mmap::Mapping;
pub use mmap::{Mapped, Mmap};
pub use null::Null;
pub use psync::{Psync, SystemCalls};
pub use uring::Uring;

use crate::arena::Arena;
use crate::file_table::FileTable;
use driver::{Backend, MonotonicClock};
use model::{BlockOp, Completion, IoMode, Nanos};
use std::io;
use std::sync::Arc;

/// `RWF_DONTCACHE` (Linux 6.14, `linux/fs.h`); neither libc nor rustix names it.
pub(crate) const RWF_DONTCACHE: i32 = 0x80;

/// What a backend is built from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The files that operations name.
    pub files: Arc<FileTable>,
    /// The memory that operations name.
    pub arena: Arc<Arena>,
    /// The driver's clock: deadlines are its times, and an inline backend stamps with it.
    pub clock: MonotonicClock,
    /// Most operations that are ever in flight (the workload's `in_flight_max`).
    pub in_flight_max: usize,
    /// Whether a ring gets the files and the arena registered (`io_uring_register(2)`): the kernel then looks up no file
    /// and pins no page for an operation. Without meaning elsewhere.
    pub registered: bool,
}

/// A backend that performs operations on files.
pub trait BlockBackend: Backend<Op = BlockOp> + Sized {
    /// Whether this kernel and this process can have the backend at all.
    ///
    /// # Errors
    /// The reason why not, for a person, with what to do about it.
    fn supported() -> io::Result<()>;

    /// Builds the backend on the thread that will drive it.
    ///
    /// # Errors
    /// What the kernel said while the backend was set up.
    fn build(setup: &Setup) -> io::Result<Self>;

    /// What the reader of a result must know about how this backend was set up; usually nothing.
    fn notes(&self) -> &[String] {
        &[]
    }
}

/// The operation reaches outside the arena or names a file that is not open: the workload and the setup disagree.
#[cold]
fn invalid(operation: &BlockOp) -> io::Error {
    let text = format!("{operation:?}: no such file in the table, or its buffer is not inside the arena");
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// A backend of system calls takes no file that was opened to be mapped: the record would say `mode = mmap` of reads
/// and writes that went another way.
fn require_system_call_modes(files: &FileTable, backend: &str) -> io::Result<()> {
    let Some(open) = files.iter().find(|open| open.mode == IoMode::Mmap) else { return Ok(()) };
    let text = format!(
        "{}: {backend} reads and writes by system calls, and the file was opened with mode = mmap: use the backend mmap",
        open.path.display()
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Writes [`BackendKind`] and [`AnyBackend`] from the list of backends.
macro_rules! block_backends {
    ($($(#[doc = $doc:literal])+ $name:literal => $backend:ident,)+) => {
        /// The backends, as a study names them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BackendKind {
            $($(#[doc = $doc])+ $backend,)+
        }

        impl BackendKind {
            /// Every backend, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$backend),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Reads a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$backend),)+
                    _ => None,
                }
            }

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$backend => $name,)+
                }
            }

            /// Whether this kernel and this process can have the backend.
            ///
            /// # Errors
            /// The reason why not.
            pub fn supported(self) -> io::Result<()> {
                match self {
                    $(Self::$backend => <$backend as BlockBackend>::supported(),)+
                }
            }

            /// Builds the backend on the thread that will drive it.
            ///
            /// # Errors
            /// What the kernel said while the backend was set up.
            pub fn build(self, setup: &Setup) -> io::Result<AnyBackend> {
                match self {
                    $(Self::$backend => <$backend as BlockBackend>::build(setup).map(AnyBackend::$backend),)+
                }
            }
        }

        /// Any one of the backends: one branch per call, that is per batch, and none per operation.
        #[derive(Debug)]
        #[expect(clippy::large_enum_variant, reason = "there is one per thread, and it stays where it is built")]
        pub enum AnyBackend {
            $($(#[doc = $doc])+ $backend($backend),)+
        }

        impl AnyBackend {
            /// What the reader of a result must know about how this backend was set up.
            pub fn notes(&self) -> &[String] {
                match self {
                    $(Self::$backend(backend) => backend.notes(),)+
                }
            }
        }

        impl Backend for AnyBackend {
            type Op = BlockOp;

            #[inline]
            fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
                match self {
                    $(Self::$backend(backend) => backend.submit(operations),)+
                }
            }

            #[inline]
            fn reap(
                &mut self,
                at_least: usize,
                deadline: Option<Nanos>,
                out: &mut Vec<Completion>,
            ) -> io::Result<()> {
                match self {
                    $(Self::$backend(backend) => backend.reap(at_least, deadline, out),)+
                }
            }

            fn system_calls(&self) -> u64 {
                match self {
                    $(Self::$backend(backend) => backend.system_calls(),)+
                }
            }
        }
    };
}

block_backends! {
    /// One blocking system call after another: pread, pwrite, fdatasync.
    "psync" => Psync,
    /// `io_uring`, with registered files and buffers.
    "uring" => Uring,
    /// Copies from and to mapped files: page faults in place of system calls.
    "mmap" => Mmap,
    /// Completes everything at once and does nothing: measures the instrument.
    "null" => Null,
}
