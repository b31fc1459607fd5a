//! An advice limited to what a load does.

use super::{advice, log, names, times};
use crate::{Decision, ForLoad, LeftOut, for_load};
use model::LoadPart;
use page::{Block, Role};
use std::collections::BTreeSet;

fn limited(load: &[LoadPart]) -> ForLoad {
    let faster = log().vary("sync", names(&["fdatasync", "dsync"])).rate(times("sync", &[("dsync", 1.3)]));
    advice(&faster, "postgresql.conf").for_load(&load.iter().copied().collect::<BTreeSet<_>>())
}

fn has(of: &ForLoad, name: &str) -> bool {
    of.advice.settings.iter().any(|setting| setting.name == name)
}

#[test]
fn a_load_that_only_reads_needs_nothing_of_the_log() {
    let reads = limited(&[LoadPart::DataReads]);
    assert!(has(&reads, "effective_io_concurrency") && has(&reads, "huge_pages"));
    let expected = LeftOut { setting: "commit_delay".to_owned(), acts_on: &[LoadPart::LogSyncs] };
    assert!(!has(&reads, "commit_delay") && reads.left_out.contains(&expected), "{:?}", reads.left_out);
    assert!(!has(&reads, "temp_buffers"));
}

#[test]
fn what_was_decided_for_commits_stays_for_a_load_that_commits() {
    let commits = limited(&[LoadPart::LogSyncs, LoadPart::LogWrites]);
    let method = commits.advice.settings.iter().find(|setting| setting.name == "wal_sync_method").unwrap();
    assert!(matches!(method.decision, Decision::Candidate(_)), "{:?}", method.decision);
    assert!(!has(&commits, "random_page_cost"));
}

#[test]
fn nothing_is_left_out_for_a_load_of_all_parts_and_each_setting_is_in_one_list() {
    assert_eq!(limited(&LoadPart::ALL).left_out, []);
    for load in [&LoadPart::ALL[..0], &LoadPart::ALL[..1], &LoadPart::ALL[3..]] {
        let of = limited(load);
        assert_eq!(
            of.advice.settings.len() + of.left_out.len(),
            limited(&LoadPart::ALL).advice.settings.len()
        );
    }
}

#[test]
fn a_line_names_what_was_left_out() {
    let section = for_load(&[limited(&[LoadPart::DataReads])]).unwrap();
    let Some(Block::Paragraph(Role::Note, note)) = section.blocks.last() else { panic!("{section:?}") };
    for name in ["commit_delay", "wal_sync_method", LoadPart::LogSyncs.name()] {
        assert!(note.words().contains(name), "{name}: {}", note.words());
    }
    assert!(for_load(&[]).is_none());
}
