//! Package managers and builds: sentences of each, made by varying what they state, and the same sentences about
//! other software, which say nothing of ROCm.

use super::facts::{Dice, Made, Maker, made, passed_on, wrong_answers};
use rocm_audit::messages::recognise::recognise;

/// The dice are fixed, so every run asks the same texts.
const SEED: u64 = 50536;

const PACKAGES: [&str; 8] = [
    "rocm-hip-sdk",
    "rocm-dev",
    "hipblaslt",
    "miopen-hip",
    "hip-runtime-amd",
    "amdrocm-runtime7.14",
    "libhsa-runtime64-1",
    "rocblas",
];

fn apt(dice: &mut Dice) -> Made {
    let (package, other) = (dice.of(&PACKAGES), dice.of(&["libstdc++-5-dev", "rocminfo", "python3"]));
    let version = format!("{}.{}.0", 5 + dice.next(3), dice.next(9));
    let text = match dice.next(9) {
        0 => format!(
            "The following packages have unmet dependencies:\n {package} : Depends: {other} (= {version}) but it is not going to be installed"
        ),
        1 => format!("E: Unable to locate package {package}"),
        2 => format!("E: Package '{package}' has no installation candidate"),
        3 => format!(
            "dpkg: error processing archive /var/cache/apt/archives/{package}_{version}_amd64.deb (--unpack):\n trying to overwrite '/opt/rocm/bin/x', which is also in package other"
        ),
        4 => format!(
            "dpkg: dependency problems prevent configuration of {package}:\n {package} depends on {other} (= {version}); however:\n  Package {other} is not installed."
        ),
        5 => format!(" {package} : Hängt ab von: {other} (= {version}) soll aber nicht installiert werden"),
        6 => format!(" {package} : 依赖: {other} (= {version}) 但是它将不会被安装"),
        7 => format!("E: Paket {package} kann nicht gefunden werden."),
        _ => "W: Failed to fetch https://repo.radeon.com/rocm/apt/5.0/dists/jammy/InRelease  404  Not Found"
            .to_owned(),
    };
    made(text, "environment", None, &["PKG-INSTALL"])
}

fn rpm_and_pacman(dice: &mut Dice) -> Made {
    let (package, other) =
        (dice.of(&PACKAGES), dice.of(&["perl-File-BaseDir", "libtinfo.so.5()(64bit)", "python3"]));
    let version = format!("{}.{}.0-{}.el8.x86_64", 5 + dice.next(3), dice.next(9), dice.next(90));
    let text = match dice.next(8) {
        0 => format!(
            "Error: \n Problem: package {package}-{version} requires {other}, but none of the providers can be installed\n  - conflicting requests"
        ),
        1 => format!("  - nothing provides {other} needed by {package}-{version}"),
        2 => format!("Error: Package: {package}-{version} (/x)\n           Requires: {other}"),
        3 => format!("No match for argument: {package}\nError: Unable to find a match: {package}"),
        4 => format!("error: target not found: {package}"),
        5 => format!(
            "error: failed to prepare transaction (could not satisfy dependencies)\n:: unable to satisfy dependency '{other}={version}' required by {package}"
        ),
        6 => format!(
            "error: failed to commit transaction (conflicting files)\n{package}: /opt/rocm/bin/x exists in filesystem"
        ),
        _ => format!("Problem: nothing provides '{other}' needed by the to be installed {package}-{version}"),
    };
    made(text, "environment", None, &["PKG-INSTALL"])
}

fn python(dice: &mut Dice) -> Made {
    let version = format!("2.{}.{}+rocm{}.{}", dice.next(13), dice.next(3), 5 + dice.next(3), dice.next(5));
    let text = match dice.next(6) {
        0 => format!(
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because filelock was not found in the package registry and torch=={version} depends on filelock, we can conclude that torch=={version} cannot be used."
        ),
        1 => format!(
            "And because you require torch=={version}, we can conclude that your requirements are unsatisfiable."
        ),
        2 => format!("  RuntimeError\n\n  Unable to find installation candidates for torch ({version})"),
        3 => format!(
            "ERROR: torch-{version}-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform."
        ),
        4 => format!(
            "LibMambaUnsatisfiableError: Encountered problems while solving:\n  - nothing provides torch {version} needed by app-1.0"
        ),
        _ => format!(
            "ERROR: Cannot install torch=={version} and torchvision==0.1 because these package versions have conflicting dependencies.\nERROR: ResolutionImpossible"
        ),
    };
    made(text, "environment", None, &["PKG-INSTALL"])
}

fn build(dice: &mut Dice) -> Made {
    let (number, line) = (10 + dice.next(12), 1 + dice.next(900));
    let text = match dice.next(5) {
        0 => format!(
            "clang-{number}: error: HC assembler command failed with exit code {line} (use -v to see invocation)\n/opt/rocm/hcc"
        ),
        1 => format!(
            "Stack dump:\n0.\tProgram arguments: /opt/rocm/llvm/bin/llc -mtriple amdgcn--amdhsa -o x{line}.isabin"
        ),
        2 => format!(
            "lld-link: error: undefined symbol: void at::x{line}()\n>>> referenced by torch_hip.dir/x.obj"
        ),
        3 => format!(
            "ERROR: core/BUILD:{line}:18: Compiling x.cu.cc failed: undeclared inclusion(s) in rule '//core:x':\n  '/opt/rocm/llvm/lib/clang/{number}.0.0/include/stddef.h'"
        ),
        _ => format!(
            "[{line}/6833] Linking CXX shared library lib/libtorch_hip.so\nFAILED: lib/libtorch_hip.so \n: && /usr/bin/c++ -fPIC -O2"
        ),
    };
    made(text, "build", None, &["SRC-BUILD"])
}

/// The call that ggml prints below its device says whose runtime it was.
fn call_of_ggml(dice: &mut Dice) -> Made {
    let (line, at) = (dice.next(9000), dice.of(&["/src/ggml-cuda.cu", "C:\\llm\\ggml-cuda.cu"]));
    let call = dice.of(&[
        "hipMalloc((void **) &ptr, size)",
        "hipMemCreate(&handle, size, &prop, 0)",
        "hipStreamSynchronize(stream)",
    ]);
    made(
        format!("CUDA error: out of memory\n  current device: 0, in function alloc at {at}:{line}\n  {call}"),
        "environment",
        None,
        &["OOM"],
    )
}

const MAKERS: [(&str, Maker); 5] = [
    ("apt and dpkg", apt),
    ("dnf, yum, zypper, pacman", rpm_and_pacman),
    ("pip, uv, Poetry, conda", python),
    ("builds", build),
    ("ggml's call", call_of_ggml),
];

#[test]
fn installers_and_builds_are_answered_alike() {
    let (all, wrong) = wrong_answers(&MAKERS, SEED);
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn installers_and_builds_of_others_stay_unanswered() {
    let mut dice = Dice(SEED);
    let mut wrong = Vec::new();
    for _ in 0..6 {
        let (line, package) =
            (dice.next(9000), dice.of(&["libreoffice", "cuda-toolkit-12", "rocket-chat", "hippo"]));
        for text in [
            format!(" {package} : Depends: libx (= 1.{line}) but it is not going to be installed"),
            format!("E: Unable to locate package {package}"),
            format!("error: target not found: {package}"),
            format!("  - nothing provides python3 needed by {package}-1.{line}.x86_64"),
            format!("{package}: /usr/bin/x exists in filesystem"),
            format!(
                "  × No solution found when resolving dependencies:\n  ╰─▶ Because there is no version of {package}=={line}"
            ),
            format!(
                "ERROR: torch-2.4.{line}+cu121-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform."
            ),
            format!(
                "clang-17: error: linker command failed with exit code {line} (use -v to see invocation)"
            ),
            format!("Stack dump:\n0.\tProgram arguments: clang -cc1 -triple x86_64 x{line}.c"),
            format!(
                "CUDA error: out of memory\n  current device: 0, in function alloc at /src/ggml-cuda.cu:{line}\n  cuMemCreate(&handle, size, &prop, 0)"
            ),
            format!(
                "CUDA error: an illegal memory access was encountered\n  current device: 0, in function x at D:\\x\\ggml-cuda.cu:{line}\n  cudaStreamSynchronize(stream)"
            ),
            format!(
                "docker: error gathering device information while adding custom device \"/dev/dri\": no such file {line}"
            ),
        ] {
            let text = passed_on(&text, &mut dice);
            let class = recognise(text.as_bytes()).class().name();
            if !["not-rocm", "unknown"].contains(&class) {
                wrong.push(format!("{class}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
