//! What an acknowledged entry survives, found out by a kill: one process appends until it is killed at a random moment,
//! another reopens the file or store and looks for every entry that was acknowledged.
//!
//! Acknowledgements are counted in memory that outlives the process. A kill leaves the page cache as it is, so it can
//! refute the class `process`; that of `power` it cannot: it stays declared, or is refuted by a missing flush (audit
//! `volatile-cache`). The kill comes 5 to 50 ms after the first acknowledgement, drawn from the trial's seed. That is too
//! short to fill an engine's usual write buffer, so an engine that promises something and has the setting gets a small
//! one: it then writes buffers out and begins new ones while it is killed. The trial's own worker starts and kills the
//! process: it has the engine and the work directory at hand, and the lab knows neither.

mod acknowledgements;
mod killed;
mod killer;
mod recovering;
mod settings;

pub(crate) use killed::acknowledge;
pub(crate) use killer::lost;
pub(crate) use recovering::recover;
