//! How large the tables of a proof are.
//!
//! A load that is to read files, or to write pages for want of room, asks nothing of a server whose buffer pool holds
//! its tables. So the size of the tables follows from the largest pool among the arms, and is the same in all of them.
//! What the machine has no memory or no room for then, and the budget no time, is left out ([`Design::fitting`]).

use crate::change::Change;
use crate::conditions::Conditions;
use crate::design::Design;
use crate::server::Server;

impl Design {
    pub(crate) fn conditions(&self) -> Conditions {
        let largest =
            |pool_bytes: fn(&Server) -> u64| self.own_servers().iter().map(pool_bytes).max().unwrap_or(0);
        Conditions { runtime_s: self.runtime_s, pool_bytes: self.database.pool_bytes.map_or(0, largest) }
    }

    /// The first change that asks for a larger pool than the baseline has, and for no smaller one than any other.
    pub(crate) fn with_largest_pool(&self) -> Option<&Change> {
        let pool_bytes = self.database.pool_bytes.filter(|_| self.users_server.is_none())?;
        let largest = self.conditions().pool_bytes;
        let asks = |change: &&Change| pool_bytes(&self.current.with(change)) == largest;
        self.changes().iter().find(asks).filter(|_| pool_bytes(&self.current) < largest)
    }

    /// Servers of Syncline's own with every value that some arm has. The user's server keeps the pool that it has, and
    /// its disk is not to be filled: tables there pass beyond the pool that a server has by default.
    fn own_servers(&self) -> Vec<Server> {
        if self.users_server.is_some() {
            return vec![Server::default()];
        }
        let changed = self.changes().iter().map(|change| self.current.with(change));
        let named = self.servers().iter().map(|named| named.server.clone());
        std::iter::once(self.current.clone()).chain(changed).chain(named).collect()
    }
}
