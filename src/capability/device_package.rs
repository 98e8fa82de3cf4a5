//! The package that has a library's code for one GPU, by its name.
//!
//! Source: ROCm/TheRock, `docs/packaging/python_packaging.md`: the wheels of the host have no device code,
//! and a wheel for each target brings it: `rocm-sdk-device-TARGET` beside `rocm-sdk-libraries`,
//! `amd-torch-device-TARGET` beside `torch`, and so on.

/// Folders of the wheels of the host, and the name of the wheels for devices up to the target.
const PACKAGES: [(&str, &str); 4] = [
    ("_rocm_sdk_", "rocm-sdk-device-"),
    ("torchvision", "amd-torchvision-device-"),
    ("torchaudio", "amd-torchaudio-device-"),
    ("torch", "amd-torch-device-"),
];

/// The wheel that has the code for a processor of the library at a path; none where the path is of no such
/// wheel.
pub(super) fn device_package_name(path: &str, processor: &str) -> Option<String> {
    let inside = path.rsplit_once("!/").map_or(path, |(_, inside)| inside).replace('\\', "/");
    let folders: Vec<&str> = inside.split('/').rev().skip(1).collect();
    let named = |folder: &&str| {
        let is_of = |(begins, _): &&(&str, &str)| match begins.ends_with('_') {
            true => folder.starts_with(begins),
            false => folder == begins,
        };
        PACKAGES.iter().find(is_of)
    };
    let (_, package) = folders.iter().find_map(named)?;
    // The names of wheels have no features (ROCm/TheRock #7113).
    let processor = processor.split(':').next().unwrap_or(processor);
    Some(format!("{package}{processor}"))
}

#[cfg(test)]
mod tests {
    use super::device_package_name;

    #[test]
    fn the_folder_of_the_host_names_the_wheel_of_the_device() {
        for (path, name) in [
            ("torch-2.14.0.whl!/torch/lib/libtorch_hip.so", Some("amd-torch-device-gfx1151")),
            ("venv/lib/python3.12/site-packages/torch/lib/libtorch_hip.so", Some("amd-torch-device-gfx1151")),
            ("w.whl!/torchvision/_C.so", Some("amd-torchvision-device-gfx1151")),
            ("w.whl!/_rocm_sdk_libraries/lib/librocblas.so.5", Some("rocm-sdk-device-gfx1151")),
            ("opt/rocm/lib/librocblas.so.5", None),
            ("torch", None),
        ] {
            assert_eq!(device_package_name(path, "gfx1151:xnack-").as_deref(), name, "{path}");
        }
    }
}
