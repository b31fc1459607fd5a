//! Whether what a job wrote is compared with the file.

use super::job::Job;
use super::load::Pattern;
use super::read::Options;
use super::refusal::Answer;

/// Contents that fio checks: a checksum in the header of each block, or a pattern.
const CHECKED: [&str; 21] = [
    "md5",
    "crc64",
    "crc32c",
    "crc32c-intel",
    "crc32",
    "crc16",
    "crc7",
    "xxhash",
    "sha512",
    "sha256",
    "sha1",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "meta",
    "pattern",
    "pattern_hdr",
    "1",
    "crc32c_intel",
    "null",
];

pub(super) fn verification(options: &Options<'_>, pattern: &Pattern, job: &mut Job) -> Answer<()> {
    let verify = options.text("verify").unwrap_or("0");
    if verify == "0" {
        return Ok(());
    }
    if !CHECKED.contains(&verify) {
        let names = CHECKED.into_iter().take(18);
        return options.refuse("verify", model::suggestion::unknown("verify", verify, names));
    }
    if pattern.trims() {
        let what =
            format!("verify={verify} with rw={}: a hole has no data to verify; remove one", pattern.name());
        return options.refuse("verify", what);
    }
    let reads_back = options.switch("do_verify")?.unwrap_or(true);
    if !pattern.writes() {
        if !reads_back {
            return Ok(());
        }
        let what = format!(
            "verify={verify} with rw={}: the data of another job would be verified; give verify= to the job that writes, \
             which reads it back, or remove it",
            pattern.name()
        );
        return options.refuse("verify", what);
    }
    if verify == "null" || !reads_back {
        let why = if reads_back { "verify=null" } else { "do_verify=0" };
        job.remark(format!("nothing is read back, because of {why}; blocks have no header with a checksum"));
        return Ok(());
    }
    job.set("verify", &true);
    job.remark(format!(
        "verify={verify} compares all bytes of each block with what was written last, after the measurement and outside \
         its figures; fio puts a checksum into each block and reads it back in the job"
    ));
    if options.count("verify_backlog")?.unwrap_or(0) > 0 {
        job.remark("verify_backlog has no effect: blocks are read back after the measurement");
    }
    Ok(())
}
