//! Limits for scripts.

use super::{compared, scattered, times};
use crate::compare::Gate;
use crate::synthetic::Synthetic;
use proptest::prelude::*;

fn measured() -> Vec<String> {
    [
        "commits_per_s",
        "commit_latency_p50_us",
        "commit_latency_p99_us",
        "commit_latency_p99_9_us",
        "efficiency_share",
    ]
    .map(str::to_owned)
    .into()
}

fn gate(text: &str) -> Result<Gate, String> {
    Gate::parse(text, &measured())
}

#[test]
fn metrics_go_by_full_name_without_unit_or_by_their_beginning() {
    for (text, metric) in [
        ("commit_latency_p99>+10%", "commit_latency_p99_us"),
        ("commit_latency_p99_us > 10 %", "commit_latency_p99_us"),
        ("commit_latency_p99_9>0%", "commit_latency_p99_9_us"),
        ("commits_per<-5%", "commits_per_s"),
        ("eff<-2.5%", "efficiency_share"),
    ] {
        assert_eq!(gate(text).unwrap().metric, metric, "{text}");
    }
}

#[test]
fn a_bad_limit_is_one_clear_line() {
    for (text, message) in [
        ("commits_per_s", "\"commits_per_s\" is no limit: write METRIC>+10% or METRIC<-5%"),
        ("commits_per_s>10", "is no limit: write METRIC>+10%"),
        ("commits_per_s>NaN%", "is no limit"),
        ("commits_per_s>inf%", "is no limit"),
        ("commits_per_s>1e3%", "is no limit"),
        ("commits_per_s>>3%", "is no limit"),
        ("commits_per_s>-3%", "> takes a rise such as +10%, < a fall such as -5%"),
        ("commits_per_s<+3%", "< a fall"),
        ("commits_per_s<-100%", "above -100%"),
        ("comits_per_s<-5%", "unknown metric \"comits_per_s\"; did you mean \"commits_per_s\"?"),
        ("commit_latncy_p99>+10%", "did you mean \"commit_latency_p99_us\"?"),
        (
            "commit_latency>+10%",
            "metric \"commit_latency\" is ambiguous: commit_latency_p50_us, commit_latency_p99_us",
        ),
        ("read_latency_p50>+10%", "read_latency_p50_us was not measured by both runs"),
        ("zzz>+10%", "unknown metric \"zzz\"; both runs measured commits_per_s, "),
        (">+10%", "unknown metric \"\""),
        ("", "\"\" is no limit"),
    ] {
        let said = gate(text).unwrap_err();
        assert!(said.contains(message), "{text}: {said}");
    }
}

#[test]
fn the_bound_nearest_to_no_change_decides() {
    let slower = compared(&scattered(1), &times(0.88, 2));
    for (text, broken) in [
        ("commits_per_s<-10%", 5),
        ("commits_per_s<-0%", 5),
        // The estimates are near -12 %, the intervals reach above it.
        ("commits_per_s<-12%", 0),
        ("commits_per_s>+0%", 0),
    ] {
        let ruling = gate(text).unwrap().judge(&slower);
        assert_eq!((ruling.broken.len(), ruling.kept), (broken, 5 - broken), "{ruling:?}");
        assert!(ruling.unjudged.is_empty() && !ruling.is_empty());
    }
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&slower);
    assert!(ruling.broken[0].starts_with("commit mode=buffered group_size=1: -1"), "{ruling:?}");
    let slower = compared(&times(0.88, 2), &scattered(1));
    assert_eq!(gate("commits_per_s>+10%").unwrap().judge(&slower).broken.len(), 5);
}

#[test]
fn what_cannot_be_judged_is_not_kept() {
    let few = compared(&scattered(1).rounds(3), &Synthetic::commit().rounds(3));
    let ruling = gate("commits_per_s<-10%").unwrap().judge(&few);
    assert!(ruling.is_empty() && !ruling.is_broken());
    assert_eq!(ruling.unjudged.len(), 1);
    assert_eq!(ruling.unjudged[0].why, "3 trials, an interval needs 6");
    assert_eq!(ruling.unjudged[0].rows[0], "commit mode=buffered group_size=1");
    // Measured, but not among what is compared.
    assert!(gate("eff<-2.5%").unwrap().judge(&few).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let _ = gate(&text);
    }

    #[test]
    fn any_limit_is_read_or_refused(name in "[a-z_0-9]{0,12}", sign in "[<>]", number in "[-+0-9.eE%]{0,8}") {
        let _ = gate(&format!("{name}{sign}{number}%"));
    }
}
