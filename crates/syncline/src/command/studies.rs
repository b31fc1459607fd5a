//! `syncline studies [NAME]`: what can be measured, and what it means.

mod data;
mod questions;

use crate::appearance::Verbosity;
use crate::arguments::ResultFormat;
use crate::document;
use crate::failure::Failure;
use crate::output;
use crate::studies;
use data::{Details, Summary};
use lab::minimum::planned;
use lab::plan::{Overrides, resolve};
use model::Schema;
use model::metric;
use model::parameter::Parameter;
use model::study::{AskKind, Study};
use model::units::format_elapsed;
use questions::QUESTIONS;
use std::fmt::Write as _;
use std::process::ExitCode;

const TEXT_WIDTH: usize = 96;

/// Lists the studies, or describes one.
pub(crate) fn run(name: Option<&str>, format: ResultFormat) -> Result<ExitCode, Failure> {
    let text = match name {
        None => {
            let studies = studies::all()?;
            match format {
                ResultFormat::Json => {
                    return document::print(&studies.iter().map(Summary::new).collect::<Vec<_>>());
                }
                ResultFormat::Text => list(&studies, output::appearance().verbosity == Verbosity::Verbose),
            }
        }
        Some(name) => {
            let study = studies::find(name)?;
            let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
            // What would be refused before the first trial is refused here: this is where a study is tried out.
            resolve(&study, schema, &Overrides::default()).map_err(Failure::usage)?;
            match format {
                ResultFormat::Json => return document::print(&Details::new(&study, schema)),
                ResultFormat::Text => describe(&study, schema),
            }
        }
    };
    output::print_words(&text, TEXT_WIDTH)
}

/// The questions with the names of their studies; each study's own question and profiles if the user wants more.
fn list(studies: &[Study], has_details: bool) -> String {
    let mut text = String::new();
    for question in QUESTIONS {
        let _ = writeln!(text, "{}", question.title);
        if has_details {
            let named = |name: &&str| studies.iter().find(|study| study.name == *name);
            let below = question.studies.iter().filter_map(named);
            below.for_each(|study| text.push_str(&summary(study)));
            text.push('\n');
        } else {
            let _ = writeln!(text, "    {}", wrap(&question.studies.join(", "), 4));
        }
    }
    text.push_str("\nsyncline studies NAME describes one; syncline run NAME runs it.");
    text.push_str(if has_details { "\n" } else { " -v lists each study's question.\n" });
    text
}

fn summary(study: &Study) -> String {
    const NAMES: usize = 20;
    let name = &study.name;
    let profiles: Vec<&str> = study.profiles.keys().map(String::as_str).collect();
    let question = wrap(&study.question, NAMES + 4);
    format!("    {name:NAMES$}{question}\n    {:NAMES$}profiles: {}\n", "", profiles.join(", "))
}

fn describe(study: &Study, schema: &Schema) -> String {
    let mut text = format!("{}: {}\n\n", study.name, wrap(&study.question, 0));
    if !study.about.is_empty() {
        let _ = writeln!(text, "{}\n", wrap(&study.about, 0));
    }
    let _ = writeln!(text, "workload: {} ({})\n\nfactors:", study.workload, schema.summary);
    for (name, levels) in &study.factors {
        let baseline =
            study.baseline.get(name).map(|level| format!("   baseline: {level}")).unwrap_or_default();
        let _ = writeln!(text, "  {name} = {}{baseline}", levels.join(", "));
    }
    for arm in &study.arms {
        let values = arm.iter().filter(|(name, _)| *name != "name");
        let values: Vec<String> = values.map(|(name, level)| format!("{name} = {level}")).collect();
        let name = arm.get("name").map_or("", String::as_str);
        let values = if values.is_empty() { "as in [fixed]".to_owned() } else { values.join("; ") };
        let _ = writeln!(text, "  arm {name}: {}", wrap(&values, 4));
    }
    text.push_str("\nasks:\n");
    for ask in &study.asks {
        let kind = AskKind::NAMES.iter().find(|(_, kind)| *kind == ask.kind).map_or("", |(name, _)| name);
        let between =
            ask.between.as_ref().map(|factor| format!(" between levels of {factor}")).unwrap_or_default();
        let mut details: Vec<String> = ask.limit.map(|limit| format!("limit {limit}")).into_iter().collect();
        details.extend(ask.each.as_ref().map(|factor| format!("for each {factor}")));
        details.extend(ask.at.iter().map(|(factor, level)| format!("at {factor} = {level}")));
        let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
        let _ = writeln!(text, "  {kind} {}{between}{details} on {}", ask.factor, ask.on.join(", "));
    }
    text.push_str("\nprofiles (--profile; quick is the default):\n");
    for (name, profile) in &study.profiles {
        let rounds = profile.rounds.map(|rounds| format!("{rounds} rounds")).unwrap_or_default();
        let warmups = profile.warmup_rounds.map(|rounds| format!("{rounds} warm-up rounds"));
        let factors = profile.factors.iter().map(|(name, levels)| format!("{name} = {}", levels.join(", ")));
        let fixed = profile.fixed.iter().map(|(name, level)| format!("{name} = {level}"));
        let lasts = lasts(study, schema, name);
        let all: Vec<String> =
            std::iter::once(rounds).chain(warmups).chain(factors).chain(fixed).chain(lasts).collect();
        let _ = writeln!(text, "  {name}: {}", wrap(&all.join("; "), 4));
    }
    text.push_str("\nparameters (--fix NAME=VALUE, --vary NAME=A,B):\n");
    for parameter in schema.all() {
        describe_parameter(&mut text, parameter, study);
    }
    text.push_str("\nmetrics:\n");
    for family in metric::FAMILIES.iter().filter(|family| schema.metrics.contains(&family.name)) {
        let name = if family.distribution {
            let statistics: Vec<&str> = metric::STATISTICS.iter().map(|(name, _)| *name).collect();
            format!("{}_{{{}}}_us", family.name, statistics.join(","))
        } else {
            family.name.to_owned()
        };
        let _ = writeln!(text, "  {name} [{}]\n      {}", family.unit.name(), wrap(family.help, 6));
    }
    text
}

/// How long a profile's trials are asked to last; `None` if they end by a count.
fn lasts(study: &Study, schema: &Schema, profile: &str) -> Option<String> {
    let overrides = Overrides { profile: Some(profile.to_owned()), ..Overrides::default() };
    let planned = planned(&resolve(study, schema, &overrides).ok()?);
    if let Some(stated_s) = planned.seconds_stated {
        return Some(format!("{} trials that end within {}", planned.trials, format_elapsed(stated_s)));
    }
    let (minimum, most) = (format_elapsed(planned.seconds_min), format_elapsed(planned.seconds_max));
    let lasts = match (planned.seconds_min > 0.0, minimum == most) {
        (false, _) => return None,
        (true, true) => minimum,
        (true, false) => format!("{minimum} to {most}"),
    };
    Some(format!("{} trials that measure for {lasts}", planned.trials))
}

fn describe_parameter(text: &mut String, parameter: &Parameter, study: &Study) {
    let default = study.fixed.get(parameter.name).map_or(parameter.default, String::as_str);
    let _ = writeln!(
        text,
        "  {} = {default}   ({})\n      {}",
        parameter.name,
        parameter.values(),
        wrap(parameter.help, 6)
    );
}

/// Breaks a text into lines, the second and later ones indented.
fn wrap(text: &str, indent: usize) -> String {
    let mut lines = String::new();
    let columns = output::width(TEXT_WIDTH).min(TEXT_WIDTH);
    let mut column = indent;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > indent && column + 1 + width > columns {
            let _ = write!(lines, "\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}
