//! Block backends, files, page cache, device counters: everything that touches the kernel.
//!
//! All unsafe code is in this crate, except one call in `engine`.
//!
//! - **`submit` queues and `reap` enters the kernel**: one `io_uring_enter` per batch. A backend that performs
//!   operations inline stamps each one. For the others, the driver's one clock read per reap is the completion time of
//!   the batch, as in fio.
//! - **Syncline opens only regular files that it created**, in a directory that it created and marked. It opens no
//!   block device; `mount` mounts loop images. The one device that it opens is `/dev/fuse`, which stores nothing.
//! - **Mounts live in a private mount namespace, on loop devices with `autoclear`.** When the last process dies, by
//!   whatever signal, they are gone.
//! - **A start removes a work directory only if nobody uses it.** The directory carries Syncline's marker and nobody
//!   holds its lock, or it is empty because its creator was killed before it wrote the marker. It must belong to the
//!   same user, and nothing else may be mounted in it. If a directory cannot be removed, Syncline reports it and the
//!   run continues.

pub mod arena;
pub mod backend;
pub mod buffer;
pub mod canary;
pub mod cgroup;
pub mod counters;
mod failure;
pub mod file_table;
pub mod files;
pub mod filesystem;
pub mod kernel;
pub mod medium;
pub mod memory;
pub mod page_cache;
pub mod placement;
pub mod quiesce;
pub mod region;
pub mod shared_counters;
pub mod tree;
pub mod trust;
pub mod work_directory;

pub use failure::Failure;
