//! Sections that fio runs beside each other, because no `stonewall` separates them.
//!
//! A run of Syncline measures one configuration at a time, so such sections have to be one configuration:
//!
//! | sections | here |
//! |---|---|
//! | with equal options | jobs of one section: `numjobs` times as many |
//! | with equal options but `filename` | the same, with one file for all |
//! | one that reads and one that writes | readers beside writers (parameter `beside`), if both last as long |
//! | any other | refused: one after another they would not meet on the disk |

use super::beside::beside;
use super::extent::Existing;
use super::job::Job;
use super::read::{self, Options, Settings};
use super::refusal::Refusal;
use super::section::{self, Translated};
use crate::job::{JobFile, Section};
use crate::options::has_effect;
use std::collections::BTreeMap;
use std::path::Path;
use workload::device::SCHEMA;

/// Options that do not change what a section measures beside others, or that are added up.
const OWN: [&str; 8] =
    ["name", "stonewall", "wait_for", "new_group", "filename", "offset", "numjobs", "thread"];

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
        let options = Options { section, settings, copies: 1, jobs_of_others: 0, files_differ: false };
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
            return;
        }
    }
    group.push(options);
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
fn one(translated: Vec<Translated>) -> Result<Job, String> {
    if translated.len() > 1 && translated.iter().any(|section| section.is_delayed) {
        return Err("startdelay lets one begin before the other".to_owned());
    }
    let mut sections = translated.into_iter();
    match (sections.next(), sections.next(), sections.next()) {
        (Some(section), None, _) => Ok(alone(section)),
        (Some(first), Some(second), None) => {
            match ((first.pattern.reads, first.pattern.writes), (second.pattern.reads, second.pattern.writes))
            {
                ((true, false), (false, true)) => beside(second, first),
                ((false, true), (true, false)) => beside(first, second),
                _ => Err("only readers run beside writers".to_owned()),
            }
        }
        _ => Err("no more than two kinds of jobs run beside each other".to_owned()),
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

fn alone(section: Translated) -> Job {
    let mut job = section.job;
    if section.is_delayed {
        job.remark("startdelay has no effect: nothing else runs meanwhile");
    }
    job
}

fn beside_each_other(sections: &[&Section], why: &str) -> Vec<Refusal> {
    let [first, .., last] = sections else { return Vec::new() };
    let what = format!(
        "[{}] would run beside [{}], and cannot: {why}; add stonewall to [{0}] to run each by itself",
        last.name, first.name
    );
    vec![Refusal { line: last.line, what }]
}
