//! Files for schedulers from a run that may come from anywhere.

use crate::fixture::specimen;
use model::mechanism::Measured;

#[test]
fn a_shell_gets_no_name_that_linux_does_not_give() {
    let (mut run, verdict) = specimen(6);
    for (device, is_named) in [("nvme0n1", true), ("cciss!c0d0", true), ("x/dev; touch pwned #", false)] {
        for record in &mut run.records {
            if let Some(measurement) = &mut record.measurement {
                measurement.placement.device = Measured::Value(device.to_owned());
            }
        }
        let file = report::io_cost(&run, &verdict);
        assert!(!file.contains("touch"), "{file}");
        assert_eq!(!file.contains("not one that Linux gives"), is_named, "{file}");
    }
}
