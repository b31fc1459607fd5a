//! `syncline advise RUN`: the settings that follow from a run, as files that databases load, and against what is set
//! now; and whether they hold here.

mod expired;
mod file_version;

use crate::analysis::{judge, shown, shown_path};
use crate::arguments::{AdviseArguments, ResultFormat};
use crate::document;
use crate::failure::Failure;
use crate::output;
use crate::proofs;
use crate::publish::{naming, write_advice};
use crate::servers::{self, Wanted};
use crate::settings_file::{self, Content};
use crate::studies::require_database;
use advice::computed::{Machine, ServerCounters};
use advice::current::Review;
use advice::{Advice, ComputedValues, current};
use file_version::SettingsFile;
use lab::run_directory::RunFiles;
use model::printable;
use model::run::Run;
use std::path::Path;
use std::process::ExitCode;

const WIDTH: usize = 100;

/// Prints what follows and writes it beside the records; or compares a file of settings with it.
pub(crate) fn run(arguments: &AdviseArguments) -> Result<ExitCode, Failure> {
    let files = RunFiles::open(&arguments.run).map_err(Failure::runtime)?;
    let measured = files.run().map_err(Failure::runtime)?;
    let run = shown(&measured, arguments.redact)?;
    let wanted = Wanted {
        dsn: arguments.dsn.as_deref(),
        dsn_file: arguments.dsn_file.as_deref(),
        ..Wanted::default()
    };
    let counters = servers::counters(wanted)?;
    let advice = computing(
        proofs::settled(&files, advice::advise(&run, &judge(&files, &run))),
        &run,
        counters.as_ref(),
    );
    let advice = match &arguments.database {
        Some(database) => of_database(advice, database)?,
        None => advice,
    };
    let computed =
        if arguments.activate_computed { ComputedValues::Active } else { ComputedValues::Comments };
    let notice = expired::notice(&measured, &advice, arguments.dir.as_deref(), arguments.redact)?;
    let named = naming(&advice, &files, &run);
    let compared = arguments.current.as_deref().map(|file| compared(file, &named, &run, arguments));
    let (notice, review) = match compared.transpose()? {
        Some(compared) => (notice + &compared.notice, Some((compared.file, compared.review))),
        None => (notice, None),
    };
    match arguments.format {
        ResultFormat::Text => print_text((&files, &run), &advice, computed, &notice, review.as_ref()),
        ResultFormat::Json => {
            let notices: Vec<&str> = notice.lines().filter(|line| !line.is_empty()).collect();
            let document = match &review {
                Some((file, review)) => {
                    serde_json::json!({ "notices": notices, "current": file, "review": review })
                }
                None => {
                    let written = write_advice(&files, &run, &advice, computed)?;
                    let written: Vec<String> =
                        written.iter().map(|path| shown_path(&run, path).display().to_string()).collect();
                    serde_json::json!({ "notices": notices, "advice": advice, "written": written })
                }
            };
            document::print(&document)
        }
    }
}

/// The advice for one database.
fn of_database(mut advice: Vec<Advice>, database: &str) -> Result<Vec<Advice>, Failure> {
    require_database(database)?;
    advice.retain(|advice| advice.id == database);
    if advice.is_empty() {
        return Err(Failure::Usage(format!("--for {database}: the run is for another database")));
    }
    Ok(advice)
}

/// The advice with what the counters of a server compute.
fn computing(advice: Vec<Advice>, run: &Run, counters: Option<&ServerCounters>) -> Vec<Advice> {
    let with = |advice: Advice| match (counters, advice.computed.is_empty()) {
        (Some(counters), false) => advice.computing(Machine::of(run), Some(counters)),
        (Some(_) | None, _) => advice,
    };
    advice.into_iter().map(with).collect()
}

fn print_text(
    (files, run): (&RunFiles, &Run),
    advice: &[Advice],
    computed: ComputedValues,
    notice: &str,
    review: Option<&(String, Review)>,
) -> Result<ExitCode, Failure> {
    let colour = output::appearance().colour;
    output::print(notice)?;
    if let Some((file, review)) = review {
        return output::print_rendered(&report::review(review, file, output::width(WIDTH), colour));
    }
    let named = naming(advice, files, run);
    output::print_rendered(&report::advice(run, &named, output::width(WIDTH), colour))?;
    let written = write_advice(files, run, advice, computed)?;
    let names: Vec<String> =
        written.iter().map(|path| format!("  {}\n", printable(&path.display().to_string()))).collect();
    let ending = if names.is_empty() {
        "\nNothing was written: no setting follows from this run.\n".to_owned()
    } else {
        format!("\nWritten:\n{}", names.concat())
    };
    output::print(&ending)
}

/// A file of settings compared with an advice.
struct Compared {
    /// Its name.
    file: String,
    review: Review,
    /// Lines about its version.
    notice: String,
}

/// A file of settings, by its name, against the advice for its database.
fn compared(
    file: &Path,
    advice: &[Advice],
    run: &Run,
    arguments: &AdviseArguments,
) -> Result<Compared, Failure> {
    let shown = file.display();
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let syntaxes = settings::syntaxes_of(&name);
    if syntaxes.is_empty() {
        return Err(Failure::Usage(format!(
            "--current {shown}: no database has settings files of this name: use postgresql.conf, my.cnf, an OPTIONS \
             file or .ini of RocksDB, or .sql with SQLite's pragmas"
        )));
    }
    // A database that was found on the machine comes before one that has files of the same name.
    let Some(advice) = advice.iter().find(|advice| syntaxes.contains(&advice.syntax)) else {
        return Err(Failure::Runtime(format!("{shown}: Syncline has no rules for its database")));
    };
    let syntax = advice.syntax;
    let Content { text, entries } = settings_file::read(file, syntax)?;
    let read = SettingsFile { path: file, syntax, text: &text, entries: &entries };
    let version = file_version::of(&read, arguments.server_version.as_ref(), run);
    let review = current::review(advice, &entries, &version.release)
        .map_err(|why| Failure::Usage(settings_file::unreadable(file, &why)))?;
    let notice = version.notice(advice, &review, arguments.redact);
    Ok(Compared { file: name, review, notice })
}

#[cfg(test)]
mod tests {
    use crate::arguments;
    use crate::studies;
    use advice::{Advice, Command, Needs, NoAdvice, advise};
    use clap::Parser as _;
    use lab::plan::{Overrides, resolve};
    use model::plan::{Plan, StudyPlan};
    use model::run::Run;

    fn planned(command: &str) -> Vec<StudyPlan> {
        let parsed =
            arguments::Arguments::try_parse_from(["syncline", "run"].into_iter().chain(command.split(' ')))
                .unwrap();
        let arguments::Command::Run(arguments) = parsed.command else { panic!("{command}") };
        let overrides = Overrides {
            profile: arguments.profile,
            vary: arguments.vary,
            fix: arguments.fix,
            rounds: arguments.rounds,
            cpu: None,
            turns: model::plan::Turns::Off,
        };
        let plan = |name: &String| {
            let study = studies::find(name).unwrap();
            resolve(&study, workload::schema(&study.workload).unwrap(), &overrides).unwrap()
        };
        arguments.studies.iter().map(plan).collect()
    }

    /// The advice of a run of these studies before its first trial.
    fn unmeasured(studies: Vec<StudyPlan>) -> Vec<Advice> {
        let plan = Plan { seed: 1, studies, ..Plan::default() };
        let run = Run { plan, host: lab::host::facts(), records: Vec::new(), remarks: Vec::new() };
        advise(&run, &verdict::analyse(&run, &|_| None))
    }

    fn without(advice: &[Advice]) -> impl Iterator<Item = (&str, &NoAdvice)> {
        advice.iter().flat_map(Advice::without).map(|(setting, none)| (setting.name.as_str(), none))
    }

    /// A command that is named if nothing was measured and that does not feed its rule sends the user away in vain.
    #[test]
    fn the_command_that_would_measure_a_setting_has_what_its_rule_needs() {
        let nothing = unmeasured(Vec::new());
        let mut rules = 0;
        for (setting, none) in without(&nothing) {
            let Some(Needs { command: Command::Run { study }, .. }) = &none.needs else { continue };
            let planned = unmeasured(planned(study));
            let (_, after) = without(&planned).find(|(name, _)| *name == setting).unwrap();
            assert!(!after.cause.is_about_the_plan(), "{setting}: {study}: {:?}", after.cause);
            rules += 1;
        }
        assert!(rules >= 19, "{rules}");
    }
}
