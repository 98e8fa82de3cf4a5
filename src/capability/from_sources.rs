//! What is said of a processor where kernels are here as text: they are compiled elsewhere or at run time, and
//! whether for this processor, text does not show.

use super::answer::{Answer, LibraryVerdict};
use super::headline::{Headline, deciding};
use crate::finding::amount::plural;
use crate::finding::evidence::Evidence;
use crate::inventory::kernel_sources::{KernelText, Named, SourceGroup};
use crate::inventory::linkage::Linkage;
use crate::inventory::run_time_compiler::{HIPCC, HIPRTC, TORCH_EXTENSION, TRITON};
use crate::inventory::{Artifact, Inventory};
use crate::locator::file_name;
use crate::scan::library_names;
use crate::scan::linkage::is_rocm;

/// Libraries in one clause.
const NAMES: usize = 3;

/// What the sources in a tree without GPU code say; `None` if the tree has no sources for AMD GPUs.
pub(super) fn sources(inventory: &Inventory) -> Option<String> {
    let groups = || inventory.kernel_sources.groups();
    let first = |of: &dyn Fn(&SourceGroup) -> Option<String>| groups().find_map(of);
    let text = first(&compiled_at_run_time)
        .or_else(|| first(&by_triton))
        .or_else(|| first(&translated))
        .or_else(|| first(&not_built))
        .or_else(|| first(&host_only))
        .or_else(|| first(&headers))?;
    Some(format!("not known: no GPU code is shipped here; {text}"))
}

/// What programs in Python open by name, where no GPU code and no source of it is here.
pub(super) fn opened(inventory: &Inventory) -> Option<String> {
    let of = |group: &SourceGroup| {
        let (ours, others): (Vec<_>, Vec<_>) = group.opens().partition(|(library, _)| is_rocm(library));
        let is_here = |library: &str| inventory.shared_libraries.keys().any(|name| name == library);
        let missing = others.iter().find(|(library, _)| !is_here(library));
        if let Some((library, by)) = missing {
            return Some(format!("{} opens {library}, which is not here and may hold it", by.first));
        }
        let (_, by) = ours.first()?;
        let mut names: Vec<String> =
            ours.iter().take(NAMES).map(|(library, _)| (*library).to_owned()).collect();
        let more = ours.len().saturating_sub(NAMES);
        names.extend((more > 0).then(|| format!("{more} more")));
        Some(format!("{} opens {}, and what it launches by that is not here", by.first, names.join(", ")))
    };
    let text = inventory.kernel_sources.groups().find_map(of)?;
    Some(format!("not known: no GPU code is here; {text}"))
}

/// The headline where libraries have no code for a processor and the package has sources beside them that
/// it compiles at run time: then the libraries alone do not decide.
pub(super) fn beside_libraries(inventory: &Inventory, libraries: &[LibraryVerdict<'_>]) -> Option<Headline> {
    let deciding = deciding(libraries);
    let mut lacking = deciding.iter().filter(|library| library.answer == Answer::Not).peekable();
    let first = lacking.peek()?.library;
    let mut text = None;
    for library in lacking {
        let mut own =
            inventory.artifacts.iter().filter(|artifact| artifact.library == library.library).peekable();
        own.peek()?;
        for artifact in own {
            let of_one = compiled_for(inventory, artifact)?;
            text.get_or_insert(of_one);
        }
    }
    let text = format!("not known: {first} has no code for it; {}", text?);
    Some(Headline { answer: Answer::Unknown, text, evidence: Some(Evidence::Inferred) })
}

/// How kernels come into being beside those that a file ships, if they do.
fn compiled_for(inventory: &Inventory, artifact: &Artifact) -> Option<String> {
    if with_own_llvm(inventory).any(|one| is_unknown_in(one, artifact)) {
        return Some(format!(
            "{} compiles kernels at run time, by an LLVM of its own, and for which GPUs these bytes do not show",
            file_name(&artifact.shown)
        ));
    }
    of_files_that_are_compiled(inventory.kernel_sources.beside(artifact.root, &artifact.shown)?)
}

/// The files that compile kernels by an LLVM of their own: few, and most trees have none.
fn with_own_llvm(inventory: &Inventory) -> impl Iterator<Item = &Linkage> {
    inventory.linkage.iter().filter(|one| one.own_llvm)
}

/// Whether an artifact lies in this file, and there are no rules for its library.
fn is_unknown_in(file: &Linkage, artifact: &Artifact) -> bool {
    artifact.shown == file.shown && !library_names::is_known(&artifact.library)
}

/// What is said beside libraries that have code for a processor: the package compiles more at run time, which
/// nothing here promises.
pub(super) fn compiled_as_well(inventory: &Inventory, libraries: &[LibraryVerdict<'_>]) -> Option<String> {
    let deciding = deciding(libraries);
    let is_of = |library: &str| deciding.iter().any(|own| own.library == library);
    let own = || inventory.artifacts.iter().filter(|artifact| is_of(&artifact.library));
    if with_own_llvm(inventory).any(|one| own().any(|artifact| is_unknown_in(one, artifact))) {
        return Some("; other kernels are compiled at run time, by an LLVM of its own".to_owned());
    }
    let mut groups =
        own().filter_map(|artifact| inventory.kernel_sources.beside(artifact.root, &artifact.shown));
    groups.find_map(|group| {
        let (caller, _) = group.caller()?;
        let sources = group.hip_files()?;
        Some(format!(
            "; kernels in {} beside it are compiled at run time, by {caller}, which has to be there",
            plural(sources.files, "source file", "source files"),
        ))
    })
}

/// HIP sources in files of their own, and who has them compiled at run time.
fn of_files_that_are_compiled(group: &SourceGroup) -> Option<String> {
    let (caller, by) = group.caller()?;
    Some(compiled_by(&group.hip_files()?, caller, by))
}

/// The same, or constants of programs for a compiler of AMD's.
fn compiled_at_run_time(group: &SourceGroup) -> Option<String> {
    of_files_that_are_compiled(group).or_else(|| {
        let (caller, by) = group.caller().filter(|(caller, _)| [HIPCC, HIPRTC].contains(caller))?;
        let sources = group.kernels(KernelText::Constant).cloned().or_else(|| group.cuda_files())?;
        Some(compiled_by(&sources, caller, by))
    })
}

fn compiled_by(sources: &Named, caller: &str, by: &Named) -> String {
    let needs = match caller {
        TORCH_EXTENSION => "PyTorch for ROCm and hipcc have",
        HIPRTC => "libhiprtc has",
        _ => "hipcc has",
    };
    format!(
        "kernels in {} ({}) are compiled at run time, by {caller} ({}): {needs} to be there, and the sources alone do not show whether they compile for this GPU",
        plural(sources.files, "source file", "source files"),
        sources.first,
        by.first,
    )
}

fn by_triton(group: &SourceGroup) -> Option<String> {
    let files = group.calling(TRITON)?;
    Some(format!(
        "kernels in {} ({}) are compiled at run time, by Triton: it has to be there, and the sources alone do not show whether they compile for this GPU",
        plural(files.files, "Python file", "Python files"),
        files.first,
    ))
}

/// CUDA sources that PyTorch translates for ROCm.
fn translated(group: &SourceGroup) -> Option<String> {
    let sources = group.cuda_files()?;
    let (when, by) = match group.calling(TORCH_EXTENSION) {
        Some(by) => ("at run time", by),
        None => ("when it is installed", group.builds()?),
    };
    Some(format!(
        "CUDA kernels in {} ({}) are compiled {when}, by PyTorch's cpp_extension ({}), which translates them to HIP where PyTorch is one for ROCm: the sources alone do not show whether they compile",
        plural(sources.files, "source file", "source files"),
        sources.first,
        by.first,
    ))
}

/// HIP sources that nothing compiles at run time.
fn not_built(group: &SourceGroup) -> Option<String> {
    let sources = group.hip_files()?;
    Some(format!(
        "kernels in {} ({}) are to be compiled by hipcc before they can run, and no compiled code is here",
        plural(sources.files, "HIP source file", "HIP source files"),
        sources.first,
    ))
}

/// Kernels in headers, which other programs include.
fn headers(group: &SourceGroup) -> Option<String> {
    let headers = group.headers()?;
    Some(format!(
        "kernels in {} ({}) are compiled with the programs that include them, for the GPUs that those are built for",
        plural(headers.files, "header", "headers"),
        headers.first,
    ))
}

/// C++ that calls HIP's runtime and has no kernels.
fn host_only(group: &SourceGroup) -> Option<String> {
    let sources = group.kernels(KernelText::HostOnly)?;
    let when = match group.calling(HIPCC) {
        Some(by) => format!("at run time, by hipcc ({})", by.first),
        None => "before it can run".to_owned(),
    };
    Some(format!("C++ that calls HIP's runtime and has no kernels ({}) is compiled {when}", sources.first,))
}
