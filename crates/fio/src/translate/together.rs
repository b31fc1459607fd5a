//! Sections that fio runs beside each other, because no `stonewall` separates them.
//!
//! A run of Syncline measures one configuration at a time, so such sections have to be one configuration:
//!
//! | sections | here |
//! |---|---|
//! | with equal options | jobs of one section: `numjobs` times as many |
//! | with equal options but `filename` | the same, with one file for all |
//! | with equal options but `startdelay`, each as much later | the same: one job begins after the other |
//! | one that reads and one that writes, with `time_based` | readers beside writers (parameter `beside`) |
//! | others | jobs of several kinds (parameter `teams`), which end together |
//!
//! Sections that differ in what a trial has once, such as the state of the cache, are refused: one after another they
//! would not meet on the disk.

use super::beside::beside;
use super::extent::Existing;
use super::job::Job;
use super::read::{self, Options, Settings};
use super::refusal::Refusal;
use super::section::{self, Translated};
use super::teams::{WITH_DELAYS, teams};
use crate::job::{JobFile, Section};
use crate::options::has_effect;
use model::Nanos;
use model::units::format_duration;
use std::collections::BTreeMap;
use std::path::Path;
use workload::device::SCHEMA;

/// Options that do not change what a section measures beside others, or that are added up.
const OWN: [&str; 9] =
    ["name", "stonewall", "wait_for", "new_group", "filename", "offset", "numjobs", "thread", "startdelay"];

/// Groups of sections that run beside each other, each with sections of equal options taken together.
/// What waits for something else than the group before it is refused.
pub(super) fn groups(file: &JobFile) -> (Vec<Vec<Options<'_>>>, Vec<Refusal>) {
    let mut groups: Vec<Vec<Options<'_>>> = Vec::new();
    let mut refusals = Vec::new();
    let mut inherited = BTreeMap::new();
    let mut merged = 0;
    for section in &file.sections {
        for setting in file.globals.iter().take(section.globals).skip(merged) {
            read::insert(&mut inherited, setting);
        }
        merged = merged.max(section.globals);
        let mut settings = inherited.clone();
        for setting in &section.settings {
            read::insert(&mut settings, setting);
        }
        let mut options = Options {
            section,
            settings,
            copies: 1,
            jobs_of_others: 0,
            files_differ: false,
            begins_s: Vec::new(),
        };
        // A delay that is none is refused where the section is translated.
        let begins = options.time("startdelay").ok().flatten().unwrap_or(Nanos::ZERO);
        options.begins_s.push(begins.seconds());
        let mut none_before = Vec::new();
        let is_first = groups.is_empty();
        let group = groups.last_mut().unwrap_or(&mut none_before);
        match (options.waits() || is_first, options.text("wait_for")) {
            (true, Some(name)) if !options.waits() => refusals.push(waits_for(&options, name)),
            (true, _) => groups.push(vec![options]),
            (false, None) => add(group, options),
            (false, Some(name)) if is_all_of(group, name) => groups.push(vec![options]),
            (false, Some(name)) if group.first().and_then(|first| first.text("wait_for")) == Some(name) => {
                add(group, options);
            }
            (false, Some(name)) => refusals.push(waits_for(&options, name)),
        }
    }
    (groups, refusals)
}

fn waits_for(options: &Options<'_>, name: &str) -> Refusal {
    let name = model::printable(name);
    let what = format!("wait_for={name}: a job waits here for all jobs before it; take stonewall instead");
    Refusal { line: options.line("wait_for"), what }
}

/// Whether the group is the section of this name alone: what waits for it waits for the group.
fn is_all_of(group: &[Options<'_>], name: &str) -> bool {
    matches!(group, [only] if only.copies == 1 && only.text("name").unwrap_or(&only.section.name) == name)
}

/// Adds a section to a group, as another copy of one that is equal.
fn add<'a>(group: &mut Vec<Options<'a>>, options: Options<'a>) {
    let is_one_job = |options: &Options<'_>| options.text("numjobs").is_none_or(|jobs| jobs == "1");
    let jobs_own_file = is_one_job(&options);
    // A part of a file behind an offset of its own is a file of its own.
    let file = |settings: &Settings<'a>| {
        ["filename", "offset"].map(|name| settings.get(name).map(|setting| setting.value.clone()))
    };
    for known in group.iter_mut().filter(|known| is_equal(&known.settings, &options.settings)) {
        if !begins_next(known, &options, jobs_own_file && is_one_job(known)) {
            continue;
        }
        let differ = file(&known.settings) != file(&options.settings);
        // A third section that shares the first one's file after a second that does not is not one of them.
        if differ && jobs_own_file && is_one_job(known) && (known.copies == 1 || known.files_differ)
            || !differ && !known.files_differ
        {
            known.copies += 1;
            // A count that is not one is refused where the section itself is translated.
            let jobs = options.count("numjobs").ok().flatten().unwrap_or(1);
            known.jobs_of_others = known.jobs_of_others.saturating_add(jobs);
            known.files_differ = differ;
            known.begins_s.extend_from_slice(&options.begins_s);
            return;
        }
    }
    group.push(options);
}

/// Whether a section begins as much later than the last copy as each of these; `is_one_job` if all have one job.
fn begins_next(known: &Options<'_>, options: &Options<'_>, is_one_job: bool) -> bool {
    let [begin] = options.begins_s[..] else { return false };
    let is = |expected: f64| (begin - expected).abs() < 1e-9;
    match known.begins_s[..] {
        [] => false,
        [only] => is(only) || is_one_job && begin > only,
        [first, second, .., last] => is(last + (second - first)),
        [first, second] => is(second + (second - first)),
    }
}

fn is_equal(one: &Settings<'_>, other: &Settings<'_>) -> bool {
    fn told<'a>(settings: &'a Settings<'_>) -> impl Iterator<Item = (&'static str, Option<&'a str>)> {
        let settings = settings.iter().filter(|(name, _)| !OWN.contains(name) && has_effect(name));
        settings.map(|(name, setting)| (*name, setting.value.as_deref()))
    }
    told(one).eq(told(other))
}

/// One configuration of a group, or all that is wrong with it.
pub(super) fn translate(
    group: &[Options<'_>],
    exists: &dyn Fn(&Path) -> Existing,
) -> Result<Job, Vec<Refusal>> {
    let mut translated = Vec::new();
    let mut refusals = Vec::new();
    for options in group {
        match section::translate(options, exists) {
            Ok(section) => translated.push(section),
            Err(found) => refusals.extend(found),
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let sections: Vec<&Section> = group.iter().map(|options| options.section).collect();
    let job = one(translated).map_err(|why| beside_each_other(&sections, &why))?;
    match measurable(&job) {
        Ok(()) => Ok(job),
        Err(why) => Err(vec![Refusal { line: job.line, what: format!("[{}] {why}", job.name) }]),
    }
}

/// The configuration of translated sections, or why they are not one: a clause.
fn one(mut translated: Vec<Translated>) -> Result<Job, String> {
    if translated.len() == 1 {
        return translated.pop().map(alone).ok_or_else(|| "there is no section".to_owned());
    }
    translated.iter_mut().for_each(begin);
    if let [first, second] = &translated[..]
        && let Some(job) = pair(first, second)
    {
        return Ok(job);
    }
    teams(&translated)
}

/// Readers beside writers, if the two sections are that and nothing else.
fn pair(first: &Translated, second: &Translated) -> Option<Job> {
    let waits = |section: &Translated| {
        ["flow", "start_delay", "start_delay_step"].iter().any(|name| section.job.value(name).is_some())
    };
    if waits(first) || waits(second) || first.pattern.trims() || second.pattern.trims() {
        return None;
    }
    let ways = |section: &Translated| (section.pattern.reads(), section.pattern.writes());
    let (writers, readers) = match (ways(first), ways(second)) {
        ((true, false), (false, true)) => (second, first),
        ((false, true), (true, false)) => (first, second),
        _ => return None,
    };
    beside(writers.clone(), readers.clone()).ok()
}

/// Sets when the jobs of a section begin.
fn begin(section: &mut Translated) {
    let (first, step) = match section.begins_s[..] {
        [first, second, ..] => (first, second - first),
        [first] => (first, 0.0),
        [] => return,
    };
    for (name, seconds) in [("start_delay", first), ("start_delay_step", step)] {
        if seconds > 0.0 {
            section.job.set(name, &format_duration(Nanos::from_seconds(seconds)));
        }
    }
}

/// Whether the workload takes the job as it is, or why not: a study would leave it out among its other configurations.
fn measurable(job: &Job) -> Result<(), String> {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in &job.values {
        let parameter = SCHEMA.parameter(name)?;
        configuration.0.insert(name.clone(), parameter.parse(level).map_err(|why| format!("{name}: {why}"))?);
    }
    (SCHEMA.check)(&configuration)
}

fn alone(mut section: Translated) -> Job {
    if section.job.value("flow").is_some() {
        section.job.values.retain(|(name, _)| name != "flow");
        section.job.remark("flow has no effect: nothing else runs meanwhile");
    }
    let first = section.begins_s.first().copied().unwrap_or(0.0);
    if first > 0.0 {
        section.job.remark("startdelay has no effect: nothing else runs meanwhile");
    }
    // The first job begins at once.
    section.begins_s.iter_mut().for_each(|begin| *begin -= first);
    if section.begins_s.iter().any(|begin| *begin > 0.0) {
        begin(&mut section);
        section.job.remark(WITH_DELAYS);
    }
    section.job
}

fn beside_each_other(sections: &[&Section], why: &str) -> Vec<Refusal> {
    let [first, .., last] = sections else { return Vec::new() };
    let what = format!(
        "[{}] would run beside [{}], and cannot: {why}; add stonewall to [{0}] to run each by itself",
        last.name, first.name
    );
    vec![Refusal { line: last.line, what }]
}
