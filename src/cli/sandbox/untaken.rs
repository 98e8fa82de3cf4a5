//! Why not all rights are taken from a run.

use std::fmt;

/// Why not all rights are taken, for a sentence.
#[derive(Debug)]
pub(super) enum Untaken {
    /// The build has nothing to take them with.
    #[cfg(all(target_os = "linux", not(feature = "sandbox")))]
    Build,
    /// The system has nothing to take them with.
    #[cfg(not(target_os = "linux"))]
    System,
    /// The kernel has no Landlock, or an older one than is needed.
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    Kernel,
    /// Landlock refused.
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    Landlock(landlock::RulesetError),
    /// The filter of calls cannot be made for this machine.
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    Filter(seccompiler::BackendError),
    /// The system did not take the filter of calls.
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    Seccomp(seccompiler::Error),
}

impl fmt::Display for Untaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(all(target_os = "linux", not(feature = "sandbox")))]
            Untaken::Build => f.write_str("this build is without the feature `sandbox`"),
            #[cfg(not(target_os = "linux"))]
            Untaken::System => f.write_str("only Linux has what it needs, Landlock and seccomp"),
            #[cfg(all(target_os = "linux", feature = "sandbox"))]
            Untaken::Kernel => {
                f.write_str("this kernel has no Landlock, or an older one than that of Linux 6.2")
            }
            #[cfg(all(target_os = "linux", feature = "sandbox"))]
            Untaken::Landlock(why) => write!(f, "Landlock: {why}"),
            #[cfg(all(target_os = "linux", feature = "sandbox"))]
            Untaken::Filter(why) => write!(f, "seccomp: {why}"),
            #[cfg(all(target_os = "linux", feature = "sandbox"))]
            Untaken::Seccomp(why) => write!(f, "seccomp: {why}"),
        }
    }
}

#[cfg(all(target_os = "linux", feature = "sandbox"))]
impl From<seccompiler::BackendError> for Untaken {
    fn from(why: seccompiler::BackendError) -> Self {
        Untaken::Filter(why)
    }
}

#[cfg(all(target_os = "linux", feature = "sandbox"))]
impl From<seccompiler::Error> for Untaken {
    fn from(why: seccompiler::Error) -> Self {
        Untaken::Seccomp(why)
    }
}
