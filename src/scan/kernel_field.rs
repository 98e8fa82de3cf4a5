//! Numbers of a kernel by their names: one table for conditions, orders and columns.

use crate::codeobject::Kernel;
use crate::error::NotUnderstood;
use crate::inventory::kernel_row::occupancy;
use crate::target::TargetId;
use std::fmt;

/// A number that is known of a kernel.
pub struct KernelField {
    /// Its name, as in JSON.
    pub name: &'static str,
    /// Shorter names that are understood too.
    pub short: &'static [&'static str],
    /// What it counts.
    pub about: &'static str,
    /// Whether machine code has to be decoded for it.
    pub of_code: bool,
    /// Reads it of a kernel for a target; nothing where the metadata does not state it.
    pub value: fn(&Kernel<'_>, &TargetId) -> Option<u64>,
}

macro_rules! fields {
    ($($name:literal [$($short:literal)*] $about:literal $of_code:literal $value:expr;)*) => {
        /// All of them.
        pub static KERNEL_FIELDS: &[KernelField] = &[$(KernelField {
            name: $name,
            short: &[$($short),*],
            about: $about,
            of_code: $of_code,
            value: $value,
        }),*];
    };
}

fields! {
    "sgprs" ["sgpr"] "scalar registers" false |k, _| k.sgprs();
    "vgprs" ["vgpr"] "vector registers" false |k, _| k.vgprs();
    "agprs" ["agpr"] "accumulation registers" false |k, _| k.agprs();
    "spills" ["spill"] "spilled registers, scalar and vector" false |k, _| Some(k.sgpr_spills()? + k.vgpr_spills()?);
    "sgpr_spills" ["sspill"] "spilled scalar registers" false |k, _| k.sgpr_spills();
    "vgpr_spills" ["vspill"] "spilled vector registers" false |k, _| k.vgpr_spills();
    "lds" [] "static LDS in bytes" false |k, _| k.lds();
    "scratch" [] "scratch of a work-item in bytes" false |k, _| k.scratch();
    "kernarg" [] "kernel arguments in bytes" false |k, _| k.kernarg();
    "wavefront" ["wave"] "work-items of a wavefront" false |k, _| k.wavefront();
    "max_workgroup" ["group"] "most work-items of a work-group" false |k, _| k.max_workgroup();
    "occupancy" ["waves"] "waves that a SIMD unit holds" false |k, target| Some(u64::from(occupancy(k, target)?.waves()));
    "instructions" ["instr"] "instructions" true |k, _| k.code().map(|code| code.instructions());
    "code_bytes" ["bytes"] "machine code in bytes" true |k, _| k.code().map(|code| code.bytes());
}

impl KernelField {
    /// The field of a name, in either case of letters.
    ///
    /// # Errors
    /// The names that there are, where this is none of them.
    pub fn by_name(name: &str) -> Result<&'static KernelField, NotUnderstood> {
        let lower = name.to_ascii_lowercase();
        let found = KERNEL_FIELDS.iter().find(|field| field.name == lower || field.short.contains(&&*lower));
        found.ok_or_else(|| {
            let names: Vec<&str> = KERNEL_FIELDS.iter().map(|field| field.name).collect();
            format!("kernels have no {name:?}; known are {}", names.join(", ")).into()
        })
    }
}

impl fmt::Debug for KernelField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_field() {
        for field in KERNEL_FIELDS {
            for name in field.short.iter().chain([&field.name]) {
                assert_eq!(KernelField::by_name(&name.to_uppercase()).unwrap().name, field.name);
            }
        }
        assert!(KernelField::by_name("banana").unwrap_err().contains("vgpr_spills"));
    }

    #[test]
    fn spills_that_are_stated_in_part_are_not_known() {
        let spills = KernelField::by_name("spills").unwrap().value;
        let kernel = Kernel::stating(&[(".sgpr_spill_count", 2), (".vgpr_spill_count", 3)]);
        let target = TargetId::bare("gfx906");
        assert_eq!(spills(&kernel, &target), Some(5));
        assert_eq!(spills(&Kernel::stating(&[(".sgpr_spill_count", 2)]), &target), None);
    }

    /// What `llc` of LLVM 22.1.8 prints for a kernel of 128 registers: 10 on gfx1100, whose SIMD units have
    /// 1,536; 4 on gfx90a.
    #[test]
    fn occupancy_is_that_of_the_target() {
        let kernel = Kernel::stating(&[
            (".vgpr_count", 128),
            (".sgpr_count", 40),
            (".agpr_count", 0),
            (".group_segment_fixed_size", 0),
            (".wavefront_size", 32),
            (".max_flat_workgroup_size", 256),
        ]);
        let value = KernelField::by_name("occupancy").unwrap().value;
        assert_eq!(value(&kernel, &TargetId::bare("gfx1100")), Some(10));
        assert_eq!(value(&kernel, &TargetId::bare("gfx90a")), None, "it has no waves of 32");
        assert_eq!(value(&kernel, &TargetId::bare("gfx9999")), None);
    }
}
