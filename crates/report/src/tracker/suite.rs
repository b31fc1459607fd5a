//! JUnit's XML, which continuous integration shows as tests.

use model::printable;
use std::fmt::Write;

/// How a case ended.
pub(super) enum Ending {
    Passed,
    Skipped(String),
    Failed(String),
    /// There is no result, which is not a pass.
    Error(String),
}

pub(super) struct Case {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) ending: Ending,
    /// What is shown of it, line by line.
    pub(super) lines: Vec<String>,
}

/// Cases that belong together.
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) cases: Vec<Case>,
}

/// The whole file.
pub(super) fn file(suites: &[Suite]) -> String {
    let all = suites.iter().flat_map(|suite| &suite.cases);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "<testsuites name=\"syncline\" {}>", counts(all));
    for Suite { name, cases } in suites {
        let _ = writeln!(text, "  <testsuite name=\"{}\" {}>", escaped(name), counts(cases.iter()));
        for case in cases {
            write(&mut text, case);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for case in cases {
        tests += 1;
        match case.ending {
            Ending::Passed => {}
            Ending::Skipped(_) => skipped += 1,
            Ending::Failed(_) => failures += 1,
            Ending::Error(_) => errors += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

fn write(text: &mut String, case: &Case) {
    let (class, name) = (escaped(&case.class), escaped(&case.name));
    let _ = writeln!(text, "    <testcase classname=\"{class}\" name=\"{name}\">");
    match &case.ending {
        Ending::Passed => {}
        Ending::Skipped(why) => {
            let _ = writeln!(text, "      <skipped message=\"{}\"/>", escaped(why));
        }
        Ending::Failed(why) => {
            let _ = writeln!(text, "      <failure message=\"{}\"/>", escaped(why));
        }
        Ending::Error(why) => {
            let _ = writeln!(text, "      <error message=\"{}\"/>", escaped(why));
        }
    }
    if !case.lines.is_empty() {
        let lines: Vec<String> = case.lines.iter().map(|line| escaped(line)).collect();
        let _ = writeln!(text, "      <system-out>{}</system-out>", lines.join("\n"));
    }
    text.push_str("    </testcase>\n");
}

/// Text in an element or an attribute; characters that XML cannot hold are escaped as everywhere.
fn escaped(text: &str) -> String {
    let text = printable(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
