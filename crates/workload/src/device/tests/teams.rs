//! Jobs of several kinds beside each other.

use super::*;
use std::collections::BTreeSet;

const TEAMS: [(&str, &str); 4] = [
    ("rw", "randread"),
    ("iodepth", "4"),
    ("number_ios", "64"),
    ("teams", "name=first; name=deep iodepth=32; name=log rw=write bs=8KiB size=256KiB numjobs=2"),
];

fn with(changes: &[(&str, &str)]) -> Parameters {
    parameters(&[&TEAMS, changes].concat())
}

#[test]
fn each_kind_has_its_own_jobs_and_files() {
    let p = with(&[]);
    let told: Vec<_> = p
        .kinds()
        .into_iter()
        .map(|kind| {
            let own = kind.parameters;
            (kind.name.unwrap(), own.rw, own.bs, own.iodepth, own.numjobs, kind.file)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("first".to_owned(), Pattern::RandRead, 4096, 4, 1, 0),
            ("deep".to_owned(), Pattern::RandRead, 4096, 32, 1, 0),
            ("log".to_owned(), Pattern::Write, 8192, 4, 2, 1),
        ]
    );
    let files: Vec<(String, u64)> =
        p.files().into_iter().map(|file| (file.name, file.size_bytes / KIB)).collect();
    assert_eq!(files, [("data-1MiB".to_owned(), 1024), ("team-1-256KiB".to_owned(), 256)]);
    let team = Device::team(&p, 1);
    assert_eq!(team.iter().map(Device::kind).collect::<Vec<_>>(), [0, 1, 2, 2]);
    assert!(team.iter().all(|job| job.families() == team[0].families()), "recorders are merged");
    assert!(p.mixes() && p.reads() && p.writes());
}

/// A job that had all its operations behind it left the others alone on the disk.
#[test]
fn all_kinds_end_with_the_first() {
    let p = with(&[("teams", "name=short; name=long number_ios=100000")]);
    let jobs = Device::team(&p, 1).into_iter().zip(p.jobs());
    let seen: Vec<u64> = jobs.map(|(job, own)| observe_job(&own, job, |_| 0).device.reads()).collect();
    assert_eq!(seen[0], 64);
    assert_eq!(seen[1], 0, "the first had ended before it began");
}

#[test]
fn a_ramp_ends_by_time_and_leaves_the_kinds_apart() {
    let p = with(&[("ramp_time", "1ms")]);
    let ramp = p.ramp().unwrap();
    assert!(ramp.jobs().iter().all(|own| own.number_ios == 0));
    let after: Vec<Device> = Device::team(&ramp, 1).into_iter().map(|job| job.go_on(p.clone())).collect();
    for (job, own) in after.into_iter().zip(p.jobs()).skip(2) {
        let seen = observe_job(&own, job, |_| 0);
        assert!(seen.kinds().iter().all(|kind| *kind == BlockKind::Write), "{own:?}");
    }
}

#[test]
fn a_job_begins_after_its_delay() {
    let p = parameters(&[
        ("rw", "randread"),
        ("numjobs", "3"),
        ("start_delay", "1s"),
        ("start_delay_step", "2s"),
        ("number_ios", "1"),
    ]);
    for (mut job, begin_s) in Device::team(&p, 1).into_iter().zip([1, 3, 5]) {
        let mut out = Vec::new();
        let begins = Nanos::from_millis(begin_s * 1000);
        assert_eq!((job.poll(Nanos::ZERO, &mut out), out.len()), (Next::At(begins), 0));
        job.poll(begins, &mut out);
        assert_eq!(out.len(), 1);
    }
}

#[test]
fn the_description_has_the_streams_of_all_kinds() {
    let description = (SCHEMA.describe)(&configuration(&TEAMS)).unwrap();
    let depths: BTreeSet<_> = description.streams.iter().map(|stream| stream.in_flight_max).collect();
    assert_eq!(depths, BTreeSet::from([Some(4), Some(8), Some(32)]));
    assert_eq!((description.threads, description.in_flight_max), (4, 4 + 32 + 8));
    assert!(description.depth.is_none());
}

#[test]
fn what_cannot_be_is_refused() {
    let refusal =
        |changes: &[(&str, &str)]| (SCHEMA.check)(&configuration(&[&TEAMS, changes].concat())).unwrap_err();
    for (changes, why) in [
        (&[("teams", "name=a; cache=warm")][..], "cache is not a parameter in which"),
        (&[("teams", "name=a; iodepth=0")], "iodepth"),
        (&[("teams", "name=a; size=512B")], "of the jobs of group 2 of teams: size"),
        (&[("rw", "write"), ("verify", "true"), ("teams", "name=a; verify=false")], "or none"),
        (&[("rw", "write"), ("beside", "read"), ("number_ios", "0"), ("runtime", "1s")], "beside = none"),
    ] {
        let refused = refusal(changes);
        assert!(refused.contains(why), "{changes:?}: {refused}");
    }
}
