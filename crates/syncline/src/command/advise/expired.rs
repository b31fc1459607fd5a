//! Whether the advice of a run holds for this machine and this disk.

use crate::failure::Failure;
use advice::{Advice, Surroundings};
use model::host::{HostFacts, Placement};
use model::run::Run;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The first lines: nothing if every advice still holds here. They name no machine and no directory if `redact` is set.
pub(super) fn notice(
    run: &Run,
    advice: &[Advice],
    directory: Option<&Path>,
    redact: bool,
) -> Result<String, Failure> {
    if let Some(absent) = directory.filter(|directory| !directory.is_dir()) {
        return Err(Failure::Usage(format!("--dir {}: no such directory", absent.display())));
    }
    if advice.iter().all(|advice| advice.advised().next().is_none()) {
        return Ok(String::new());
    }
    let directory = directory.unwrap_or(&run.plan.directory);
    // O_DIRECT would be tried with a file there, and this directory is the user's.
    let untried = Err("not tried".to_owned());
    let placement = directory.is_dir().then(|| disk::placement::placement_with(directory, &untried));
    let here = lab::host::facts();
    Ok(compared(run, advice, &here, placement.as_ref(), directory, redact))
}

/// The run's machine and disk against these.
fn compared(
    run: &Run,
    advice: &[Advice],
    here: &HostFacts,
    placement: Option<&Placement>,
    directory: &Path,
    redact: bool,
) -> String {
    let mut text = expired(advice, &Surroundings::new(here, placement));
    if here.name != run.host.name {
        let (there, here) = (&run.host.name, &here.name);
        let machines = if redact {
            "The run measured another machine.".to_owned()
        } else {
            format!("The run measured {there}, and this machine is {here}.")
        };
        text = format!("{machines}\n{text}");
    }
    if placement.is_none() {
        let directory =
            if redact { "The measured directory".to_owned() } else { directory.display().to_string() };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{directory} does not exist here, so its device and file system were not compared: use --dir."
        );
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Which settings' advice has expired, and by what; empty if none has.
fn expired(advice: &[Advice], now: &Surroundings) -> String {
    let mut by_change: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut settings = 0;
    for (setting, found) in advice.iter().flat_map(Advice::advised) {
        settings += 1;
        for change in found.expires.changes(now) {
            by_change.entry(change.text()).or_default().push(&setting.name);
        }
    }
    let mut text = String::new();
    for (change, names) in by_change {
        let which = if names.len() == settings { "every setting below".to_owned() } else { names.join(", ") };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "EXPIRED here: {change} ({which}). Measure again.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::compared;
    use advice::{
        Advice, Choose, DefaultValue, Expiry, Facts, RunName, Setting, Statement, Surroundings, TakesEffect,
        ValueKind, Weighed,
    };
    use model::host::{HostFacts, Placement};
    use model::mechanism::Measured;
    use model::plan::Plan;
    use model::run::Run;
    use settings::Syntax;
    use std::path::Path;

    const GIB: u64 = 1 << 30;

    fn host() -> HostFacts {
        HostFacts {
            name: "bench".to_owned(),
            distribution: String::new(),
            kernel: "6.18.0".to_owned(),
            kernel_command_line: String::new(),
            processor: String::new(),
            cpus: 2,
            memory_bytes: 64 * GIB,
            virtualisation: "none".to_owned(),
            governor: Measured::unsupported("made up"),
            clock_source: String::new(),
            dirty_settings: Vec::new(),
            memory_settings: Vec::new(),
            root: false,
            databases: None,
        }
    }

    fn placement(device_bytes: u64, filesystem: &str) -> Placement {
        Placement {
            filesystem: filesystem.to_owned(),
            mount_options: String::new(),
            in_memory: None,
            below: None,
            io_limits: None,
            device: Measured::Value("vda".to_owned()),
            model: Measured::unsupported("made up"),
            firmware: None,
            device_bytes: Measured::Value(device_bytes),
            write_cache: Measured::unsupported("made up"),
            fua: Measured::unsupported("made up"),
            scheduler: Measured::unsupported("made up"),
            rotational: Measured::unsupported("made up"),
            direct_offset_alignment_bytes: Measured::unsupported("made up"),
            direct_memory_alignment_bytes: Measured::unsupported("made up"),
            queue_settings: Vec::new(),
        }
    }

    fn run() -> Run {
        let plan = Plan { directory: "/srv/data".into(), seed: 1, ..Plan::default() };
        Run { plan, host: host(), records: Vec::new(), remarks: Vec::new() }
    }

    fn advice() -> Vec<Advice> {
        let expires = Expiry {
            kernel: "6.18.0".to_owned(),
            device: "vda of 1.00 TiB".to_owned(),
            filesystem: "ext4".to_owned(),
            memory_bytes: 64 * GIB,
            size_bytes: None,
        };
        let choose = Choose::Guaranteed("on");
        let weighed = Weighed { expires, ..Weighed::new(choose, Statement::Keeps("the log survives")) };
        let default = DefaultValue::Always("on");
        let facts = Facts::new("wal_recycle", ValueKind::Flag, default, TakesEffect::Reload, "");
        let setting = Setting::new(facts, "postgresql", Ok(weighed));
        vec![Advice {
            database: "PostgreSQL".to_owned(),
            id: "postgresql".to_owned(),
            fragment: "postgresql.conf".to_owned(),
            syntax: Syntax::PostgresqlConf,
            settings: vec![setting],
            computed: Vec::new(),
            trace: None,
            run: RunName::default(),
        }]
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut HostFacts, &mut Placement), expected: &str) {
        let (mut here, mut disk) = (host(), placement(1024 * GIB, "ext4"));
        change(&mut here, &mut disk);
        let said = compared(&run(), &advice(), &here, Some(&disk), Path::new("/srv/data"), false);
        assert_eq!(said, expected);
    }

    #[test]
    fn what_changed_expires_what_was_measured() {
        check(|_, _| (), "");
        check(
            |here, _| "6.19.1".clone_into(&mut here.kernel),
            "EXPIRED here: the kernel was 6.18.0 and is 6.19.1 (every setting below). Measure again.\n\n",
        );
        check(
            |_, disk| *disk = placement(2048 * GIB, "ext4"),
            "EXPIRED here: the device was vda of 1.00 TiB and is vda of 2.00 TiB (every setting below). Measure \
             again.\n\n",
        );
        check(
            |_, disk| *disk = placement(1024 * GIB, "xfs"),
            "EXPIRED here: the file system was ext4 and is xfs (every setting below). Measure again.\n\n",
        );
        check(
            |here, _| here.memory_bytes = 32 * GIB,
            "EXPIRED here: the memory was 64.0 GiB and is 32.0 GiB (every setting below). Measure again.\n\n",
        );
        // A kernel keeps some for itself, and another one some more.
        check(|here, _| here.memory_bytes = 63 * GIB, "");
        check(
            |here, _| "laptop".clone_into(&mut here.name),
            "The run measured bench, and this machine is laptop.\n\n",
        );
    }

    #[test]
    fn a_directory_that_is_not_here_is_said() {
        let said = compared(&run(), &advice(), &host(), None, Path::new("/srv/data"), false);
        assert!(said.starts_with("/srv/data does not exist here"), "{said}");
        let now = Surroundings::new(&host(), None);
        assert_eq!(super::expired(&advice(), &now), "", "what cannot be compared has not changed");
    }
}
