//! Status words: what calls of ROCm's libraries return, in every way that programs print them.
//!
//! A status is printed by its name, by its number or by the words that the library has for it. Which of these
//! a program takes, and what it writes around them, does not matter: a row has all three, and patterns are
//! made of it. Sources: `hip_runtime_api.h` and `hip_error.cpp` of clr, `hsa.h`, `hsa_ext_amd.h` and
//! `hsa.cpp` of the HSA runtime, the status enumerations in `rocblas-types.h`, `hipblas.h`, `miopen.h`,
//! `rccl.h`, `hiprtc.h` and `amd_comgr.h`.

/// Whose call returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Api {
    /// The HIP runtime; CUDA has the same words for many of them.
    Hip,
    /// The HSA runtime.
    Hsa,
    /// Any other library: the name alone says which.
    Named,
}

/// One status, or several that mean the same.
struct Status {
    api: Api,
    /// Its name, in small letters; an expression if there are several.
    name: &'static str,
    /// Its number as libraries print it: decimal for HIP, hexadecimal for HSA.
    number: &'static str,
    /// The words of the library for it, without blanks; empty where they are those of every second program.
    words: &'static str,
    /// The message that it is.
    message: &'static str,
}

macro_rules! statuses {
    ($($api:ident $name:literal $number:literal $words:literal => $message:literal)*) => {
        const STATUSES: &[Status] = &[$(Status {
            api: Api::$api,
            name: $name,
            number: $number,
            words: $words,
            message: $message,
        }),*];
    };
}

statuses! {
    Hip "hiperrorinvaliddevicefunction" "98" "invaliddevicefunction" => "invalid-device-function"
    Hip "hiperrornobinaryforgpu" "209" "nokernelimageisavailable" => "no-binary-for-gpu"
    Hip "hiperrorinvalidimage" "200" "devicekernelimageisinvalid" => "invalid-image"
    Hip "hiperrorinvalidkernelfile" "218" "invalidkernelfile" => "invalid-kernel-file"
    Hip "hiperrorsharedobjectinitfailed" "303" "sharedobjectinitializationfailed" => "shared-object-init"
    Hip "hiperrorsharedobjectsymbolnotfound" "302" "sharedobjectsymbolnotfound" => "named-symbol"
    Hip "hiperrornotfound" "500" "namedsymbolnotfound" => "named-symbol"
    Hip "hiperrorinvalidsymbol" "13" "invaliddevicesymbol" => "named-symbol"
    Hip "hiperrorfilenotfound" "301" "filenotfound" => "hip-file-not-found"
    Hip "hiperrornodevice" "100" "norocm-capabledeviceisdetected" => "no-device"
    Hip "hiperrornotinitialized" "3" "initializationerror" => "no-device"
    Hip "hiperrorinsufficientdriver" "35" "driverversionisinsufficientforruntimeversion" => "driver-too-old"
    Hip "hiperrorinvaliddevice([^fp]|$)" "101" "invaliddeviceordinal" => "device-ordinal"
    Hip "hiperroroutofmemory" "2" "outofmemory" => "out-of-memory"
    Hip "hiperrormemoryallocation" "2" "" => "out-of-memory"
    Hip "hiperrorillegaladdress" "700" "anillegalmemoryaccess" => "memory-access-fault"
    Hip "hiperrorlaunchfailure" "719" "unspecifiedlaunchfailure" => "launch-failed"
    Hip "hiperrorlaunchtimeout" "702" "thelaunchtimedout" => "launch-failed"
    Hip "hiperrorpriorlaunchfailure" "53" "" => "launch-failed"
    Hip "hiperrorassert" "710" "device-sideasserttriggered" => "launch-failed"
    Hip "hiperrorlaunchoutofresources" "701" "outofresources" => "launch-too-large"
    Hip "hiperrorlaunchoutofresources" "701" "toomanyresourcesrequested" => "launch-too-large"
    Hip "hiperrorinvalidconfiguration" "9" "invalidconfigurationargument" => "launch-too-large"
    Hip "hiperrorinvalidvalue" "1" "invalidargument" => "hip-call-refused"
    Hip "hiperrorinvalid(handle|resourcehandle)" "400" "invalidresourcehandle" => "hip-call-refused"
    Hip "hiperrorillegalstate" "401" "theoperationcannotbeperformedinthepresentstate" => "hip-call-refused"
    Hip "hiperrornotsupported" "801" "operationnotsupported" => "hip-call-refused"
    Hip "hiperrorunknown" "999" "unknownerror" => "hip-call-refused"
    Hip "hiperrorruntime(memory|other)" "1053" "runtime(memory)?call" => "hip-call-refused"
    Hip "hiperroroperatingsystem" "304" "" => "hip-call-refused"
    Hip "hiperrorpeeraccess(unsupported|notenabled|alreadyenabled)" "217" "peeraccessisnotsupported" => "hip-call-refused"
    Hip "hiperrorinvaliddevicepointer" "17" "invaliddevicepointer" => "hip-call-refused"
    Hip "hiperror(invalidpitchvalue|invalidmemcpydirection|missingconfiguration|invalidcontext|mapfailed|unmapfailed|invalidsource)" "201" "invaliddevicecontext" => "hip-call-refused"
    Hip "hiperror(contextalreadycurrent|contextalreadyinuse|contextisdestroyed|hostmemoryalreadyregistered|hostmemorynotregistered|setonactiveprocess)" "708" "" => "hip-call-refused"
    Hip "hiperror(streamcapture[a-z]{3,20}|capturedevent|graphexecupdatefailure)" "900" "operationnotpermittedwhenstreamiscapturing" => "hip-call-refused"
    Hip "hiperrordeinitialized" "4" "driverisbeingdeinitialized" => "no-device"
    Hip "hiperroreccnotcorrectable" "214" "uncorrectableeccerrorencountered" => "memory-ecc"
    Hip "hiperrorcooperativelaunchtoolarge" "720" "toomanyblocksincooperativelaunch" => "launch-too-large"

    Hsa "invalid_isa" "100f" "theinstructionsetarchitectureisinvalid" => "hsa-invalid-isa"
    Hsa "invalid_isa_name" "1017" "theisanameisinvalid" => "hsa-invalid-isa"
    Hsa "illegal_instruction" "2a" "attemptedtoexecuteanillegalshaderinstruction" => "hsa-illegal-instruction"
    Hsa "invalid_code_object" "1010" "thecodeobjectisinvalid" => "hsa-invalid-code-object"
    Hsa "incompatible_arguments" "100d" "argumentspassedtoafunctionarenotcompatible" => "hsa-invalid-code-object"
    Hsa "invalid_code_symbol" "1018" "thecodeobjectsymbolisinvalid" => "hsa-invalid-code-object"
    Hsa "invalid_executable" "1011" "theexecutableisinvalid" => "hsa-invalid-code-object"
    Hsa "variable_undefined" "1015" "thevariableisundefined" => "hsa-invalid-code-object"
    Hsa "memory_aperture_violation" "29" "attemptedtoaccessmemorybeyondthelargestlegaladdress" => "memory-access-fault"
    Hsa "memory_fault" "2b" "amemoryfault" => "memory-access-fault"
    Hsa "exception" "1016" "hsailoperationresultedinahardwareexception" => "hsa-exception"
    Hsa "out_of_registers" "2d" "outofregisters" => "out-of-vgprs"
    Hsa "not_initialized" "100b" "thehsaruntimehasnotbeeninitialized" => "no-device"

    Named "(roc|hip)blas_status_(arch_mismatch|architecture_mismatch)" "" "" => "hipblas-status"
    Named "(roc|hip)blas_status_(not_supported|not_implemented|invalid_value|invalid_enum|invalid_handle|mapping_error|handle_is_nullptr|invalid_size|invalid_pointer|perf_degraded)" "" "" => "hipblas-status"
    Named "(roc|hip)blas_status_memory_error" "" "" => "out-of-memory"
    Named "hipblas(lt)?error:?hipblas_status_[a-z_]{3,40}" "" "" => "hipblas-status"
    Named "(roc|hip)(sparse|solver|fft|rand)_status_[a-z_]{3,40}" "" "" => "library-status"
    Named "(roc|hip)fft_(exec_failed|internal_error|setup_failed|alloc_failed|invalid_plan|parse_error|failure)" "" "" => "library-status"
    Named "hsa_status_error_(invalid_(argument|queue_creation|allocation|agent|region|signal|queue|packet_format|index|memory_pool|symbol_name|file)|resource_free|refcount_overflow|not_supported)" "" "" => "hip-call-refused"
    Named "hsa_status_error_(fatal|generic)" "" "" => "hsa-exception"
    Named "nccl(unhandledcudaerror|unhandledhiperror|systemerror|internalerror|invalidargument|invalidusage|remoteerror)" "" "" => "rccl-status"
    Named "nccl.{0,120}?(unhandled(cuda|hip|system)error|internalerror-pleasereport|remoteprocessexitedorthere|invalid(argument|usage)\\(runwith)" "" "" => "rccl-status"
    Named "hiprtc_error_[a-z_]{3,50}" "" "" => "miopen-compile"
    Named "hsakmt_status_(kernel_io_channel_not_opened|kernel_communication_error|kernel_already_opened)" "" "" => "kfd-open"
    Named "hsakmt_status_(unavailable|driver_mismatch|not_initialized|error)" "" "" => "no-device"
    Named "amd_comgr_status_[a-z_]{3,50}" "" "" => "miopen-compile"
    Named "miopenstatus(notimplemented|unsupportedop|badparm|allocfailed|invalidvalue|notinitialized|unknownerror|internalerror)" "" "" => "miopen-unknown"
}

/// What stands before the words of a HIP error: the name of the library or of the call's type.
const HIP_SAYS: &str = "(hip|rocm)_?(runtime)?(error|failure)(code)?s?[0-9]{0,4}[:=(]{0,3}";
/// The same where a program that is ported writes CUDA's name.
const CUDA_SAYS: &str = "cuda_?(runtime)?(error|failure)(code)?s?[0-9]{0,4}[:=(]{0,3}";

/// How numbers of statuses are printed.
pub(super) const NUMBERS: [(bool, &str); 8] = [
    (false, "tritonerror\\[hip\\]:code:(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "hiperror(_t|code)?[:=]?[(]?(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "rocmerror(code)?[:=]?[(]?(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "hip[a-z]{4,40}[()]{0,2}returned(error|status|code)?[:=(]{0,2}(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (
        false,
        "hip[a-z]{4,40}[()]{0,2}failedwith(error|status|code)*[:=(]{0,2}(?P<number>[0-9]{1,4})([^0-9.]|$)",
    ),
    (true, "aborting(with)?(status|error|code)?.{0,120}?code:?0x0*(?P<number>[0-9a-f]{2,4})([^0-9a-f]|$)"),
    (true, "aborting(with)?(status|error|code):?0x0*(?P<number>[0-9a-f]{2,4})([^0-9a-f]|$)"),
    (true, "hsa_?error[:=(]{0,2}code#?0*(?P<number>[0-9]{2,4})([^0-9]|$)"),
];

/// The message of a status by the number that is printed, in any of the forms of [`NUMBERS`].
pub(super) fn of_number(is_hsa: bool, number: &str) -> Option<&'static str> {
    let api = if is_hsa { Api::Hsa } else { Api::Hip };
    // The HSA runtime prints its numbers in hexadecimal, programs that call it in decimal.
    let hexadecimal = number.parse().map(|number: u32| format!("{number:x}")).unwrap_or_default();
    let same = |own: &str| own == number || is_hsa && own == hexadecimal;
    STATUSES.iter().find(|status| status.api == api && same(status.number)).map(|status| status.message)
}

/// The patterns of the names and words of all statuses, each with the id of its message.
pub(super) fn patterns() -> Vec<(&'static str, String)> {
    let mut patterns = Vec::new();
    for Status { api, name, words, message, .. } in STATUSES {
        match api {
            Api::Hip => {
                // XLA and TensorFlow write HIP_ERROR_NoDevice for hipErrorNoDevice.
                patterns.push((*message, (*name).to_owned()));
                patterns.push((*message, name.replacen("hiperror", "hip_error_", 1)));
                if !words.is_empty() {
                    patterns.push((*message, format!("{HIP_SAYS}{words}")));
                    // Go and Julia write `[HIP error](invalid resource handle)`.
                    patterns.push((*message, format!("hiperror\\]\\({words}")));
                }
            }
            Api::Hsa => {
                patterns.push((*message, format!("hsa_(status_)?error_{name}")));
                if words.len() > 12 {
                    patterns.push((*message, (*words).to_owned()));
                }
            }
            Api::Named => patterns.push((*message, (*name).to_owned())),
        }
    }
    patterns
}

/// The patterns of the words of HIP's statuses behind the name of CUDA.
pub(super) fn foreign() -> impl Iterator<Item = (&'static str, String)> {
    let of_hip = STATUSES.iter().filter(|status| status.api == Api::Hip && !status.words.is_empty());
    of_hip.flat_map(|status| {
        // ggml prints the words alone, and in the next line the device.
        let of_ggml = format!("{}currentdevice:[0-9]{{1,2}},infunction", status.words);
        [(status.message, format!("{CUDA_SAYS}{}", status.words)), (status.message, of_ggml)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::table::of_id;

    #[test]
    fn statuses_are_of_messages() {
        for status in STATUSES {
            assert!(of_id(status.message).is_some(), "no message {}", status.message);
            assert!(status.number.is_empty() == (status.api == Api::Named), "{}", status.name);
        }
    }
    #[test]
    fn numbers_are_read_in_either_base() {
        assert_eq!(of_number(false, "209"), Some("no-binary-for-gpu"));
        assert_eq!(of_number(true, "100f"), Some("hsa-invalid-isa"));
        assert_eq!(of_number(true, "4111"), Some("hsa-invalid-isa"));
        assert_eq!(of_number(false, "0"), None);
    }
}
