//! Sections of several kinds beside each other as one configuration: the parameter `teams`.

use super::job::Job;
use super::section::Translated;
use model::{Team, Teams};
use std::collections::BTreeSet;
use workload::device::{OF_KINDS, SCHEMA};

/// What all have in common, because a trial has it once.
const COMMON: [&str; 4] = ["buffer_pages", "cache", "runtime", "ramp_time"];
/// What only a configuration of one kind of jobs has, and its value if it has none of it.
const OF_ONE_KIND: [(&str, &str); 3] = [("end_fsync", "false"), ("sync_file_range", "none"), ("cpu", "none")];
/// The remark on jobs that do not begin at once.
pub(super) const WITH_DELAYS: &str =
    "figures are of the whole time, with that in which jobs wait for their startdelay";
/// The number of names in the name of the configuration.
const NAMES_MAX: usize = 3;

/// The configuration of sections that run beside each other, or why there is none: a clause.
pub(super) fn teams(sections: &[Translated]) -> Result<Job, String> {
    let Some((first, others)) = sections.split_first() else { return Err("there is no section".to_owned()) };
    for (parameter, none) in OF_ONE_KIND {
        if sections.iter().any(|section| section.job.value(parameter).is_some_and(|value| value != none)) {
            return Err(format!("{parameter} is for jobs of one kind"));
        }
    }
    let names = names(sections);
    let mut groups = vec![Team::new([("name".to_owned(), names[0].clone())])?];
    for (other, name) in others.iter().zip(&names[1..]) {
        groups.push(group(first, other, name)?);
    }
    let mut job = first.job.clone();
    job.name = joined(sections);
    let registered = sections.iter().find_map(|section| section.job.value("registered"));
    if let Some(registered) = registered.filter(|_| job.value("registered").is_none()) {
        job.set("registered", registered);
    }
    job.set("teams", &Teams::new(groups)?);
    job.remarks = sections.iter().flat_map(|section| section.job.remarks.iter().cloned()).collect();
    if job.value("number_ios") != Some("0") {
        job.remark(
            "sections beside each other end together, when the first of them has moved its bytes (in fio each goes on \
             by itself, unless exitall is set): every figure is of the time in which all ran",
        );
    }
    if sections.iter().any(|section| section.begins_s.iter().any(|begin| *begin > 0.0)) {
        job.remark(WITH_DELAYS);
    }
    let mut seen = BTreeSet::new();
    job.remarks.retain(|remark| seen.insert(remark.clone()));
    Ok(job)
}

/// The names of the first sections.
fn joined(sections: &[Translated]) -> String {
    let names: Vec<&str> = sections.iter().map(|section| section.job.name.as_str()).collect();
    let (first, more) = names.split_at(names.len().min(NAMES_MAX));
    let joined = first.join(" + ");
    if more.is_empty() { joined } else { format!("{joined} + {} more", more.len()) }
}

/// What distinguishes a section from the first.
fn group(first: &Translated, other: &Translated, name: &str) -> Result<Team, String> {
    if let Some(parameter) = COMMON.iter().find(|name| first.job.value(name) != other.job.value(name)) {
        return Err(format!("their {parameter} differs"));
    }
    let both = [first, other];
    if let [Some(own), Some(others)] = both.map(|section| section.job.value("registered"))
        && own != others
    {
        return Err("one registers its buffers and the other does not".to_owned());
    }
    let [is_timed, other_is_timed] = both.map(|section| section.job.value("number_ios") == Some("0"));
    if is_timed != other_is_timed {
        return Err("one has time_based and the other ends by its size".to_owned());
    }
    if first.flow_id != other.flow_id && both.iter().all(|section| section.job.value("flow").is_some()) {
        return Err("their flow_id differs".to_owned());
    }
    if let [Some(own), Some(others)] = both.map(|section| section.job.directory.as_ref())
        && own != others
    {
        return Err("their directories differ".to_owned());
    }
    let is_shared = first.filename.is_some() && first.filename == other.filename;
    if is_shared && first.job.value("size") != other.job.value("size") {
        return Err("their sizes of one file differ".to_owned());
    }
    let mut pairs = vec![("name".to_owned(), name.to_owned())];
    for parameter in OF_KINDS.iter().copied().filter(|name| *name != "size") {
        let default = SCHEMA.parameter(parameter)?.default;
        let (own, others) = (first.job.value(parameter), other.job.value(parameter));
        let others = others.unwrap_or(default);
        if own.unwrap_or(default) != others {
            pairs.push((parameter.to_owned(), others.to_owned()));
        }
    }
    if let Some(size) = other.job.value("size").filter(|_| !is_shared) {
        pairs.push(("size".to_owned(), size.to_owned()));
    }
    Team::new(pairs)
}

/// A name for each section: a job file may name several alike.
fn names(sections: &[Translated]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for section in sections {
        let mut own = name(&section.job);
        if names.contains(&own) {
            own = format!("{own}-{}", section.job.line);
        }
        names.push(own);
    }
    names
}

/// The section's name without what separates names from each other.
pub(super) fn name(job: &Job) -> String {
    let kept = |c: char| if c.is_ascii_graphic() && c != ';' && c != '=' { c } else { '-' };
    job.name.chars().take(100).map(kept).collect()
}
