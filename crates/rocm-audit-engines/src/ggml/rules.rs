//! The rules of the selector: data with versions and sources, read once from `src/ggml/rules`.

use super::architecture::{Architecture, GpuClass};
use super::types;
use super::types::Type;
use super::version::{Version, VersionRange};
use super::written::{KnownRules, StageFile, WrittenRule};
pub use super::written::{Operation, Precision};
use crate::rule_file::List;
use rocm_audit_files::error::{BrokenRules, NotUnderstood};
use std::collections::HashSet;
use std::str::FromStr;
use std::sync::OnceLock;

/// The files of the rules.
static FILES: [(&str, StageFile); 16] = [
    ("types", made!("ggml", "types")),
    ("mmvf", made!("ggml", "mmvf")),
    ("swap", made!("ggml", "swap")),
    ("mmf", made!("ggml", "mmf")),
    ("mmvq", made!("ggml", "mmvq")),
    ("mmq", made!("ggml", "mmq")),
    ("experts", made!("ggml", "experts")),
    ("blas", made!("ggml", "blas")),
    ("blas-types", made!("ggml", "blas_types")),
    ("tiles", made!("ggml", "tiles")),
    ("attention-sizes", made!("ggml", "attention_sizes")),
    ("attention-types", made!("ggml", "attention_types")),
    ("attention-mma", made!("ggml", "attention_mma")),
    ("attention-vec", made!("ggml", "attention_vec")),
    ("symbols", made!("ggml", "symbols")),
    ("statements", made!("ggml", "statements")),
];

static VERSIONS: KnownRules = made!("ggml", "versions");

/// Functions that rules may name, for the parts of the selector that cannot be data.
const FUNCTIONS: [&str; 4] = ["mmvf_shape", "mmvf_without_mmf", "mmf_shape", "vec_alignment"];

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Id of the rule, as reports cite it.
    pub id: &'static str,
    /// Its stage, which is the name of its file.
    pub stage: &'static str,
    /// Source of the rule.
    pub source: &'static str,
    /// The versions to which it is applied.
    pub versions: VersionRange,
    /// The versions in which it was read or observed.
    pub documented: VersionRange,
    /// Accepts up to this many columns; `None` for any number.
    pub at_most: Option<u64>,
    /// Accepts attention with more than this many packed columns.
    pub above: Option<u64>,
    /// Accepts nothing.
    pub never: bool,
    /// The function of this crate that implements its code part.
    pub function: Option<&'static str>,
    /// Widths of tiles.
    pub tiles: List<u64>,
    /// Number of template arguments.
    pub arguments: Option<usize>,
    /// The kernel whose arguments these are.
    pub kernel: Option<&'static str>,
    /// The function of hipBLAS.
    pub blas: Option<&'static str>,
    /// The types of rocBLAS's operands, result and computation: `HSS`.
    pub gemm: Option<&'static str>,
    /// A remark.
    pub note: Option<&'static str>,
    /// For attention: whether it needs grouped heads.
    pub gqa: bool,
    /// For attention: the heads for each KV head must be a multiple of this.
    pub heads_multiple: Option<u64>,
    classes: Vec<Who>,
    types: Vec<Type>,
    operation: Option<Operation>,
    experts_from: Option<u64>,
    rows_at_most: Option<u64>,
    columns: (u64, u64),
    precision: Option<Precision>,
    heads: List<(u64, u64)>,
    head: (u64, u64),
    fallback: Option<bool>,
}

/// The GPUs that a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Who {
    Class(GpuClass),
    One(u32),
}

/// The parameters for rules. Fields that do not apply keep their default.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// The version of ggml.
    pub version: Version,
    /// ggml's compute capability of the GPU.
    pub cc: u32,
    /// Class of the GPU.
    pub class: GpuClass,
    /// Type of the weights, or of keys and values.
    pub ty: Type,
    /// Dense or experts.
    pub operation: Operation,
    /// Columns of the other operand, or tokens.
    pub columns: u64,
    /// Rows of the weights.
    pub rows: u64,
    /// Number of experts.
    pub experts: u64,
    /// The precision that the graph requests.
    pub precision: Precision,
    /// For attention: sizes of keys and values.
    pub heads: (u64, u64),
    /// For tiles: whether the rows are not a multiple of 128.
    pub fallback: bool,
}

impl Question {
    /// A question on a type on a GPU, with all other fields zero.
    pub fn about(architecture: &Architecture, version: Version, ty: Type, operation: Operation) -> Self {
        Question {
            version,
            cc: architecture.cc,
            class: architecture.class(version),
            ty,
            operation,
            columns: 0,
            rows: 0,
            experts: 0,
            precision: Precision::Default,
            heads: (0, 0),
            fallback: false,
        }
    }
}

impl Rule {
    fn read(stage: &'static str, written: &WrittenRule) -> Result<Self, BrokenRules> {
        let id = written.id;
        let bad = |what: NotUnderstood| BrokenRules::from(format!("rule {id}: {what}"));
        if id.trim().is_empty() || written.source.trim().is_empty() {
            return Err(bad("it has no name or no source".into()));
        }
        let range = |text: &str| VersionRange::from_str(text).map_err(bad);
        let versions = range(written.versions)?;
        let documented = written.documented.map(range).transpose()?.unwrap_or(versions);
        let mut classes = Vec::new();
        for word in written.classes {
            match GpuClass::named(word) {
                Some(named) => classes.extend(named.into_iter().map(Who::Class)),
                None => classes
                    .push(Who::One(Architecture::parse(word).map_err(|e| bad(e.to_string().into()))?.cc)),
            }
        }
        let types: Result<Vec<Type>, _> = written.types.iter().map(|name| types::named(name)).collect();
        if let Some(name) = written.function.filter(|name| !FUNCTIONS.contains(name)) {
            return Err(bad(format!("there is no function {name}").into()));
        }
        Ok(Rule {
            stage,
            source: written.source,
            versions,
            documented,
            at_most: written.at_most,
            above: written.above,
            never: written.never,
            function: written.function,
            tiles: written.tiles,
            arguments: written.arguments,
            kernel: written.kernel,
            blas: written.blas,
            gemm: written.gemm,
            note: written.note,
            gqa: written.gqa,
            heads_multiple: written.heads_multiple,
            classes,
            types: types.map_err(|e| bad(e.to_string().into()))?,
            operation: written.operation,
            experts_from: written.experts_from,
            rows_at_most: written.rows_at_most,
            columns: (written.columns_from.unwrap_or(0), written.columns_to.unwrap_or(u64::MAX)),
            precision: written.precision,
            heads: written.heads,
            head: (written.head_from.unwrap_or(0), written.head_to.unwrap_or(u64::MAX)),
            fallback: written.fallback,
            id,
        })
    }

    /// Whether the rule applies to a question.
    pub fn is_about(&self, question: &Question) -> bool {
        let who = |who: &Who| match who {
            Who::Class(class) => *class == question.class,
            Who::One(cc) => *cc == question.cc,
        };
        self.versions.contains(question.version)
            && (self.classes.is_empty() || self.classes.iter().any(who))
            && (self.types.is_empty() || self.types.iter().any(|ty| ty.number == question.ty.number))
            && self.operation.is_none_or(|operation| operation == question.operation)
            && self.experts_from.is_none_or(|least| least <= question.experts)
            && self.rows_at_most.is_none_or(|most| question.rows <= most)
            && (self.columns.0..=self.columns.1).contains(&question.columns)
            && self.precision.is_none_or(|precision| precision == question.precision)
            && (self.heads.is_empty() || self.heads.contains(&question.heads))
            && (self.head.0..=self.head.1).contains(&question.heads.0)
            && self.fallback.is_none_or(|fallback| fallback == question.fallback)
    }

    /// Whether it accepts this many columns.
    pub fn takes(&self, columns: u64) -> bool {
        !self.never && self.at_most.is_none_or(|most| columns <= most)
    }

    /// Whether it was read or observed for a version, not only carried over.
    pub fn is_documented_for(&self, version: Version) -> bool {
        self.documented.contains(version)
    }
}

/// All rules, by stages.
#[derive(Debug)]
pub struct RouteRules {
    rules: Vec<Rule>,
    versions: &'static KnownRules,
}

/// The rules of this crate.
///
/// # Errors
///
/// If they are malformed, which the tests rule out.
pub fn rules() -> Result<&'static RouteRules, &'static str> {
    static RULES: OnceLock<Result<RouteRules, BrokenRules>> = OnceLock::new();
    RULES.get_or_init(|| RouteRules::read(&FILES, &VERSIONS)).as_ref().map_err(|broken| &**broken)
}

impl RouteRules {
    /// Compiles the rules of files, each with the name of its stage.
    fn read(
        files: &'static [(&'static str, StageFile)],
        versions: &'static KnownRules,
    ) -> Result<Self, BrokenRules> {
        if versions.source.trim().is_empty() {
            return Err("versions: no source".into());
        }
        let mut rules = Vec::new();
        let mut ids = HashSet::new();
        for (stage, file) in files {
            if file.stage != *stage {
                return Err(format!("rules of {stage}: the file says {}", file.stage).into());
            }
            for written in file.rules {
                if !ids.insert(written.id) {
                    return Err(format!("rule {}: there are two of that name", written.id).into());
                }
                rules.push(Rule::read(stage, written)?);
            }
        }
        Ok(RouteRules { rules, versions })
    }

    /// Every rule.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules of a stage.
    pub fn stage<'a>(&'a self, stage: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(move |rule| rule.stage == stage)
    }

    /// The first rule of a stage that applies to the question; it decides.
    pub fn first<'a>(&'a self, stage: &'a str, question: &Question) -> Option<&'a Rule> {
        self.stage(stage).find(|rule| rule.is_about(question))
    }

    /// The version with known rules that is nearest to another version.
    pub fn nearest(&self, version: Version) -> Version {
        let parse = |text: &str| text.parse::<Version>().ok();
        let (first, read_to) = (parse(self.versions.first), parse(self.versions.read_to));
        if let (Some(first), Some(read_to)) = (first, read_to)
            && version <= read_to
        {
            return version.max(first);
        }
        let observed = self.versions.observed.iter().filter_map(|text| parse(text));
        let known = observed.chain(read_to);
        // Of two equally near versions, the later.
        known.min_by_key(|known| (known.distance(version), *known < version)).unwrap_or(version)
    }

    /// The versions with known rules, in words.
    pub fn known(&self) -> String {
        let KnownRules { first, read_to, observed, .. } = self.versions;
        format!("{first} to {read_to} and {}", observed.join(", "))
    }

    /// The first and the last of the versions whose source was read.
    pub fn read_from_source(&self) -> (&str, &str) {
        (self.versions.first, self.versions.read_to)
    }

    /// The versions whose library was compared with the rules.
    pub fn observed(&self) -> &'static [&'static str] {
        self.versions.observed.0
    }

    /// Whether a version lies between the first and the last whose rules are known.
    pub fn reaches(&self, version: Version) -> bool {
        let first = self.versions.first.parse().unwrap_or(version);
        (first..=self.latest()).contains(&version)
    }

    /// The latest version with known rules.
    pub fn latest(&self) -> Version {
        let observed = self.versions.observed.iter().filter_map(|text| text.parse().ok());
        observed.max().unwrap_or(Version::new(0, 27, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule_file::of_yaml;

    const ONE: &str = "source: a\nfirst: 0.9.1\nread_to: 0.21.0\nobserved: [0.27.0]\n";

    /// Reads rules in YAML.
    fn read(rule: &str) -> Result<RouteRules, BrokenRules> {
        let stage: StageFile = of_yaml(&format!("stage: mmq\nrules:\n  - {rule}\n"))?;
        let versions = Box::leak(Box::new(of_yaml(ONE)?));
        RouteRules::read(vec![("mmq", stage)].leak(), versions)
    }

    #[test]
    fn rules_of_the_crate_load_and_every_one_has_a_source() {
        let rules = rules().unwrap();
        assert!(rules.all().len() > 60);
        assert!(rules.all().iter().all(|rule| !rule.source.is_empty()));
        let said = rules.stage("statements").find(|rule| rule.id == "claim-8-256-blas").unwrap();
        assert_eq!(said.versions.to_string(), "0.9.1 to 0.13.0");
        assert!(said.note.unwrap().contains("does not apply to gfx1200"));
    }

    #[test]
    fn refuses_rules_without_a_source_and_unknown_words() {
        assert!(read("{ id: a, source: b, versions: '..' }").is_ok());
        for bad in [
            "{ id: a, versions: '..' }",
            "{ id: a, source: ' ', versions: '..' }",
            "{ id: a, source: b, versions: '0.9' }",
            "{ id: a, source: b, versions: '..', classes: [vega] }",
            "{ id: a, source: b, versions: '..', types: [q9_K] }",
            "{ id: a, source: b, versions: '..', function: nothing }",
            "{ id: a, source: b, versions: '..', atmost: 3 }",
            "{ id: a, source: b, versions: '..' }\n  - { id: a, source: b, versions: '..' }",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn versions_in_between_take_the_nearest_rules() {
        let rules = rules().unwrap();
        let nearest = |text: &str| rules.nearest(text.parse().unwrap()).to_string();
        assert_eq!(nearest("0.9.0"), "0.9.1");
        assert_eq!(nearest("0.14.2"), "0.14.2");
        assert_eq!(nearest("0.22.0"), "0.21.0");
        assert_eq!(nearest("0.24.0"), "0.27.0");
        assert_eq!(nearest("1.3.0"), "0.27.0");
    }
}
