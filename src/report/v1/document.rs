//! The JSON documents that this program writes: one table, from which headers, schemas and schema files are
//! made.

use super::header::Document;

/// Declares each document once: its constant, its place in [`DOCUMENTS`] and its JSON Schema.
macro_rules! documents {
    ($($constant:ident = $name:literal, $version:literal, $about:literal, $type:ty;)*) => {
        $(
            #[doc = $about]
            pub const $constant: Document = Document { name: $name, version: $version, about: $about };
        )*

        /// All documents and lines, sorted by name.
        pub const DOCUMENTS: &[Document] = &[$($constant),*];

        /// The JSON Schemas of all documents, in the order of [`DOCUMENTS`].
        #[cfg(feature = "schema")]
        pub fn schemas() -> Vec<(Document, serde_json::Value)> {
            vec![$(($constant, with_id($constant, written::<$type>()))),*]
        }
    };
}

documents! {
    CHECK = "check", "2.3.0", "Whether libraries have the targets that are required: `check`.", super::CheckReport;
    CODE_PLACES = "code-places", "1.0.0", "What lies at places of device code: `fatbin --at`.", super::CodePlacesReport;
    DIFF = "diff", "2.0.0", "What changed between two trees or reports: `diff`.", super::DiffReport;
    ENTRIES = "entries", "2.0.1", "Bundle entries of files: `fatbin --list`.", super::EntriesReport<'static>;
    ENTRY = "entry", "2.0.0", "A bundle entry, one line of JSON Lines.", super::EntryLine<'static>;
    ERROR = "error", "1.1.0", "Why a run could not be done, in place of another document.", super::ErrorReport;
    EXPLAIN = "explain", "2.4.0", "Messages of a log: `explain --error`.", super::ExplainReport;
    EXPLAIN_WORD = "explain-word", "2.1.0", "A rule, a cause, a target or a solver: `explain`.", super::ExplainWordReport;
    FATBIN = "fatbin", "2.3.0", "Device code of files: `fatbin`.", super::FatbinReport;
    ISA = "isa", "2.0.1", "Instructions of a target: `explain TARGET --isa`.", super::IsaReport;
    KERNEL = "kernel", "2.1.0", "A kernel, one line of the inventory in JSON Lines.", super::KernelLine<'static>;
    KERNELS = "kernels", "2.1.0", "Kernels of files: `fatbin --kernels`.", super::KernelsReport<'static>;
    LIST = "list", "1.0.0", "What this program knows: `list`.", super::ListReport;
    MODEL = "model", "1.3.0", "Which kernels a model takes on a card: `model`.", super::ModelReport;
    MODEL_GRAPH = "model-graph", "1.1.1",
        "Which convolutions and products of an ONNX model are known on a card: `model`.", super::ModelGraphReport;
    NEEDS = "needs", "1.1.0", "What libraries need from others, and where it is: `needs`.", super::NeedsReport;
    OVERRIDE = "override", "2.2.0", "What an override of the version would make of code: `explain --override`.", super::OverrideReport;
    REPORT = "report", "2.4.0", "The capability report of an audit.", super::Report;
    SELECT_BESIDE = "select-beside", "1.0.0",
        "A matrix product on several devices, or by several installs: `select gemm --vs` and `--vs-library`, `select matmul` likewise.", super::BesideReport;
    SELECT_CONV = "select-conv", "2.1.0", "A choice of MIOpen: `select conv`.", super::ConvReport;
    SELECT_CONV_ANSWER = "select-conv-answer", "2.1.0",
        "An answer to a line of `select conv --problems`.", super::ConvLine<'static>;
    SELECT_FAMILIES = "select-families", "2.0.1",
        "Kernels of ggml by family: `select mul-mat --families`.", super::FamilyReport;
    SELECT_GEMM = "select-gemm", "2.1.0", "A choice of rocBLAS: `select gemm`.", super::GemmReport;
    SELECT_GEMM_ANSWER = "select-gemm-answer", "2.1.0",
        "An answer to a line of `select gemm --problems`.", super::GemmLine<'static>;
    SELECT_MATMUL = "select-matmul", "1.1.0", "A choice of hipBLASLt: `select matmul`.", super::MatmulReport;
    SELECT_MATMUL_ANSWER = "select-matmul-answer", "1.1.0",
        "An answer to a line of `select matmul --problems`.", super::MatmulLine<'static>;
    SELECT_MATMUL_COVERAGE = "select-matmul-coverage", "1.0.1",
        "Sizes that hipBLASLt was tuned for: `select matmul --coverage`.", super::MatmulCoverage;
    SELECT_MATMUL_MAP = "select-matmul-map", "1.0.1",
        "How far sizes are from those that were tuned: `select matmul --map`.", super::MatmulMap;
    SELECT_ROUTE = "select-route", "2.1.0", "A route of ggml: `select mul-mat`.", super::RouteReport;
    SELECT_ROUTES = "select-routes", "2.0.1",
        "Routes of ggml by type and columns: `select mul-mat --table`.", super::RouteTableReport;
    SLIM = "slim", "1.1.0", "What a tree can lose where only some GPUs are to be served: `slim`.", super::SlimReport;
    SURVEY = "survey", "2.1.0", "A processor layer by layer: `survey`.", super::SurveyReport;
    VERDICT = "verdict", "1.0.0", "The verdicts of an audit alone: `-f verdict`.", super::VerdictsReport<'static>;
    VERIFY = "verify", "1.0.0", "Whether library folders and databases hang together: `verify`.", super::VerifyReport;
    WORKLOAD = "workload", "1.1.0", "What becomes of a list of products, convolutions and attentions: `workload`.",
        super::WorkloadReport;
}

/// The schema of a document as written: fields that can be null are still required.
#[cfg(feature = "schema")]
fn written<T: schemars::JsonSchema>() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// Adds the document's name and title to a schema and, if it has a `schema` field, that field's values.
#[cfg(feature = "schema")]
fn with_id(document: Document, mut schema: serde_json::Value) -> serde_json::Value {
    if let Some(map) = schema.as_object_mut() {
        map.insert("$id".to_owned(), document.id().into());
        map.insert("title".to_owned(), document.schema().into());
    }
    for (field, value) in [("schema", document.schema()), ("schema_version", document.version.to_owned())] {
        let property = schema.pointer_mut(&format!("/properties/{field}")).and_then(|p| p.as_object_mut());
        if let Some(property) = property {
            property.insert("const".to_owned(), value.into());
        }
    }
    schema
}
