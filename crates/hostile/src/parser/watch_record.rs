//! The record beside the probes of `syncline watch`.

use super::refusal::says_something;
use watch::state::{IncidentKind, State};

/// A record is refused, or its runs have names and no paths, and all of it can be written and read again.
pub(super) fn record(bytes: &[u8]) {
    match State::parse(bytes) {
        Ok(state) => {
            assert!(state.probes.iter().all(|probe| !probe.run.contains(['/', '.', '\0'])), "{state:?}");
            for incident in &state.incidents {
                if let IncidentKind::Skipped { reason } = &incident.what {
                    says_something(reason);
                }
            }
            let again = serde_json::to_vec(&state).expect("it can be written");
            assert!(State::parse(&again).is_ok(), "{state:?}");
        }
        Err(error) => says_something(error),
    }
}
