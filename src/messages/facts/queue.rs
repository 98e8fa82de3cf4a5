//! Whose work a message of the kernel driver is about: that of programs that draw, or computing.
//!
//! Programs that draw submit their work to the driver's own rings of the graphics engine. ROCm has queues of its
//! own, which the compute part of the driver (KFD) makes and takes away; its messages name them, the process or
//! the scheduler's firmware. Source: the Linux kernel's `drivers/gpu/drm/amd/{amdgpu,amdkfd}`.

/// Whose work it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::messages) enum WorkQueue {
    /// Of programs that draw.
    Graphics,
    /// Of programs that compute.
    Compute,
}

/// What names a queue of either, and who computes.
pub(super) const QUEUES: &[(WorkQueue, &str)] = &[
    (WorkQueue::Graphics, "ringgfx[a-z0-9_.]{0,10}timeout"),
    (WorkQueue::Compute, "ring(comp|sdma|page)[a-z0-9_.]{0,10}timeout"),
    (WorkQueue::Compute, "amdkfd"),
    (WorkQueue::Compute, "kfdkfd:"),
    (WorkQueue::Compute, "/dev/kfd"),
    (WorkQueue::Compute, "queuepreemption"),
    (WorkQueue::Compute, "evictprocess"),
    (WorkQueue::Compute, "suspendprocess"),
    (WorkQueue::Compute, "mesfailedto"),
    (WorkQueue::Compute, "mesmightbein"),
    (WorkQueue::Compute, "qcmfence"),
    (WorkQueue::Compute, "hwexceptionby"),
    (WorkQueue::Compute, "agenthandle"),
    (
        WorkQueue::Compute,
        "process(information:process)?(python|ollama|llama|pt_main|ray::|vllm|blender|hashcat)",
    ),
    (WorkQueue::Compute, "/opt/rocm"),
    (WorkQueue::Compute, "hiperror"),
    (WorkQueue::Compute, "hsa_status"),
    (WorkQueue::Compute, "importtorch"),
    (WorkQueue::Compute, "rocmversion"),
    (WorkQueue::Compute, "rocminfo"),
];
