//! The rule `kpack-variables-missing`.

use crate::finding::rule::rule;

rule! {
    /// A library's variables on the device, and none of its kernels, are in kpack archives that are not there.
    ///
    /// It says that its device code is in archives, and registers variables only. So it is with rocFFT, which has the addresses of its users' callbacks there and compiles its kernels at run time: no launch needs
    /// the archive. A library that registers kernels, by `__hipRegisterFunction`, is reported by `kpack-archive-missing`. What a library
    /// of Windows registers is not known, and it is reported there, too.
    VARIABLES_MISSING {
        id: "kpack-variables-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "variables were moved to kpack archives, and no archive is where the library looks",
        effect: "what reads these variables fails, such as callbacks of rocFFT; no kernel was moved",
        effect_known: Inferred,
        advice: "install the device package for the GPU, of the same release, if callbacks are used",
    }
}
