//! How far an observation is: a line for each class that is drawn again on a terminal, a line now and then elsewhere.

use crate::appearance::Progress as Drawn;
use crate::message::Step;
use crate::output::{appearance, tell, tell_step};
use indicatif::{ProgressBar, ProgressStyle};
use model::figure::{counted, percent, round, round_figure};
use model::metric::Unit;
use model::units::format_elapsed;
use observe::{Class, ClassProgress, Progress};
use std::time::{Duration, Instant};

/// How often the lines are drawn, and how often one comes without a terminal.
const DRAWN_EVERY: Duration = Duration::from_secs(1);
const LINE_EVERY: Duration = Duration::from_secs(10);
const NONE: &str = "—";

pub(super) struct Display {
    bar: ProgressBar,
    begun: Instant,
    duration: Duration,
    shown: Instant,
    last: Option<Progress>,
    rates: [Rates; Class::ALL.len()],
}

impl Display {
    pub(super) fn new(duration: Duration) -> Self {
        let bar = match appearance().progress {
            Drawn::Bar => ProgressBar::new_spinner(),
            Drawn::Lines | Drawn::Hidden | Drawn::Messages => ProgressBar::hidden(),
        };
        bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
        let begun = Instant::now();
        Self { bar, begun, duration, shown: begun, last: None, rates: Default::default() }
    }

    pub(super) fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.duration
    }

    /// Shows the progress if it is time for that.
    pub(super) fn show(&mut self, progress: impl FnOnce() -> Progress) {
        let drawn = appearance().progress;
        let every = match drawn {
            Drawn::Bar | Drawn::Messages => DRAWN_EVERY,
            Drawn::Lines => LINE_EVERY,
            Drawn::Hidden => return,
        };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let left = format_elapsed(self.duration.saturating_sub(self.begun.elapsed()).as_secs_f64());
        let now = progress();
        self.rates = rates(self.last.as_ref(), &now, self.rates);
        match drawn {
            Drawn::Bar => self.bar.set_message(fitted(&screen(&left, &now, &self.rates))),
            Drawn::Lines => tell(line(&left, &now, &self.rates)),
            Drawn::Messages => tell_step(Step {
                done: self.begun.elapsed().as_secs_f64(),
                total: self.duration.as_secs_f64(),
                now: line(&left, &now, &self.rates),
            }),
            Drawn::Hidden => {}
        }
        self.last = Some(now);
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Operations and bytes of a class per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rates {
    operations: f64,
    bytes: f64,
}

/// The rates since the progress before, and since the beginning without one. If no window was open meanwhile, they are
/// those of the last one.
fn rates(
    before: Option<&Progress>,
    now: &Progress,
    last: [Rates; Class::ALL.len()],
) -> [Rates; Class::ALL.len()] {
    std::array::from_fn(|place| {
        let of = &now.classes[place];
        let before = before.map(|before| &before.classes[place]);
        let seconds = of.seen_s - before.map_or(0.0, |before| before.seen_s);
        if seconds <= 0.0 {
            return last[place];
        }
        let (operations, bytes) = before.map_or((0, 0), |before| (before.operations, before.bytes));
        let per_s = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        Rates { operations: per_s(of.operations, operations), bytes: per_s(of.bytes, bytes) }
    })
}

/// A class that was recorded in windows has estimates.
fn sign(of: &ClassProgress, now: &Progress) -> &'static str {
    if of.seen_s < now.duration_s { "≈ " } else { "" }
}

/// `, 5.00 % of the time seen`.
fn seen(now: &Progress) -> String {
    if now.recorded_share < 1.0 {
        format!(", calls recorded for {} of the time", percent(now.recorded_share))
    } else {
        String::new()
    }
}

/// What a terminal has: rates of the last second, and latencies since the beginning.
fn screen(left: &str, now: &Progress, rates: &[Rates]) -> Vec<String> {
    let has_spikes = now.classes.iter().any(|of| of.spikes.is_some());
    let row = |[name, rate, bandwidth, p50, p99, in_flight, spikes]: [&str; 7]| {
        let spikes = if has_spikes { format!("{spikes:>8}") } else { String::new() };
        format!("{name:7}{rate:>9}{bandwidth:>12}{p50:>9}{p99:>9}{in_flight:>11}{spikes}")
    };
    let of_class = |(of, rates): (&ClassProgress, &Rates)| {
        let latency = |us: Option<f64>| us.map_or_else(|| NONE.to_owned(), round);
        let bandwidth = match of.class {
            Class::Read | Class::Write => round_figure(rates.bytes, Unit::BytesPerSecond),
            Class::Sync => NONE.to_owned(),
        };
        row([
            of.class.plural(),
            &format!("{}{}", sign(of, now), round(rates.operations)),
            &bandwidth,
            &latency(of.latency.and_then(|of| of.p50_us)),
            &latency(of.latency.and_then(|of| of.p99_us)),
            &of.in_flight.to_string(),
            &of.spikes.unwrap_or(0).to_string(),
        ])
    };
    let head = format!("{left} left, {}{}{}", processes(now), seen(now), lost(now));
    let headings = row(["", "per s", "bandwidth", "p50 µs", "p99 µs", "in flight", "spikes"]);
    [head, headings].into_iter().chain(now.classes.iter().zip(rates).map(of_class)).collect()
}

/// The same in a line.
fn line(left: &str, now: &Progress, rates: &[Rates]) -> String {
    let of_class = |(of, rates): (&ClassProgress, &Rates)| {
        let p99 = of.latency.and_then(|of| of.p99_us);
        let p99 =
            p99.map_or_else(String::new, |us| format!(" (p99 {})", round_figure(us, Unit::Microseconds)));
        format!("{}{} {}/s{p99}", sign(of, now), round(rates.operations), of.class.plural())
    };
    let classes: Vec<String> = now.classes.iter().zip(rates).map(of_class).collect();
    let spikes = match now.classes.iter().filter_map(|of| of.spikes).sum::<u64>() {
        0 => String::new(),
        spikes => format!(", {}", counted(spikes as usize, "spike", "spikes")),
    };
    format!("{left} left: {} by {}{spikes}{}{}", classes.join(", "), processes(now), seen(now), lost(now))
}

fn processes(now: &Progress) -> String {
    counted(now.processes, "process", "processes")
}

fn lost(now: &Progress) -> String {
    match now.lost_records {
        0 => String::new(),
        lost => format!(", {lost} records lost"),
    }
}

/// A line that wraps would be left behind when the lines are drawn again.
fn fitted(lines: &[String]) -> String {
    let columns = appearance().error_columns.unwrap_or(usize::MAX);
    let fitted = lines.iter().map(|line| line.chars().take(columns).collect::<String>());
    fitted.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use observe::Latency;

    fn progress(duration_s: f64, operations: u64, spikes: Option<u64>) -> Progress {
        let latency = Latency { mean_us: 9.0, p50_us: Some(5.98), p99_us: Some(5460.0), max_us: 62_300.0 };
        let of_class = |class: Class| ClassProgress {
            class,
            seen_s: duration_s,
            operations,
            bytes: operations * 8192,
            in_flight: 2,
            latency: (class == Class::Read).then_some(latency),
            spikes,
        };
        let classes = Class::ALL.map(of_class);
        Progress { duration_s, recorded_share: 1.0, classes, processes: 9, lost_records: 0 }
    }

    #[test]
    fn rates_are_those_since_the_lines_before() {
        let (before, now) = (progress(10.0, 1000, None), progress(11.0, 1555, None));
        let of = |operations: u64| Rates { operations: operations as f64, bytes: operations as f64 * 8192.0 };
        let none = <[Rates; 3]>::default();
        assert_eq!(rates(Some(&before), &now, none)[0], of(555));
        assert_eq!(rates(None, &before, none)[2], of(100));
        assert_eq!(rates(Some(&now), &now, [of(7); 3])[1], of(7), "no window was open");
    }

    /// Calls that are recorded in windows are not fewer between them.
    #[test]
    fn rates_of_windows_are_those_of_their_time() {
        let mut now = progress(10.0, 1000, None);
        now.recorded_share = 0.05;
        for of in &mut now.classes[..2] {
            of.seen_s = 0.5;
        }
        let rates = rates(None, &now, Default::default());
        assert_eq!(rates.map(|of| of.operations as u64), [2000, 2000, 100]);
        insta::assert_snapshot!(line("59 s", &now, &rates));
    }

    #[test]
    fn a_terminal_has_a_line_for_each_class() {
        let now = progress(1.0, 555, Some(3));
        insta::assert_snapshot!(screen("59 s", &now, &rates(None, &now, Default::default())).join("\n"));
        let without = progress(1.0, 555, None);
        let widths = screen("59 s", &without, &rates(None, &without, Default::default()));
        assert_eq!(widths.len(), 2 + Class::ALL.len());
        assert!(widths.iter().all(|line| line.chars().count() < 60), "{widths:?}");
    }

    #[test]
    fn without_a_terminal_it_is_one_line() {
        let now = Progress { lost_records: 7, ..progress(1.0, 555, Some(3)) };
        insta::assert_snapshot!(line("59 s", &now, &rates(None, &now, Default::default())));
    }
}
