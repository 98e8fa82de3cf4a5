//! Numbers that stand alone: a status of a call, or how a process ended. Most can mean several things; all
//! are given.
//!
//! Sources: `hip_runtime_api.h` (hipError_t), `hsa.h` and `hsa_ext_amd.h` (hsa_status_t), `rocblas-types.h`,
//! `hipblas.h`, `miopen.h`, `rccl.h`; signal(7) for what a shell makes of a signal.

/// What a number can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberMeaning {
    /// Whose number it is: `hipError_t of HIP`.
    pub of: &'static str,
    /// The name that it stands for.
    pub name: String,
    /// Whether the name can be explained too: it is a status that this program knows as a message.
    pub is_message: bool,
}

/// Numbers and names of one type, the names without what all begin with.
struct Names {
    of: &'static str,
    before: &'static str,
    names: &'static [(u32, &'static str)],
}

#[rustfmt::skip]
const TYPES: [Names; 6] = [
    Names { of: "hipError_t of HIP", before: "hipError", names: &[
        (1, "InvalidValue"), (2, "OutOfMemory"), (3, "NotInitialized"), (4, "Deinitialized"), (9, "InvalidConfiguration"),
        (12, "InvalidPitchValue"), (13, "InvalidSymbol"), (17, "InvalidDevicePointer"), (21, "InvalidMemcpyDirection"),
        (35, "InsufficientDriver"), (52, "MissingConfiguration"), (53, "PriorLaunchFailure"), (98, "InvalidDeviceFunction"),
        (100, "NoDevice"), (101, "InvalidDevice"), (200, "InvalidImage"), (201, "InvalidContext"), (205, "MapFailed"),
        (206, "UnmapFailed"), (209, "NoBinaryForGpu"), (214, "ECCNotCorrectable"), (216, "ContextAlreadyInUse"),
        (217, "PeerAccessUnsupported"), (218, "InvalidKernelFile"), (300, "InvalidSource"), (301, "FileNotFound"),
        (302, "SharedObjectSymbolNotFound"), (303, "SharedObjectInitFailed"), (304, "OperatingSystem"), (400, "InvalidHandle"),
        (401, "IllegalState"), (500, "NotFound"), (600, "NotReady"), (700, "IllegalAddress"), (701, "LaunchOutOfResources"),
        (702, "LaunchTimeOut"), (704, "PeerAccessAlreadyEnabled"), (705, "PeerAccessNotEnabled"), (708, "SetOnActiveProcess"),
        (709, "ContextIsDestroyed"), (710, "Assert"), (712, "HostMemoryAlreadyRegistered"), (713, "HostMemoryNotRegistered"),
        (719, "LaunchFailure"), (720, "CooperativeLaunchTooLarge"), (801, "NotSupported"), (900, "StreamCaptureUnsupported"),
        (901, "StreamCaptureInvalidated"), (906, "StreamCaptureImplicit"), (907, "CapturedEvent"),
        (908, "StreamCaptureWrongThread"), (910, "GraphExecUpdateFailure"), (999, "Unknown"), (1052, "RuntimeMemory"),
        (1053, "RuntimeOther"),
    ] },
    Names { of: "rocblas_status of rocBLAS", before: "rocblas_status_", names: &[
        (1, "invalid_handle"), (2, "not_implemented"), (3, "invalid_pointer"), (4, "invalid_size"), (5, "memory_error"),
        (6, "internal_error"), (7, "perf_degraded"), (8, "size_query_mismatch"), (9, "size_increased"), (10, "size_unchanged"),
        (11, "invalid_value"), (12, "continue"), (13, "check_numerics_fail"), (14, "excluded_from_build"), (15, "arch_mismatch"),
    ] },
    Names { of: "hipblasStatus_t of hipBLAS and hipBLASLt", before: "HIPBLAS_STATUS_", names: &[
        (1, "NOT_INITIALIZED"), (2, "ALLOC_FAILED"), (3, "INVALID_VALUE"), (4, "MAPPING_ERROR"), (5, "EXECUTION_FAILED"),
        (6, "INTERNAL_ERROR"), (7, "NOT_SUPPORTED"), (8, "ARCH_MISMATCH"), (9, "HANDLE_IS_NULLPTR"), (10, "INVALID_ENUM"),
        (11, "UNKNOWN"),
    ] },
    Names { of: "miopenStatus_t of MIOpen", before: "miopenStatus", names: &[
        (1, "NotInitialized"), (2, "InvalidValue"), (3, "BadParm"), (4, "AllocFailed"), (5, "InternalError"), (6, "NotImplemented"),
        (7, "UnknownError"), (8, "UnsupportedOp"), (9, "GpuOperationsSkipped"), (10, "VersionMismatch"),
    ] },
    Names { of: "ncclResult_t of RCCL", before: "nccl", names: &[
        (1, "UnhandledCudaError"), (2, "SystemError"), (3, "InternalError"), (4, "InvalidArgument"), (5, "InvalidUsage"),
        (6, "RemoteError"),
    ] },
    Names { of: "hsa_status_t of the HSA runtime", before: "HSA_STATUS_ERROR_", names: &[
        (0x29, "MEMORY_APERTURE_VIOLATION"), (0x2a, "ILLEGAL_INSTRUCTION"), (0x2b, "MEMORY_FAULT"), (0x2d, "OUT_OF_REGISTERS"),
        (0x1001, "INVALID_ARGUMENT"), (0x1002, "INVALID_QUEUE_CREATION"), (0x1003, "INVALID_ALLOCATION"), (0x1004, "INVALID_AGENT"),
        (0x1005, "INVALID_REGION"), (0x1006, "INVALID_SIGNAL"), (0x1007, "INVALID_QUEUE"), (0x1008, "OUT_OF_RESOURCES"),
        (0x1009, "INVALID_PACKET_FORMAT"), (0x100a, "RESOURCE_FREE"), (0x100b, "NOT_INITIALIZED"), (0x100d, "INCOMPATIBLE_ARGUMENTS"),
        (0x100e, "INVALID_INDEX"), (0x100f, "INVALID_ISA"), (0x1010, "INVALID_CODE_OBJECT"), (0x1011, "INVALID_EXECUTABLE"),
        (0x1012, "FROZEN_EXECUTABLE"), (0x1013, "INVALID_SYMBOL_NAME"), (0x1015, "VARIABLE_UNDEFINED"), (0x1016, "EXCEPTION"),
        (0x1017, "INVALID_ISA_NAME"), (0x1018, "INVALID_CODE_SYMBOL"),
    ] },
];

/// What a shell makes of the number of a signal.
const OF_SHELL: u32 = 128;

/// Signals that end processes here, with what each says.
const SIGNALS: [(u32, &str); 7] = [
    (4, "SIGILL: the processor of the machine (not the GPU) lacks an instruction"),
    (
        6,
        "SIGABRT: the program ended itself, as rocBLAS does without a catalog and HIP at a fatal error; the line before says why",
    ),
    (7, "SIGBUS: memory that a file stood for is gone"),
    (8, "SIGFPE: a division by zero"),
    (9, "SIGKILL: something else ended it, mostly for want of memory; `dmesg` names it"),
    (11, "SIGSEGV: memory that it does not have; where, a back trace says"),
    (15, "SIGTERM: it was asked to end"),
];

/// Statuses of a shell itself.
const SHELL: [(u32, &str); 2] = [
    (126, "the command was found and could not be run"),
    (127, "no such command, or one of its libraries is missing"),
];

/// The number in a word: decimal, hexadecimal behind `0x`, or a negative one, as Python names a signal.
pub fn parse(word: &str) -> Option<i64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// All that a number can be, statuses first.
pub fn meanings(number: i64) -> Vec<NumberMeaning> {
    let Ok(positive) = u32::try_from(number) else {
        let signal = number.checked_neg().and_then(|number| u32::try_from(number).ok());
        return signal.and_then(of_signal).into_iter().collect();
    };
    let mut all = Vec::new();
    for Names { of, before, names } in &TYPES {
        let own = names.iter().filter(|(number, _)| *number == positive);
        all.extend(own.map(|(_, name)| {
            let name = format!("{before}{name}");
            let is_message = !super::recognise::recognise(name.as_bytes()).hits.is_empty();
            NumberMeaning { of, name, is_message }
        }));
    }
    let of_shell = SHELL.iter().filter(|(number, _)| *number == positive);
    all.extend(of_shell.map(|(_, what)| of_process((*what).to_owned())));
    all.extend(positive.checked_sub(OF_SHELL).and_then(of_signal));
    all
}

fn of_process(name: String) -> NumberMeaning {
    NumberMeaning { of: "exit status of a process", name, is_message: false }
}

fn of_signal(signal: u32) -> Option<NumberMeaning> {
    let known = SIGNALS.iter().find(|(number, _)| *number == signal)?;
    Some(of_process(known.1.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(word: &str) -> Vec<String> {
        parse(word).map(meanings).unwrap_or_default().into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn a_number_is_all_that_it_can_be() {
        // hip_runtime_api.h, rocblas-types.h, hipblas.h, miopen.h, rccl.h.
        assert_eq!(names("98"), ["hipErrorInvalidDeviceFunction"]);
        let six = [
            "rocblas_status_internal_error",
            "HIPBLAS_STATUS_INTERNAL_ERROR",
            "miopenStatusNotImplemented",
            "ncclRemoteError",
        ];
        assert_eq!(names("6"), six);
        assert_eq!(names("0x1008"), ["HSA_STATUS_ERROR_OUT_OF_RESOURCES"]);
        assert_eq!(names("4104"), names("0x1008"));
        assert!(names("139")[0].starts_with("SIGSEGV"));
        assert_eq!(names("-11"), names("139"));
        assert!(names("127")[0].contains("no such command"));
        assert!(names("77").is_empty() && names("x").is_empty() && names("-9223372036854775808").is_empty());
    }

    #[test]
    fn the_statuses_that_matter_most_are_messages() {
        for number in [98, 100, 200, 209, 700] {
            assert!(meanings(number).iter().any(|one| one.is_message), "{number}");
        }
    }
}
