//! How long ago a trial's files were written: the parameter `age`.
//!
//! Data that was written a moment ago may still be in a cache below a virtual disk, of a controller or of a drive, and
//! a read of it does not measure the medium. No counter of this machine shows that, so Syncline records the time, and a
//! study can require one.

use crate::refusal::Refusal;
use crate::site::Site;
use model::mechanism::Measured;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

/// Waits until the last change of every file is at least as long ago as the trial requires. Returns the files' ages in
/// seconds.
pub(super) fn reached(site: &Site) -> Result<Vec<Measured<f64>>, Refusal> {
    let asked = Duration::from(site.every_trial().age);
    let ages = || site.files().iter().map(|file| age(&site.path(file)));
    let mut youngest = Duration::MAX;
    for age in ages() {
        match age {
            Ok(age) => youngest = youngest.min(age),
            // A trial that requires an age must not run with another one.
            Err(why) if !asked.is_zero() => return Err(Refusal::Failed(why)),
            Err(_) => {}
        }
    }
    thread::sleep(remaining(asked, youngest));
    Ok(ages().map(|age| age.map(|age| age.as_secs_f64()).into()).collect())
}

fn remaining(asked: Duration, youngest: Duration) -> Duration {
    asked.saturating_sub(youngest)
}

/// A file with a modification time in the future, written before the clock was set back, is new.
fn age(path: &Path) -> Result<Duration, String> {
    let changed = path.metadata().and_then(|facts| facts.modified());
    let changed = changed.map_err(|error| format!("{}: cannot tell its age: {error}", path.display()))?;
    Ok(SystemTime::now().duration_since(changed).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_of_an_age_is_waited_for() {
        let seconds = Duration::from_secs;
        assert_eq!(remaining(seconds(60), seconds(20)), seconds(40));
        assert_eq!(remaining(seconds(60), seconds(61)), Duration::ZERO);
        assert_eq!(remaining(Duration::ZERO, Duration::ZERO), Duration::ZERO);
        // Without files there is nothing to wait for.
        assert_eq!(remaining(seconds(60), Duration::MAX), Duration::ZERO);
    }

    #[test]
    fn the_age_of_a_file_is_since_its_last_change() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let then = SystemTime::now() - Duration::from_hours(1);
        file.as_file().set_modified(then).expect("its time can be set");
        let hour = age(file.path()).expect("it is there");
        assert!((3600..3700).contains(&hour.as_secs()), "{hour:?}");
        let future = SystemTime::now() + Duration::from_hours(1);
        file.as_file().set_modified(future).expect("its time can be set");
        assert_eq!(age(file.path()), Ok(Duration::ZERO));
        assert!(age(Path::new("/nonexistent/file")).is_err());
    }
}
