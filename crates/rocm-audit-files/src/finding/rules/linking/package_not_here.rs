//! The rule `package-not-here`.

use crate::finding::rule::rule;

rule! {
    /// A Python package of ROCm's, or a list of packages, asks for another one that is not here.
    ///
    /// From ROCm 7.9 on the wheels of ROCm, PyTorch and JAX are sets: `rocm-sdk-libraries` has the libraries of the host,
    /// `rocm-sdk-device-gfx1151` their code for one GPU, `jax-rocm10-plugin` needs `jax-rocm10-pjrt`. What a wheel needs is in its
    /// `METADATA` (`Requires-Dist`, without extras); lists are `requirements.txt`, the output of `pip freeze` in a file with `freeze` in
    /// its name, `uv.lock`, `poetry.lock` and `pylock.toml`, with the extras `rocm[libraries,device-gfx1151]` and
    /// `torch[device-gfx1151]` taken for the packages that they stand for. Looked for are the packages of these sets only, among the
    /// wheels and installed packages that were named together; a version that is asked for alone has to be that one.
    ///
    /// A package that is missing may come from an index when it is installed: name the wheels and the list in one call to see whether
    /// a folder is whole.
    PACKAGE_NOT_HERE {
        id: "package-not-here",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a package of ROCm's asks for another one that is not here",
        effect: "without it, libraries or their code for GPUs are missing at run time",
        effect_known: Inferred,
        advice: "fetch the package that is named, in the version that is named",
    }
}
