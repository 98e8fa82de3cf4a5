//! Compares occupancy with what `llc` prints for kernels with chosen registers, LDS and work-group sizes.

use super::HeldPart;
use anyhow::{Context as _, Result, bail};
use rocm_audit::kernel::occupancy::{Demand, Hardware, Limiter, Occupancy, Spread};

pub fn run(cases: &str, part: HeldPart) -> Result<()> {
    let text = super::text(cases)?;
    let (mut equal, mut different) = (0usize, 0usize);
    for line in text.lines().filter(|line| !line.starts_with('#') && part.has(line)) {
        let (waves, limiter) = computed(line).with_context(|| line.to_owned())?;
        let expected: Vec<&str> = line.split('\t').skip(10).collect();
        if expected == [waves.to_string().as_str(), limiter.as_str()] {
            equal += 1;
        } else {
            different += 1;
            if different < 20 {
                println!("{line}: found {waves} {limiter}");
            }
        }
    }
    println!("{equal} equal, {different} different");
    if different > 0 || equal == 0 { bail!("{different} cases differ") } else { Ok(()) }
}

fn computed(line: &str) -> Result<(u32, String)> {
    let columns: Vec<&str> = line.split('\t').collect();
    let number = |at: usize| Ok::<u32, anyhow::Error>(columns.get(at).context("a column")?.parse()?);
    let text = |at: usize| columns.get(at).copied().unwrap_or_default();
    let spread = if text(2) == "cu" { Spread::ComputeUnit } else { Spread::WorkgroupProcessor };
    let hardware = Hardware::for_processor(text(0), number(1)?, spread).context("no such processor")?;
    let demand = Demand::new().vgprs(number(3)?).agprs(number(4)?).sgprs(number(6)?).lds(number(7)?);
    let found = Occupancy::on_hardware(&hardware, &demand.workgroup(number(8)?, number(9)?));
    // The list names three limits.
    let mut names = Vec::new();
    for limiter in found.limiters() {
        let name = match limiter {
            Limiter::Vgpr | Limiter::Agpr => "vgpr",
            Limiter::Sgpr => "sgpr",
            _ => "lds/workgroup",
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_by_key(|name| ["lds/workgroup", "vgpr", "sgpr"].iter().position(|own| own == name));
    let name = if names.is_empty() { "none".to_owned() } else { names.join("+") };
    Ok((found.waves(), name))
}
