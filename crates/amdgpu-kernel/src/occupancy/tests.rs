//! Cases whose expectation is what LLVM 22.1.8's `llc` printed as `; Occupancy`
//! (`fixtures/kernel/occupancy.tsv`), and properties.
#![allow(clippy::indexing_slicing)] // A test may panic.
use super::*;
use proptest::prelude::*;

/// What `llc` printed for kernels with these registers, LDS and work-group sizes.
const CASES: &str = include_str!("occupancy.tsv");

fn hardware(processor: &str, lanes: u32, mode: &str) -> Hardware {
    let spread = if mode == "cu" { Spread::ComputeUnit } else { Spread::WorkgroupProcessor };
    Hardware::for_processor(processor, lanes, spread).unwrap()
}

#[test]
fn waves_are_those_that_llvm_prints() {
    let mut seen = 0;
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| columns[at].parse::<u32>().unwrap();
        let hardware = hardware(columns[0], number(1), columns[2]);
        let demand = Demand::new().vgprs(number(3)).agprs(number(4)).sgprs(number(6)).lds(number(7));
        let found = Occupancy::on_hardware(&hardware, &demand.workgroup(number(8), number(9)));
        assert_eq!(found.waves(), number(10), "{line}");
        seen += 1;
    }
    assert!(seen >= 300, "{seen}");
}

/// By hand from AMD's register file sizes.
#[test]
fn limiters_and_the_next_step_are_named() {
    let limiters = |demand: Demand, processor: &str, lanes| {
        let found = Occupancy::on_hardware(&hardware(processor, lanes, "wgp"), &demand);
        let less = found.next_step().map(|next| {
            (
                next.waves(),
                next.reductions().iter().map(|one| (one.limiter(), one.less())).collect::<Vec<_>>(),
            )
        });
        (found.waves(), found.limiters().map(Limiter::name).collect::<Vec<_>>(), less)
    };
    let all = Demand::new().workgroup(256, 256);
    assert_eq!(limiters(all, "gfx906", 64), (10, vec![], None));
    // 256 registers of 64 each are 4 waves, of 48 each 5.
    let found = limiters(all.vgprs(64), "gfx906", 64);
    assert_eq!(found, (4, vec!["vgpr"], Some((5, vec![(Limiter::Vgpr, 64 - 48)]))));
    // 512 registers of both kinds.
    assert_eq!(limiters(all.vgprs(128).agprs(128), "gfx90a", 64).1, ["vgpr", "agpr"]);
    assert_eq!(limiters(all.vgprs(64).agprs(128), "gfx908", 64).1, ["agpr"]);
    // Two groups of four waves on four units.
    let found = limiters(all.lds(32768), "gfx906", 64);
    assert_eq!(found, (2, vec!["lds"], Some((3, vec![(Limiter::Lds, 32768 - 21845)]))));
    // 16 waves of one group, no second of the 40 places fits but one.
    assert_eq!(limiters(Demand::new().workgroup(1024, 1024), "gfx906", 64).1, ["workgroup-size"]);
    // 16 groups of two waves each.
    assert_eq!(limiters(Demand::new().workgroup(128, 128), "gfx906", 64).1, ["barriers"]);
}

#[test]
fn lds_is_given_in_pieces() {
    let hardware = hardware("gfx1030", 32, "wgp");
    let held = Occupancy::on_hardware(&hardware, &Demand::new().lds(1025).workgroup(32, 32));
    assert_eq!((held.waves(), held.waves_with_lds_granule()), (16, 16));
    let held = Occupancy::on_hardware(&hardware, &Demand::new().lds(2100).workgroup(32, 32));
    // 131,072 bytes are 62 groups of 2,100 bytes, and 42 of 3,072.
    assert_eq!((held.waves(), held.waves_with_lds_granule()), (16, 11));
}

#[test]
fn a_processor_that_is_not_known_has_no_hardware() {
    assert_eq!(Hardware::for_processor("gfx9999", 64, Spread::ComputeUnit), None);
    assert_eq!(Hardware::for_processor("gfx906", 32, Spread::ComputeUnit), None);
    for isa in amdgpu_isa::processor::all() {
        let any = [32, 64]
            .iter()
            .any(|lanes| Hardware::for_processor(isa.name, *lanes, Spread::WorkgroupProcessor).is_some());
        assert!(any, "{}", isa.name);
    }
}

proptest! {
    /// Any numbers give between one wave and all; less of anything never gives fewer, and a step holds what
    /// it says.
    #[test]
    fn any_demand_has_an_answer(
        which in 0usize..60, wide: bool, unit: bool,
        vgprs: u32, agprs: u32, sgprs: u32, lds: u32, smallest: u32, largest: u32,
    ) {
        let all = amdgpu_isa::processor::all();
        let spread = if unit { Spread::ComputeUnit } else { Spread::WorkgroupProcessor };
        let lanes = if wide { 64 } else { 32 };
        let Some(hardware) = Hardware::for_processor(all[which % all.len()].name, lanes, spread) else { return Ok(()) };
        for shift in [0, 16, 22, 24] {
            let demand = Demand::new().vgprs(vgprs >> shift).agprs(agprs >> shift).sgprs(sgprs >> shift);
            let demand = demand.lds(lds >> (shift / 2)).workgroup(smallest >> shift, largest >> shift);
            let found = Occupancy::on_hardware(&hardware, &demand);
            prop_assert!((1..=found.most()).contains(&found.waves()));
            prop_assert_eq!(found.limiters().count() == 0, found.waves() == found.most());
            prop_assert!(found.waves_with_lds_granule() <= found.waves());
            let fewer = Occupancy::on_hardware(&hardware, &demand.vgprs(vgprs >> shift >> 1));
            prop_assert!(fewer.waves() >= found.waves());
            if let Some(next) = found.next_step() {
                prop_assert!(next.waves() > found.waves() && !next.reductions().is_empty());
            }
        }
    }
}
