//! A finding with a text from a record in every place that can hold one.

use model::Value;
use verdict::Finding;
use verdict::finding::{Counter, Held, Levels, Remark, Subject};

/// Puts a text into every place of a finding that can hold one from a record.
pub(crate) fn spoil(finding: &mut Finding, text: &str) {
    let name = || Value::Name(text.to_owned());
    let factor = || text.to_owned();
    finding.ask.factor = factor();
    finding.ask.at.push(Held { factor: factor(), level: name() });
    text.clone_into(&mut finding.metric);
    finding.subject = Subject::Levels(Levels { factor: factor(), level: name(), baseline: name() });
    text.clone_into(&mut finding.by_cell[0].0);
    finding.mechanism.push(Counter::Disturbed { level: name(), moved: text.to_owned() });
    finding.remarks.extend([
        Remark::Audit(text.to_owned()),
        Remark::HeldAt { levels: text.to_owned(), is_baseline: true },
        Remark::AuditFailed { audit: text.to_owned(), summary: text.to_owned() },
    ]);
}
