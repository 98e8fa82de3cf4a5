//! Causes that files of a target's own decide, by their names.

use super::by_name::file;
use super::cause::Cause;
use super::causes::{RB_ARCH_MISSING, RB_EMPTY, RB_PATH_WRONG};
use super::damage::Damage;
use super::tree::{Decided, Decision, Place, Tree, incomplete};
use crate::inventory::{Artifact, ArtifactKind};

/// Files without which a program does not serve a target, where those are files of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesFor {
    /// rocBLAS's catalogs.
    RocblasCatalogs,
    /// hipBLASLt's catalogs.
    HipblasltCatalogs,
    /// MIOpen's libraries of grouped convolutions.
    MiopenConvolutions,
    /// Blender's kernels.
    BlenderKernels,
}

impl FilesFor {
    /// Whose they are.
    fn library(self) -> &'static str {
        match self {
            FilesFor::RocblasCatalogs => "rocBLAS",
            FilesFor::HipblasltCatalogs => "hipBLASLt",
            FilesFor::MiopenConvolutions => "MIOpen",
            FilesFor::BlenderKernels => "Blender",
        }
    }

    /// Whether a file is of this library.
    fn is_of(self, artifact: &Artifact) -> bool {
        match self {
            FilesFor::BlenderKernels => artifact.shown.contains("kernel_gfx"),
            _ => artifact.library == self.library(),
        }
    }

    /// Whether they lie in a library folder.
    fn is_tensile(self) -> bool {
        matches!(self, FilesFor::RocblasCatalogs | FilesFor::HipblasltCatalogs)
    }

    /// Their names for a processor; one of them is enough.
    fn names(self, processor: &str) -> Vec<String> {
        match self {
            FilesFor::RocblasCatalogs | FilesFor::HipblasltCatalogs => ["lazy_", ""]
                .iter()
                .flat_map(|lazy| ["dat", "yaml"].map(|end| format!("TensileLibrary_{lazy}{processor}.{end}")))
                .collect(),
            FilesFor::MiopenConvolutions => vec![format!("libMIOpenCKGroupedConv_{processor}.so")],
            FilesFor::BlenderKernels => {
                ["fatbin", "fatbin.zst", "hipfb"].map(|end| format!("kernel_{processor}.{end}")).to_vec()
            }
        }
    }
}

/// Decides a cause by whether these files are here for a processor.
pub(super) fn decide(cause: &'static Cause, processor: &str, files: FilesFor, tree: Tree<'_>) -> Decided {
    let incomplete = incomplete(tree);
    let library = files.library();
    let names = files.names(processor);
    let damage = Damage::of(tree);
    let of_library = || tree.inventory.artifacts.iter().filter(|artifact| files.is_of(artifact));
    let name_of = |artifact: &Artifact| file(&artifact.shown.replace('!', "/")).to_owned();
    let found = of_library().find(|artifact| {
        let name = name_of(artifact);
        names.contains(&name) || artifact.shown.split('/').any(|part| names.iter().any(|n| n == part))
    });
    // One catalog of everything, as releases before ROCm 5.6 had it, has a row for each processor.
    let serves_all = || {
        of_library().find(|artifact| match &artifact.kind {
            ArtifactKind::Tensile(_, facts) => {
                facts.of_processors.iter().any(|(name, count)| name == processor && *count > 0)
            }
            _ => false,
        })
    };
    let is_tensile = |artifact: &&Artifact| matches!(artifact.kind, ArtifactKind::Tensile(..));
    let tensile = files.is_tensile();
    // What holds names that could not be read may hold these.
    let absent = |because: String| match damage.clause(&damage.hiding_names()) {
        Some(damaged) => Decided::not_decided(format!("{damaged}; in what could be read: {because}")),
        None => Decided::new(Decision::Confirmed, because + incomplete),
    };
    let Some(any) = of_library().next() else {
        let tip = "name the tree that the program uses";
        return Decided::not_decided(match damage.clause(&damage.all()) {
            Some(damaged) => format!("{damaged}, and {library} is not in the rest of this tree; else {tip}."),
            None => format!("{library} is not in this tree; {tip}."),
        });
    };
    if tensile && !of_library().any(|artifact| is_tensile(&artifact)) {
        let mut decided =
            absent(format!("{library} of this tree has no library folder: no catalog for any GPU."));
        decided.lacking.push(Place::of(library, false, Some(&any.shown)));
        return if files == FilesFor::RocblasCatalogs { decided.of(&RB_EMPTY) } else { decided };
    }
    match found.or_else(serves_all) {
        Some(artifact) => {
            let link = |to: &String| format!(" (another name of {})", file(to));
            let name = name_of(artifact) + &artifact.link_to.as_ref().map(link).unwrap_or_default();
            if let Some(damaged) =
                damage.clause(&[artifact.shown.as_str()]).filter(|_| damage.has(&artifact.shown))
            {
                return Decided::not_decided(format!("{library} of this tree has {name}, and {damaged}."));
            }
            let because = format!(
                "{library} of this tree has {name} for {processor}: not the cause, if this is the folder that the program \
                 reads. Look at its path, its release, and overrides.{incomplete}"
            );
            let mut decided = Decided::new(Decision::NotTheFiles, because);
            decided.serving.push(Place::of(library, false, Some(&artifact.shown)));
            decided
        }
        None => {
            let name = names.first().map_or("", String::as_str);
            let mut decided = absent(format!("{library} of this tree has no {name}."));
            let example = of_library().find(is_tensile).unwrap_or(any);
            decided.lacking.push(Place::of(library, tensile, Some(&example.shown)));
            if decided.is(Decision::Confirmed) && (*cause == RB_EMPTY || *cause == RB_PATH_WRONG) {
                return decided.of(&RB_ARCH_MISSING);
            }
            decided
        }
    }
}
