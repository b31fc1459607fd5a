//! What a folded part of a study holds, counted.

use crate::finding::{Answer, Finding};
use crate::verdict::{Audit, Status};
use model::figure::count;

/// `4 findings: 2 different, 1 equivalent, 1 undecided`.
pub(super) fn findings_in_numbers(findings: &[Finding]) -> String {
    let having = |answer| findings.iter().filter(|finding| finding.answer() == answer).count();
    let words = [
        (having(Answer::Different), "different"),
        (having(Answer::Equivalent), "equivalent"),
        (having(Answer::Undecided), "undecided"),
        (having(Answer::NotAssessable), "not assessable"),
    ];
    in_numbers(findings.len(), "finding", &words)
}

/// `19 audits: 1 failed, 2 warn, 16 passed`.
pub(super) fn audits_in_numbers(audits: &[Audit]) -> String {
    let having = |status| audits.iter().filter(|audit| audit.status == status).count();
    let words = [
        (having(Status::Fail), "failed"),
        (having(Status::Warn), "warn"),
        (having(Status::NotAssessable), "not assessable"),
        (having(Status::Pass), "passed"),
        (having(Status::NotApplicable), "not applicable"),
    ];
    in_numbers(audits.len(), "audit", &words)
}

fn in_numbers(all: usize, what: &str, parts: &[(usize, &str)]) -> String {
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, words)| format!("{number} {words}")).collect();
    if parts.is_empty() { String::new() } else { format!("{}: {}", count(all, what), parts.join(", ")) }
}

/// `17 of 20 audits passed, 2 do not apply`; if all that apply passed: `All 18 audits passed, 2 do not apply`.
pub(super) fn audits_passed(audits: &[Audit]) -> String {
    let of = |status| audits.iter().filter(|audit| audit.status == status).count();
    let (passed, moot) = (of(Status::Pass), of(Status::NotApplicable));
    let applicable = audits.len() - moot;
    let passed = if passed == applicable {
        format!("All {passed} audits passed")
    } else {
        format!("{passed} of {applicable} audits passed")
    };
    match moot {
        0 => passed,
        1 => format!("{passed}, 1 does not apply"),
        moot => format!("{passed}, {moot} do not apply"),
    }
}
