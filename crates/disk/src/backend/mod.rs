//! What performs [`BlockOp`]s.
//!
//! To add a backend: write its file beside these, implement [`BlockBackend`] for it, and add its line to the list at
//! the end of this file. Names, parsing, probing and building follow from that line.

mod contract;
mod inline;
mod mmap;
mod null;
mod psync;
pub mod simulated;
mod uring;

pub(crate) use contract::RWF_DONTCACHE;
pub use contract::{BlockBackend, Setup};
pub use inline::Prepare;
pub(crate) use mmap::Mapping;
pub use mmap::{Mapped, Mmap};
pub use null::Null;
pub use psync::{Psync, SystemCalls};
pub use uring::Uring;

use driver::Backend;
use model::{BlockOp, Completion, Nanos};
use std::io;

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

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$backend),)+
                    _ => None,
                }
            }

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
            /// The kernel's error while the backend was set up.
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
