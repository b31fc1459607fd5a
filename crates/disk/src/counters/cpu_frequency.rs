//! The clock of a CPU. cpufreq knows it in kHz; without cpufreq, `/proc/cpuinfo` tells a measured clock only if
//! the CPU has the APERF and MPERF registers, and a nominal one elsewhere, which is not a measurement.

use model::mechanism::Measured;

/// Clock of the CPU that the calling thread runs on, MHz.
pub fn of_this_cpu_mhz() -> Measured<f64> {
    let cpu = rustix::thread::sched_getcpu();
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
    let from_driver = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<f64>().ok());
    if let Some(kilohertz) = from_driver {
        return Measured::Value(kilohertz / 1e3);
    }
    let measured = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| measured_mhz(&text, cpu));
    match measured {
        Some(megahertz) => Measured::Value(megahertz),
        None => {
            Measured::unsupported("no cpufreq, and the CPU does not measure its clock (a virtual machine?)")
        }
    }
}

fn measured_mhz(cpu_info: &str, cpu: usize) -> Option<f64> {
    let block = cpu_info.split("\n\n").find(|block| field(block, "processor") == Some(&cpu.to_string()))?;
    let measures = field(block, "flags")?.split(' ').any(|flag| flag == "aperfmperf");
    if measures { field(block, "cpu MHz")?.parse().ok() } else { None }
}

fn field<'a>(block: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.split_once(':').filter(|(key, _)| key.trim() == name);
    block.lines().find_map(value).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nominal_clock_is_not_taken_for_a_measured_one() {
        let block = |flags| {
            format!(
                "processor\t: 0\ncpu MHz\t\t: 1.0\nflags\t: fpu\n\nprocessor\t: 1\ncpu MHz\t\t: 2596.1\nflags\t\t: \
                 {flags}\n"
            )
        };
        assert_eq!(measured_mhz(&block("fpu aperfmperf tsc"), 1), Some(2596.1));
        assert_eq!(measured_mhz(&block("fpu tsc"), 1), None);
        assert_eq!(measured_mhz(&block("aperfmperf"), 2), None);
    }
}
