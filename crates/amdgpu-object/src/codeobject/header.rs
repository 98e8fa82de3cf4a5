//! The facts in the ELF header of a code object: target, features, ABI version.
//!
//! Source: LLVM's AMDGPUUsage, "ELF Code Object", for V2 to V6.

use crate::bytes::ByteSource;
use crate::bytes::elf::Elf;
use crate::target::{Processor, TargetId};
use alloc::borrow::ToOwned;
use alloc::format;
use core::fmt;
use object::elf as raw;

answer! {
    /// Facts of the ELF header.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Header {
        /// Processor and features from `e_flags`.
        part target: TargetId,
        /// `e_flags & 0xff`.
        copy mach: u8,
        /// `e_flags`.
        copy flags: u32,
        /// OS ABI and code object version.
        copy version: AbiVersion,
        /// Generic target version (since V6); 0 for a processor that is not generic.
        copy generic_version: u8,
        /// `e_type`.
        copy kind: u16,
    }
}

answer! {
    /// `EI_OSABI` and `EI_ABIVERSION`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct AbiVersion {
        /// 64 HSA, 65 PAL, 66 Mesa.
        copy os_abi: u8,
        /// For HSA, 0 is V2.
        copy abi_version: u8,
    }
}

impl AbiVersion {
    /// Code object version of an HSA code object, 2 to 6 at present.
    pub fn code_object(self) -> Option<u8> {
        (self.os_abi == 64 && self.abi_version <= 4).then(|| self.abi_version + 2)
    }
}

impl fmt::Display for AbiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code_object(), self.os_abi) {
            (Some(version), _) => write!(f, "V{version}"),
            (None, 65) => write!(f, "PAL ABI {}", self.abi_version),
            (None, 66) => write!(f, "Mesa ABI {}", self.abi_version),
            (None, os_abi) => write!(f, "OS ABI {os_abi}, version {}", self.abi_version),
        }
    }
}

impl Header {
    /// Whether it can be loaded; otherwise it still has to be linked (`ET_REL`).
    pub fn is_loadable(&self) -> bool {
        self.kind == raw::ET_DYN.0
    }

    pub(super) fn from_elf<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>) -> Self {
        let flags = elf.flags();
        let (os_abi, abi_version) = elf.abi();
        let version = AbiVersion { os_abi, abi_version };
        let [mach, ..] = flags.to_le_bytes();
        let mut target = TargetId::bare(match Processor::by_mach(mach) {
            Some(processor) => processor.name.to_owned(),
            None => format!("mach_{mach:#x}"),
        });
        if version.code_object().is_some_and(|v| v <= 3) {
            // One bit each: on, or unspecified.
            target.xnack = (flags & 0x100 != 0).then_some(true);
            target.sramecc = (flags & 0x200 != 0).then_some(true);
        } else {
            target.xnack = selection(flags >> 8);
            target.sramecc = selection(flags >> 10);
        }
        if Processor::by_mach(mach).is_some_and(Processor::is_always_xnack) && target.xnack == Some(true) {
            target.xnack = None;
        }
        let generic_version =
            if version.code_object().is_some_and(|v| v >= 6) { (flags >> 24) as u8 } else { 0 };
        Header { target, mach, flags, version, generic_version, kind: elf.kind() }
    }
}

/// Two bits since V4: 0 unsupported, 1 any, 2 off, 3 on.
fn selection(bits: u32) -> Option<bool> {
    match bits & 3 {
        2 => Some(false),
        3 => Some(true),
        _ => None,
    }
}
