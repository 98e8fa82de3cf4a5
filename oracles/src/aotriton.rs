//! `cargo oracle aotriton FOLDER`: the image of AOTriton that a call takes, with AOTriton's own dispatch.
//!
//! FOLDER has two tables for each release, without headings. `0.11.2.images.tsv`: processor, path without its ending,
//! member of that archive or nothing, and what is not read here; as AOTriton's generator lists them.
//! `0.11.2.calls.tsv`: processor, type, elements of a head of queries and of values, whether it masks, has a bias,
//! drops out, has sequences of different lengths, their length, the error, and path, member and function that were
//! opened; as AOTriton's `attn_fwd` answered on a stand-in for HIP. A tree of these images is made, each with a
//! kernel that does nothing.

use amdgpu_samples::package::zip;
use amdgpu_samples::{CodeObject, Kernel, Processor};
use anyhow::{Context as _, Result, anyhow, bail};
use rocm_audit::Answers;
use rocm_audit::answers::attention::{AttentionAnswer, HeldKernels, Holds};
use rocm_audit::engines::attention::step::Environment;
use rocm_audit::engines::attention::{AttentionCall, AttentionType};
use rocm_audit::scan::kernel_sink::KernelFilter;
use rocm_audit::scan::run::{KernelInventory, Options, Silent, audit};
use rocm_audit::target::{self, TargetId};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

/// Differences that are shown.
const SHOWN: usize = 12;

/// What AOTriton opened for a call at each length: path, member and function. `None` is an error.
type Opened = BTreeSet<Option<[String; 3]>>;

/// Processor, type, heads of queries and values, and whether it masks.
type Asked = (String, String, u32, u32, bool);

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else { bail!("aotriton FOLDER") };
    let mut wrong = 0;
    let mut releases = 0;
    let mut names: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    names.sort_by_key(std::fs::DirEntry::file_name);
    for entry in names {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(release) = name.strip_suffix(".images.tsv") {
            wrong += compare(Path::new(folder), release).with_context(|| release.to_owned())?;
            releases += 1;
        }
    }
    if releases == 0 || wrong > 0 {
        bail!("{releases} releases, {wrong} calls differ");
    }
    Ok(())
}

fn compare(folder: &Path, release: &str) -> Result<usize> {
    let tree = tempfile::tempdir()?;
    let images = std::fs::read_to_string(folder.join(format!("{release}.images.tsv")))?;
    let made = make(tree.path(), release, &images)?;
    let (calls, others) = calls(&std::fs::read_to_string(folder.join(format!("{release}.calls.tsv")))?)?;
    let roots = [tree.path().to_owned()];
    let mut held = HeldKernels::default();
    let kernels = KernelInventory { filter: KernelFilter::default(), sink: &mut held };
    let inventory = audit(&roots, &Options::default(), &Silent, Some(kernels)).map_err(|e| anyhow!("{e}"))?;
    let answers = Answers::open(&roots);
    let (mut taken, mut refused, mut assembly, mut unequal, mut partly, mut wrong) = (0, 0, 0, 0, 0, 0);
    let mut numbers = release.split('.').map(str::parse::<u32>);
    let minor = (numbers.next().context("a release")??, numbers.next().context("a release")??);
    for ((processor, ty, dim, value_dim, causal), opened) in &calls {
        // Before 0.12 it does not look at the head of the values.
        if minor < (0, 12) && dim != value_dim {
            unequal += 1;
            continue;
        }
        let ty = AttentionType::of_name(ty).with_context(|| ty.clone())?;
        let call = AttentionCall { ty, dim: *dim, value_dim: *value_dim, causal: *causal };
        let none = Environment::default();
        let answer =
            AttentionAnswer::new(&answers, &inventory, &held, call, &TargetId::bare(processor), &none)
                .map_err(|error| anyhow!("{error}"))?;
        let library = answer.libraries.iter().find(|one| one.library == "AOTriton").context("no AOTriton")?;
        let found = library.kernel.as_ref().filter(|_| library.holds == Holds::Yes).map(|one| &one.shown);
        let is_same = |one: &Option<[String; 3]>| match (one, found) {
            (None, None) => true,
            (Some([path, member, _]), Some(shown)) => shown.contains(path) && shown.contains(member),
            _ => false,
        };
        let is_assembly =
            |one: &Option<[String; 3]>| one.as_ref().is_some_and(|[.., name]| name != "attn_fwd");
        assembly += usize::from(opened.iter().any(is_assembly));
        // What fails at some lengths only is asked about at the others.
        let fails = opened.contains(&None) && opened.len() > 1;
        partly += usize::from(fails);
        let triton: Vec<_> =
            opened.iter().filter(|one| !is_assembly(one) && (one.is_some() || !fails)).collect();
        // Where all lengths take assembly, the image of the compiled kernel has to be there too.
        let is_right = if triton.is_empty() { found.is_some() } else { triton.into_iter().all(is_same) };
        taken += usize::from(is_right && found.is_some());
        refused += usize::from(is_right && found.is_none());
        if !is_right {
            wrong += 1;
            if wrong <= SHOWN {
                println!("{processor} {call:?}: AOTriton {opened:?}, here {found:?}: {}", library.because);
            }
        }
    }
    println!(
        "{release}: {made} images, {} calls: {taken} the same image, {refused} refused by both, {wrong} differ; {assembly} \
         take assembly and {partly} fail at some length; {unequal} with two sizes not compared; {others} rows with bias, dropout or sequences of different lengths not asked",
        calls.len()
    );
    Ok(wrong)
}

/// Makes the tree, and returns the number of images.
fn make(root: &Path, release: &str, images: &str) -> Result<usize> {
    let lib = root.join("torch/lib");
    std::fs::create_dir_all(&lib)?;
    std::fs::write(lib.join(format!("libaotriton_v2.so.{release}")), b"\x7fELF")?;
    // One archive has the images of all processors of a family.
    let mut images_of: BTreeMap<(&str, &str), Vec<Vec<u8>>> = BTreeMap::new();
    let mut made = 0;
    for line in images.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [processor, path, member, ..] = words[..] else { bail!("{line}") };
        images_of.entry((path, member)).or_default().push(object(processor)?);
        made += 1;
    }
    let mut archives: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for ((path, member), images) in images_of {
        let bytes = packed(&images)?;
        if member.is_empty() {
            let file = lib.join("aotriton.images").join(format!("{path}.aks2"));
            std::fs::create_dir_all(file.parent().unwrap_or(&lib))?;
            std::fs::write(file, bytes)?;
        } else {
            archives.entry(path.to_owned()).or_default().push((member.to_owned(), bytes));
        }
    }
    for (path, members) in archives {
        let members: Vec<(&str, &[u8])> =
            members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let file = lib.join("aotriton.images").join(path);
        std::fs::create_dir_all(file.parent().unwrap_or(&lib))?;
        std::fs::write(file, zip(&members))?;
    }
    Ok(made)
}

/// A code object with one kernel. Of a processor that samples are not made for, it is one of a sample with its number.
fn object(processor: &str) -> Result<Vec<u8>> {
    let made = |known| CodeObject::new(known, vec![Kernel::new("attn_fwd")]).bytes();
    if let Some(known) = Processor::by_name(processor) {
        return Ok(made(known));
    }
    let machine = target::Processor::by_name(processor).context(processor.to_owned())?.mach();
    let sample = if processor == "gfx950" { "gfx942" } else { "gfx1100" };
    let mut bytes = made(Processor::by_name(sample).context(sample)?);
    // The lowest byte of `e_flags`.
    *bytes.get_mut(48).context("a header")? = machine;
    Ok(bytes)
}

/// An archive: magic, sizes, and the directory with the images in an xz stream.
fn packed(images: &[Vec<u8>]) -> Result<Vec<u8>> {
    let size = |of: &[u8]| u32::try_from(of.len());
    let (mut listing, mut bodies) = (Vec::new(), Vec::new());
    for (number, image) in images.iter().enumerate() {
        let name = format!("image{number}\0");
        for word in [0, 256, size(&bodies)?, size(image)?, size(name.as_bytes())?] {
            listing.extend(word.to_le_bytes());
        }
        listing.extend(name.as_bytes());
        bodies.extend_from_slice(image);
    }
    let mut out = b"AKS2".to_vec();
    for word in [size(&listing)? + size(&bodies)?, u32::try_from(images.len())?, size(&listing)?] {
        out.extend(word.to_le_bytes());
    }
    let mut encoder = liblzma::write::XzEncoder::new(out, 0);
    encoder.write_all(&listing)?;
    encoder.write_all(&bodies)?;
    Ok(encoder.finish()?)
}

/// The calls that can be asked here, each with what it opened, and the number of the other rows.
fn calls(text: &str) -> Result<(BTreeMap<Asked, Opened>, usize)> {
    let mut calls: BTreeMap<Asked, Opened> = BTreeMap::new();
    let mut others = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [processor, ty, dim, value_dim, causal, bias, dropout, group, _, error, path, member, name] =
            words[..]
        else {
            bail!("{line}")
        };
        if [bias, dropout, group] != ["0"; 3] {
            others += 1;
            continue;
        }
        let asked = (processor.to_owned(), ty.to_owned(), dim.parse()?, value_dim.parse()?, causal == "1");
        let opened = (error == "0").then(|| [path, member, name].map(str::to_owned));
        calls.entry(asked).or_default().insert(opened);
    }
    Ok((calls, others))
}
