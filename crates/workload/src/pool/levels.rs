//! The named levels of the pool workload's parameters.

use model::levels;

levels! {
    /// Whose buffer pool is measured: the parameter `subject`.
    pub enum Subject {
        /// Syncline's own pool.
        Ours = "ours",
        /// A PostgreSQL server, by SQL.
        Postgres = "postgres",
    }
}

levels! {
    /// The order in which pages are read and written back: the parameter `access`.
    pub enum Access {
        /// In file order.
        Sequential = "sequential",
        /// Each page once, in a random order that differs in every pass.
        Random = "random",
    }
}

levels! {
    /// What PostgreSQL guarantees for the table: the parameter `table`.
    pub enum Table {
        /// A temporary table in the session's own buffers.
        Temporary = "temporary",
        /// A table in shared buffers, without write-ahead log.
        Unlogged = "unlogged",
        /// A table in shared buffers, with write-ahead log and full-page images.
        Permanent = "permanent",
    }
}

levels! {
    /// Which pages a pass needs beside the table's own: the parameter `maps`.
    pub enum Maps {
        None = "none",
        /// As many as PostgreSQL's free-space and visibility maps have.
        Postgres = "postgres",
    }
}
