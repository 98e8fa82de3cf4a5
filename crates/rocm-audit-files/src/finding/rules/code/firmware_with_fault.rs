//! The rule `firmware-with-fault`.

use crate::finding::rule::rule;

rule! {
    /// Firmware of the scheduler (MES) is of a release with a known fault.
    ///
    /// Release 0x83 for GPUs of GC 11.5 came with a snapshot of linux-firmware and brings memory access faults and hangs
    /// under compute, on files that are in order (ROCm#5724, ROCm#5747, ROCm#5616); releases before and after it work.
    /// The release is read in the file's own header.
    ///
    /// What the kernel has loaded is not seen here: `dmesg` and debugfs show it.
    FIRMWARE_WITH_FAULT {
        id: "firmware-with-fault",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "MES firmware of a release with a known fault is here",
        effect: "memory access faults and hangs of the GPU under compute",
        effect_known: Runtime,
        advice: "install another linux-firmware, and build the initial file system anew",
    }
}
