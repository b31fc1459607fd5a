//! Whether operations on a file follow each other.

use crate::class::Class;

/// An operation's place in its file, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// It begins where the last one of its class ended.
    Sequential,
    Elsewhere,
    /// There was none before.
    First,
}

/// Where the last reads and writes of a file were, by any process: several processes write one log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Last {
    read_end: Option<u64>,
    write: Option<(u64, u64)>,
}

impl Last {
    /// A write may begin with the last, unfinished block of the one before it, as writes of logs do.
    pub(crate) fn pass(&mut self, class: Class, from: u64, bytes: u64) -> Order {
        let end = from.saturating_add(bytes);
        let order = |is_next: bool| if is_next { Order::Sequential } else { Order::Elsewhere };
        match class {
            Class::Read => self.read_end.replace(end).map_or(Order::First, |last| order(from == last)),
            Class::Write => {
                let last = self.write.replace((from, end));
                last.map_or(Order::First, |(begin, last)| {
                    order((begin..=last).contains(&from) && end >= last)
                })
            }
            Class::Sync => Order::First,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_begins_where_the_last_one_ended_is_sequential() {
        let mut last = Last::default();
        let mut read = |offset| last.pass(Class::Read, offset, 100);
        assert_eq!([read(0), read(100), read(500), read(600), read(600)], {
            [Order::First, Order::Sequential, Order::Elsewhere, Order::Sequential, Order::Elsewhere]
        });
        assert_eq!(last.pass(Class::Write, 700, 1), Order::First, "writes are apart");
    }

    /// PostgreSQL writes the last page of its log again and again until it is full.
    #[test]
    fn a_write_may_begin_with_the_last_block_of_the_one_before() {
        let mut last = Last::default();
        let mut write = |offset, bytes| last.pass(Class::Write, offset, bytes);
        let orders = [write(0, 8192), write(0, 8192), write(0, 16384), write(8192, 16384), write(8192, 100)];
        let next = Order::Sequential;
        assert_eq!(orders, [Order::First, next, next, next, Order::Elsewhere]);
    }
}
