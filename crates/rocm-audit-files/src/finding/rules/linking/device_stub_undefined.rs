//! The rule `device-stub-undefined`.

use crate::finding::rule::rule;

rule! {
    /// A library asks for the stub of a kernel that should be its own.
    ///
    /// The compiler makes a function `__device_stub__KERNEL` beside each kernel, in the same file. A dynamic symbol of
    /// this name that is undefined is a kernel that was declared and not built: the build left out a source file or an
    /// instance of a template (bitsandbytes#1519). No other library has it.
    ///
    /// Weak symbols do not count.
    DEVICE_STUB_UNDEFINED {
        id: "device-stub-undefined",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the stub of a kernel is undefined in the library that launches it",
        effect: "loading the library fails with undefined symbol",
        effect_known: Code,
        advice: "build the library again with the missing source, or take another build",
    }
}
