//! The tables that only hipBLASLt has: the mapping of solution indices to catalogs, and its other operations.

use super::LibraryFolder;
use crate::tensile::code_objects::KernelId;
use crate::tensile::ext_ops::read_ext_ops;
use crate::tensile::packed;
use crate::tensile::tensilelite::read_mapping;
use rocm_audit_files::error::ParseError;
use rocm_audit_files::finding::rules::tensile as rules;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeMap, BTreeSet};

const MAPPING: &str = "TensileLiteLibrary_lazy_";
/// What names of these files begin with; newer releases put the target behind it.
const TRANSFORM: &str = "hipblasltTransform";
const EXT_OPS: &str = "hipblasltExtOpLibrary";

impl LibraryFolder {
    /// Compares the tables, and the kernels for layouts, with catalogs and files.
    pub(super) fn check_tables(&mut self) {
        // What catalogs begin with is not known of those that are not read.
        if self.not_read.is_empty() {
            self.check_mapping();
        }
        self.check_ext_ops();
        self.check_transform();
    }

    /// Looks for the targets with a catalog that the kernels for layouts are not for.
    fn check_transform(&mut self) {
        let is_transform = |name: &&String| name.starts_with(TRANSFORM) && name.ends_with(".hsaco");
        let files: Vec<String> = self.supplies.keys().filter(is_transform).cloned().collect();
        let Some(first) = files.iter().min() else { return };
        let supplies: Vec<_> = files.iter().filter_map(|file| self.supplies.get(file)).collect();
        if supplies.iter().any(|supply| supply.is_err()) {
            return;
        }
        let targets: BTreeSet<_> =
            supplies.into_iter().flatten().flat_map(|supply| &supply.targets).collect();
        let has = |target: &str| targets.iter().any(|id| id.processor == target);
        let here: Vec<String> = targets.iter().map(ToString::to_string).collect();
        let lack: Vec<String> = self.all_targets().into_iter().filter(|target| !has(target)).collect();
        for target in lack {
            if !self.has_master(&target) {
                continue;
            }
            let example = self.example(first, None, format!("it has code for {}", here.join(", ")));
            self.defects.add(&rules::TRANSFORM_MISSING, Some(&target), 1, Some(example));
        }
    }

    fn read_table<T>(
        &self,
        name: &str,
        read: impl Fn(&[u8]) -> rocm_audit_files::error::Parsed<T>,
    ) -> Option<Result<T, (Option<u64>, String)>> {
        self.files.get(name)?;
        let wrong = |error: ParseError| (Some(error.offset()), error.what().to_owned());
        Some(match self.place.as_ref()?.open(&self.file_of(name)) {
            Ok(file) if self.from_streams.contains(name) => {
                packed::inflated(file.bytes()).and_then(|table| read(&table)).map_err(wrong)
            }
            Ok(file) => read(file.bytes()).map_err(wrong),
            Err(error) => Err((None, error.to_string())),
        })
    }

    /// The files of mappings: one for all targets, or one for each in newer releases.
    fn mappings(&self) -> Vec<String> {
        let is_mapping = |name: &&String| name.starts_with(MAPPING) && name.ends_with("Mapping.dat");
        self.files.keys().filter(is_mapping).cloned().collect()
    }

    fn check_mapping(&mut self) {
        let files = self.mappings();
        let mut mapping = Vec::new();
        for file in &files {
            match self.read_table(file, read_mapping) {
                Some(Ok(read)) => mapping.extend(read),
                Some(Err((at, what))) => {
                    let example = self.example(file, at, what);
                    return self.defects.add(&rules::MAPPING_WRONG, None, 1, Some(example));
                }
                None => return,
            }
        }
        // Older releases have none.
        let Some(first_file) = files.first().cloned() else { return };
        let mut firsts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        // What has solutions that could not be read may begin or end with one of these, and is reported
        // elsewhere.
        let mut unread: BTreeSet<&str> = BTreeSet::new();
        for (name, read) in &self.catalogs {
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let Some(read) = read.as_ref().ok().filter(|read| read.outline.unreadable.is_none()) else {
                unread.insert(stem);
                continue;
            };
            let indices = || read.outline.solutions.iter().map(|s| s.index);
            if let (Some(first), Some(last), Some((stem, _))) =
                (indices().min(), indices().max(), name.rsplit_once('.'))
            {
                firsts.insert(stem, (first, last));
            }
        }
        let mut wrong: Vec<String> = Vec::new();
        let mut sorted: Vec<&(u32, String)> = mapping.iter().collect();
        sorted.sort_rows();
        for (number, (index, name)) in sorted.iter().enumerate() {
            let next = sorted.get(number + 1).map_or(u32::MAX, |(index, _)| *index);
            match firsts.get(name.as_str()) {
                _ if unread.contains(name.as_str()) => {}
                None => wrong.push(format!("solution {index}: {name} is not there or has no solution")),
                Some((first, _)) if first != index => {
                    wrong.push(format!("solution {index}: {name} begins with solution {first}"));
                }
                Some((_, last)) if *last >= next => {
                    wrong.push(format!(
                        "{name} goes on to solution {last}, and the next catalog begins with {next}"
                    ));
                }
                Some(_) => {}
            }
        }
        for stem in firsts.keys() {
            if !stem.contains("_lazy_") && !mapping.iter().any(|(_, name)| name == stem) {
                wrong.push(format!("{stem} is not in it"));
            }
        }
        for what in wrong {
            let example = self.example(&first_file, None, what);
            self.defects.add(&rules::MAPPING_WRONG, None, 1, Some(example));
        }
    }

    fn check_ext_ops(&mut self) {
        let is_table = |name: &&String| name.starts_with(EXT_OPS) && name.ends_with(".dat");
        for file in self.files.keys().filter(is_table).cloned().collect::<Vec<_>>() {
            self.check_ext_ops_of(&file);
        }
    }

    fn check_ext_ops_of(&mut self, table: &str) {
        let operations = match self.read_table(table, read_ext_ops) {
            Some(Ok(operations)) => operations,
            Some(Err((at, what))) => {
                let example = self.example(table, at, what);
                return self.defects.add(&rules::EXT_OP_MISSING, None, 1, Some(example));
            }
            None => return,
        };
        for op in operations {
            let supply = self.supplies.get(&op.file);
            let what = match supply {
                None => Some(format!("{} is not there", op.file)),
                Some(Err(_)) => Some(format!("{} cannot be read", op.file)),
                Some(Ok(supply)) if !supply.kernels.contains(&KernelId::from_name(op.kernel.as_bytes())) => {
                    Some(format!("{} has no {}", op.file, op.kernel))
                }
                Some(Ok(_)) => None,
            };
            if let Some(what) = what {
                let example = self.example(table, None, format!("{}: {what}", op.operation));
                self.defects.add(&rules::EXT_OP_MISSING, Some(&op.target), 1, Some(example));
            }
        }
    }
}
