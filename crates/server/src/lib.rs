//! Database servers behind one contract: found on the machine, initialised, started, asked, killed and started again.
//!
//! A [`Server`] is one file in `list/`; [`all`] has them. Its programs are [`Programs`], its files are in a [`Home`],
//! and [`Running`] is its process. A [`Client`] writes [`Row`]s and returns when the server has acknowledged them.
//! What an acknowledged row survives is what the server **promises**, by its settings ([`Promise`]).
//!
//! - **A server runs unprivileged and alone.** If Syncline is root, its user is the one that PostgreSQL's servers run
//!   as. It listens on a socket in the home's `run` directory, or on loopback if it has no sockets.
//! - **It dies with the thread that started it**, by its parent-death signal, and so do the processes that it started.
//! - **A row says whether it is whole**, and which version it is: its text follows from its numbers, so that a row that
//!   came back old or changed is seen.
//! - **A promise is what the maker says**, with the address of that statement. Syncline does not judge it here. The
//!   tables of servers whose settings are proven are in [`model::promise`].
//! - **Requests are about one kind of row**: [`Client::load`] makes rows of one size, [`Client::request`] reads and
//!   changes them by statements that are prepared once. A server that has no such request says so.

mod contract;
mod error;
mod home;
mod list;
mod process;
mod programs;
mod row;
mod setting;

pub use contract::{Client, Server};
pub use error::ServerError;
pub use home::{Home, require_place};
pub use list::{all, named, serve};
pub use model::Promise;
pub use process::Running;
pub use programs::{Programs, unpacked, version_number};
pub use row::{FILLER_BYTES, Row, TEXT_BYTES, Write};
pub use setting::is_same_value;
