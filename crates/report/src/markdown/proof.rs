//! The proof of what the advice changes.

use crate::wording::proof as words;
use ::proof::{Claim, Proof};
use page::markdown::{Lines, text};

/// Writes the section.
pub(super) fn section(page: &mut Lines, proof: &Proof) {
    page.heading(2, &text(&format!("Proof: {}", words::title(proof))));
    page.paragraph(&text(&words::ending(proof)));
    for found in proof.bundle.iter().chain(&proof.mended).chain(&proof.servers) {
        claim(page, &words::subject(proof, found), found);
    }
    for standing in &proof.settings {
        claim(page, &words::change(standing), &standing.claim);
        if let Some(predicted) = &standing.predicted {
            page.item(1, &text(&words::predicted(predicted)));
        }
    }
    page.gap();
}

fn claim(page: &mut Lines, subject: &str, claim: &Claim) {
    page.item(0, &format!("{} **{}**", words::word(&claim.outcome), text(subject)));
    match words::disagreement(claim) {
        None => page.item(1, &text(&words::claim(claim))),
        Some(beginning) => {
            page.item(1, &text(beginning));
            for (effect, sentence) in words::effects(claim) {
                page.item(2, &text(&format!("{effect}: {sentence}")));
            }
        }
    }
    for scope in words::scope(claim) {
        page.item(1, &text(&scope));
    }
}
