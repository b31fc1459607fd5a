//! Whether an option is known, and acceptable with its value.

mod further;
mod known;

pub(crate) use known::Support;

use Support::{Accepted, Only, Refused, Remarked, Translated};
use further::FURTHER;
use known::{KNOWN, Known};

/// Looks an option up by any of its names.
pub(crate) fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.names.contains(&name))
}

/// Whether a setting is acceptable by its name and value; a remark if its acceptance needs one.
pub(crate) fn check(name: &str, value: Option<&str>) -> Result<Option<&'static str>, String> {
    let Some(known) = known(name) else {
        return Err(unknown(name));
    };
    let unsupported = |why: &str| Err(format!("option \"{name}\" is not supported; {why}"));
    if let Refused(why) = known.support {
        return unsupported(why);
    }
    if value.is_none() && !known.bare {
        return Err(format!("option \"{name}\" needs a value: {name}=…"));
    }
    match known.support {
        Translated | Accepted | Refused(_) => Ok(None),
        Remarked(remark) => Ok(Some(remark)),
        Only(only, _) if value == Some(only) => Ok(None),
        Only(_, why) => match value {
            None => unsupported(why),
            Some(value) => Err(format!("option \"{name}={value}\" is not supported; {why}")),
        },
    }
}

/// Whether an option that is accepted can change what a job does.
pub(crate) fn has_effect(name: &str) -> bool {
    known(name).is_some_and(|known| !matches!(known.support, Accepted | Remarked(_)))
}

fn unknown(name: &str) -> String {
    let supported = KNOWN
        .iter()
        .filter(|known| !matches!(known.support, Refused(_)))
        .flat_map(|known| known.names.iter().copied());
    let nearest = model::suggestion::nearest(name, supported).filter(|_| !FURTHER.contains(&name));
    match nearest {
        Some(nearest) => format!("option \"{name}\" is not supported; did you mean \"{nearest}\"?"),
        None => format!("option \"{name}\" is not supported; remove it, or run this job with fio"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_option_is_listed_twice() {
        let mut seen = BTreeSet::new();
        for name in KNOWN.iter().flat_map(|known| known.names).chain(FURTHER) {
            assert!(seen.insert(*name), "{name}");
        }
    }

    #[test]
    fn each_answer_names_the_option_and_a_way_out() {
        let answer = |text: &str| {
            let (name, value) =
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            check(name, value)
        };
        assert_eq!(answer("iodepth=4"), Ok(None));
        assert_eq!(answer("hipri=0"), Ok(None));
        assert_eq!(answer("zonemode=none"), Ok(None));
        assert_eq!(answer("clocksource=cpu"), Ok(None));
        assert_eq!(answer("exitall_on_error"), Ok(None));
        assert_eq!(answer("verify_interval=4096"), Ok(None));
        assert_eq!(answer("randseed=7"), Ok(Some(known::SEED)));
        for (text, message) in [
            ("iodeph=4", "option \"iodeph\" is not supported; did you mean \"iodepth\"?"),
            // An option of fio is not a misspelling of another.
            ("verify_only=1", "option \"verify_only\" is not supported; remove it, or run this job with fio"),
            (
                "thinktime_iotime=99",
                "option \"thinktime_iotime\" is not supported; remove it, or run this job with fio",
            ),
            ("direct", "option \"direct\" needs a value: direct=…"),
            (
                "hipri",
                "option \"hipri\" is not supported; Syncline waits for interrupts and does not poll the device; remove \
                 it",
            ),
            (
                "write_mode=zeroes",
                "option \"write_mode=zeroes\" is not supported; a file takes reads and writes and no other command of \
                 the device: remove it, or measure it with fio",
            ),
        ] {
            assert_eq!(answer(text), Err(message.to_owned()));
        }
    }
}
