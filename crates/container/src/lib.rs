//! What a process in a container may use of the kernel, seen from outside.
//!
//! - **Looking changes nothing.** It reads `/proc/PID`, control groups and the runtime's own description of the
//!   container. It enters no namespace, and it does not stop the process: the kernel gives a seccomp filter to a tracer
//!   alone (`PTRACE_SECCOMP_GET_FILTER`), and a database that is traced is stopped.
//! - **What cannot be seen is not guessed.** Each fact is a value or the reason why there is none ([`Measured`]), and
//!   an access is allowed, denied or open ([`Access`]).
//!
//! [`Measured`]: model::mechanism::Measured

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod io_uring;
mod look;
mod profile;
mod resource_limit;
mod runtime;
mod status;

pub use access::{Access, IoUringSwitch};
pub use io_uring::io_uring;
pub use look::{Look, LookError};
pub use profile::{ConfigError, io_uring_by_config};
pub use resource_limit::ResourceLimit;
pub use runtime::container_id;
pub use status::{Seccomp, Status};
