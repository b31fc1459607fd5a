//! Huge pages behind the shared buffers.

use crate::caveat::Caveat;
use crate::evidence::{Arms, Evidence};
use crate::level::on_host;
use crate::no_advice::NoAdvice;
use crate::rule::{Decide, Rule};
use crate::setting::{DefaultValue, Facts, ValueKind};
use crate::source::Source;
use crate::statement::Statement;
use crate::takes_effect::TakesEffect;
use crate::weighed::{Choose, Weighed};
use model::{BufferPages, IoMode};
use workload::device::{PARAMETERS as DEVICE, Pattern};

pub(super) const RULES: &[Rule] = &[Rule {
    facts: Facts::new(
        "huge_pages",
        ValueKind::Name,
        DefaultValue::Always("try"),
        TakesEffect::Restart,
        "https://www.postgresql.org/docs/18/runtime-config-resource.html#GUC-HUGE-PAGES",
    )
    .requires(&[
        "huge pages that the kernel has reserved (vm.nr_hugepages): without them try uses small ones",
    ])
    .risks(&["with on, a server without enough of them does not start"])
    .trying(&["off"]),
    source: Some(Source::study("buffer-memory", 1)),
    comparisons: 1,
    decide: Decide::Study(huge_pages),
}];

const BANDWIDTH: &str = "bandwidth_bytes_per_s";

/// Reads of 4 KiB from the page cache into small and into huge pages: as PostgreSQL reads its pages.
fn huge_pages(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let arms = Arms {
        workload: "device",
        held: &[
            DEVICE.mode.at(IoMode::Buffered),
            DEVICE.rw.at(Pattern::RandRead),
            DEVICE.bs.at(4096),
            on_host(),
        ],
        base: &[DEVICE.buffer_pages.at(BufferPages::Small)],
        other: &[DEVICE.buffer_pages.at(BufferPages::Huge)],
        across_classes: false,
    };
    let huge = evidence.contrast(arms, BANDWIDTH)?;
    let statement = Statement::of_pair(huge.pair("buffers in huge pages", "buffers in small pages"));
    Ok(Weighed {
        effects: vec![huge.effect("try", "off")],
        needs: huge.needs,
        grounds: vec![huge.ground],
        caveats: vec![Caveat::Note(
            "Measured with reads of 4 KiB from the page cache into a buffer of Syncline. Shared buffers of many GiB \
             gain more, because their page tables shrink too.",
        )],
        ..Weighed::new(Choose::Compared, statement)
    })
}
