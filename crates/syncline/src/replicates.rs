//! Whether trials from now on would be replicates of those that a run has: what identifies the machine and the program.

use crate::failure::Failure;
use crate::output::tell;
use model::host::HostFacts;
use model::suggestion;
use model::units::format_bytes_approximate;

/// `MemTotal` leaves out what the kernel reserved at boot, which differs a little from one boot to the next.
const MEMORY_CHANGE_MAX: f64 = 0.01;

/// What identifies the instrument, as the plan has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instrument<'a> {
    pub(crate) host: &'a HostFacts,
    pub(crate) program: &'a str,
}

/// One thing that is not as it was.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    name: &'static str,
    before: String,
    now: String,
}

/// What `--allow-different` may name.
const NAMES: [&str; 6] = ["host", "kernel", "processor", "cpus", "memory", "program"];

/// Refuses a difference that makes trials not replicates, unless the user allows it by name; an allowed difference is
/// still reported.
pub(crate) fn require_same(
    before: Instrument<'_>,
    now: Instrument<'_>,
    allowed: &[String],
) -> Result<(), Failure> {
    if let Some(unknown) = allowed.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Failure::Usage(suggestion::unknown("name of --allow-different", unknown, NAMES)));
    }
    let (allowed, refused): (Vec<Difference>, Vec<Difference>) = differences(before, now)
        .into_iter()
        .partition(|difference| allowed.iter().any(|name| name == difference.name));
    for Difference { name, before, now } in &allowed {
        tell(format!(
            "{name}: {before} at the start of the run, {now} now: the report treats their trials as replicates \
             because of --allow-different {name}"
        ));
    }
    if refused.is_empty() {
        return Ok(());
    }
    let what: Vec<String> = refused
        .iter()
        .map(|Difference { name, before, now }| format!("{name}: {before}, now {now}"))
        .collect();
    let names: Vec<&str> = refused.iter().map(|difference| difference.name).collect();
    Err(Failure::Runtime(format!(
        "this run began on another machine or with another program ({}), and such trials are not replicates: start a \
         new run, or add --allow-different {} if you know that it does not matter",
        what.join("; "),
        names.join(",")
    )))
}

fn differences(before: Instrument<'_>, now: Instrument<'_>) -> Vec<Difference> {
    let (a, b) = (before.host, now.host);
    let memory = |host: &HostFacts| format_bytes_approximate(host.memory_bytes as f64);
    let memory_changed = {
        let (a, b) = (a.memory_bytes as f64, b.memory_bytes as f64);
        (a - b).abs() > MEMORY_CHANGE_MAX * a.max(b)
    };
    let facts = [
        ("host", a.name.clone(), b.name.clone(), a.name != b.name),
        ("kernel", a.kernel.clone(), b.kernel.clone(), a.kernel != b.kernel),
        ("processor", a.processor.clone(), b.processor.clone(), a.processor != b.processor),
        ("cpus", a.cpus.to_string(), b.cpus.to_string(), a.cpus != b.cpus),
        ("memory", memory(a), memory(b), memory_changed),
        (
            "program",
            format!("syncline {}", before.program),
            format!("syncline {}", now.program),
            before.program != now.program,
        ),
    ];
    let changed = facts.into_iter().filter(|(.., is_changed)| *is_changed);
    changed.map(|(name, before, now, _)| Difference { name, before, now }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(change: impl FnOnce(&mut HostFacts)) -> HostFacts {
        let mut host = lab::host::facts();
        host.memory_bytes = 16 << 30;
        change(&mut host);
        host
    }

    fn names(before: &HostFacts, now: &HostFacts, program: &str) -> Vec<&'static str> {
        let instrument = |host, program| Instrument { host, program };
        let found = differences(instrument(before, "0.1.0"), instrument(now, program));
        found.into_iter().map(|difference| difference.name).collect()
    }

    /// `--resume` said nothing when CPUs, memory or the program's version differed.
    #[test]
    fn another_machine_or_program_is_found() {
        let before = host(|_| ());
        assert_eq!(names(&before, &before, "0.1.0"), Vec::<&str>::new());
        assert_eq!(names(&before, &before, "0.2.0"), ["program"]);
        assert_eq!(names(&before, &host(|host| host.cpus += 1), "0.1.0"), ["cpus"]);
        assert_eq!(names(&before, &host(|host| host.memory_bytes /= 2), "0.1.0"), ["memory"]);
        assert_eq!(names(&before, &host(|host| host.memory_bytes -= 4096), "0.1.0"), Vec::<&str>::new());
        let other = host(|host| {
            host.name.push('x');
            host.kernel.push('x');
            host.processor.push('x');
        });
        assert_eq!(names(&before, &other, "0.1.0"), ["host", "kernel", "processor"]);
    }

    #[test]
    fn what_differs_is_refused_until_it_is_allowed_by_name() {
        let (before, now) = (host(|_| ()), host(|host| host.cpus += 1));
        let same = |allowed: &[&str]| {
            let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
            let instrument = |host, program| Instrument { host, program };
            require_same(instrument(&before, "0.1.0"), instrument(&now, "0.2.0"), &allowed)
        };
        assert!(matches!(same(&[]), Err(Failure::Runtime(_))));
        assert!(matches!(same(&["cpus"]), Err(Failure::Runtime(_))));
        assert!(same(&["program", "cpus"]).is_ok());
        assert!(matches!(same(&["programme"]), Err(Failure::Usage(_))));
    }
}
