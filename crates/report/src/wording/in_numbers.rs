//! What a folded part of a study holds, counted.

use model::figure::count;
use verdict::finding::{Answer, Finding};
use verdict::{Audit, Status};

/// `4 findings: 2 different, 1 equivalent, 1 undecided`.
pub(crate) fn findings_in_numbers(findings: &[Finding]) -> String {
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
pub(crate) fn audits_in_numbers(audits: &[Audit]) -> String {
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
