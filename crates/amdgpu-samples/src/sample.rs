//! A file made from a seed, and what is in it.

use crate::code_object::{CodeObject, Kernel};
use crate::random::Random;
use crate::{PROCESSORS, bundle, catalog, package};

/// What a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleForm {
    /// One code object.
    Object,
    /// A plain offload bundle of code objects for different processors.
    Bundle,
    /// Offload binaries, each with one code object.
    Binaries,
    /// A kpack archive: what was moved out of libraries.
    Kpack,
    /// A static library of code objects.
    Archive,
    /// A tar archive of code objects and bundles.
    Tar,
    /// A zip file of the same.
    Zip,
    /// A tar archive of a folder of rocBLAS: for each processor a catalog and the code object of its kernels.
    Library,
}

impl SampleForm {
    /// Every form.
    pub const ALL: [SampleForm; 8] = [
        SampleForm::Object,
        SampleForm::Bundle,
        SampleForm::Binaries,
        SampleForm::Kpack,
        SampleForm::Archive,
        SampleForm::Tar,
        SampleForm::Zip,
        SampleForm::Library,
    ];

    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            SampleForm::Object => "hsaco",
            SampleForm::Bundle => "hipfb",
            SampleForm::Binaries => "out",
            SampleForm::Kpack => "kpack",
            SampleForm::Archive => "a",
            SampleForm::Tar | SampleForm::Library => "tar",
            SampleForm::Zip => "zip",
        }
    }
}

/// A file, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    form: SampleForm,
    objects: Vec<CodeObject>,
    bytes: Vec<u8>,
}

impl Sample {
    /// The one of a seed: the same for the same seed, form and version of this crate.
    pub fn new(seed: u64, form: SampleForm) -> Self {
        let mut random = Random::new(seed ^ (form as u64) << 56);
        let count = if form == SampleForm::Object { 1 } else { 1 + random.below(PROCESSORS.len()) };
        Self::of_objects(form, count, random, &|random| {
            (0..1 + random.below(12)).map(|number| kernel(number, random)).collect()
        })
    }

    /// One of a single code object with one kernel that ends at once: some 2 KB, for fuzzers, which are quick
    /// on small files.
    pub fn small(seed: u64, form: SampleForm) -> Self {
        let random = Random::new(seed ^ (form as u64) << 56);
        Self::of_objects(form, 1, random, &|random| {
            vec![Kernel::new("k").vgprs(1 + random.below(128) as u32).lds(16 * random.below(4097) as u32)]
        })
    }

    fn of_objects(
        form: SampleForm,
        count: usize,
        mut random: Random,
        kernels: &dyn Fn(&mut Random) -> Vec<Kernel>,
    ) -> Self {
        let first = random.below(PROCESSORS.len());
        let processors = PROCESSORS.iter().cycle().skip(first).take(count);
        let objects: Vec<CodeObject> =
            processors.map(|processor| CodeObject::new(processor, kernels(&mut random))).collect();
        let bytes = packed(&objects, form, &mut random);
        Sample { form, objects, bytes }
    }

    /// What it is.
    pub fn form(&self) -> SampleForm {
        self.form
    }

    /// The code objects in it, each for a processor of its own.
    pub fn objects(&self) -> &[CodeObject] {
        &self.objects
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn kernel(number: usize, random: &mut Random) -> Kernel {
    let length = if random.one_in(8) { 200 } else { 12 };
    let letters = (0..random.below(length)).map(|_| char::from(b'a' + random.below(26) as u8));
    let name: String = letters.collect();
    Kernel::new(format!("{name}_{number}"))
        .vgprs(1 + random.below(128) as u32)
        .lds(16 * random.below(4097) as u32)
        .scratch(if random.one_in(3) { 16 * random.below(64) as u32 } else { 0 })
        .arguments(random.below(20) as u32)
        .idle(random.below(200) as u32)
}

fn packed(objects: &[CodeObject], form: SampleForm, random: &mut Random) -> Vec<u8> {
    let bytes: Vec<(&str, Vec<u8>)> =
        objects.iter().map(|object| (object.processor().name, object.bytes())).collect();
    let entries: Vec<(&str, &[u8])> = bytes.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let members = |extension: &str| -> Vec<(String, Vec<u8>)> {
        bytes.iter().map(|(name, bytes)| (format!("{name}.{extension}"), bytes.clone())).collect()
    };
    match form {
        SampleForm::Object => bytes.into_iter().next().map(|(_, bytes)| bytes).unwrap_or_default(),
        SampleForm::Bundle => {
            bundle::offload_bundle(&entries, random.pick(&[1, 8, 4096]).copied().unwrap_or(1))
        }
        SampleForm::Binaries => bundle::offload_binaries(&entries),
        SampleForm::Kpack => {
            let library = |number: usize| if number < 3 { "lib/libone.so#0" } else { "lib/libother.so#0" };
            let objects =
                entries.iter().enumerate().map(|(number, (name, body))| (library(number), *name, *body));
            bundle::kpack(&objects.collect::<Vec<_>>())
        }
        SampleForm::Library => package::tar(&borrowed(&library(objects))),
        SampleForm::Archive => package::static_library(&borrowed(&members("o"))),
        SampleForm::Tar | SampleForm::Zip => {
            let mut members = members("hsaco");
            if random.one_in(2) {
                // The others of them in one file.
                let rest = members.split_off(members.len() / 2);
                let names: Vec<&str> = rest.iter().filter_map(|(name, _)| name.split('.').next()).collect();
                let entries: Vec<(&str, &[u8])> =
                    names.into_iter().zip(rest.iter().map(|(_, bytes)| bytes.as_slice())).collect();
                members.push(("lib.hipfb".to_owned(), bundle::offload_bundle(&entries, 4096)));
            }
            if form == SampleForm::Tar {
                package::tar(&borrowed(&members))
            } else {
                package::zip(&borrowed(&members))
            }
        }
    }
}

/// The files of a folder of rocBLAS.
fn library(objects: &[CodeObject]) -> Vec<(String, Vec<u8>)> {
    let files = objects.iter().flat_map(|object| {
        let stem = format!("opt/rocm/lib/rocblas/library/{}", catalog::stem(object.processor().name));
        let kernels: Vec<&str> = object.kernels().iter().map(Kernel::name).collect();
        [(format!("{stem}.dat"), catalog::catalog(&kernels)), (format!("{stem}.hsaco"), object.bytes())]
    });
    files.collect()
}

fn borrowed(members: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
}
