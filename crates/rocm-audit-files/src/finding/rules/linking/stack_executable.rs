//! The rule `stack-executable`.

use crate::finding::rule::rule;

rule! {
    /// A shared library asks for a stack whose bytes can be executed.
    ///
    /// It says so by the flag X of its program header `PT_GNU_STACK`, or, on x86-64, by having no such header. Since
    /// 2.41 glibc does not open such a library for a program that runs: `dlopen` fails with "cannot enable executable
    /// stack as shared object requires". Python, PyTorch and ONNX Runtime open all libraries that way. A program that is
    /// linked with it starts. Source: glibc's news of 2.41, `elf/dl-load.c`.
    ///
    /// No code of ROCm's libraries runs on the stack: the flag comes from a file in assembly that says nothing of it, or
    /// from a tool that wrote the file anew.
    STACK_EXECUTABLE {
        id: "stack-executable",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a library asks for a stack that can be executed",
        effect: "with glibc 2.41 and later, dlopen refuses it: cannot enable executable stack",
        effect_known: Code,
        advice: "take a newer build, or clear the flag: patchelf --clear-execstack FILE",
    }
}
