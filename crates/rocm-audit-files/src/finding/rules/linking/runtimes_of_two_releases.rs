//! The rule `runtimes-of-two-releases`.

use crate::finding::rule::rule;

rule! {
    /// There are several copies of ROCm's runtime that are not the same.
    ///
    /// Files of `libamdhip64`, `libhsa-runtime64` or `libamd_comgr` with different names (`DT_SONAME`) or sizes. Wheels
    /// bring a runtime of their own beside the system's; which one a process loads depends on its search path, and both
    /// in one process fail in many ways: no device found, invalid code objects (CTranslate2-rocm#11, faster-whisper#1370).
    ///
    /// Two installs side by side in one input are no fault, and two environments of Python are none either. It counts
    /// where one process reaches both.
    RUNTIMES_OF_TWO_RELEASES {
        id: "runtimes-of-two-releases",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "several different copies of a ROCm runtime library are here",
        effect: "where a process loads two of them, devices are not found or code objects are refused",
        effect_known: Runtime,
        advice: "keep one release in the search path, and unset LD_LIBRARY_PATH",
    }
}
