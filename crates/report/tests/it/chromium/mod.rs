//! How the tests open a page in a real, headless Chromium.

mod served;

pub(crate) use served::message_of;

use std::path::Path;
use std::process::{Command, Output};

const HEIGHT: u32 = 2_000;
const VIRTUAL_TIME_MS: u32 = 20_000;

/// What the page is opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

/// Opens a page and dumps the result; prints a notice and returns `None` if there is no Chromium.
pub(crate) fn open(profile: &Path, width: u32, theme: Theme, page: &Path) -> Option<Output> {
    // Blink's PreferredColorScheme: 0 is dark, 1 is light.
    let scheme = match theme {
        Theme::Dark => 0,
        Theme::Light => 1,
    };
    let started = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},{HEIGHT}"))
        .arg(format!("--virtual-time-budget={VIRTUAL_TIME_MS}"))
        .arg(format!("file://{}", page.display()))
        .output();
    match started {
        Ok(output) => Some(output),
        Err(error) => {
            skip::because(format_args!("no chromium ({error}); make tools installs it"));
            None
        }
    }
}

/// Plots are drawn when they come into view, which headless Chromium reports unreliably under virtual time. Here
/// everything is in view from the start.
const ALL_IN_SIGHT: &str = "<script>window.IntersectionObserver = class { \
    constructor(tell) { this.tell = tell; } \
    observe(target) { setTimeout(() => this.tell([{ isIntersecting: true, target }], this), 0); } \
    unobserve() {} disconnect() {} };</script></head>";

/// The page for a test: everything is in view, its policy is removed because it forbids foreign scripts, and the test's
/// script is at its end.
pub(crate) fn with_script(page: &str, script: &str) -> String {
    let policy = page.find("<meta http-equiv=\"Content-Security-Policy\"").expect("the page has a policy");
    let policy_end = policy + page[policy..].find('>').expect("which ends") + 1;
    let body_end = page.rfind("</body>").expect("the page has a body");
    let (head, body, rest) = (&page[..policy], &page[policy_end..body_end], &page[body_end..]);
    format!("{head}{}<script>{script}</script>{rest}", body.replacen("</head>", ALL_IN_SIGHT, 1))
}
