//! The command lines that repeat a run: its built-in studies, and what was given on the command line beside them.

use crate::studies;
use lab::plan::{Overrides, resolve};
use model::plan::{Plan, StudyPlan};
use model::study::Study;
use report::Repeat;

/// One command for each study of a plan.
pub(crate) fn commands(plan: &Plan) -> Repeat {
    let mut repeat = Repeat::default();
    for study in &plan.studies {
        let Ok(built_in) = studies::find(&study.name) else {
            repeat.lines.push(line(&format!("{}.toml", study.name), study, &Overrides::default(), plan.seed));
            repeat.remarks.push(format!(
                "{0} is no built-in study: it needs its study file, and what was changed on the command line is in the \
                 tables of its parameters.",
                study.name
            ));
            continue;
        };
        let overrides = overrides(study, &built_in);
        if resolved(&built_in, &overrides).is_none_or(|again| again.configurations != study.configurations) {
            repeat.remarks.push(format!(
                "{}: another version of the study, or of Syncline, made this run; where the tables of parameters differ \
                 from what this command runs, they are right.",
                study.name
            ));
        }
        repeat.lines.push(line(&study.name, study, &overrides, plan.seed));
    }
    repeat
}

fn resolved(study: &Study, overrides: &Overrides) -> Option<StudyPlan> {
    resolve(study, workload::schema(&study.workload).ok()?, overrides).ok()
}

/// What has to be given so that the built-in study comes to this plan.
fn overrides(plan: &StudyPlan, built_in: &Study) -> Overrides {
    let mut overrides = Overrides { profile: Some(plan.profile.clone()), ..Overrides::default() };
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

fn line(study: &str, plan: &StudyPlan, overrides: &Overrides, seed: u64) -> String {
    let mut words = vec!["syncline".to_owned(), "run".to_owned(), quoted(study)];
    words.extend(["--profile".to_owned(), quoted(&plan.profile)]);
    if let Some(rounds) = overrides.rounds {
        words.extend(["--rounds".to_owned(), rounds.to_string()]);
    }
    for (name, levels) in &overrides.vary {
        words.extend(["--vary".to_owned(), quoted(&format!("{name}={}", levels.join(",")))]);
    }
    for (name, value) in &overrides.fix {
        words.extend(["--fix".to_owned(), quoted(&format!("{name}={value}"))]);
    }
    words.extend(["--seed".to_owned(), seed.to_string()]);
    words.join(" ")
}

/// A word that a shell takes as it is: a record may hold anything, and people paste what they read.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-=.,%+:/@".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, overrides: &Overrides) -> Repeat {
        let study = resolved(&studies::find(name).unwrap(), overrides).unwrap();
        let plan = serde_json::json!({
            "format_version": 1, "program_version": "", "created_at": "", "directory": "", "seed": 7, "studies": [],
        });
        let plan = Plan {
            budget_s: None,
            studies: vec![study],
            skipped: Vec::new(),
            ..serde_json::from_value(plan).unwrap()
        };
        commands(&plan)
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
        };
        let repeat = of("commit", &overrides);
        assert_eq!(repeat.remarks, Vec::<String>::new());
        assert_eq!(
            repeat.lines,
            ["syncline run commit --profile quick --rounds 3 --vary group_size=1,2 --fix mode=direct \
              --fix record_size=4KiB --seed 7"]
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

    #[test]
    fn a_hostile_word_is_one_word() {
        assert_eq!(quoted("a b$(rm)'"), "'a b$(rm)'\\'''");
        assert_eq!(quoted("--help"), "'--help'");
        assert_eq!(quoted("mode=a,b"), "mode=a,b");
    }
}
