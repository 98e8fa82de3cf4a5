//! Makes the report on an ONNX model on a device.

use super::v1::{
    Evidence, GraphConvolutions, GraphNode, GraphProducts, GraphSolver, ModelGraphReport, Statement,
};
use super::v1::{Header, document};
use crate::answers::model::ratio;
use crate::answers::onnx::{GraphQuestion, GraphRow, Missed, Outcome};
use crate::engines::onnx::graph::Graph;
use crate::engines::onnx::problem::{Problem, unasked};
use crate::finding::Finding;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// A graph in a question.
#[derive(Debug)]
pub struct Graphed<'a> {
    /// Path of the file.
    pub file: String,
    /// The graph in the file.
    pub graph: &'a Graph,
    /// The batch size that the caller asked for.
    pub batch: Option<u64>,
    /// Whether the number of multiprocessors is assumed.
    pub multiprocessors_assumed: bool,
}

fn small(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn flops(row: &GraphRow) -> u128 {
    match &row.asked.problem {
        Ok(Problem::Convolution(convolution)) => convolution.flops,
        Ok(Problem::Product(product)) => product.flops(),
        Err(_) => 0,
    }
}

/// The report on a graph on a device, with the findings.
pub fn model_graph(
    graphed: &Graphed<'_>,
    question: &GraphQuestion,
    rows: &[GraphRow],
    found: &[Finding],
) -> ModelGraphReport {
    let graph = graphed.graph;
    ModelGraphReport {
        header: Header::from_document(document::MODEL_GRAPH),
        claim: None,
        found: super::findings::found(found),
        file: graphed.file.clone(),
        graph: graph.name.clone(),
        producer: graph.producer.clone(),
        opset: graph.opset,
        nodes: graph.nodes.len() as u64,
        batch: graphed.batch,
        data: question.data.to_owned(),
        target: question.device.target.to_string(),
        multiprocessors: question.device.compute_units,
        multiprocessors_assumed: graphed.multiprocessors_assumed,
        environment: question.environment.clone(),
        verdict: verdict(&convolutions(rows), &products(rows)).to_owned(),
        convolutions: convolutions(rows),
        products: products(rows),
        unasked: unasked(graph),
        unknown: rows.iter().filter(|row| matches!(row.outcome, Outcome::Unknown(_))).count() as u64,
        rows: rows.iter().map(node).collect(),
        statements: statements(graph),
    }
}

fn convolutions(rows: &[GraphRow]) -> GraphConvolutions {
    let mut found = GraphConvolutions::default();
    let (mut all, mut hits) = (0_u128, 0_u128);
    let mut solvers: KeyMap<&str, (u64, u128)> = KeyMap::new();
    for row in rows.iter().filter(|row| row.key.is_some()) {
        let flops = flops(row);
        found.count += 1;
        all = all.saturating_add(flops);
        found.asked |= row.outcome != Outcome::NotAsked;
        match &row.outcome {
            Outcome::Hit(solver, _) => {
                found.records += 1;
                found.hits += 1;
                hits = hits.saturating_add(flops);
                let sum = solvers.entry(solver).or_default();
                *sum = (sum.0 + 1, sum.1.saturating_add(flops));
            }
            Outcome::Refused(..) => found.records += 1,
            _ => {}
        }
    }
    found.flops = small(all);
    found.hits_flops_share = ratio(hits, all);
    let row = |(solver, (count, flops)): (&str, (u64, u128))| GraphSolver {
        solver: solver.to_owned(),
        count,
        flops_share: ratio(flops, all),
    };
    found.solvers = solvers.into_iter().map(row).collect();
    found.solvers.sort_rows_by(|a, b| b.flops_share.total_cmp(&a.flops_share));
    found
}

/// The verdict on a graph: its convolutions decide by their floating-point operations, if it has any;
/// otherwise its products.
fn verdict(convolutions: &GraphConvolutions, products: &GraphProducts) -> &'static str {
    const MOST: f64 = 0.5;
    match () {
        () if convolutions.count > 0 && !convolutions.asked => {
            "no find-db for the device was found, so that nothing is known of its convolutions"
        }
        () if convolutions.count > 0 && convolutions.hits == convolutions.count => {
            "the find-db decides all of its convolutions"
        }
        () if convolutions.hits == 0 && convolutions.count > 0 => {
            "the find-db decides none of its convolutions"
        }
        () if convolutions.count > 0 && convolutions.hits_flops_share >= MOST => {
            "the find-db decides most of its convolutions"
        }
        () if convolutions.count > 0 => "the find-db decides the smaller part of its convolutions",
        () if products.count == 0 => "it has neither convolutions nor products that are asked for",
        () if !products.asked => {
            "no rocBLAS for the device was found, so that nothing is known of its products"
        }
        () if products.tuned == products.count => "rocBLAS has tuned kernels for all of its products",
        () if products.tuned + products.fallback == products.count => {
            "rocBLAS has kernels for all of its products, not all of them tuned"
        }
        () => "rocBLAS has no kernel for some of its products",
    }
}

fn products(rows: &[GraphRow]) -> GraphProducts {
    let mut found = GraphProducts::default();
    for row in rows.iter().filter(|row| matches!(row.asked.problem, Ok(Problem::Product(_)))) {
        found.count += 1;
        found.flops = found.flops.saturating_add(small(flops(row)));
        if let Outcome::Product(kernel, fallback, _) = &row.outcome {
            found.asked = true;
            found.tuned += u64::from(kernel.is_some() && !fallback);
            found.fallback += u64::from(kernel.is_some() && *fallback);
        }
    }
    found
}

fn node(row: &GraphRow) -> GraphNode {
    let asked = &row.asked;
    let product = match &asked.problem {
        Ok(Problem::Product(product)) => Some(product),
        _ => None,
    };
    let bias = match &asked.problem {
        Ok(Problem::Convolution(convolution)) => Some(convolution.bias),
        _ => None,
    };
    let missed = |missed: &Missed| (Some(missed.measured), missed.first.clone());
    let without = |first: Option<String>| first.map(|solver| format!("without measuring {solver}"));
    let (outcome, taken, line, measured, note) = match &row.outcome {
        Outcome::Hit(solver, line) => ("hit", Some(solver.clone()), Some(*line), None, None),
        Outcome::Refused(solver, then) => {
            let (measured, first) = missed(then);
            let note = format!("the record names {solver}, which is not taken");
            let note = without(first).map_or(note.clone(), |then| format!("{note}; {then}"));
            ("refused", None, None, measured, Some(note))
        }
        Outcome::Miss(then) => {
            let (measured, first) = missed(then);
            ("miss", None, None, measured, without(first))
        }
        Outcome::NotAsked | Outcome::NoCatalog => ("not-asked", None, None, None, None),
        Outcome::Product(None, ..) => ("no-kernel", None, None, None, None),
        Outcome::Product(kernel, fallback, _) => {
            (if *fallback { "fallback" } else { "tuned" }, kernel.clone(), None, None, None)
        }
        Outcome::Unknown(why) => ("unknown", None, None, None, Some(why.clone())),
    };
    GraphNode {
        node: asked.node as u64,
        name: asked.name.clone(),
        operator: asked.operator.clone(),
        key: row.key.clone(),
        m: product.map(|product| product.m),
        n: product.map(|product| product.n),
        k: product.map(|product| product.k),
        transposes: product.map(|product| product.transposes.to_owned()),
        batch: product.map(|product| product.batch),
        bias,
        flops: asked.problem.is_ok().then(|| small(flops(row))),
        outcome: outcome.to_owned(),
        taken,
        line,
        measured,
        note,
    }
}

fn statements(graph: &Graph) -> Vec<Statement> {
    let say = |about: &str, text: &str, evidence| Statement {
        about: about.to_owned(),
        text: text.to_owned(),
        evidence,
    };
    let mut all = vec![
        say(
            "program",
            "the answer is for a program that calls MIOpen and rocBLAS for each node; one may use MIGraphX for the graph instead",
            Evidence::Inferred,
        ),
        say(
            "shapes",
            "shapes follow from the inputs; with --batch the leading 1 of constants of Reshape is the batch, too",
            Evidence::Code,
        ),
        say("predicted", "nothing was run, and no speed is promised", Evidence::Inferred),
    ];
    if graph.nodes.iter().any(|node| node.is_standard() && node.operator == "Attention") {
        let text = "attention is asked as its two products, with keys and values repeated for each head of queries; a program may make \
                    one kernel of all of it. MIOpen's solvers of attention (MhaForward, MhaCKFlashAttentionV2Forward) are none of \
                    convolutions, and the find-db has no keys of attention";
        all.insert(1, say("attention", text, Evidence::Inferred));
    }
    if !unasked(graph).is_empty() {
        let text = "operators of other domains that join attention or products of other forms are counted and not asked: whether a program makes kernels \
                    of its own or single products of them is its choice";
        all.insert(1, say("not asked", text, Evidence::Inferred));
    }
    all
}
