//! What is found in a run.

use super::*;
use synthetic::{Synthetic, name};

fn found(study: &Synthetic, ability: Ability) -> Result<Capacity, NoCapacity> {
    let run = study.run();
    capacity(&run, &verdict::analyse(&run, &|_| None), ability)
}

#[test]
fn a_run_has_the_figures_that_it_measured() {
    let reads = Synthetic::device().vary("iodepth", vec![model::Value::Count(1), model::Value::Count(16)]);
    let fastest = found(&reads, Ability::RandomReads).unwrap();
    assert_eq!((fastest.metric, fastest.fastest_of), ("iops", 2));
    assert!(fastest.estimate.interval.is_some() && fastest.trials > 0);
    for missing in [Ability::RandomWrites, Ability::ReadBandwidth, Ability::SequentialReads] {
        assert_eq!(found(&reads, missing).unwrap_err(), NoCapacity::NotMeasured);
    }
    let buffered = Synthetic::device().vary("mode", vec![name("buffered")]);
    assert_eq!(found(&buffered, Ability::RandomReads).unwrap_err(), NoCapacity::NotMeasured);
    let few = Synthetic::device().rounds(3);
    assert!(matches!(found(&few, Ability::RandomReads), Err(NoCapacity::NoInterval(_))));
    let in_memory = Synthetic::device().edit(|record| {
        record.measurement.as_mut().unwrap().placement.in_memory = Some("tmpfs".to_owned());
    });
    assert_eq!(found(&in_memory, Ability::RandomReads).unwrap_err(), NoCapacity::InMemory);
}
