//! `${NAME}` in the value of an option, which fio takes from the environment.
//!
//! fio reads a variable that is not set as nothing. Here that is a problem, unless the option has no effect.

use crate::job::{JobFile, JobOption, Problem, VALUE_BYTES_MAX};
use crate::options::{self, Support};
use std::collections::BTreeSet;

/// Values that fio computes from the machine and writes in place of these words.
const WORDS: [&str; 3] = ["$ncpus", "$mb_memory", "$pagesize"];

/// Puts the values of variables in their places and returns the names of those that were used, except in the options
/// `overruled`, which something else decides. A job's name is printed and recorded, and a variable may hold a secret,
/// so a name takes none.
pub fn expand(
    file: &mut JobFile,
    overruled: &[&str],
    variable: impl Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let sections = file.sections.iter_mut().flat_map(|section| &mut section.settings);
    let matters = |setting: &&mut JobOption| has_effect(setting) && !overruled.contains(&&*setting.name);
    for setting in file.globals.iter_mut().chain(sections).filter(matters) {
        if let Err(what) = expand_one(setting, &variable, &mut used) {
            file.problems.push(Problem { line: setting.line, what });
        }
    }
    used
}

/// Whether the value of an option matters to what is measured.
fn has_effect(setting: &JobOption) -> bool {
    match options::known(&setting.name).map(|known| known.support) {
        Some(Support::Translated | Support::Only(..)) => true,
        Some(Support::Accepted | Support::Remarked(_) | Support::Refused(_)) | None => false,
    }
}

fn expand_one(
    setting: &mut JobOption,
    variable: &impl Fn(&str) -> Option<String>,
    used: &mut BTreeSet<String>,
) -> Result<(), String> {
    let Some(value) = &setting.value else { return Ok(()) };
    let name = &setting.name;
    if let Some(word) = WORDS.iter().find(|word| value.contains(*word)) {
        return Err(format!("option \"{name}\" uses {word}; write the value itself"));
    }
    if name == "name" && value.contains("${") {
        return Err("option \"name\" takes no variable: a job's name is printed and recorded".to_owned());
    }
    let mut expanded = String::new();
    let mut rest = value.as_str();
    while let Some((before, after)) = rest.split_once("${") {
        let (wanted, after) = after
            .split_once('}')
            .ok_or_else(|| format!("option \"{name}\" has a variable without an end: write ${{NAME}}"))?;
        let found = variable(wanted).filter(|found| !found.chars().any(char::is_control));
        let found = found.ok_or_else(|| {
            let wanted = model::printable(wanted);
            format!(
                "option \"{name}\" uses ${{{wanted}}}, which is not set; set it: {wanted}=… syncline fio …"
            )
        })?;
        expanded += before;
        expanded += &found;
        if expanded.len() > VALUE_BYTES_MAX {
            return Err(format!("option \"{name}\" has a value of more than 4 KiB with its variables"));
        }
        used.insert(wanted.to_owned());
        rest = after;
    }
    expanded += rest;
    setting.value = Some(expanded);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{no_include, parse};

    #[test]
    fn variables_stand_for_what_the_environment_has() {
        let text = "[a]\nsize=${SIZE}g\ndirectory=${A}/${B}\nwrite_bw_log=${UNSET}\nnumjobs=$ncpus\nbs=${UNSET}\nrw=${\n";
        let mut file = parse("JOB.fio", text.as_bytes(), &no_include);
        let used = expand(&mut file, &[], |name| (name != "UNSET").then(|| name.to_lowercase()));
        let values: Vec<String> = file.sections[0].settings.iter().take(3).map(ToString::to_string).collect();
        assert_eq!(values, ["size=sizeg", "directory=a/b", "write_bw_log=${UNSET}"]);
        assert_eq!(used.iter().collect::<Vec<_>>(), ["A", "B", "SIZE"]);
        let problems: Vec<(usize, &str)> =
            file.problems.iter().map(|problem| (problem.line, problem.what.as_str())).collect();
        assert_eq!(
            problems,
            [
                (5, "option \"numjobs\" uses $ncpus; write the value itself"),
                (6, "option \"bs\" uses ${UNSET}, which is not set; set it: UNSET=… syncline fio …"),
                (7, "option \"rw\" has a variable without an end: write ${NAME}"),
            ]
        );
    }

    /// A job file of a volume's tests was refused for the directory that `--dir` overruled.
    #[test]
    fn what_is_overruled_needs_no_variable() {
        let mut file = parse("JOB.fio", b"[a]\ndirectory=${DIR}\nsize=${SIZE}\n", &no_include);
        let used = expand(&mut file, &["directory"], |name| (name == "SIZE").then(|| "1m".to_owned()));
        assert_eq!(used.into_iter().collect::<Vec<_>>(), ["SIZE"]);
        assert!(file.problems.is_empty(), "{:?}", file.problems);
    }

    /// A job named after a token of the environment had it in the terminal's log and in every record.
    #[test]
    fn a_name_takes_no_variable() {
        let mut file = parse("JOB.fio", b"[a]\nname=${TOKEN}\n", &no_include);
        let used = expand(&mut file, &[], |_| Some("hunter2".to_owned()));
        assert!(used.is_empty() && !format!("{file:?}").contains("hunter2"), "{file:?}");
        assert_eq!(file.problems.len(), 1);
    }

    /// 500 variables of 100 KiB each, in one value of a job file of 200 MiB of such lines.
    #[test]
    fn a_value_is_no_longer_with_its_variables() {
        let text = format!("[a]\ndirectory={}\n", "${A}".repeat(1000));
        let mut file = parse("JOB.fio", text.as_bytes(), &no_include);
        let asked = std::cell::Cell::new(0);
        expand(&mut file, &[], |_| {
            asked.set(asked.get() + 1);
            Some("a".repeat(VALUE_BYTES_MAX))
        });
        assert_eq!(file.problems.len(), 1, "{:?}", file.problems);
        insta::assert_snapshot!(file.problems[0].what, @r#"option "directory" has a value of more than 4 KiB with its variables"#);
        assert!(asked.get() <= 2, "reading ends where the value is too long");
    }
}
