//! PostgreSQL as a subject: its programs, Syncline's own cluster or the user's server, and the facts that stock SQL
//! reports about pages.
//!
//! The programs come from the user (`--pg-bin`), or from an archive that is downloaded once and cached
//! ([`Installation`]). Syncline's own [`Cluster`] is in the work directory; its [`Server`] dies with the thread that
//! started it. A [`Session`] is a connection to it or to the user's server (`--dsn`), in which [`Table`] runs the
//! phases of the pool workload. All figures come from `EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON)` ([`explain`]).
//!
//! - **A server dies with its worker.** Its parent-death signal is SIGQUIT, on which PostgreSQL stops its children too.
//!   It is set between fork and exec, after the change of user, which would clear it. `setpriv --pdeathsig` does the
//!   same but is not installed everywhere. The server's socket and buffers are in its data directory. If Syncline is
//!   root, the 56 bytes of System V memory with which a postmaster marks its directory are in a namespace of their own;
//!   without root, a killed server leaves them behind.
//! - **If Syncline is root, the server runs as `nobody`**, who owns no cluster that a mistake of Syncline could reach.
//!   `nobody` cannot read root's cache, so the programs are copied from there into the work directory.
//! - **The programs are one pinned release**, downloaded once and checked by SHA-256. The crate postgresql_embedded
//!   could do that, but brings reqwest, sqlx and its own process model.
//! - **A user's server is changed only by a proof that may** ([`UserServer`]): an [`UndoJournal`] is on the disk before
//!   the first change, and undoes it after a kill too.
//! - **No password is recorded or printed**, and none has to be in a command line.

mod account;
mod activity;
mod archive;
mod client;
mod cluster;
mod digest;
mod error;
pub mod explain;
mod identity;
mod installation;
mod killed;
mod loaded;
mod password;
mod programs;
mod release;
mod scratch_tables;
mod server;
mod server_refusal;
mod session;
mod setting;
mod table;
mod undo_journal;
mod user_server;
mod version;
mod wal_volume;

pub use account::server_account;
pub use activity::Activity;
pub use client::{Client, Login, RowWriter, UsersLogin, planned};
pub use cluster::{Cluster, Settings};
pub use error::{Place, PostgresqlError};
pub use identity::has_password;
pub use installation::Installation;
pub use loaded::{Contents, Loaded};
pub use release::RELEASE;
pub use scratch_tables::ScratchTables;
pub use server::Server;
pub use server_refusal::ServerRefusal;
pub use session::{Session, Target};
pub use setting::InForce;
pub use table::{Order, Pass, RelationKind, Shape, Table};
pub use undo_journal::{ChangedServer, NotAJournal, Undo, UndoJournal};
pub use user_server::{Permits, Survey, UserServer, Wish, set_in_session};
pub use version::Version;
pub use wal_volume::WrittenWal;
