//! The assumptions of a verdict about the device, the build and the environment.

use amdgpu_object::target::GfxVersion;
use std::collections::BTreeMap;
use std::fmt;

/// A version of MIOpen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Parses `3.3.0`.
    pub fn parse(text: &str) -> Option<Version> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        let version = Version(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

macro_rules! parts {
    ($($name:ident $text:literal $switch:expr, $means:literal;)*) => {
        /// A part that a build of MIOpen may lack.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BuildPart { $(#[doc = $means] $name,)* }

        impl BuildPart {
            /// All parts.
            pub const ALL: &[BuildPart] = &[$(BuildPart::$name),*];

            /// The name in rules and options.
            pub fn name(self) -> &'static str {
                match self { $(BuildPart::$name => $text,)* }
            }

            /// Description of the part.
            pub fn means(self) -> &'static str {
                match self { $(BuildPart::$name => $means,)* }
            }

            /// The environment variable that turns the part off if it is 0.
            pub fn switch(self) -> Option<&'static str> {
                match self { $(BuildPart::$name => $switch,)* }
            }
        }
    };
}

parts! {
    Assembly "assembly" Some("MIOPEN_DEBUG_GCN_ASM_KERNELS"), "The assembler and its kernels.";
    Hip "hip" Some("MIOPEN_DEBUG_HIP_KERNELS"), "HIP kernels.";
    OpenCl "opencl" Some("MIOPEN_DEBUG_OPENCL_CONVOLUTIONS"), "OpenCL kernels.";
    ComposableKernel "composable-kernel" None, "The Composable Kernel library.";
    Mlir "mlir" None, "rocMLIR.";
    Gemm "gemm" None, "GEMM through rocBLAS.";
    Naive "naive" None, "The naive solvers.";
    SystemDatabases "system-databases" None, "The databases of the installation.";
    TuningModels "tuning-models" None, "The models that choose the parameters of ConvAsm1x1U on gfx908.";
}

impl BuildPart {
    /// Finds the part with a name.
    pub fn of_name(name: &str) -> Option<BuildPart> {
        BuildPart::ALL.iter().copied().find(|part| part.name() == name)
    }
}

/// The assumptions of a verdict. [`Context::new`] gives the default ones; each can be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The processor, without features: `gfx90a`.
    pub target: String,
    /// Compute units of the device.
    pub compute_units: u32,
    /// Whether XNACK is on; `None` if the device does not report it, which MIOpen treats as off.
    pub xnack: Option<bool>,
    /// The version of MIOpen.
    pub version: Version,
    /// Parts that the build lacks.
    pub without: Vec<BuildPart>,
    /// Environment variables that MIOpen would see.
    pub environment: BTreeMap<String, String>,
}

impl Context {
    /// A complete build of MIOpen 3.3.0, XNACK unknown, no variable set.
    pub fn new(target: impl Into<String>, compute_units: u32) -> Context {
        Context {
            target: target.into(),
            compute_units,
            xnack: None,
            version: Version(3, 3, 0),
            without: Vec::new(),
            environment: BTreeMap::new(),
        }
    }

    /// Whether the build has a part and the environment leaves it on.
    pub fn has(&self, part: BuildPart) -> bool {
        !self.without.contains(&part) && !part.switch().is_some_and(|name| self.is_disabled(name))
    }

    /// Whether a variable has a value that MIOpen reads as true (`src/include/miopen/env.hpp`).
    pub fn is_enabled(&self, name: &str) -> bool {
        self.is_one_of(name, &["1", "yes", "on", "true", "enable", "enabled"])
    }

    /// Whether a variable has a value that MIOpen reads as false.
    pub fn is_disabled(&self, name: &str) -> bool {
        self.is_one_of(name, &["0", "no", "off", "false", "disable", "disabled"])
    }

    fn is_one_of(&self, name: &str, values: &[&str]) -> bool {
        self.environment.get(name).is_some_and(|set| values.iter().any(|v| set.eq_ignore_ascii_case(v)))
    }

    /// Compute units as counted by the assembly kernels: twice the work group processors from gfx10 on.
    pub fn hardware_compute_units(&self) -> u32 {
        let pairs = GfxVersion::from_name(&self.target).is_some_and(GfxVersion::counts_work_group_processors);
        self.compute_units.saturating_mul(if pairs { 2 } else { 1 })
    }

    /// Every assumption as a name and a value, in a fixed order.
    pub fn assumptions(&self) -> Vec<(String, String)> {
        let state = match self.xnack {
            Some(true) => "on",
            Some(false) => "off",
            None => "unknown, taken as off",
        };
        let mut all = vec![
            ("target".to_owned(), self.target.clone()),
            ("compute units".to_owned(), self.compute_units.to_string()),
            ("xnack".to_owned(), state.to_owned()),
            ("MIOpen".to_owned(), self.version.to_string()),
            ("tensors".to_owned(), "packed".to_owned()),
        ];
        for &part in BuildPart::ALL {
            let value = match (self.without.contains(&part), self.has(part)) {
                (true, _) => "not in the build".to_owned(),
                (false, false) => format!("off by {}", part.switch().unwrap_or_default()),
                (false, true) => "in the build".to_owned(),
            };
            all.push((part.name().to_owned(), value));
        }
        all.extend(self.environment.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_can_be_printed() {
        let mut context = Context::new("gfx900", 64);
        context.without.push(BuildPart::Mlir);
        context.environment.insert("MIOPEN_DEBUG_HIP_KERNELS".into(), "OFF".into());
        let all = context.assumptions();
        let of = |name: &str| all.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        assert_eq!(of("mlir"), Some("not in the build"));
        assert_eq!(of("hip"), Some("off by MIOPEN_DEBUG_HIP_KERNELS"));
        assert_eq!(of("gemm"), Some("in the build"));
        assert_eq!(of("MIOPEN_DEBUG_HIP_KERNELS"), Some("OFF"));
        assert_eq!(Version::parse("3.3"), None);
    }
}
