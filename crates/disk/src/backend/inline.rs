//! Blocking backends: a [`Perform`] of block operations that can be built from a [`Setup`].

use super::{BlockBackend, Setup};
use driver::{Inline, Perform};
use model::BlockOp;
use std::io;

/// What makes a backend of a way to perform block operations.
pub trait Prepare: Perform<Op = BlockOp> + Sized {
    /// Whether this kernel and this process can perform operations this way.
    ///
    /// # Errors
    /// The reason why not.
    fn supported() -> io::Result<()>;

    /// Makes ready what operations need.
    ///
    /// # Errors
    /// What is wrong with the files, or the kernel's error.
    fn prepare(setup: &Setup) -> io::Result<Self>;
}

impl<P: Prepare> BlockBackend for Inline<P> {
    fn supported() -> io::Result<()> {
        P::supported()
    }

    fn build(setup: &Setup) -> io::Result<Self> {
        Self::new(P::prepare(setup)?, setup.clock, setup.in_flight_max)
    }
}
