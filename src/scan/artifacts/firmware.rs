//! GPU firmware that the Linux kernel's amdgpu driver loads, by codename.
//!
//! Files named for a chip (`vega10_mec.bin`) or a graphics IP version (`gc_11_0_0_mec.bin`) belong to a
//! target; files named for another IP block (`psp_13_0_0_sos.bin`, `sdma_6_0_0.bin`) are shared by several
//! and belong to none here.

use crate::bytes::le::LeBytes;
use crate::inventory::ArtifactKind;
use crate::scan::{Scanned, Scanner};
use crate::target::{PROCESSORS, Processor, TargetId};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "firmware",
    of_text: false,
    finds: "amdgpu firmware by codename and target",
    claims: |candidate| is_firmware(candidate.path, candidate.name),
    scan: |candidate, _, _| {
        let (mut kind, named_target) = describe(candidate.name, false);
        if let ArtifactKind::Firmware { mes_release, .. } = &mut kind {
            *mes_release = mes(candidate.name, candidate.file.bytes());
        }
        Scanned { named_target, ..Scanned::from_kind(kind) }
    },
};

/// The release of firmware of the micro engine scheduler (MES). The version fields of the file's own header
/// are others; in all files of linux-firmware 20250410 the payload, whose offset stands at 0x28, has `$PS1`
/// at 0x10 and the release at 0x60.
fn mes(name: &str, bytes: &[u8]) -> Option<u32> {
    if !name.split('.').next()?.split('_').any(|word| word.starts_with("mes")) {
        return None;
    }
    let payload = LeBytes(bytes).get_u32(0x28)? as usize;
    let payload = bytes.get(payload..)?;
    (payload.get(0x10..0x14)? == b"$PS1").then(|| LeBytes(payload).get_u32(0x60)).flatten()
}

/// Whether a path is one of amdgpu's firmware files; compressed ones have a further ending.
pub(crate) fn is_firmware(path: &str, name: &str) -> bool {
    let bare = name.strip_suffix(".xz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    bare.ends_with(".bin") && path.contains("amdgpu/")
}

/// What a firmware file is, by its name; `alias` for a symbolic link.
pub(crate) fn describe(name: &str, alias: bool) -> (ArtifactKind, Option<TargetId>) {
    let (codename, target) = codename(name);
    (ArtifactKind::Firmware { codename, alias, mes_release: None }, target)
}

fn codename(name: &str) -> (String, Option<TargetId>) {
    let matching = |p: &'static Processor| {
        let longest = p
            .firmware()
            .iter()
            .filter(|prefix| begins_with(name, prefix))
            .max_by_key(|prefix| prefix.len())?;
        Some((*longest, p))
    };
    if let Some((codename, processor)) = PROCESSORS.iter().filter_map(matching).max_by_key(|(c, _)| c.len()) {
        return (codename.to_owned(), Some(TargetId::bare(processor.name())));
    }
    // psp_13_0_0_sos.bin: the block and its version.
    let stem = name.split('.').next().unwrap_or(name);
    let mut words = stem.split('_');
    let block = words.next().unwrap_or(stem);
    let version: Vec<&str> = words.take_while(|w| w.chars().all(|c| c.is_ascii_digit())).collect();
    (if version.is_empty() { block.to_owned() } else { format!("{block}_{}", version.join("_")) }, None)
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['_', '.', '2', '_']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_of_mes_stands_in_the_payload() {
        let mut file = vec![0; 0x200];
        file[0x28..0x2c].copy_from_slice(&0x100u32.to_le_bytes());
        file[0x110..0x114].copy_from_slice(b"$PS1");
        file[0x160..0x164].copy_from_slice(&0x6eu32.to_le_bytes());
        assert_eq!(mes("gc_11_5_1_mes_2.bin", &file), Some(0x6e));
        assert_eq!(mes("gc_11_5_1_imu.bin", &file), None);
        file[0x110] = b'?';
        assert_eq!(mes("gc_11_5_1_mes_2.bin", &file), None);
        assert_eq!(mes("gc_11_5_1_mes_2.bin", &file[..0x120]), None);
    }

    #[test]
    fn names_lead_to_targets() {
        for (name, expected, target) in [
            ("vega10_mec2.bin", "vega10", Some("gfx900")),
            ("vega20_sos.bin", "vega20", Some("gfx906")),
            ("raven2_ce.bin", "raven2", Some("gfx909")),
            ("raven_ce.bin", "raven", Some("gfx902")),
            ("raven_kicker_rlc.bin", "raven", Some("gfx902")),
            ("gc_11_0_4_mec.bin", "gc_11_0_4", Some("gfx1103")),
            ("gc_11_5_0_imu.bin.zst", "gc_11_5_0", Some("gfx1150")),
            ("cyan_skillfish2_mec.bin", "cyan_skillfish", Some("gfx1013")),
            ("psp_13_0_0_sos.bin", "psp_13_0_0", None),
            ("sdma_6_0_0.bin", "sdma_6_0_0", None),
            ("isp_4_1_0.bin", "isp_4_1_0", None),
        ] {
            let (codename, found) = codename(name);
            assert_eq!(
                (codename.as_str(), found.map(|t| t.to_string()).as_deref()),
                (expected, target),
                "{name}"
            );
        }
    }
}
