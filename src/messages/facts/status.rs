//! Status words: what calls of ROCm's libraries return, in every way that programs print them.
//!
//! A status is printed by its name, by its number or by the words that the library has for it. Which of these
//! a program takes, and what it writes around them, does not matter: a row has all three, and patterns are
//! made of it. Sources: `hip_runtime_api.h` and `hip_error.cpp` of clr, `hsa.h`, `hsa_ext_amd.h` and
//! `hsa.cpp` of the HSA runtime, the status enumerations in `rocblas-types.h`, `hipblas.h`, `miopen.h`,
//! `rccl.h`, `hiprtc.h` and `amd_comgr.h`.

use std::ops::Range;

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
    // hipError_t: hip_runtime_api.h has the numbers, hip_error.cpp the words.
    Hip "hiperrorinvalidvalue" "1" "invalidargument" => "hip-call-refused"
    Hip "hiperroroutofmemory" "2" "outofmemory" => "out-of-memory"
    Hip "hiperrormemoryallocation" "2" "" => "out-of-memory"
    Hip "hiperrornotinitialized" "3" "initializationerror" => "no-device"
    Hip "hiperrordeinitialized" "4" "driver(isbeingdeinitialized|shuttingdown)" => "no-device"
    Hip "hiperrorprofilerdisabled" "5" "profilerdisabledwhileusingexternalprofilingtool" => "hip-call-refused"
    Hip "hiperrorprofilernotinitialized" "6" "profilerisnotinitialized" => "hip-call-refused"
    Hip "hiperrorprofileralreadystarted" "7" "profileralreadystarted" => "hip-call-refused"
    Hip "hiperrorprofileralreadystopped" "8" "profileralreadystopped" => "hip-call-refused"
    Hip "hiperrorinvalidconfiguration" "9" "invalidconfigurationargument" => "launch-too-large"
    Hip "hiperrorinvalidpitchvalue" "12" "invalidpitchargument" => "hip-call-refused"
    Hip "hiperrorinvalidsymbol" "13" "invaliddevicesymbol" => "named-symbol"
    Hip "hiperrorinvaliddevicepointer" "17" "invaliddevicepointer" => "hip-call-refused"
    Hip "hiperrorinvalidmemcpydirection" "21" "invalidcopydirectionformemcpy" => "hip-call-refused"
    Hip "hiperrorinsufficientdriver" "35" "driverversionisinsufficientforruntimeversion" => "driver-too-old"
    Hip "hiperrormissingconfiguration" "52" "__global__functioncallisnotconfigured" => "hip-call-refused"
    Hip "hiperrorpriorlaunchfailure" "53" "unspecifiedlaunchfailureinpriorlaunch" => "launch-failed"
    Hip "hiperrorinvaliddevicefunction" "98" "invaliddevicefunction" => "invalid-device-function"
    Hip "hiperrornodevice" "100" "norocm-capabledeviceisdetected" => "no-device"
    Hip "hiperrorinvaliddevice([^fp]|$)" "101" "invaliddeviceordinal" => "device-ordinal"
    Hip "hiperrorinvalidimage" "200" "devicekernelimageisinvalid" => "invalid-image"
    Hip "hiperrorinvalidcontext" "201" "invaliddevicecontext" => "hip-call-refused"
    Hip "hiperrorcontextalreadycurrent" "202" "contextisalreadycurrentcontext" => "hip-call-refused"
    Hip "hiperrormapfailed" "205" "mappingofbufferobjectfailed" => "hip-call-refused"
    Hip "hiperrorunmapfailed" "206" "unmappingofbufferobjectfailed" => "hip-call-refused"
    Hip "hiperrorarrayismapped" "207" "arrayismapped" => "hip-call-refused"
    Hip "hiperroralreadymapped" "208" "resourcealreadymapped" => "hip-call-refused"
    Hip "hiperrornobinaryforgpu" "209" "nokernelimageisavailable" => "no-binary-for-gpu"
    Hip "hiperroralreadyacquired" "210" "resourcealreadyacquired" => "hip-call-refused"
    Hip "hiperrornotmapped([^a]|$)" "211" "resourcenotmapped" => "hip-call-refused"
    Hip "hiperrornotmappedasarray" "212" "resourcenotmappedasarray" => "hip-call-refused"
    Hip "hiperrornotmappedaspointer" "213" "resourcenotmappedaspointer" => "hip-call-refused"
    Hip "hiperroreccnotcorrectable" "214" "uncorrectableeccerrorencountered" => "memory-ecc"
    Hip "hiperrorunsupportedlimit" "215" "limitisnotsupportedonthisarchitecture" => "hip-call-refused"
    Hip "hiperrorcontextalreadyinuse" "216" "exclusive-threaddevicealreadyinusebyadifferentthread" => "hip-call-refused"
    Hip "hiperrorpeeraccessunsupported" "217" "peeraccessisnotsupported" => "hip-call-refused"
    Hip "hiperrorinvalidkernelfile" "218" "invalidkernelfile" => "invalid-kernel-file"
    Hip "hiperrorinvalidgraphicscontext" "219" "invalidopenglordirectxcontext" => "hip-call-refused"
    Hip "hiperrorinvalidsource" "300" "" => "hip-call-refused"
    Hip "hiperrorfilenotfound" "301" "filenotfound" => "hip-file-not-found"
    Hip "hiperrorsharedobjectsymbolnotfound" "302" "sharedobjectsymbolnotfound" => "named-symbol"
    Hip "hiperrorsharedobjectinitfailed" "303" "sharedobjectinitializationfailed" => "shared-object-init"
    Hip "hiperroroperatingsystem" "304" "oscallfailedoroperationnotsupportedonthisos" => "hip-call-refused"
    Hip "hiperrorinvalid(handle|resourcehandle)" "400" "invalidresourcehandle" => "hip-call-refused"
    Hip "hiperrorillegalstate" "401" "theoperationcannotbeperformedinthepresentstate" => "hip-call-refused"
    Hip "hiperrornotfound" "500" "namedsymbolnotfound" => "named-symbol"
    Hip "hiperrorillegaladdress" "700" "anillegalmemoryaccess" => "memory-access-fault"
    Hip "hiperrorlaunchoutofresources" "701" "outofresources" => "launch-too-large"
    Hip "hiperrorlaunchoutofresources" "701" "toomanyresourcesrequested" => "launch-too-large"
    Hip "hiperrorlaunchtimeout" "702" "thelaunchtimedout" => "launch-failed"
    Hip "hiperrorpeeraccessalreadyenabled" "704" "peeraccessisalreadyenabled" => "hip-call-refused"
    Hip "hiperrorpeeraccessnotenabled" "705" "peeraccesshasnotbeenenabled" => "hip-call-refused"
    Hip "hiperrorsetonactiveprocess" "708" "cannotsetwhiledeviceisactiveinthisprocess" => "hip-call-refused"
    Hip "hiperrorcontextisdestroyed" "709" "contextisdestroyed" => "hip-call-refused"
    Hip "hiperrorassert" "710" "device-sideasserttriggered" => "launch-failed"
    Hip "hiperrorhostmemoryalreadyregistered" "712" "partoralloftherequestedmemoryrangeisalreadymapped" => "hip-call-refused"
    Hip "hiperrorhostmemorynotregistered" "713" "pointerdoesnotcorrespondtoaregisteredmemoryregion" => "hip-call-refused"
    Hip "hiperrorlaunchfailure" "719" "unspecifiedlaunchfailure" => "launch-failed"
    Hip "hiperrorcooperativelaunchtoolarge" "720" "toomanyblocksincooperativelaunch" => "launch-too-large"
    Hip "hiperrornotsupported" "801" "operationnotsupported" => "hip-call-refused"
    Hip "hiperrorstreamcaptureunsupported" "900" "operationnotpermittedwhenstreamiscapturing" => "hip-call-refused"
    Hip "hiperrorstreamcaptureinvalidated" "901" "operationfailedduetoapreviouserrorduringcapture" => "hip-call-refused"
    Hip "hiperrorstreamcapturemerge" "902" "operationwouldresultinamergeofseparatecapturesequences" => "hip-call-refused"
    Hip "hiperrorstreamcaptureunmatched" "903" "capturewasnotendedinthesamestreamasitbegan" => "hip-call-refused"
    Hip "hiperrorstreamcaptureunjoined" "904" "capturingstreamhasunjoinedwork" => "hip-call-refused"
    Hip "hiperrorstreamcaptureisolation" "905" "dependencycreatedonuncapturedworkinanotherstream" => "hip-call-refused"
    Hip "hiperrorstreamcaptureimplicit" "906" "operationwouldmakethelegacystreamdependonacapturing" => "hip-call-refused"
    Hip "hiperrorcapturedevent" "907" "operationnotpermittedonaneventlastrecordedinacapturingstream" => "hip-call-refused"
    Hip "hiperrorstreamcapturewrongthread" "908" "attempttoterminateathread-localcapturesequencefromanotherthread" => "hip-call-refused"
    Hip "hiperrorgraphexecupdatefailure" "910" "thegraphupdatewasnotperformed" => "hip-call-refused"
    Hip "hiperrorinvalidchanneldescriptor" "911" "invalidresourcedescriptionoftexture" => "hip-call-refused"
    Hip "hiperrorinvalidtexture" "912" "invalidtextureobject" => "hip-call-refused"
    Hip "hiperrorunknown" "999" "unknownerror" => "hip-call-refused"
    Hip "hiperrorruntimememory" "1052" "runtimememorycall" => "hip-call-refused"
    Hip "hiperrorruntimeother" "1053" "runtimecall" => "hip-call-refused"
    Hip "hiperrortbd" "1054" "" => "hip-call-refused"

    // hsa_status_t: hsa.h and hsa_ext_amd.h. Words of 12 letters and fewer are of no program alone.
    Hsa "invalid_argument" "1001" "oneoftheactualargumentsdoesnotmeetaprecondition" => "hip-call-refused"
    Hsa "invalid_queue_creation" "1002" "therequestedqueuecreationisnotvalid" => "hip-call-refused"
    Hsa "invalid_allocation" "1003" "therequestedallocationisnotvalid" => "hip-call-refused"
    Hsa "invalid_agent" "1004" "theagentisinvalid" => "hip-call-refused"
    Hsa "invalid_region" "1005" "thememoryregionisinvalid" => "hip-call-refused"
    Hsa "invalid_signal([^_]|$)" "1006" "thesignalisinvalid" => "hip-call-refused"
    Hsa "invalid_queue([^_]|$)" "1007" "thequeueisinvalid" => "hip-call-refused"
    Hsa "out_of_resources" "1008" "" => "out-of-memory"
    Hsa "invalid_packet_format" "1009" "theaqlpacketismalformed" => "hip-call-refused"
    Hsa "resource_free" "100a" "anerrorhasbeendetectedwhilereleasingaresource" => "hip-call-refused"
    Hsa "not_initialized" "100b" "thehsaruntimehasnotbeeninitialized" => "no-device"
    Hsa "refcount_overflow" "100c" "themaximumreferencecountfortheobjecthasbeenreached" => "hip-call-refused"
    Hsa "incompatible_arguments" "100d" "argumentspassedtoafunctionarenotcompatible" => "hsa-invalid-code-object"
    Hsa "invalid_index" "100e" "theindexisinvalid" => "hip-call-refused"
    Hsa "invalid_isa" "100f" "theinstructionsetarchitectureisinvalid" => "hsa-invalid-isa"
    Hsa "invalid_code_object([^_]|$)" "1010" "thecodeobjectisinvalid" => "hsa-invalid-code-object"
    Hsa "invalid_executable([^_]|$)" "1011" "theexecutableisinvalid" => "hsa-invalid-code-object"
    Hsa "frozen_executable" "1012" "theexecutableisfrozen" => "hip-call-refused"
    Hsa "invalid_symbol_name" "1013" "thereisnosymbolwiththegivenname" => "named-symbol"
    Hsa "variable_already_defined" "1014" "thevariableisalreadydefined" => "hip-call-refused"
    Hsa "variable_undefined" "1015" "thevariableisundefined" => "hsa-invalid-code-object"
    Hsa "exception" "1016" "hsailoperationresultedinahardwareexception" => "hsa-exception"
    Hsa "invalid_isa_name" "1017" "theisanameisinvalid" => "hsa-invalid-isa"
    Hsa "invalid_code_symbol" "1018" "thecodeobjectsymbolisinvalid" => "hsa-invalid-code-object"
    Hsa "invalid_executable_symbol" "1019" "theexecutablesymbolisinvalid" => "hsa-invalid-code-object"
    Hsa "invalid_file" "1020" "thefiledescriptorisinvalid" => "hip-call-refused"
    Hsa "invalid_code_object_reader" "1021" "thecodeobjectreaderisinvalid" => "hsa-invalid-code-object"
    Hsa "invalid_cache" "1022" "thecacheisinvalid" => "hip-call-refused"
    Hsa "invalid_wavefront" "1023" "thewavefrontisinvalid" => "hip-call-refused"
    Hsa "invalid_signal_group" "1024" "thesignalgroupisinvalid" => "hip-call-refused"
    Hsa "invalid_runtime_state" "1025" "thehsaruntimeisnotintheconfigurationstate" => "hip-call-refused"
    Hsa "fatal" "1026" "thequeuereceivedanerrorthatmayrequireprocesstermination" => "hsa-exception"
    Hsa "invalid_memory_pool" "28" "thememorypoolisinvalid" => "hip-call-refused"
    Hsa "memory_aperture_violation" "29" "attemptedtoaccessmemorybeyondthelargestlegaladdress" => "memory-access-fault"
    Hsa "illegal_instruction" "2a" "attemptedtoexecuteanillegalshaderinstruction" => "hsa-illegal-instruction"
    Hsa "memory_fault" "2b" "amemoryfault" => "memory-access-fault"
    Hsa "out_of_registers" "2d" "outofregisters" => "out-of-vgprs"
    Hsa "resource_busy" "2e" "" => "hip-call-refused"
    Hsa "not_supported" "2f" "" => "hip-call-refused"
    Named "hsa_status_error_generic" "" "" => "hsa-exception"

    // rocblas_status and hipblasStatus_t: rocblas-types.h, hipblas.h.
    Named "(roc|hip)blas_status_(arch_mismatch|architecture_mismatch)" "" "" => "hipblas-status"
    Named "(roc|hip)blas_status_(not_supported|not_implemented|invalid_value|invalid_enum|invalid_handle|mapping_error|handle_is_nullptr|invalid_size|invalid_pointer|perf_degraded|excluded_from_build|check_numerics_fail|size_query_mismatch)" "" "" => "hipblas-status"
    Named "(roc|hip)blas_status_memory_error" "" "" => "out-of-memory"
    Named "(roc|hip)blas(lt)?_status_(alloc_failed|execution_failed|internal_error|not_initialized|unknown)" "" "" => "hipblas-status"
    // rocsparse_status, rocsolver's, hipfftResult, rocfft_status, rocrand_status: all but success.
    Named "(roc|hip)(sparse|sparselt|solver|fft|rand|tensor|dnn)_status_(s[a-tv-z]|[a-rt-z])[a-z_]{2,40}" "" "" => "library-status"
    Named "(roc|hip)fft_(exec_failed|internal_error|setup_failed|alloc_failed|invalid_(plan|type|value|size|device)|unaligned_data|incomplete_parameter_list|no_workspace|not_implemented|not_supported|parse_error|failure)" "" "" => "library-status"
    // ncclResult_t: rccl.h.
    Named "nccl(unhandledcudaerror|unhandledhiperror|systemerror|internalerror|invalidargument|invalidusage|remoteerror)" "" "" => "rccl-status"
    Named "nccl.{0,120}?(unhandled(cuda|hip|system)error|internalerror-pleasereport|remoteprocessexitedorthere|invalid(argument|usage)\\(runwith)" "" "" => "rccl-status"
    // hiprtcResult: hiprtc.h; amd_comgr_status_t: amd_comgr.h.
    Named "hiprtc_error_out_of_memory" "" "" => "out-of-memory"
    Named "hiprtc_error_([a-np-z]|o[a-tv-z])[a-z_]{3,60}" "" "" => "miopen-compile"
    Named "amd_comgr_status_(error|invalid|out)[a-z_]{0,40}" "" "" => "miopen-compile"
    // HSAKMT_STATUS: hsakmttypes.h.
    Named "hsakmt_status_(kernel_io_channel_not_opened|kernel_communication_error|kernel_already_opened)" "" "" => "kfd-open"
    Named "hsakmt_status_(unavailable|driver_mismatch|not_initialized|error|hsammu_unavailable)" "" "" => "no-device"
    Named "hsakmt_status_(no_memory|out_of_resources)" "" "" => "out-of-memory"
    Named "hsakmt_status_(invalid_(parameter|handle|node_unit)|buffer_too_small|not_implemented|not_supported|wait_(failure|timeout)|memory_(not_|already_)[a-z]{4,12})" "" "" => "hip-call-refused"
    // miopenStatus_t: miopen.h. That operations were skipped is no error.
    Named "miopenstatus(notimplemented|unsupportedop|badparm|invalidvalue|notinitialized|unknownerror|internalerror|versionmismatch)" "" "" => "miopen-unknown"
    Named "miopenstatusallocfailed" "" "" => "out-of-memory"
}

/// What stands before the words of a HIP error: the name of the library or of the call's type.
const HIP_SAYS: &str = "(hip|rocm)_?(runtime)?(error|failure)(code)?s?[0-9]{0,4}[:=(]{0,3}";
/// The same where a program that is ported writes CUDA's name.
const CUDA_SAYS: &str = "cuda_?(runtime)?(error|failure)(code)?s?[0-9]{0,4}[:=(]{0,3}";

/// How numbers of statuses are printed.
pub(super) const NUMBERS: [(bool, &str); 11] = [
    // AdaptiveCpp, which names the back end before the number.
    (false, "errorcode=hip:(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "tritonerror\\[hip\\]:code:(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "hiperror(_t|code)?[:=]?[(]?(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "rocmerror(code)?[:=]?[(]?(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (false, "hip[a-z]{4,40}[()]{0,2}returned(error|status|code)?[:=(]{0,2}(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (
        false,
        "hip[a-z]{4,40}[()]{0,2}failedwith(error|status|code)*[:=(]{0,2}(?P<number>[0-9]{1,4})([^0-9.]|$)",
    ),
    (false, "hip[a-z]{4,40}\\(\\)[:=]{1,2}(?P<number>[0-9]{1,4})([^0-9.]|$)"),
    (true, "aborting(with)?(status|error|code)?.{0,120}?code:?0x0*(?P<number>[0-9a-f]{2,4})([^0-9a-f]|$)"),
    (true, "aborting(with)?(status|error|code):?0x0*(?P<number>[0-9a-f]{2,4})([^0-9a-f]|$)"),
    (true, "hsa[a-z_]{0,24}callfailure.{0,200}?callreturned:?0*(?P<number>[0-9]{2,4})([^0-9]|$)"),
    (true, "hsa_?error[:=(]{0,2}code#?0*(?P<number>[0-9]{2,4})([^0-9]|$)"),
];

/// Whether what stands at a place is the name of a status that sources ask for and do not know: nothing
/// returned it.
pub(in crate::messages) fn is_undeclared(squeezed: &[u8], at: &Range<usize>) -> bool {
    let (before, whole) = squeezed.split_at(at.start.min(squeezed.len()));
    if !whole.starts_with(b"hiperror") {
        return false;
    }
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let behind = whole.get(whole.iter().take_while(is_of_name).count()..).unwrap_or_default();
    let glued = whole.get(at.len()..).unwrap_or_default();
    let says =
        |text: &[u8]| ["notdefined", "wasnotdeclared"].iter().any(|words| text.starts_with(words.as_bytes()));
    let asks = ["undeclaredidentifier", "undefvarerror:", "nomembernamed"];
    asks.iter().any(|words| before.ends_with(words.as_bytes())) || says(behind) || says(glued)
}

/// The message of a status by the number that is printed, in any of the forms of [`NUMBERS`].
pub(super) fn of_number(is_hsa: bool, number: &str) -> Option<&'static str> {
    let api = if is_hsa { Api::Hsa } else { Api::Hip };
    // The HSA runtime prints its numbers in hexadecimal, programs that call it in decimal.
    let hexadecimal = number.parse().map(|number: u32| format!("{number:x}")).unwrap_or_default();
    let same = |own: &str| own == number || is_hsa && own == hexadecimal;
    STATUSES.iter().find(|status| status.api == api && same(status.number)).map(|status| status.message)
}

/// The message of HIP's words for a status, where they stand in a squeezed line alone: those that no other
/// program prints, and that say more than that a call was refused.
pub(super) fn of_words(line: &[u8]) -> Option<&'static str> {
    let own = |status: &&Status| {
        status.api == Api::Hip
            && status.words.len() > 15
            && !matches!(status.message, "hip-call-refused" | "no-device" | "device-ordinal")
            && memchr::memmem::find(line, status.words.as_bytes()).is_some()
    };
    STATUSES.iter().find(own).map(|status| status.message)
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
        // Both makers' numbers mean the same.
        let number = format!("cuda_?(runtime)?error(code)?[:=]?{}([^0-9.:]|[.:][^0-9]|$)", status.number);
        let words = format!("{CUDA_SAYS}{}", status.words);
        [(status.message, words), (status.message, of_ggml), (status.message, number)]
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
