//! What it brings to keep values outside the tree, and what the collection of their garbage costs.

use crate::settings::Settings;
use crate::{Failure, key, make_cold, mix, together};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use store::{Keys, Options, Store, ValueOptions};

/// Times that every key is overwritten.
const OVERWRITES: u64 = 2;
/// Values of at least this number of bytes are separated, if any are.
const SEPARATE_BYTES: usize = 1 << 10;

/// A side of the comparison.
struct Arm {
    name: &'static str,
    values: ValueOptions,
    figures: Vec<Figures>,
}

/// What one side did in one turn.
struct Figures {
    loads_per_s: f64,
    overwrites_per_s: f64,
    drain_s: f64,
    write_amplification: f64,
    /// Bytes of all files for each byte of the newest keys and values.
    space_amplification: f64,
    garbage_percent: f64,
    collected_mb: f64,
    gets_per_s: f64,
    scans_per_s: f64,
}

impl Figures {
    /// By name, with the digits that are printed.
    fn named(&self) -> [(&'static str, f64, usize); 9] {
        [
            ("loads/s", self.loads_per_s, 0),
            ("overwrites/s", self.overwrites_per_s, 0),
            ("drain s", self.drain_s, 2),
            ("write amplification", self.write_amplification, 2),
            ("space amplification", self.space_amplification, 2),
            ("garbage %", self.garbage_percent, 1),
            ("value MB of compactions", self.collected_mb, 0),
            ("cold gets/s", self.gets_per_s, 0),
            ("cold scans/s", self.scans_per_s, 0),
        ]
    }
}

/// Loads, overwrites, drains and reads with each kind of values in turns. Prints each turn, then the medians.
pub(crate) fn compare(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    let arm = |name, separate_bytes, garbage_percent| Arm {
        name,
        values: ValueOptions { separate_bytes, garbage_percent },
        figures: Vec::new(),
    };
    let mut arms = [
        arm("in the tree", 0, 100),
        arm("separated", SEPARATE_BYTES, 100),
        arm("collected at 50 %", SEPARATE_BYTES, 50),
        arm("collected at 25 %", SEPARATE_BYTES, 25),
    ];
    for round in 0..settings.rounds {
        // The one that goes first changes from round to round.
        for turn in 0..arms.len() {
            let arm = &mut arms[(turn + round as usize) % 4];
            let store = directory.join(format!("{round}-{turn}"));
            let options = Options { values: arm.values.clone(), ..settings.options.clone() };
            let figures = measure(settings, &options, &store)?;
            std::fs::remove_dir_all(&store)?;
            print(arm.name, &figures.named());
            arm.figures.push(figures);
        }
    }
    println!("medians of {} rounds", settings.rounds);
    for Arm { name, figures, .. } in &arms {
        let turns: Vec<_> = figures.iter().map(Figures::named).collect();
        let Some(mut median) = turns.first().copied() else { continue };
        for (at, (_, figure, _)) in median.iter_mut().enumerate() {
            let mut values: Vec<f64> = turns.iter().map(|turn| turn[at].1).collect();
            values.sort_by(f64::total_cmp);
            *figure = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
        }
        print(name, &median);
    }
    Ok(())
}

fn print(name: &str, figures: &[(&'static str, f64, usize)]) {
    let figures: Vec<String> =
        figures.iter().map(|(what, figure, digits)| format!("{what} {figure:.digits$}")).collect();
    println!("{name:18} {}", figures.join(", "));
}

/// A value that no other key and no other round has, of bytes that do not compress.
fn fill(value: &mut [u8], number: u64, round: u64) {
    for (word, at) in value.chunks_mut(8).zip(0_u64..) {
        let bytes = mix(mix(number ^ (round << 56)) ^ at).to_be_bytes();
        word.copy_from_slice(&bytes[..word.len()]);
    }
}

/// Puts every key once, each thread a share, in an order that is another one in each round.
fn put_all(store: &Store, settings: &Settings, round: u64) -> Result<f64, Failure> {
    let began = Instant::now();
    let share = settings.keys.div_ceil(settings.threads);
    // A step that has no factor in common with the number of keys visits each of them.
    let least = settings.keys * (3 + 2 * round) / 10 + 1;
    let step = (least..2 * settings.keys).find(|step| gcd(*step, settings.keys) == 1).unwrap_or(1);
    together(settings.threads, |thread| {
        let begin = thread * share;
        let mut value = vec![0; settings.value_bytes];
        (begin..(begin + share).min(settings.keys)).try_for_each(|at| {
            let number = (u128::from(at) * u128::from(step) % u128::from(settings.keys)) as u64;
            fill(&mut value, number, round);
            store.put(&key(number), &value)
        })
    })?;
    Ok(settings.keys as f64 / began.elapsed().as_secs_f64())
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

fn measure(settings: &Settings, options: &Options, directory: &Path) -> Result<Figures, Failure> {
    let store = Store::open(directory, options)?;
    let loads_per_s = put_all(&store, settings, 0)?;
    let mut overwrites_s = 0.0;
    for round in 1..=OVERWRITES {
        overwrites_s += settings.keys as f64 / put_all(&store, settings, round)?;
    }
    let draining = Instant::now();
    store.drain()?;
    let drain_s = draining.elapsed().as_secs_f64();
    let statistics = store.statistics();
    store.close()?;
    let mut file_bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let is_data = |end: &str| entry.path().extension().is_some_and(|found| found == end);
        if ["run", "value", "values"].into_iter().any(is_data) {
            file_bytes += entry.metadata()?.len();
        }
    }
    make_cold(directory)?;
    let store = Store::open(directory, options)?;
    let (gets_per_s, scans_per_s) = (gets(&store, settings)?, scans(&store, settings)?);
    store.close()?;
    let newest_bytes = settings.keys as f64 * (key(0).len() + settings.value_bytes) as f64;
    Ok(Figures {
        loads_per_s,
        overwrites_per_s: settings.keys as f64 * OVERWRITES as f64 / overwrites_s,
        drain_s,
        write_amplification: statistics.write_amplification.unwrap_or(f64::NAN),
        space_amplification: file_bytes as f64 / newest_bytes,
        garbage_percent: 100.0 * statistics.garbage_bytes as f64 / statistics.value_bytes.max(1) as f64,
        collected_mb: statistics.counts.compaction_value_bytes as f64 / 1e6,
        gets_per_s,
        scans_per_s,
    })
}

/// Gets of one thread, as many in flight as the options say.
fn gets(store: &Store, settings: &Settings) -> Result<f64, Failure> {
    let (began, mut right) = (Instant::now(), 0);
    let number = |draw| mix(1 << 41 | draw) % settings.keys;
    // The first word says whose value it is.
    let mut expected = [0; 8];
    let expected = &mut expected[..settings.value_bytes.min(8)];
    store.get_each((0..settings.reads).map(|draw| key(number(draw))), |place, value| {
        fill(expected, number(place as u64), OVERWRITES);
        let is_right =
            value.is_some_and(|value| value.len() == settings.value_bytes && value.starts_with(expected));
        right += u64::from(is_right);
    })?;
    assert_eq!(right, settings.reads, "a get returns the newest value");
    Ok(settings.reads as f64 / began.elapsed().as_secs_f64())
}

fn scans(store: &Store, settings: &Settings) -> Result<f64, Failure> {
    let began = Instant::now();
    for draw in 0..settings.scans {
        let first = key(mix(1 << 42 | draw) % settings.keys);
        let keys = Keys::range(&first[..]..).limit(settings.length);
        store.scan(&keys, |_, value| {
            assert_eq!(value.len(), settings.value_bytes);
            ControlFlow::Continue(())
        })?;
    }
    Ok(settings.scans as f64 / began.elapsed().as_secs_f64())
}
