//! The logic around hipBLASLt's choice; each sentence says how it is known.

use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::by_source::BySource;
use crate::engines::tensile::lite::call::Interface;
use crate::engines::tensile::lite::library::{INTERNAL_ERROR, INVALID_VALUE};
use crate::engines::tensile::lite::release::{Library, LiteLibrary, Release};
use crate::engines::tensile::lite::sparse::SPARSE_ALGORITHMS;
use crate::report::v1::{Evidence, Statement};

fn say(about: &str, text: impl Into<String>, evidence: Evidence) -> Statement {
    Statement { about: about.to_owned(), text: text.into(), evidence }
}

/// The statements that apply to this call.
pub(super) fn matmul_statements(answer: &MatmulAnswer) -> Vec<Statement> {
    let mut all = Vec::new();
    all.extend(status(answer));
    if answer.fixed < answer.call.requested && !answer.fill.is_empty() {
        let text = format!(
            "{} algorithms are asked for and the tables give {}; the rest are any of {} solutions that can solve this, in the \
             order of their heap addresses: by index in a fresh process, otherwise after other calls",
            answer.call.requested,
            answer.fixed,
            answer.fill.len()
        );
        all.push(say("the list", text, Evidence::StandIn));
    } else if answer.call.sparse.is_none() && answer.call.requested == 1 && answer.fixed == 1 {
        let text = "how many algorithms are asked for can change the first; PyTorch and rocBLAS ask for one";
        all.push(say("the list", text, Evidence::StandIn));
    }
    if !answer.has_mapping {
        let text = "TensileLiteLibrary_lazy_Mapping.dat is not here: the library writes \"Could not initialize Tensile \
                    library mapping\", and chooses and launches all the same";
        all.push(say("mapping", text, Evidence::StandIn));
    }
    if answer.call.group.is_some() {
        let text = "tables are asked about the first product, and a solution has to solve all of them; where the tables give \
                    it, the library states no workspace, and it needs what is said here; what a group launches is not modelled";
        all.push(say("the group", text, Evidence::StandIn));
    }
    if let Some(which) = answer.call.sparse {
        let text = format!(
            "{} is sparse: hipSPARSELt asks for {SPARSE_ALGORITHMS} solutions of its own catalogs, without a limit of workspace, and \
             takes the first unless the program sets another or lets it search",
            which.letter()
        );
        all.push(say("the sparse matrix", text, Evidence::StandIn));
    }
    if answer.call.interface == Interface::Ext && answer.call.group.is_none() {
        let text = "the C++ extension has the tables of the C interface; it fills a list of xf32 up with kernels of f32, and \
                    one of f64 with nothing";
        all.push(say("interface", text, Evidence::StandIn));
    }
    all.extend(answer.by_source.iter().map(|rule| by_source(answer, rule)));
    if let Some(why) = &answer.launch_not_known {
        all.push(say("launch", why.clone(), Evidence::Code));
    }
    all.push(release(&answer.release, answer.call.sparse.is_some()));
    all.extend(closing(answer));
    all
}

/// What a rule of a source decides, and that it was compared with no library.
fn by_source(answer: &MatmulAnswer, rule: &BySource) -> Statement {
    let (about, text) = match rule {
        BySource::Ranking => (
            "ranking",
            format!(
                "no table decides, and origami's model ranks the solutions: as its release 0.0.3 does, with the clocks and caches \
                 that are usual of {}",
                answer.target.processor
            ),
        ),
        BySource::Streaming => {
            let text = "its work groups stream along K: their number and the workspace are what a process without \
                        TENSILE_STREAMK_* gets, unless the call states its environment";
            ("streamK", text.to_owned())
        }
        BySource::FreeSize => {
            ("free sizes", "a list of solutions without a rank is skipped; it only fills lists up".to_owned())
        }
        BySource::DeviceRows(chips, own) => {
            let listed = chips.iter().map(|chip| format!("{chip:#x}")).collect::<Vec<_>>().join(", ");
            let text = match own {
                Some(own) => format!("rows for the chips {listed} are looked at for the chip {own:#x}"),
                None => format!(
                    "the catalog has rows for the chips {listed}, skipped here: a card with one of these PCI numbers takes \
                     them first, and can get another solution"
                ),
            };
            ("device rows", text)
        }
        BySource::RunTimeCompiler => {
            let text = "RocRoller compiles kernels for products with a scale for each block, where the library was built with it";
            ("run-time compiler", text.to_owned())
        }
        BySource::NewRelease => {
            ("rules", "the library is of a release that was not here to compare with".to_owned())
        }
    };
    let text = format!("{text}; by the source of {}, not compared with a library", rule.release());
    say(about, text, Evidence::Code)
}

/// What launching the first algorithm returns, where that is no success.
fn status(answer: &MatmulAnswer) -> Option<Statement> {
    let text = match answer.run_status? {
        INVALID_VALUE => {
            "the epilogue adds a bias and no pointer to one is set: the heuristic puts one in, hipblasLtMatmul returns \
             status 3 and launches nothing"
                .to_owned()
        }
        INTERNAL_ERROR => format!(
            "no file has the kernel {}: hipblasLtMatmul returns status 6 after {} of the launches",
            answer.missing.as_deref().unwrap_or_default(),
            answer.launches.len()
        ),
        _ => return None,
    };
    Some(say("launch", text, Evidence::StandIn))
}

fn release(release: &Release, is_sparse: bool) -> Statement {
    let library = if is_sparse { LiteLibrary::HipSparseLt } else { LiteLibrary::HipBlasLt }.stem();
    let name = |library: &Library| {
        library.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let differ = "where a grid's nearest row, the folding of a batch into M and N, the rounding of the workspace or the \
                  checks of offsets decide, that release can choose otherwise";
    let answer_rules = release.rules().release();
    match release {
        Release::Same(library) => {
            let text = format!(
                "{} is {}, the release whose rules answer{}",
                name(library),
                library.release.as_deref().unwrap_or_default(),
                match library.version.filter(|_| library.stated) {
                    Some(version) => format!("; its code states {version}"),
                    None => String::new(),
                }
            );
            say("release", text, Evidence::Observed)
        }
        Release::Other(library) => {
            let is = match &library.release {
                Some(release) => format!("is {release}"),
                None => "is of a release that is not known here".to_owned(),
            };
            let text =
                format!("{} {is}; the rules that answer are of {}: {differ}", name(library), answer_rules);
            say("release", text, Evidence::Inferred)
        }
        Release::NotFound => {
            let text = format!(
                "no {library} was found near these catalogs; the rules that answer are of {answer_rules}: {differ}"
            );
            say("release", text, Evidence::Inferred)
        }
    }
}

fn closing(answer: &MatmulAnswer) -> [Statement; 2] {
    let rocm = answer.release.rules().rocm();
    if answer.call.sparse.is_some() {
        return closing_of_sparse(rocm);
    }
    let environment = answer.call.env.as_ref().map_or_else(String::new, |env| format!("{env}, and "));
    let assumed = format!(
        "{}; {} bytes of workspace; {environment}no environment that changes the choice \
         (HIPBLASLT_TENSILE_LIBPATH, HIPBLASLT_TUNING_OVERRIDE_FILE, TENSILE_METRIC, TENSILE_GRIDBASED_KDTREE, \
         TENSILE_GRIDBASED_BATCH_EXP); catalogs of other types are not opened",
        if answer.alone.is_some() {
            "a process that has made the calls before"
        } else {
            "the first call of a process"
        },
        answer.call.workspace
    );
    // Rows for chips that were skipped decide nothing.
    let decides = |rule: &BySource| !matches!(rule, BySource::DeviceRows(_, None));
    let (how, evidence) = if answer.by_source.iter().any(decides) {
        ("what decides among them is read in the sources that are named above".to_owned(), Evidence::Code)
    } else {
        let how = format!(
            "how hipBLASLt {rocm} chooses among them is compared with the library itself on a stand-in for the HIP runtime"
        );
        (how, Evidence::StandIn)
    };
    let known =
        format!("catalogs and files are read in this install; {how}. Predicted, not observed on a GPU");
    [say("assumed", assumed, Evidence::Inferred), say("known", known, evidence)]
}

fn closing_of_sparse(rocm: &str) -> [Statement; 2] {
    let assumed = "the first call of a process, and no search (hipsparseLtMatmulSearch)";
    let known = format!(
        "catalogs and files are read in this install; how hipSPARSELt of ROCm {rocm} chooses among them is compared with the library \
         itself on a stand-in for the HIP runtime. Predicted, not observed on a GPU"
    );
    [say("assumed", assumed, Evidence::Inferred), say("known", known, Evidence::StandIn)]
}
