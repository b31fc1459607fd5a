//! The levels of the transactions workload's own parameters.

use model::levels;

levels! {
    /// The server that the clients are connected to.
    pub enum Subject {
        /// PostgreSQL, a server of Syncline's own.
        Postgres = "postgres",
    }
}

levels! {
    /// The segments of the write-ahead log.
    pub enum WalSegments {
        /// They are there before the clients begin, as after a checkpoint that recycles them.
        Prefilled = "prefilled",
        /// They are made while the clients wait, and are small, so that it happens often.
        Fresh = "fresh",
    }
}

levels! {
    /// What becomes of checkpoints.
    pub enum Checkpoints {
        /// None happens while a trial is measured, and no page is written whole for the first time since one.
        None = "none",
        /// They come when the log has grown by as much as the server's settings say, and a trial has whole cycles of
        /// them.
        Cycle = "cycle",
    }
}
