//! What the kernel offers and no crate wraps, and what it says about mounts and devices.

pub mod apart;
pub mod barrier;
pub mod block_device;
pub mod cachestat;
pub mod child;
pub mod executable;
pub mod fiemap;
pub mod fork;
pub mod fuse;
pub(crate) mod loop_mount;
pub mod mincore;
pub mod mounts;
pub mod scheduling;
pub mod tracefs;
pub mod tracepoint_ring;
