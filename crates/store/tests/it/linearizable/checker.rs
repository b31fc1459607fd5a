//! Whether a history of concurrent operations could have happened one after another, each between its call and its
//! return (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", TOPLAS 1990).
//!
//! The search is that of Wing and Gong ("Testing and verifying concurrent objects", JPDC 1993) with Lowe's memory of
//! what was tried ("Testing for linearizability", 2017), as porcupine has it.

use std::collections::HashSet;

/// Keys of one object. Operations on one of them, on some or on all are of one moment.
pub(crate) const KEYS: usize = 3;

/// What the keys hold; `None` for a key that is not there.
pub(crate) type State = [Option<u32>; KEYS];

/// What an operation has to do with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// It leaves the key alone.
    Another,
    /// It wrote or found this, or that the key is not there.
    This(Option<u32>),
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Changes these keys together.
    Write([Of; KEYS]),
    /// Found this in these keys.
    Read([Of; KEYS]),
}

impl Action {
    /// The state behind it; `None` if it could not have found what it did.
    fn apply(self, state: State) -> Option<State> {
        match self {
            Self::Write(changes) => Some(std::array::from_fn(|key| match changes[key] {
                Of::This(new) => new,
                Of::Another => state[key],
            })),
            Self::Read(found) => {
                let agrees = |key: usize| [Of::Another, Of::This(state[key])].contains(&found[key]);
                (0..KEYS).all(agrees).then_some(state)
            }
        }
    }
}

/// An operation with the moments of its call and of its return, which no other operation has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) called: u64,
    pub(crate) returned: u64,
    pub(crate) action: Action,
}

/// Calls and returns in the order of time, as a doubly linked list. Place 0 is before the first.
struct Events {
    next: Vec<usize>,
    previous: Vec<usize>,
    /// By place: the operation, and whether it is the call.
    of: Vec<(usize, bool)>,
    /// By operation: the places of its call and of its return.
    places: Vec<(usize, usize)>,
}

impl Events {
    fn new(history: &[Operation]) -> Self {
        let both = |(number, operation): (usize, &Operation)| {
            [(operation.called, number, true), (operation.returned, number, false)]
        };
        let mut all: Vec<_> = history.iter().enumerate().flat_map(both).collect();
        all.sort_unstable();
        let mut places = vec![(0, 0); history.len()];
        for (place, (_, number, is_call)) in (1..).zip(&all) {
            if *is_call {
                places[*number].0 = place;
            } else {
                places[*number].1 = place;
            }
        }
        let before_all = std::iter::once((usize::MAX, false));
        Self {
            next: (1..=all.len() + 1).collect(),
            previous: (0..=all.len() + 1).map(|place| place.saturating_sub(1)).collect(),
            of: before_all.chain(all.iter().map(|(_, number, is_call)| (*number, *is_call))).collect(),
            places,
        }
    }

    fn is_empty(&self) -> bool {
        self.next[0] == self.of.len()
    }

    fn take(&mut self, operation: usize) {
        let (call, end) = self.places[operation];
        for place in [call, end] {
            let (previous, next) = (self.previous[place], self.next[place]);
            self.next[previous] = next;
            self.previous[next] = previous;
        }
    }

    /// The reverse of the last [`take`](Self::take) that was not undone.
    fn put_back(&mut self, operation: usize) {
        let (call, end) = self.places[operation];
        for place in [end, call] {
            let (previous, next) = (self.previous[place], self.next[place]);
            self.next[previous] = place;
            self.previous[next] = place;
        }
    }
}

/// Checks a history of one object whose keys were not there. An error names the operation that had to have happened by
/// its return and could not, in the longest order that was found.
pub(crate) fn check(history: &[Operation]) -> Result<(), Operation> {
    let mut events = Events::new(history);
    let mut done = vec![0_u64; history.len().div_ceil(64)];
    let mut state = State::default();
    let mut order: Vec<(usize, State)> = Vec::new();
    let mut tried = HashSet::new();
    let mut stuck = (0, None);
    let mut place = events.next[0];
    while !events.is_empty() {
        let (number, is_call) = events.of[place];
        if !is_call {
            if order.len() >= stuck.0 {
                stuck = (order.len(), Some(history[number]));
            }
            // An operation returned that is not in the order: the last one of the order has to be another.
            let Some((last, before)) = order.pop() else {
                return Err(stuck.1.unwrap_or(history[number]));
            };
            events.put_back(last);
            done[last / 64] &= !(1 << (last % 64));
            state = before;
            place = events.next[events.places[last].0];
            continue;
        }
        if let Some(after) = history[number].action.apply(state) {
            done[number / 64] |= 1 << (number % 64);
            if tried.insert((done.clone(), after)) {
                order.push((number, state));
                state = after;
                events.take(number);
                place = events.next[0];
                continue;
            }
            done[number / 64] &= !(1 << (number % 64));
        }
        place = events.next[place];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write(called: u64, returned: u64, value: u32) -> Operation {
        Operation {
            called,
            returned,
            action: Action::Write([Of::This(Some(value)), Of::Another, Of::Another]),
        }
    }

    fn read(called: u64, returned: u64, found: Option<u32>) -> Operation {
        Operation { called, returned, action: Action::Read([Of::This(found), Of::Another, Of::Another]) }
    }

    #[test]
    fn a_read_beside_a_write_finds_it_or_not() {
        assert!(check(&[write(1, 4, 7), read(2, 3, None)]).is_ok());
        assert!(check(&[write(1, 4, 7), read(2, 3, Some(7))]).is_ok());
        assert!(check(&[write(1, 2, 7), read(3, 4, Some(7))]).is_ok());
    }

    #[test]
    fn a_stale_read_is_found() {
        assert_eq!(check(&[write(1, 2, 7), read(3, 4, None)]).unwrap_err().called, 3);
        // Seen by one, and then not by another.
        assert!(check(&[write(1, 6, 7), read(2, 3, Some(7)), read(4, 5, None)]).is_err());
        assert!(check(&[write(1, 6, 7), read(2, 3, None), read(4, 5, Some(7))]).is_ok());
    }

    #[test]
    fn a_lost_write_and_a_strange_value_are_found() {
        assert!(check(&[write(1, 2, 7), write(3, 4, 8), read(5, 6, Some(7))]).is_err());
        assert!(check(&[write(1, 2, 7), read(3, 4, Some(9))]).is_err());
    }

    #[test]
    fn half_a_batch_is_found() {
        let both = Action::Write([Of::This(Some(1)), Of::This(Some(1)), Of::Another]);
        let half = Action::Read([Of::This(Some(1)), Of::This(None), Of::Another]);
        let operation = |called, returned, action| Operation { called, returned, action };
        assert!(check(&[operation(1, 4, both), operation(2, 3, half)]).is_err());
        let one_by_one = [read(2, 3, Some(1)), operation(1, 4, both)];
        assert!(check(&one_by_one).is_ok());
    }

    /// Every order of a few operations, tried one after another.
    fn has_an_order(history: &[Operation], state: State, left: &mut Vec<usize>) -> bool {
        if left.is_empty() {
            return true;
        }
        let returned = left.iter().map(|number| history[*number].returned).min().unwrap();
        (0..left.len()).any(|place| {
            let number = left[place];
            let operation = history[number];
            let Some(after) = (operation.called < returned).then(|| operation.action.apply(state)).flatten()
            else {
                return false;
            };
            left.remove(place);
            let found = has_an_order(history, after, left);
            left.insert(place, number);
            found
        })
    }

    fn histories() -> impl Strategy<Value = Vec<Operation>> {
        let value = prop_oneof![Just(Of::Another), prop::option::of(0_u32..3).prop_map(Of::This)];
        let operation = (any::<bool>(), [value.clone(), value.clone(), value], 0_u64..20, 1_u64..8);
        prop::collection::vec(operation, 1..7).prop_map(|drawn| {
            let times = drawn.iter().enumerate().map(|(number, (is_write, keys, called, lasts))| Operation {
                // No two moments are the same.
                called: called * 100 + number as u64,
                returned: (called + lasts) * 100 + 50 + number as u64,
                action: if *is_write { Action::Write(*keys) } else { Action::Read(*keys) },
            });
            times.collect()
        })
    }

    proptest! {
        #[test]
        fn it_agrees_with_trying_every_order(history in histories()) {
            let mut all = (0..history.len()).collect();
            prop_assert_eq!(check(&history).is_ok(), has_an_order(&history, State::default(), &mut all));
        }
    }
}
