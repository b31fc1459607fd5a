//! Renders the page of a run directory, or of two compared, to look at a change: `cargo run -p syncline-report
//! --example page -- FILE RUN [RUN]`.

use lab::run_directory::RunFiles;
use std::error::Error;
use std::path::{Path, PathBuf};
use verdict::Verdict;
use verdict::compare::{Side, comparable, compare};

fn read(directory: &Path) -> Result<(model::run::Run, Verdict), Box<dyn Error>> {
    let files = RunFiles::open(directory)?;
    let run = files.run()?;
    let verdict = verdict::analyse(&run, &|key| files.sidecar(key));
    Ok((run, verdict))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (file, page) = match &arguments[..] {
        [file, directory] => {
            let (run, verdict) = read(directory)?;
            let advice = advice::advise(&run, &verdict);
            (file, report::html(&run, &verdict, &advice, &report::Repeat::default()))
        }
        [file, a, b] => {
            let (sides, names) = ([read(a)?, read(b)?], [a.display().to_string(), b.display().to_string()]);
            let [a, b] = [0, 1].map(|at| {
                let (run, verdict) = &sides[at];
                let begun = std::slice::from_ref(&run.plan.created_at);
                Side { name: &names[at], run, verdict, begun }
            });
            let comparison = compare(a, b, comparable(a.run, b.run, &[])?, &[]);
            (file, report::comparison_html(&comparison, &[]))
        }
        _ => return Err("usage: page FILE RUN [RUN]".into()),
    };
    std::fs::write(file, page)?;
    Ok(())
}
