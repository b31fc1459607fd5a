//! The design of a proof, and what a proof of it comes to before its first trial.

use super::refusal::says_something;
use proof::{Design, conclude, next};

const WIDTH: usize = 80;

pub(super) fn design(bytes: &[u8]) {
    let design = match Design::parse(bytes) {
        Ok(design) => design,
        Err(why) => return says_something(why),
    };
    let text = design.text().expect("its numbers are finite");
    assert_eq!(Design::parse(text.as_bytes()).as_ref(), Ok(&design));
    if let Some(stage) = next(&design, &[]) {
        assert!(stage.family > 0);
        let studies = stage.studies(&design);
        assert!(studies.iter().all(|study| !study.arms.is_empty() && !study.name.is_empty()), "{studies:?}");
    }
    let proof = conclude(&design, &[], false);
    assert!(!report::proof(&proof, WIDTH, false).is_empty() && !report::proof_html(&proof).is_empty());
    let settings = proof::proven_settings(&proof).unwrap_or_default();
    assert!(settings.lines().all(|line| line.is_empty() || line.starts_with('#')), "{settings}");
}
