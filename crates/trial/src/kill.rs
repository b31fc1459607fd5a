//! Measures by a kill what an acknowledged entry survives: one process appends until it is killed at a random moment,
//! then another process reopens the file or store and looks for every entry that was acknowledged.
//!
//! Acknowledgements are counted in memory that outlives the process. A kill leaves the page cache as it is, so it can
//! refute the class `process` but not the class `power`, which stays declared unless a missing flush refutes it (audit
//! `volatile-cache`). The kill comes 5 to 50 ms after the first acknowledgement; the trial's seed determines the time.
//! That is too short to fill an engine's usual write buffer, so an engine with a durability class above `none` gets a
//! small one, if it has the setting: it then writes buffers out and starts new ones around the kill. The trial's own
//! worker starts and kills the process, because it has the engine and the work directory; the lab has neither.

mod acknowledgements;
mod killed;
mod killer;
mod recovering;
mod settings;

pub(crate) use killed::acknowledge;
pub(crate) use killer::lost;
pub(crate) use recovering::recover;
