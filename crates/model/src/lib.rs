//! The nouns of Syncline: operations, parameters, studies, plans, trials, records, metrics, units.
//!
//! This crate holds every type that crosses a process boundary or is written to a file, with its serde form. It has no
//! I/O and no clock, so any later version can read a run directory on any machine.
//!
//! - **The schema of a record is written by hand** (`docs/schema/`), and a test validates real records against it.
//!   Every property has a description, and is required if Syncline requires it. A derived schema would add a dependency
//!   to every type of this crate and would describe the types instead of their meaning.
//! - **A sidecar's histogram is read as its non-zero counters** (`sidecar/counts.rs`), not into HDR's array. Reading
//!   histograms takes most of the time of a verdict over ten thousand trials, and a length in a hostile file must not
//!   decide how much memory is allocated.
//! - **A path is bytes.** In JSON it is text if it is valid UTF-8, and hexadecimal otherwise (`path_text.rs`).

#[macro_use]
pub mod level;
#[macro_use]
mod declaration;

pub mod absent;
pub mod buffer;
pub mod cache;
pub mod canary;
pub mod configuration;
pub mod definitions;
pub mod description;
pub mod durability;
pub mod endpoints;
pub mod every_trial;
pub mod figure;
pub mod file_name;
pub mod file_system;
pub mod handle;
pub mod host;
pub mod io_cap;
pub mod kv;
pub mod layout;
pub mod levels;
pub mod load_part;
mod measured;
pub mod measured_streams;
pub mod mechanism;
pub mod medium;
pub mod metric;
pub mod nanos;
pub mod object;
pub mod observed;
pub mod operation;
pub mod page;
pub mod parameter;
pub mod path_text;
pub mod plan;
pub mod printable;
pub mod program;
pub mod promise;
pub mod rank;
pub mod redaction;
pub mod request;
pub mod run;
pub mod scan;
pub mod schema;
pub mod server;
pub mod settings;
pub mod shared;
pub mod shares;
pub mod sidecar;
pub mod sizes;
pub mod spikes;
pub mod study;
pub mod suggestion;
pub mod table_scan;
pub mod teams;
pub mod traced;
pub mod transaction;
pub mod trial;
pub mod turns;
pub mod units;
pub mod value;
pub mod without_effect;
pub mod zones;

pub use absent::Absent;
pub use buffer::{BufferMemory, BufferPages};
pub use cache::Cache;
pub use configuration::Configuration;
pub use definitions::Definitions;
pub use description::Description;
pub use durability::DurabilityClass;
pub use endpoints::Endpoints;
pub use every_trial::{EVERY_TRIAL, MemoryCap, TrialParameters};
pub use file_system::{FileSystem, FileSystemKind, FileSystemOption, FreshFileSystem};
pub use handle::Handle;
pub use io_cap::{CapReach, IoCap};
pub use kv::{Key, KvKind, KvOp, ValueRange};
pub use layout::Layout;
pub use level::Level;
pub use levels::{LevelError, Levels};
pub use load_part::LoadPart;
pub use measured_streams::{MeasuredFlushes, MeasuredStream};
pub use nanos::Nanos;
pub use object::{ObjectKind, ObjectOp, ObjectTree};
pub use observed::Observed;
pub use operation::{BlockKind, BlockOp, Completion, IoMode, Operation, RangeSync, Stamps};
pub use page::{PageKind, PageOp};
pub use printable::{excerpt, printable, printable_json, printable_lines};
pub use promise::{Promise, PromiseTable};
pub use request::{Request, RequestAction, RequestKind};
pub use scan::{Hint, ScanKind, ScanOp};
pub use schema::Schema;
pub use settings::Settings;
pub use shares::Shares;
pub use sizes::{SizeShare, Sizes};
pub use table_scan::{Access, TableScan};
pub use teams::{Team, Teams};
pub use transaction::{Action, Script, Transaction};
pub use value::Value;
pub use without_effect::WithoutEffect;
pub use zones::{Zone, Zones};

/// Version of everything serialised: plans, records, sidecars. A reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 1;
