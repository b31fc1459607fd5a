//! The command lines that repeat a run: its built-in studies, and what was given on the command line beside them.

use crate::studies::{self, ANSWER, ANSWER_PROFILE, CHECK, CHECK_PROFILE, TRACED_TRIALS};
use lab::plan::{Overrides, resolve};
use model::Nanos;
use model::plan::{Plan, StudyPlan};
use model::redaction::REDACTED;
use model::study::Study;
use model::units::{format_duration, format_elapsed};
use report::Repeat;
use std::path::Path;

/// One command for each study of a plan; one for all of them if they shared a budget, as far as one command can say it.
pub(crate) fn commands(plan: &Plan) -> Repeat {
    if let Some(database) = &plan.database {
        return for_database(plan, database);
    }
    let mut remarks = Vec::new();
    let studies: Vec<Again> =
        plan.studies.iter().map(|study| Again::from_plan(study, &mut remarks)).collect();
    let lines = match plan.budget_s {
        None => studies.iter().map(|again| line(&[&again.name], again, None, plan.seed)).collect(),
        Some(budget_s) => under_budget(plan, &studies, budget_s, &mut remarks),
    };
    let in_rounds =
        studies.iter().zip(&plan.studies).map(|(again, study)| (study.name.clone(), in_rounds(again)));
    Repeat { lines, remarks, in_rounds: in_rounds.collect() }
}

/// The one line that makes a run again in its own directory, for the terminal on which it was made.
pub(crate) fn one_line(plan: &Plan) -> String {
    let is_check = !plan.studies.is_empty() && plan.studies.iter().all(is_of_check);
    let lines = if is_check { vec!["syncline check".to_owned()] } else { commands(plan).lines };
    let dir = match std::env::current_dir() {
        _ if plan.directory == Path::new(REDACTED) => String::new(),
        Ok(current) if current == plan.directory => String::new(),
        Ok(_) | Err(_) => format!(" --dir {}", quoted(&plan.directory.display().to_string())),
    };
    let lines: Vec<String> = lines.into_iter().map(|line| line + &dir).collect();
    lines.join(" && ")
}

/// Whether `syncline check` runs this study, unchanged.
fn is_of_check(study: &StudyPlan) -> bool {
    let again = Again::from_plan(study, &mut Vec::new());
    let Overrides { profile: _, vary, fix, rounds, cpu, turns: _ } = &again.overrides;
    let is_plain = vary.is_empty() && fix.is_empty() && rounds.is_none() && cpu.is_none();
    CHECK.contains(&study.name.as_str())
        && study.profile == CHECK_PROFILE
        && is_plain
        && again.interleave.is_none()
}

/// A run for a database chose its studies and their levels by itself.
fn for_database(plan: &Plan, database: &str) -> Repeat {
    // One option was given for all of its studies.
    let interleave = plan.studies.iter().find_map(verdict::turns::option);
    let interleave = interleave.map_or_else(String::new, |turns| format!(" --interleave {turns}"));
    let target = plan.studies.iter().find_map(target).map(|target| format!(" --target {}", quoted(&target)));
    let explain =
        if plan.studies.iter().any(|study| study.traced >= TRACED_TRIALS) { " --explain" } else { "" };
    let target = target.unwrap_or_default();
    let begin = format!("syncline run --for {}{target}{interleave}{explain}", quoted(database));
    let budget = plan.budget_s.map(|budget_s| format_duration(Nanos((budget_s * 1e9).round() as u64)));
    let budget = budget.map_or_else(String::new, |budget| format!(" --budget {budget}"));
    let in_rounds = plan.studies.iter().map(|study| (study.name.clone(), format!("{begin} --rounds")));
    Repeat {
        lines: vec![format!("{begin}{budget} --seed {}", plan.seed)],
        remarks: Vec::new(),
        in_rounds: in_rounds.collect(),
    }
}

/// The dataset of the user that a study reads.
fn target(study: &StudyPlan) -> Option<String> {
    workload::scan::PARAMETERS.target.of(study.configurations.first()?).flatten()
}

/// The study as it was, but for its rounds and its order.
fn in_rounds(again: &Again) -> String {
    let mut words = words(&[&again.name], again);
    words.push("--rounds".to_owned());
    words.join(" ")
}

/// A study as the command line has it.
struct Again {
    name: String,
    profile: String,
    overrides: Overrides,
    /// How its trials are to take turns, if not as they do by themselves.
    interleave: Option<String>,
    /// Whether it shows where the time went.
    is_explained: bool,
}

impl Again {
    fn from_plan(plan: &StudyPlan, remarks: &mut Vec<String>) -> Self {
        let (profile, interleave) = (plan.profile.clone(), verdict::turns::option(plan));
        let is_explained = plan.traced >= TRACED_TRIALS;
        let Ok(built_in) = studies::find(&plan.name) else {
            remarks.push(format!(
                "{0} is not a built-in study: the command needs its study file. The tables of its parameters have \
                 the changes of the command line.",
                plan.name
            ));
            let (name, overrides) = (format!("{}.toml", plan.name), Overrides::default());
            return Self { name, profile, overrides, interleave, is_explained };
        };
        let overrides = overrides(plan, &built_in);
        if resolved(&built_in, &overrides).is_none_or(|again| again.configurations != plan.configurations) {
            remarks.push(format!(
                "{}: another version of the study or of Syncline made this run. If this command differs from the \
                 tables of parameters, the tables are right.",
                plan.name
            ));
        }
        Self { name: plan.name.clone(), profile, overrides, interleave, is_explained }
    }

    fn is_like(&self, other: &Self) -> bool {
        let changes = |again: &Self| {
            let Overrides { profile: _, vary, fix, rounds, cpu, turns: _ } = &again.overrides;
            let interleave = again.interleave.clone();
            (again.profile.clone(), vary.clone(), fix.clone(), *rounds, *cpu, interleave)
        };
        changes(self) == changes(other)
    }
}

/// Studies that shared a budget were given by one command: the answer's by none of their names.
fn under_budget(plan: &Plan, studies: &[Again], budget_s: f64, remarks: &mut Vec<String>) -> Vec<String> {
    let Some(first) = studies.first() else { return Vec::new() };
    let all = plan.studies.iter().map(|study| &study.name).chain(plan.skipped.iter().map(|s| &s.study));
    let is_answer =
        first.profile == ANSWER_PROFILE && all.filter(|name| is_asked(name)).count() == ANSWER.len();
    // What is left of a study if the machine cannot do all of it follows from the machine.
    let is_plain = |again: &Again| again.overrides.fix.is_empty() && again.interleave == first.interleave;
    if is_answer && studies.iter().all(is_plain) {
        let rounds = first.overrides.rounds;
        let overrides = Overrides { rounds, ..Overrides::default() };
        let (profile, interleave) = (first.profile.clone(), first.interleave.clone());
        let is_explained = first.is_explained;
        let answer = Again { name: String::new(), profile, overrides, interleave, is_explained };
        return vec![line(&[], &answer, Some(budget_s), plan.seed)];
    }
    if studies.iter().all(|again| again.is_like(first)) {
        let names: Vec<&str> = studies.iter().map(|again| again.name.as_str()).collect();
        return vec![line(&names, first, Some(budget_s), plan.seed)];
    }
    remarks.push(format!(
        "These studies shared the budget of {}; each of these commands has the whole budget.",
        format_elapsed(budget_s)
    ));
    studies.iter().map(|again| line(&[&again.name], again, Some(budget_s), plan.seed)).collect()
}

fn is_asked(study: &str) -> bool {
    ANSWER.contains(&study)
}

fn resolved(study: &Study, overrides: &Overrides) -> Option<StudyPlan> {
    resolve(study, workload::schema(&study.workload).ok()?, overrides).ok()
}

/// What has to be given so that the built-in study comes to this plan.
fn overrides(plan: &StudyPlan, built_in: &Study) -> Overrides {
    // The dataset comes first: what it does not have is left out of the study.
    let dataset = target(plan).map(|target| (workload::scan::PARAMETERS.target.name().to_owned(), target));
    let fix = dataset.into_iter().collect();
    let mut overrides = Overrides { profile: Some(plan.profile.clone()), fix, ..Overrides::default() };
    let Some(plain) = resolved(built_in, &overrides) else { return overrides };
    if plain.rounds != plan.rounds_first() {
        overrides.rounds = Some(plan.rounds_first());
    }
    for factor in plan.factors.iter().filter(|factor| plain.factor(&factor.name) != Some(factor)) {
        let levels: Vec<String> = factor.levels.iter().map(ToString::to_string).collect();
        match &levels[..] {
            [only] if plain.factor(&factor.name).is_some() => {
                overrides.fix.push((factor.name.clone(), only.clone()));
            }
            _ => overrides.vary.push((factor.name.clone(), levels)),
        }
    }
    let (Some(ours), Some(theirs)) = (plan.configurations.first(), plain.configurations.first()) else {
        return overrides;
    };
    for (name, value) in &ours.0 {
        let alike = plan.configurations.iter().all(|values| values.get(name) == Some(value));
        if plan.factor(name).is_none() && alike && theirs.get(name) != Some(value) {
            overrides.fix.push((name.clone(), value.to_string()));
        }
    }
    overrides
}

fn line(studies: &[&str], again: &Again, budget_s: Option<f64>, seed: u64) -> String {
    let mut words = words(studies, again);
    if let Some(rounds) = again.overrides.rounds {
        words.extend(["--rounds".to_owned(), rounds.to_string()]);
    }
    if let Some(budget_s) = budget_s {
        words.extend(["--budget".to_owned(), format_duration(Nanos((budget_s * 1e9).round() as u64))]);
    }
    words.extend(["--seed".to_owned(), seed.to_string()]);
    words.join(" ")
}

/// What is run, and what is changed of it.
fn words(studies: &[&str], again: &Again) -> Vec<String> {
    let overrides = &again.overrides;
    let mut words = vec!["syncline".to_owned(), "run".to_owned()];
    words.extend(studies.iter().map(|name| quoted(name)));
    if !studies.is_empty() {
        words.extend(["--profile".to_owned(), quoted(&again.profile)]);
    }
    for (name, levels) in &overrides.vary {
        words.extend(["--vary".to_owned(), quoted(&format!("{name}={}", levels.join(",")))]);
    }
    for (name, value) in &overrides.fix {
        words.extend(["--fix".to_owned(), quoted(&format!("{name}={value}"))]);
    }
    if let Some(interleave) = &again.interleave {
        words.extend(["--interleave".to_owned(), quoted(interleave)]);
    }
    if again.is_explained {
        words.push("--explain".to_owned());
    }
    words
}

/// A word that a shell takes as it is: a record may hold anything, and people paste what they read.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-=.,%+:/@".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::interim::look_repeatedly;
    use model::plan::Turns;

    fn plan(names: &[&str], overrides: &Overrides, budget_s: Option<f64>) -> Plan {
        let studies = names.iter().map(|name| resolved(&studies::find(name).unwrap(), overrides).unwrap());
        let mut studies: Vec<StudyPlan> = studies.collect();
        // As the command line has it.
        studies.iter_mut().filter(|study| study.turns.is_off()).for_each(|study| study.turns = Turns::Auto);
        if budget_s.is_some() {
            studies.iter_mut().for_each(look_repeatedly);
        }
        let plan = serde_json::json!({
            "format_version": 1, "program_version": "", "created_at": "", "directory": "", "seed": 7, "studies": [],
        });
        Plan { budget_s, studies, skipped: Vec::new(), ..serde_json::from_value(plan).unwrap() }
    }

    fn of(name: &str, overrides: &Overrides) -> Repeat {
        commands(&plan(&[name], overrides, None))
    }

    fn profile(name: &str) -> Overrides {
        Overrides { profile: Some(name.to_owned()), ..Overrides::default() }
    }

    #[test]
    fn a_budget_is_given_again() {
        let named = commands(&plan(&["commit", "depth"], &profile("quick"), Some(90.0)));
        assert_eq!(named.remarks, Vec::<String>::new());
        assert_eq!(named.lines, ["syncline run commit depth --profile quick --budget 90s --seed 7"]);
        let answer = commands(&plan(ANSWER, &profile("answer"), Some(300.0)));
        assert_eq!(answer.lines, ["syncline run --budget 5min --seed 7"]);
        // If one was skipped, the same command skips it again.
        let mut less = plan(&ANSWER[1..], &profile("answer"), Some(300.0));
        less.skipped.push(model::plan::Skipped { study: ANSWER[0].to_owned(), why: "not here".to_owned() });
        assert_eq!(commands(&less).lines, answer.lines);
        // For all that was changed, one command can change only what is the same in every study.
        let mut unlike = plan(&["commit", "depth"], &profile("quick"), Some(90.0));
        let fixed = Overrides { fix: vec![("runtime".to_owned(), "1s".to_owned())], ..profile("quick") };
        unlike.studies[1] = plan(&["depth"], &fixed, Some(90.0)).studies.remove(0);
        let unlike = commands(&unlike);
        assert_eq!(
            unlike.lines,
            [
                "syncline run commit --profile quick --budget 90s --seed 7",
                "syncline run depth --profile quick --fix runtime=1s --budget 90s --seed 7"
            ]
        );
        insta::assert_snapshot!(unlike.remarks.join("\n"), @"These studies shared the budget of 90 s; each of these commands has the whole budget.");
    }

    #[test]
    fn what_was_changed_is_given_again() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let overrides = Overrides {
            profile: Some("quick".to_owned()),
            vary: vec![("group_size".to_owned(), vec!["1".to_owned(), "2".to_owned()])],
            fix: vec![pair("record_size", "4096"), pair("mode", "direct")],
            rounds: Some(3),
            cpu: None,
            turns: Turns::Off,
        };
        let repeat = of("commit", &overrides);
        assert_eq!(repeat.remarks, Vec::<String>::new());
        assert_eq!(
            repeat.lines,
            [
                "syncline run commit --profile quick --vary group_size=1,2 --fix mode=direct --fix record_size=4KiB \
              --rounds 3 --seed 7"
            ]
        );
        let in_rounds = "syncline run commit --profile quick --vary group_size=1,2 --fix mode=direct --fix \
            record_size=4KiB --rounds";
        assert_eq!(repeat.in_rounds["commit"], in_rounds);
    }

    #[test]
    fn how_trials_took_turns_is_given_again() {
        let lines = |turns: Turns| {
            let mut plan = plan(&["commit"], &profile("quick"), None);
            plan.studies[0].turns = turns;
            commands(&plan).lines
        };
        assert_eq!(lines(Turns::Auto), ["syncline run commit --profile quick --seed 7"]);
        assert_eq!(lines(Turns::Off), ["syncline run commit --profile quick --interleave off --seed 7"]);
        assert_eq!(
            lines(Turns::Every(0.05)),
            ["syncline run commit --profile quick --interleave 50ms --seed 7"]
        );
    }

    #[test]
    fn every_built_in_study_and_profile_comes_back() {
        for study in studies::all().unwrap() {
            for profile in study.profiles.keys() {
                let overrides = Overrides { profile: Some(profile.clone()), ..Overrides::default() };
                let repeat = of(&study.name, &overrides);
                assert_eq!(repeat.remarks, Vec::<String>::new(), "{}", study.name);
                let expected = format!("syncline run {} --profile {profile} --seed 7", study.name);
                assert_eq!(repeat.lines, [expected]);
            }
        }
    }

    /// The command for a quiet machine read Syncline's own files, after a run on the user's bucket.
    #[test]
    fn a_dataset_is_given_again() {
        let fix = vec![("target".to_owned(), "s3://data/train".to_owned())];
        let overrides = Overrides { fix, ..profile("answer") };
        let named = of("scan", &overrides);
        assert_eq!(named.lines, ["syncline run scan --profile answer --fix target=s3://data/train --seed 7"]);
        let database = Some("data-loader".to_owned());
        let of_database = commands(&Plan { database, ..plan(&["scan"], &overrides, Some(300.0)) });
        assert_eq!(
            of_database.lines,
            ["syncline run --for data-loader --target s3://data/train --budget 5min --seed 7"]
        );
    }

    #[test]
    fn one_line_makes_a_run_again() {
        let check = Overrides { profile: Some("check".to_owned()), ..Overrides::default() };
        let made = plan(&CHECK, &check, None);
        let made = Plan { directory: "/a disk".into(), ..made };
        assert_eq!(one_line(&made), "syncline check --dir '/a disk'");
        let rounds = Overrides { rounds: Some(9), ..check };
        let made = Plan { directory: "/data".into(), ..plan(&["depth"], &rounds, None) };
        assert_eq!(one_line(&made), "syncline run depth --profile check --rounds 9 --seed 7 --dir /data");
        let made = Plan { directory: "/data".into(), ..plan(&["commit", "depth"], &profile("quick"), None) };
        assert_eq!(
            one_line(&made),
            "syncline run commit --profile quick --seed 7 --dir /data && syncline run depth --profile quick --seed 7 \
             --dir /data"
        );
        let hidden = Plan { directory: REDACTED.into(), ..plan(&CHECK[1..], &profile("check"), None) };
        assert_eq!(one_line(&hidden), "syncline check");
    }

    #[test]
    fn a_hostile_word_is_one_word() {
        assert_eq!(quoted("a b$(rm)'"), "'a b$(rm)'\\'''");
        assert_eq!(quoted("--help"), "'--help'");
        assert_eq!(quoted("mode=a,b"), "mode=a,b");
    }
}
