//! A question to the library and its answer.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A line of vectors, without fields that are not compared.
#[derive(Debug, Deserialize)]
pub struct VectorRow {
    pub arch: String,
    pub target: String,
    pub cus: u32,
    pub mode: String,
    pub key: String,
    /// Variables in addition to those of the mode.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub find_status: Option<i32>,
    #[serde(default)]
    pub applicable: Vec<String>,
    pub winograd_only: Option<u8>,
    /// The configuration with which each solver begins; `perf-db:` stands before one that was read.
    #[serde(default)]
    pub config: BTreeMap<String, String>,
    /// Source file, kernel, global and local size of what each solver launches.
    #[serde(default)]
    pub kernels: BTreeMap<String, Vec<(String, String, String, String)>>,
    #[serde(default)]
    pub workspaces: BTreeMap<String, u64>,
    pub crash: Option<serde_json::Value>,
    pub source: Option<String>,
    #[serde(default)]
    pub record_entries: u32,
    /// Workspace given to a find, in bytes.
    pub workspace: Option<u64>,
    pub find_db: Option<String>,
    /// Solver, milliseconds, workspace, algorithm.
    #[serde(default)]
    pub solutions: Vec<(String, f64, u64, u8)>,
    #[serde(default)]
    pub wti: Vec<(String, f64)>,
    /// The model's order of solvers, if the library used it.
    pub tunanet: Option<Vec<String>>,
    #[serde(default)]
    pub invokers: Vec<String>,
}

impl VectorRow {
    /// Name of the solver that the library answers first.
    pub fn first_solution(&self) -> Option<&str> {
        self.solutions.first().map(|solution| solution.0.as_str())
    }
}
