//! `pg_test_fsync`: how often a file is synced in each way. `usecs/op` is computed from `ops/sec`, so one of them is
//! kept.

use super::output::{NumberedLine, Output, number, value};
use laws::{Circumstances, Claim, Direction, Sync};
use model::IoMode;
use model::units::parse_bytes;
use std::collections::BTreeSet;

const MARK: &str = "Compare file sync methods";
/// What the beginning of a line calls a way to sync.
const METHODS: &[(&str, Sync)] = &[
    ("open_datasync", Sync::ODsync),
    ("fdatasync", Sync::Fdatasync),
    ("fsync_writethrough", Sync::FullFsync),
    ("fsync", Sync::Fsync),
    ("open_sync", Sync::OSync),
    ("write, fsync, close", Sync::Fsync),
    ("write, close, fsync", Sync::Fsync),
];

/// What holds for the lines below a heading.
#[derive(Default)]
struct Section {
    heading: String,
    write_bytes: Option<u64>,
    is_direct: bool,
    runtime_s: Option<f64>,
}

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    if !lines.iter().any(|(_, line)| line.contains(MARK)) {
        return output;
    }
    let mut section = Section::default();
    let mut headings = BTreeSet::new();
    for (number, line) in lines {
        if let Some(seconds) =
            line.split_once(" seconds per test").or_else(|| line.split_once(" second per test"))
        {
            section = Section { runtime_s: value(seconds.0), ..Section::default() };
            headings.clear();
        } else if line.contains("O_DIRECT supported") {
            section.is_direct = true;
        } else if line.trim_end().ends_with(':') {
            let heading = line.trim().trim_end_matches(':');
            // A heading that was printed before is of another run, whose first lines are left out.
            if !headings.insert(heading) {
                section = Section::default();
                headings = BTreeSet::from([heading]);
            }
            heading.clone_into(&mut section.heading);
            section.write_bytes = line.split_whitespace().find_map(size);
        } else if let Some(row) = row(line, &section) {
            output.push(*number, row);
        }
    }
    output
}

/// The `8kB` of a heading.
fn size(word: &str) -> Option<u64> {
    word.strip_suffix("kB").and_then(|_| parse_bytes(word))
}

fn row(line: &str, section: &Section) -> Option<Claim> {
    let (before, _) = line.split_once(" ops/sec")?;
    let (label, rate) = before.trim().rsplit_once(char::is_whitespace)?;
    let label = label.trim();
    let rate = number(rate)?.printed;
    let named = METHODS.iter().find(|(name, _)| label.starts_with(name)).map(|(_, sync)| *sync);
    let counted = (!label.starts_with(|c: char| c.is_ascii_digit())).then_some(());
    let sync = named.or_else(|| label.ends_with("open_sync write").then_some(Sync::OSync));
    let sync = sync.or_else(|| section.heading.starts_with("Non-sync").then_some(Sync::Never));
    // `2 *  8kB open_sync writes` are several operations of another size.
    let block = section.write_bytes.filter(|_| counted.is_some() && !section.heading.contains("two"));
    let is_open = matches!(sync, Some(Sync::OSync | Sync::ODsync));
    let mut row = Claim {
        label: label.to_owned(),
        study: Some(section.heading.clone()),
        setting: Circumstances {
            direction: Some(Direction::Write),
            mode: Some(if is_open && section.is_direct { IoMode::Direct } else { IoMode::Buffered }),
            in_flight: Some(1),
            block_bytes: block,
            sync,
            ..Circumstances::default()
        },
        n: Some(1),
        runtime_s: section.runtime_s,
        ..Claim::default()
    };
    row.operations_per_s = Some(row.measured("iops", rate));
    Some(row)
}
