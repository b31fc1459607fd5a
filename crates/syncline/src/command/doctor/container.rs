//! `syncline doctor --container`: what a database in a container may use of the kernel.

mod image;
mod io_uring;
mod limits;
mod memory;
mod mounts;

use super::check::{Check, Sign};
use super::{WIDTH, in_words};
use crate::arguments::ResultFormat;
use crate::document;
use crate::failure::Failure;
use crate::output;
use ::container::Look;
use disk::backend::BackendKind;
use io_uring::Tried;
use model::figure::counted;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// What stands for this process.
const SELF: &str = "self";

/// Looks at a process, at this one, or starts an image in which it looks at itself.
pub(crate) fn run(subject: &str, format: ResultFormat) -> Result<ExitCode, Failure> {
    if subject == SELF {
        let tried = BackendKind::Uring.supported().map_err(|error| error.to_string());
        return report(std::process::id(), Some(tried.as_ref().copied().map_err(String::as_str)), format);
    }
    match subject.parse::<u32>() {
        Ok(process) => report(process, None, format),
        Err(_) => image::run(subject, format),
    }
}

fn report(process: u32, tried: Tried<'_>, format: ResultFormat) -> Result<ExitCode, Failure> {
    let look = Look::at(process, Path::new("/")).map_err(Failure::runtime)?;
    let sections: [(&str, Vec<Check>); 4] = [
        ("io_uring", io_uring::of_rings(&look, tried)),
        ("memory", memory::of_memory(&look)),
        ("files", mounts::of_mounts(&look)),
        ("limits", limits::of_limits(&look)),
    ];
    match format {
        ResultFormat::Text => {
            let of =
                |sign: Sign| sections.iter().flat_map(|(_, checks)| checks).filter(move |c| c.sign == sign);
            let (bad, open) = (of(Sign::Bad).count(), of(Sign::Unchecked).count());
            let text = format!(
                "process {process} ({}) · Linux {}\n{}\n{} what a database cannot use here. {}.\n",
                look.status.name,
                lab::host::facts().kernel,
                in_words(&sections),
                counted(bad, "line names", "lines name"),
                counted(open, "line could not be checked", "lines could not be checked"),
            );
            output::print_words(&text, WIDTH)
        }
        ResultFormat::Json => {
            let checks: BTreeMap<&str, &[Check]> =
                sections.iter().map(|(title, checks)| (*title, checks.as_slice())).collect();
            document::print(&serde_json::json!({
                "process": process,
                "status": look.status,
                "io_uring": io_uring::access(&look, tried),
                "checks": checks,
            }))
        }
    }
}
