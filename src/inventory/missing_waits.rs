//! Results of memory that kernels use before they are there.

use super::close_instructions::CloseInstructions;
use super::instruction_place::placed;
use super::when_missing::WhenMissing;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is found of the waits of a file's kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelWaits {
    /// Kernels.
    pub kernels: u64,
    /// Kernels whose code differs: of each, the first was looked at.
    pub different: u64,
    /// Functions that are no kernels. Kernels may call them, and they were not looked at.
    pub functions: u64,
    /// Bytes of these.
    pub function_bytes: u64,
    /// Instructions whose results have to be waited for, in kernels whose code differs.
    pub results: u64,
    /// Instructions that wait, in the same.
    pub waits: u64,
    /// Waits that are missing each time, whatever branches do.
    pub missing_each_time: u64,
    /// Waits that are missing along one way at least, which conditions may rule out.
    pub missing_along_a_way: u64,
    /// Registers that a read of LDS beyond its end clears, and that are passed on without a wait where nothing was added:
    /// none of the missing waits.
    pub empty_sums: u64,
    /// Kernels that have these, all with the same code counted.
    pub kernels_with_empty_sums: u64,
    /// Kernels with missing waits, all with the same code counted.
    pub kernels_with_missing: u64,
    /// The missing waits: those of each time first; a few of each kernel.
    pub missing: Vec<MissingKernelWait>,
    /// Instructions that are closer to each other than their processor allows.
    pub close: CloseInstructions,
    /// Kernels that were not decided, or not to the end, by the reason.
    pub undecided: BTreeMap<&'static str, u64>,
    /// Code objects that could not be looked into.
    pub problems: Vec<String>,
}

/// A result that is used where no wait covers it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingKernelWait {
    /// `each-time` or `along-a-way`.
    pub when: WhenMissing,
    /// `read` or `overwritten`.
    pub misuse: ResultMisuse,
    /// The target of the code object.
    pub target_id: String,
    /// The kernel, demangled.
    pub kernel: String,
    /// Its symbol.
    pub symbol: String,
    /// Offset of the instruction that uses the result, from the begin of the kernel in bytes.
    pub user: u32,
    /// That instruction.
    pub user_text: String,
    /// File and line of it; `null` without debug information.
    pub user_line: Option<String>,
    /// Offset of the instruction whose result it is.
    pub source: u32,
    /// That instruction.
    pub source_text: String,
    /// File and line of it; `null` without debug information.
    pub source_line: Option<String>,
    /// The register.
    pub register: String,
    /// The counter that has to be waited for, as this target calls it.
    pub counter: &'static str,
    /// Kernels with the same code beside this one.
    pub alike: u64,
}

impl MissingKernelWait {
    /// What the user does and which wait is missing before, with `mark` around each instruction.
    pub fn sentence(&self, mark: &str) -> String {
        let MissingKernelWait { user_text, user, register, counter, source_text, source, .. } = self;
        let verb = self.misuse.verb();
        let (user, source) = (placed(*user, &self.user_line), placed(*source, &self.source_line));
        format!(
            "{mark}{user_text}{mark} at {user} {verb} {register} before {counter} covers \
             {mark}{source_text}{mark} at {source}"
        )
    }
}

/// What a kernel does to a result that may not be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ResultMisuse {
    /// It is read: the old value is used.
    Read,
    /// Its register is written: the result comes later and destroys the new value.
    Overwritten,
}

impl ResultMisuse {
    /// What the instruction does to the register.
    fn verb(self) -> &'static str {
        match self {
            ResultMisuse::Read => "reads",
            ResultMisuse::Overwritten => "writes over",
        }
    }
}
