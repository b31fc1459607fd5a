//! Cloud volumes whose rate depends on credits: how they are recognised, how long full credits last, and the source of
//! that figure.
//!
//! A volume does not report its own type to the machine, so a family is what *may* have credits. Local drives of clouds
//! ("Amazon EC2 NVMe Instance Storage", "Microsoft NVMe Direct Disk", Google's "nvme_card") have none and are not
//! listed.

use model::host::{HostFacts, Placement};

/// A family of volumes that may burst.
#[derive(Debug, PartialEq)]
pub(super) struct Family {
    pub(super) name: &'static str,
    /// Words of the machine's DMI vendor and product; empty for any machine.
    machine: &'static str,
    /// Words of the device's model; any of them.
    models: &'static [&'static str],
    /// How long full credits last at the highest rate, seconds.
    pub(super) lasts_s: f64,
    /// Which of its volumes burst, and which do not.
    pub(super) which: &'static str,
    pub(super) source: &'static str,
}

const HALF_AN_HOUR_S: f64 = 1800.0;

const FAMILIES: &[Family] = &[
    Family {
        name: "Amazon EBS",
        machine: "",
        models: &["Amazon Elastic Block Store"],
        lasts_s: HALF_AN_HOUR_S,
        which: "gp2 below 1 TiB, st1 and sc1 burst on credits, and so do smaller instances' EBS bandwidth; gp3, io1 \
            and io2 do not",
        source: "https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html",
    },
    Family {
        name: "Azure managed disk",
        machine: "Microsoft Corporation",
        models: &["Virtual Disk", "MSFT NVMe Accelerator"],
        lasts_s: HALF_AN_HOUR_S,
        which: "premium SSDs of up to 512 GiB, standard SSDs of up to 1 TiB and smaller machines burst on credits; \
                premium SSD v2 and ultra disks do not",
        source: "https://learn.microsoft.com/azure/virtual-machines/disk-bursting",
    },
    Family {
        name: "DigitalOcean volume",
        machine: "DigitalOcean",
        models: &["Volume"],
        lasts_s: 60.0,
        which: "every volume bursts for a minute and then cools off for one",
        source: "https://www.digitalocean.com/blog/block-storage-volume-performance-burst",
    },
];

/// The family of a trial's volume; `None` if it is not known to have credits.
pub(super) fn family(host: &HostFacts, placement: &Placement) -> Option<&'static Family> {
    let model = placement.model.value()?;
    FAMILIES.iter().find(|family| {
        host.virtualisation.contains(family.machine)
            && family.models.iter().any(|words| model.contains(words))
    })
}
