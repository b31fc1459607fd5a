//! The nouns of Syncline: operations, parameters, studies, plans, trials, records, metrics, units.
//!
//! Everything that crosses a process or a file lives here, with its serde form. There is no I/O and no clock in
//! this crate, so a run directory can be read by any later version on any machine.

#[macro_use]
pub mod level;

pub mod buffer;
pub mod canary;
pub mod configuration;
pub mod durability;
pub mod file_name;
pub mod host;
pub mod kv;
pub mod layout;
pub mod levels;
mod measured;
pub mod mechanism;
pub mod medium;
pub mod metric;
pub mod nanos;
pub mod operation;
pub mod page;
pub mod parameter;
pub mod path_text;
pub mod plan;
pub mod printable;
pub mod program;
pub mod run;
pub mod scan;
pub mod server;
pub mod sidecar;
pub mod study;
pub mod suggestion;
pub mod trial;
pub mod trial_parameters;
pub mod units;
pub mod value;

pub use buffer::{BufferMemory, BufferPages};
pub use configuration::Configuration;
pub use durability::DurabilityClass;
pub use kv::{Key, KvKind, KvOp, ValueRange};
pub use layout::Layout;
pub use level::Level;
pub use levels::{LevelError, Levels};
pub use nanos::Nanos;
pub use operation::{BlockKind, BlockOp, Completion, IoMode, Operation, Stamps};
pub use page::{PageKind, PageOp};
pub use printable::{printable, printable_json, printable_lines};
pub use scan::{Hint, ScanKind, ScanOp};
pub use trial_parameters::{FileSystem, MemoryCap, TrialParameters};
pub use value::Value;

/// Version of everything serialised: plans, records, sidecars. A reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 1;
