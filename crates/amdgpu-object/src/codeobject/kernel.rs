//! Kernels as their metadata describes them.

#[cfg(feature = "std")]
use super::fingerprint::CodeFingerprint;
use crate::codeobject::launch_limit;
#[cfg(feature = "std")]
use crate::isa::body::Body;
#[cfg(feature = "std")]
use crate::isa::class::ClassSet;
use crate::target::TargetId;
use alloc::borrow::Cow;

answer! {
    /// One kernel in a code object's metadata. Numbers that the metadata omits are `None`: hand-written
    /// assembly kernels omit half of them.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Kernel<'a> {
        /// Mangled name.
        text name: Cow<'a, str>,
        /// Symbol of its descriptor: the name with `.kd`, or `@kd` in V2.
        text symbol: Cow<'a, str>,
        /// `normal`, `init` or `fini`.
        maybe_text kind: Cow<'a, str>,
        /// Scalar registers.
        copy sgprs: Option<u64>,
        /// Vector registers; on targets that keep accumulation registers in the same file, the sum of both.
        copy vgprs: Option<u64>,
        /// Accumulation registers.
        copy agprs: Option<u64>,
        /// Spilled scalar registers.
        copy sgpr_spills: Option<u64>,
        /// Spilled vector registers.
        copy vgpr_spills: Option<u64>,
        /// Static LDS in bytes.
        copy lds: Option<u64>,
        /// Scratch per work-item in bytes.
        copy scratch: Option<u64>,
        /// Kernel argument segment in bytes.
        copy kernarg: Option<u64>,
        /// 32 or 64.
        copy wavefront: Option<u64>,
        /// Largest flat workgroup in work-items.
        copy max_workgroup: Option<u64>,
        /// 1 if the waves of a work-group are spread over a work-group processor, 0 if over a compute unit
        /// (since gfx10).
        copy workgroup_processor: Option<u64>,
        /// Vector registers that its descriptor asks for, rounded up; only where
        /// [`Kernel::with_allocated_vgprs`] was called.
        copy allocated_vgprs: Option<u64>,
        /// Its machine code, if decoded.
        #[cfg(feature = "std")]
        copy code: Option<BodyCode>,
    }
}

/// A number in the metadata of a kernel, since code object V3.
pub(super) struct NumberField {
    /// The metadata key.
    pub key: &'static [u8],
    /// The field of [`Kernel`] for the number.
    pub slot: for<'k, 'a> fn(&'k mut Kernel<'a>) -> &'k mut Option<u64>,
}

/// All numbers that are kept.
pub(super) const NUMBERS: [NumberField; 11] = [
    NumberField { key: b".sgpr_count", slot: |k| &mut k.sgprs },
    NumberField { key: b".vgpr_count", slot: |k| &mut k.vgprs },
    NumberField { key: b".agpr_count", slot: |k| &mut k.agprs },
    NumberField { key: b".sgpr_spill_count", slot: |k| &mut k.sgpr_spills },
    NumberField { key: b".vgpr_spill_count", slot: |k| &mut k.vgpr_spills },
    NumberField { key: b".group_segment_fixed_size", slot: |k| &mut k.lds },
    NumberField { key: b".private_segment_fixed_size", slot: |k| &mut k.scratch },
    NumberField { key: b".kernarg_segment_size", slot: |k| &mut k.kernarg },
    NumberField { key: b".wavefront_size", slot: |k| &mut k.wavefront },
    NumberField { key: b".max_flat_workgroup_size", slot: |k| &mut k.max_workgroup },
    NumberField { key: b".workgroup_processor_mode", slot: |k| &mut k.workgroup_processor },
];

#[cfg(feature = "std")]
answer! {
    /// A summary of a kernel's machine code.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BodyCode {
        /// What the body does.
        copy body: Body,
        /// Size of the code in bytes.
        copy bytes: u64,
        /// Number of instructions.
        copy instructions: u64,
        /// The classes of its instructions, one bit each, in the order of [`crate::isa::class::CLASSES`].
        copy classes: ClassSet,
        /// The requested sets of mnemonics that it uses, one bit each.
        copy uses: u64,
        /// Its fingerprint, if requested.
        copy fingerprint: Option<CodeFingerprint>,
    }
}

impl Kernel<'static> {
    /// A nameless kernel whose metadata states these numbers, by key (`.vgpr_count`). Unknown keys are
    /// ignored.
    pub fn stating(numbers: &[(&str, u64)]) -> Self {
        let mut kernel = Kernel::default();
        for (key, number) in numbers {
            if let Some(field) = NUMBERS.iter().find(|field| field.key == key.as_bytes()) {
                *(field.slot)(&mut kernel) = Some(*number);
            }
        }
        kernel
    }
}

impl Kernel<'_> {
    /// The symbol of its first instruction.
    pub fn entry(&self) -> &str {
        let symbol = self.symbol.as_ref();
        symbol.strip_suffix(".kd").or_else(|| symbol.strip_suffix("@kd")).unwrap_or(symbol)
    }

    /// A copy that owns its texts.
    pub fn to_static(&self) -> Kernel<'static> {
        let own = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
        Kernel {
            name: own(&self.name),
            symbol: own(&self.symbol),
            kind: self.kind.as_ref().map(own),
            ..*self
        }
    }

    /// A copy with the vector registers that its descriptor asks for, in all; where the metadata leave out
    /// accumulation registers, these say how many waves there is room for.
    #[must_use]
    pub fn with_allocated_vgprs(self, registers: u64) -> Self {
        Kernel { allocated_vgprs: Some(registers), ..self }
    }

    /// A copy with its machine code.
    #[cfg(feature = "std")]
    pub fn with_code(&self, code: BodyCode) -> Self {
        Kernel { code: Some(code), ..self.clone() }
    }

    /// Whether it spills registers.
    pub fn spills(&self) -> bool {
        self.sgpr_spills.unwrap_or(0) > 0 || self.vgpr_spills.unwrap_or(0) > 0
    }
}

answer! {
    /// Sums and maxima over kernels.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct KernelTotals {
        /// Number of kernels.
        copy count: u64,
        /// Number of kernels that spill scalar or vector registers.
        copy spilling: u64,
        /// Most scalar registers.
        copy max_sgprs: u64,
        /// Most vector registers.
        copy max_vgprs: u64,
        /// Most accumulation registers.
        copy max_agprs: u64,
        /// Largest static LDS in bytes.
        copy max_lds: u64,
        /// Largest scratch per work-item in bytes.
        copy max_scratch: u64,
        /// Largest work-group that a kernel may be launched with, in work-items.
        copy max_workgroup: u64,
        /// Number of kernels whose registers cannot hold a work-group of the size that they state.
        copy beyond_registers: u64,
        /// Number of kernels that need much scratch for each work-item.
        copy much_scratch: u64,
    }
}

impl KernelTotals {
    /// Counts one kernel of a code object for this target.
    pub fn add(&mut self, kernel: &Kernel<'_>, target: &TargetId) {
        self.merge(&KernelTotals {
            count: 1,
            spilling: u64::from(kernel.spills()),
            max_sgprs: kernel.sgprs.unwrap_or(0),
            max_vgprs: kernel.vgprs.unwrap_or(0),
            max_agprs: kernel.agprs.unwrap_or(0),
            max_lds: kernel.lds.unwrap_or(0),
            max_scratch: kernel.scratch.unwrap_or(0),
            max_workgroup: kernel.max_workgroup.unwrap_or(0),
            beyond_registers: u64::from(launch_limit::exceeds_registers(kernel, target)),
            much_scratch: u64::from(launch_limit::needs_much_memory(kernel)),
        });
    }

    /// Adds the totals of other kernels.
    pub fn merge(&mut self, other: &KernelTotals) {
        self.count += other.count;
        self.spilling += other.spilling;
        self.max_sgprs = self.max_sgprs.max(other.max_sgprs);
        self.max_vgprs = self.max_vgprs.max(other.max_vgprs);
        self.max_agprs = self.max_agprs.max(other.max_agprs);
        self.max_lds = self.max_lds.max(other.max_lds);
        self.max_scratch = self.max_scratch.max(other.max_scratch);
        self.max_workgroup = self.max_workgroup.max(other.max_workgroup);
        self.beyond_registers += other.beyond_registers;
        self.much_scratch += other.much_scratch;
    }
}
