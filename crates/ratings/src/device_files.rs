//! Files that tell a scheduler how fast a disk is, from a run: each figure follows a comment with its interval. A
//! figure that the run does not have is never made up: a comment names the study that measures it, and a file that
//! would set nothing is an error.

use super::capacity::{Ability, Capacity, NoCapacity, capacity};
use model::figure::{count, exact_percent, figure, interval};
use model::mechanism::Measured;
use model::metric;
use model::printable;
use model::run::Run;
use page::terminal::wrap;
use std::fmt::Write as _;
use verdict::Verdict;

/// Columns of a comment.
const WIDTH: usize = 96;
/// The study that has every figure.
const STUDY: &str = "device-model";

/// Names and values of lines.
type Values = Vec<(&'static str, String)>;
/// One line of a file: its name there, and what it is of.
type Line = (&'static str, Ability);

/// Seastar's `io_properties.yaml`, for the directory that was measured.
///
/// # Errors
/// One of the four figures, all of which Seastar requires, is missing: which, and why.
pub fn io_properties(run: &Run, verdict: &Verdict) -> Result<String, String> {
    const LINES: [Line; 4] = [
        ("read_iops", Ability::RandomReads),
        ("read_bandwidth", Ability::ReadBandwidth),
        ("write_iops", Ability::RandomWrites),
        ("write_bandwidth", Ability::WriteBandwidth),
    ];
    let mut file = File::new(run, "io_properties.yaml of Seastar and ScyllaDB");
    let values = file.values(run, verdict, &LINES)?;
    // A string of JSON is one of YAML.
    let mountpoint = serde_json::Value::from(run.plan.directory.display().to_string());
    file.line("disks:");
    file.line(&format!("  - mountpoint: {mountpoint}"));
    for (name, value) in values {
        file.line(&format!("    {name}: {value}"));
    }
    Ok(file.text)
}

/// Ceph's capacity of an OSD on the disk that was measured, as a section of `ceph.conf`.
///
/// # Errors
/// The figure, or the name of its setting, is missing: why.
pub fn ceph_mclock(run: &Run, verdict: &Verdict) -> Result<String, String> {
    let mut file =
        File::new(run, "ceph.conf: capacity of an OSD on this disk alone, for the mClock scheduler");
    let name = match placement(run).map(|placement| &placement.rotational) {
        Some(Measured::Value(true)) => "osd_mclock_max_capacity_iops_hdd",
        Some(Measured::Value(false)) => "osd_mclock_max_capacity_iops_ssd",
        Some(Measured::Unsupported { .. }) | None => {
            return Err("whether this is a spinning disk is not known".to_owned());
        }
    };
    let values = file.values(run, verdict, &[(name, Ability::RandomWrites)])?;
    file.comment("An OSD writes its own metadata too, so it reaches less than its disk.");
    file.line("[osd]");
    for (name, value) in values {
        file.line(&format!("{name} = {value}"));
    }
    Ok(file.text)
}

/// `io.cost.model` and `io.cost.qos` of Linux, as the commands that set them: both, or the one whose figures the run
/// has.
///
/// # Errors
/// The run has the figures of neither, or names no disk: why.
pub fn io_cost(run: &Run, verdict: &Verdict) -> Result<String, String> {
    const MODEL: [Line; 6] = [
        ("rbps", Ability::ReadBandwidth),
        ("rseqiops", Ability::SequentialReads),
        ("rrandiops", Ability::RandomReads),
        ("wbps", Ability::WriteBandwidth),
        ("wseqiops", Ability::SequentialWrites),
        ("wrandiops", Ability::RandomWrites),
    ];
    const QUALITY: [Line; 2] = [("rlat", Ability::RandomReadP99), ("wlat", Ability::RandomWriteP99)];
    let mut file = File::new(run, "io.cost of Linux, cgroup v2: run these commands as root");
    let Some(Measured::Value(device)) = placement(run).map(|placement| &placement.device) else {
        return Err("the block device is not known".to_owned());
    };
    // A record may come from anywhere, and the lines are for a shell of root's.
    let disk = whole_disk(device);
    if !disk.chars().all(|c| c.is_ascii_alphanumeric() || "!._-".contains(c)) {
        return Err("the block device's name is not one that Linux gives".to_owned());
    }
    let number = format!("$(cat /sys/class/block/{disk}/dev)");
    let model = file.values(run, verdict, &MODEL);
    match &model {
        Ok(values) => file.command(&format!("{number} ctrl=user model=linear"), values, "model"),
        Err(_) => {
            file.comment("The kernel keeps its own figures for what a model leaves out, so no model is set.");
        }
    }
    let quality = file.values(run, verdict, &QUALITY);
    file.comment(
        "The latencies are those of a disk that does all it can: above them the queue is longer than it needs. Lower \
         limits protect latency and cost throughput.",
    );
    match (quality, model) {
        (Ok(values), _) => {
            let mut limits = vec![("rpct", "99.00".to_owned())];
            limits.extend(values);
            limits.insert(2, ("wpct", "99.00".to_owned()));
            file.command(&format!("{number} enable=1 ctrl=user"), &limits, "qos");
        }
        (Err(_), Ok(_)) => file.comment("Without both no limit is set."),
        (Err(_), Err(why)) => return Err(why),
    }
    Ok(file.text)
}

struct File {
    text: String,
}

impl File {
    fn new(run: &Run, what: &str) -> Self {
        let mut file = Self { text: String::new() };
        file.comment(&format!(
            "{what}, from Syncline's run of {} on {}.",
            run.plan.created_at, run.host.name
        ));
        file
    }

    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn comment(&mut self, sentence: &str) {
        for line in wrap(&printable(sentence), WIDTH) {
            self.line(&format!("# {line}"));
        }
    }

    fn command(&mut self, beginning: &str, values: &[(&str, String)], file: &str) {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.line(&format!("echo \"{beginning} {}\" > /sys/fs/cgroup/io.cost.{file}", values.join(" ")));
    }

    /// The values of lines, each described in a comment; what the first one lacks, if one does.
    fn values(&mut self, run: &Run, verdict: &Verdict, lines: &[Line]) -> Result<Values, String> {
        let mut values = Ok(Vec::new());
        for (name, ability) in lines {
            let (told, point) = match capacity(run, verdict, *ability) {
                Ok(found) => (measured(*ability, &found), found.estimate.point),
                Err(none) => (reason(&none), None),
            };
            let described = format!("{name}: {told}");
            self.comment(&format!("{described}."));
            match (&mut values, point) {
                (Ok(values), Some(point)) => values.push((*name, format!("{point:.0}"))),
                (Ok(_), None) => values = Err(described),
                (Err(_), _) => {}
            }
        }
        values
    }
}

fn what(ability: Ability) -> &'static str {
    match ability {
        Ability::RandomReads => "random reads of 4 KiB",
        Ability::SequentialReads => "sequential reads of 4 KiB",
        Ability::ReadBandwidth => "sequential reads in large requests",
        Ability::RandomWrites => "random writes of 4 KiB",
        Ability::SequentialWrites => "sequential writes of 4 KiB",
        Ability::WriteBandwidth => "sequential writes in large requests",
        Ability::RandomReadP99 => "99th percentile of random reads of 4 KiB",
        Ability::RandomWriteP99 => "99th percentile of random writes of 4 KiB",
    }
}

/// `70 100/s (67 400–72 800, 95 %, 6 trials), random reads of 4 KiB; study device-model, arm=random-reads`.
fn measured(ability: Ability, found: &Capacity) -> String {
    let unit = metric::find(found.metric).map(|metric| metric.family.unit);
    let estimate = &found.estimate;
    let (Some(unit), Some(point), Some(bounds)) = (unit, estimate.point, estimate.interval) else {
        return what(ability).to_owned();
    };
    let level = estimate.level.map_or_else(String::new, |level| format!(", {}", exact_percent(level)));
    let fastest = match found.fastest_of {
        0 | 1 => String::new(),
        several => format!(", the fastest of {several} configurations"),
    };
    format!(
        "{} ({}{level}, {}), {}; study {}, {}{fastest}",
        figure(point, unit),
        interval(bounds, point, unit),
        count(found.trials, "trial"),
        what(ability),
        found.study,
        found.label
    )
}

fn reason(none: &NoCapacity) -> String {
    let measures = format!("`syncline run {STUDY}` measures it");
    match none {
        NoCapacity::NotMeasured => format!("not measured by this run; {measures}"),
        NoCapacity::InMemory => "the files were in memory, which is not storage".to_owned(),
        NoCapacity::Unseen(what) => format!("no device is seen below the files: {what}"),
        NoCapacity::NoInterval(why) => format!("no interval ({why}); {measures}"),
        NoCapacity::NotBelieved(audits) => {
            format!("not to be relied on: see the audits {}", audits.join(", "))
        }
    }
}

fn placement(run: &Run) -> Option<&model::host::Placement> {
    run.records.iter().find_map(|record| Some(&record.measurement.as_ref()?.placement))
}

/// The disk of a partition, by the names that Linux gives (`Documentation/admin-guide/devices.txt`): io.cost takes
/// whole disks.
fn whole_disk(device: &str) -> &str {
    let without_number = device.trim_end_matches(|c: char| c.is_ascii_digit());
    if without_number.len() == device.len() {
        return device;
    }
    match without_number.strip_suffix('p') {
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => disk,
        _ if ["sd", "hd", "vd", "xvd"].iter().any(|letters| device.starts_with(letters)) => without_number,
        Some(_) | None => device,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_on_its_disk() {
        for (device, disk) in [
            ("vda1", "vda"),
            ("vda", "vda"),
            ("nvme0n1p2", "nvme0n1"),
            ("nvme0n1", "nvme0n1"),
            ("mmcblk0p1", "mmcblk0"),
            ("dm-0", "dm-0"),
            ("md127", "md127"),
            ("loop7", "loop7"),
        ] {
            assert_eq!(whole_disk(device), disk);
        }
    }
}
