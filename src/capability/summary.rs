//! Sums over everything that was read, and what was not.

use crate::codeobject::{AbiVersion, SectionByteClass, SectionBytes};
use crate::inventory::{ArtifactKind, CountAndBytes, Inventory, Uncounted};
use crate::locator::NESTED;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// Sums over an inventory.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Files that carry something counted, and links to firmware.
    pub artifacts: CountAndBytes,
    /// The files that these are, each once.
    pub artifact_files: u64,
    /// Files whose format may hold device code that was not looked for.
    pub not_examined_files: u64,
    /// Packages that are no members of packages.
    pub outer_packages: CountAndBytes,
    /// Bundles.
    pub bundles: u64,
    /// Compressed ones among them.
    pub compressed_bundles: u64,
    /// Bytes that those inflate to.
    pub unpacked_bytes: u64,
    /// Compressed bundles that were not read to their end.
    pub unverified_bundles: u64,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes of code objects, inflated.
    pub code_object_bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Code objects by ABI version.
    pub abi_versions: KeyMap<AbiVersion, u64>,
}

impl Summary {
    pub(super) fn from_inventory(inventory: &Inventory, remainder: &[UncountedFiles]) -> Self {
        let unread = |r: &&UncountedFiles| r.state == UnreportedReason::NotExamined;
        let mut sum = Summary {
            not_examined_files: remainder.iter().filter(unread).map(|r| r.files.count).sum(),
            ..Summary::default()
        };
        for package in inventory.packages.iter().filter(|p| !p.shown.contains(NESTED)) {
            sum.outer_packages.add(package.bytes);
        }
        let mut last = None;
        for artifact in &inventory.artifacts {
            sum.artifacts.add(artifact.bytes);
            let link = matches!(artifact.kind, ArtifactKind::Firmware { alias: true, .. })
                || artifact.link_to.is_some();
            // One file can be several artifacts: a kpack archive holds code of several libraries.
            let file = Some((artifact.root, artifact.relative.as_str()));
            sum.artifact_files += u64::from(!link && file != last);
            last = file;
            let Some(device) = &artifact.device else { continue };
            sum.bundles += device.bundles;
            sum.compressed_bundles += device.compressed;
            sum.unpacked_bytes += device.unpacked_bytes;
            sum.unverified_bundles += device.unverified;
            for code in device.targets.values() {
                sum.code_objects += code.objects;
                sum.kernels += code.kernels.count();
                sum.code_object_bytes += code.bytes;
                sum.code_bytes += code.code_bytes;
                for (version, count) in &code.versions {
                    *sum.abi_versions.entry(*version).or_default() += count;
                }
            }
        }
        sum
    }
}

/// Bytes of all code objects by class, inflated.
#[derive(Debug, Clone, Default)]
pub struct DeviceBytes {
    /// By class. Of compressed code objects whose sections were not read, the code is known from their
    /// program headers.
    pub classes: SectionBytes,
    /// Bytes of compressed code objects whose class is not known.
    pub unread: u64,
}

impl DeviceBytes {
    /// The size of all.
    pub fn total(&self) -> u64 {
        self.classes.total() + self.unread
    }

    pub(super) fn from_inventory(inventory: &Inventory, asked: &[TargetId]) -> Self {
        let mut classes = SectionBytes::default();
        let (mut all, mut code) = (0, 0);
        let devices = inventory.artifacts.iter().filter_map(|a| a.device.as_ref());
        for (_, found) in devices.flat_map(|d| &d.targets).filter(|(target, _)| target.is_wanted_by(asked)) {
            classes.merge(&found.sections);
            all += found.bytes;
            code += found.code_bytes;
        }
        let unread = all - classes.total().min(all);
        let unread_code = code.saturating_sub(classes.get(SectionByteClass::Code)).min(unread);
        classes.add(SectionByteClass::Code, unread_code);
        DeviceBytes { classes, unread: unread - unread_code }
    }
}

/// Why nothing is reported of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UnreportedReason {
    /// They were looked at, and nothing that is counted is in them.
    Nothing,
    /// They are sources, and count in the verdict.
    Source,
    /// They may hold device code that was not looked for.
    NotExamined,
    /// The scanner that would read them was left out.
    Skipped,
    /// They could not be read.
    Unreadable,
}

/// Files of one format that carry nothing counted.
#[derive(Debug, Clone)]
pub struct UncountedFiles {
    /// Their format, or why that is not known.
    pub format: &'static str,
    /// Number and bytes.
    pub files: CountAndBytes,
    /// Why nothing is reported of them.
    pub state: UnreportedReason,
}

pub(super) fn remainder(inventory: &Inventory) -> Vec<UncountedFiles> {
    let unread: BTreeSet<&str> = inventory.not_examined.iter().map(|n| subject(&n.what)).collect();
    let row = |(what, files): (&Uncounted, &CountAndBytes)| UncountedFiles {
        format: what.name(),
        files: *files,
        state: match what {
            Uncounted::Source => UnreportedReason::Source,
            Uncounted::Skipped => UnreportedReason::Skipped,
            Uncounted::Unreadable => UnreportedReason::Unreadable,
            Uncounted::Format(format) if unread.contains(format.name()) => UnreportedReason::NotExamined,
            Uncounted::Format(_) => UnreportedReason::Nothing,
        },
    };
    inventory.remainder.iter().map(row).collect()
}

/// Something that was seen and not looked into.
#[derive(Debug, Clone)]
pub struct NotExamined<'a> {
    /// What, in words.
    pub what: &'a str,
    /// Files that are it or hold it, and their bytes.
    pub files: CountAndBytes,
    /// One of them.
    pub example: &'a str,
    /// Whether it is a format of the remainder, which counts these files.
    pub in_remainder: bool,
}

/// What is not examined, without the reason that may stand behind it.
fn subject(what: &str) -> &str {
    what.split_once(": ").map_or(what, |(subject, _)| subject)
}

pub(super) fn not_examined<'a>(
    inventory: &'a Inventory,
    remainder: &[UncountedFiles],
) -> Vec<NotExamined<'a>> {
    let formats: BTreeSet<&str> = remainder.iter().map(|row| row.format).collect();
    let mut rows: KeyMap<&str, NotExamined<'a>> = KeyMap::new();
    for seen in &inventory.not_examined {
        let row = rows.entry(&seen.what).or_insert_with(|| NotExamined {
            what: &seen.what,
            files: CountAndBytes::default(),
            example: &seen.shown,
            in_remainder: formats.contains(subject(&seen.what)),
        });
        row.files.add(seen.bytes);
    }
    rows.into_values().collect()
}
