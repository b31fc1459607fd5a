//! PostgreSQL as a subject: its programs, a cluster of our own or the user's server, and what stock SQL tells of pages.
//!
//! Programs come from the user (`--pg-bin`), or from an archive that is downloaded once and cached ([`Installation`]). A
//! [`Cluster`] of our own lives in the work directory; its [`Server`] dies with the thread that started it. A [`Session`] is
//! a connection to it or to the user's server (`--dsn`), in which [`Table`] runs the
//! phases of the pool workload. Figures come from `EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON)` alone ([`explain`]).

mod account;
mod archive;
mod cluster;
mod error;
pub mod explain;
mod identity;
mod installation;
mod password;
mod release;
mod server;
mod session;
mod table;
mod tree;
mod version;

pub use cluster::{Cluster, Settings};
pub use error::PostgresqlError;
pub use identity::has_password;
pub use installation::Installation;
pub use release::RELEASE;
pub use server::Server;
pub use session::{Session, Target};
pub use table::{Kind, Order, Pass, Shape, Table};
pub use version::Version;
