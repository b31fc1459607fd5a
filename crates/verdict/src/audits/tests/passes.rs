//! Trials that read a dataset several times: the judgement of each pass.

use super::check;
use super::device::edit;
use crate::verdict::Status;
use model::Value;
use model::mechanism::Measured;
use model::study::AskKind;
use model::units::{GIB, MIB};
use synthetic::{Synthetic, ask, name};

/// Two passes over 512 MiB on a machine with 4 GiB: the cached share before each, and the share of bytes from the
/// cache.
fn scan(cache: &str, before: [f64; 2], hits: [f64; 2]) -> Synthetic {
    let study = Synthetic::scan()
        .fix("files", Value::Count(64))
        .fix("file_size", Value::Bytes(8 * MIB))
        .fix("page_cache", name("normal"))
        .fix("cache", name(cache));
    edit(study, move |_, measurement| {
        let phase = measurement.phases[0].clone();
        let pass = |index: usize| {
            let mut pass = phase.clone();
            let figures = [("pass_cached_share_before", before[index]), ("pass_hit_share", hits[index])];
            for (name, figure) in figures {
                pass.metrics.insert(name.to_owned(), Measured::Value(figure));
            }
            pass
        };
        measurement.phases = vec![pass(0), pass(1)];
    })
}

#[test]
fn cold_cache_proves_the_start_of_every_pass() {
    check(
        &scan("cold_each_pass", [0.0; 2], [0.0; 2]),
        "cold-cache",
        Status::Pass,
        "The page cache was as cold or as warm as configured, in every trial.",
    );
    let left = scan("cold_each_pass", [0.0, 0.3], [0.0, 0.3]);
    check(
        &left,
        "cold-cache",
        Status::Fail,
        "arm=only: 20 of 20 trials; furthest off: configured cold, 30.0 % of the dataset was cached before \
         pass 2.",
    );
    check(
        &scan("cold", [0.0, 0.3], [0.0, 0.3]),
        "cold-cache",
        Status::Pass,
        "Closest to the limit, arm=only: configured cold, 0 % of the dataset was cached before pass 1.",
    );
    check(
        &scan("warm", [1.0; 2], [1.0; 2]),
        "cold-cache",
        Status::Pass,
        "Closest to the limit, arm=only: configured warm, 100 % of the dataset was cached before pass 2.",
    );
    let reclaimed = scan("warm", [1.0, 0.5], [1.0, 0.5]);
    check(
        &reclaimed,
        "cold-cache",
        Status::Fail,
        "arm=only: 20 of 20 trials; furthest off: configured warm, 50.0 % of the dataset was cached before \
         pass 2.",
    );
}

#[test]
fn cache_or_disk_says_what_each_pass_measured() {
    let audit = "cache-or-disk";
    let cold = scan("cold_each_pass", [0.0; 2], [-0.2; 2]);
    check(
        &cold,
        audit,
        Status::Pass,
        "arm=only: passes 1 to 2 measured the disk: 20.0 % more bytes were read ahead than requested.",
    );
    check(
        &cold,
        audit,
        Status::Pass,
        "Over all configurations there are 2 passes: 2 measured the disk, 0 the page cache and 0 a mixture \
         of both.",
    );
    let once = scan("cold", [0.0, 1.0], [0.0, 1.0]);
    check(
        &once,
        audit,
        Status::Pass,
        "arm=only: pass 1 measured the disk: 0 % of the bytes came from the page cache; pass 2 measured the \
         page cache: 100 % of the bytes came from the page cache.",
    );
    check(
        &once,
        audit,
        Status::Pass,
        "arm=only: pass 1 measured the disk: 0 % of the bytes came from the page cache; pass 2 measured the \
         page cache: 100 % of the bytes came from the page cache.",
    );
    let mixed = scan("cold", [0.0, 0.5], [0.0, 0.5]);
    check(
        &mixed,
        audit,
        Status::Pass,
        "Over all configurations there are 2 passes: 1 measured the disk, 0 the page cache and 1 a mixture \
         of both.",
    );
    let compare = ask(AskKind::Compare, "arm", &["bandwidth_bytes_per_s"]);
    let late = scan("cold_each_pass", [0.0; 2], [0.0, 0.8]).asks(vec![compare]);
    check(&late, audit, Status::Fail, "Configurations with a cold cache measured mostly the page cache.");
    let direct = scan("cold_each_pass", [0.0; 2], [0.0, 0.3]).fix("page_cache", name("direct"));
    check(
        &direct,
        audit,
        Status::Fail,
        "More than 10 % of the bytes of direct reads did not come from the device: O_DIRECT was not direct.",
    );
}

/// The audit warned about a dataset that fits in memory although it was evicted before every pass, and took one of its
/// files for all.
#[test]
fn a_dataset_that_was_evicted_before_every_pass_is_not_called_cached() {
    let audit = "working-set";
    let cold = scan("cold_each_pass", [0.0; 2], [0.0; 2]);
    check(
        &cold,
        audit,
        Status::Pass,
        "arm=only: buffered reads of a 512MiB dataset with 4.00 GiB of memory: it may fit, but every pass \
         was proven cold and read each byte once.",
    );
    let once = scan("cold", [0.0, 1.0], [0.0, 1.0]);
    check(
        &once,
        audit,
        Status::Pass,
        "arm=only: buffered reads of a 512MiB dataset with 4.00 GiB of memory: it may fit, but the first \
         pass was proven cold, and later ones should find what it left.",
    );
    check(
        &scan("warm", [1.0; 2], [1.0; 2]),
        audit,
        Status::Pass,
        "arm=only: buffered reads of a 512MiB dataset with 4.00 GiB of memory: the page cache is measured, \
         as configured.",
    );
    let left = scan("cold_each_pass", [0.0, 0.3], [0.0, 0.3]);
    check(
        &left,
        audit,
        Status::Warn,
        "arm=only: buffered reads of a 512MiB dataset with 4.00 GiB of memory: it may fit, and pass 2 was \
         not proven cold.",
    );
    let large = scan("cold_each_pass", [0.3; 2], [0.3; 2]).fix("file_size", Value::Bytes(GIB));
    check(
        &large,
        audit,
        Status::Pass,
        "arm=only: buffered reads of a 64GiB dataset with 4.00 GiB of memory: larger than the cache.",
    );
    let direct = scan("cold_each_pass", [0.0; 2], [0.0; 2]).fix("page_cache", name("direct"));
    check(
        &direct,
        audit,
        Status::Pass,
        "arm=only: direct reads of a 512MiB dataset, which the drive's or hypervisor's cache may hold.",
    );
}
