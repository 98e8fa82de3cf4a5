use super::graph::{Attribute, Dimension, Graph, Node, Tensor, read};
use super::problem::{Problem, problems};
use super::shape::Sizes;
use proptest::prelude::*;

/// A constant: its name, shape and values.
type Constant<'a> = (&'a str, &'a [u64], Option<&'a [i64]>);

/// A graph with one input, and constants by name, shape and values.
fn graph(input: &[u64], constants: &[Constant<'_>], nodes: Vec<Node>) -> Graph {
    let mut graph = Graph { nodes, ..Graph::default() };
    graph.inputs.push(("x".to_owned(), Some(input.iter().map(|size| Dimension::Size(*size)).collect())));
    for (name, shape, values) in constants {
        let tensor = Tensor { shape: shape.to_vec(), ty: 7, values: values.map(<[i64]>::to_vec) };
        graph.constants.insert((*name).to_owned(), tensor);
    }
    graph
}

fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[(&str, &[i64])]) -> Node {
    let attribute = |values: &[i64]| match values {
        [one] => Attribute { int: Some(*one), ints: values.to_vec(), ..Attribute::default() },
        _ => Attribute { ints: values.to_vec(), ..Attribute::default() },
    };
    Node {
        operator: operator.to_owned(),
        inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
        outputs: vec![output.to_owned()],
        attributes: attributes.iter().map(|(name, values)| ((*name).to_owned(), attribute(values))).collect(),
        ..Node::default()
    }
}

fn asked(graph: &Graph, batch: Option<u64>) -> Vec<String> {
    let sizes = Sizes { batch, ..Sizes::default() };
    let shown = |problem: &Problem| match problem {
        Problem::Convolution(c) => c.key("FP32"),
        Problem::Product(p) => format!("{} {} {} {} {}", p.m, p.n, p.k, p.transposes, p.batch),
    };
    let all = problems(graph, &sizes).0;
    all.iter().map(|asked| asked.problem.as_ref().map_or_else(ToString::to_string, shown)).collect()
}

#[test]
fn keys_are_those_of_find_dbs() {
    let graph = graph(
        &[1, 96, 26, 26],
        &[("w", &[256, 48, 5, 5], None)],
        vec![node(
            "Conv",
            &["x", "w"],
            "y",
            &[("pads", &[2, 2, 2, 2]), ("strides", &[1, 1]), ("group", &[2])],
        )],
    );
    assert_eq!(asked(&graph, None), ["96-26-26-5x5-256-26-26-1-2x2-1x1-1x1-0-NCHW-FP32-F_g2"]);
    assert_eq!(asked(&graph, Some(8)), ["96-26-26-5x5-256-26-26-8-2x2-1x1-1x1-0-NCHW-FP32-F_g2"]);
}

#[test]
fn a_transposed_convolution_is_the_backward_one() {
    // The forward convolution: 3 channels of 8x8 to 16 of 4x4, kernel 4, stride 2, padding 1.
    let graph = graph(
        &[2, 16, 4, 4],
        &[("w", &[16, 3, 4, 4], None)],
        vec![node("ConvTranspose", &["x", "w"], "y", &[("pads", &[1, 1, 1, 1]), ("strides", &[2, 2])])],
    );
    assert_eq!(asked(&graph, None), ["16-4-4-4x4-3-8-8-2-1x1-2x2-1x1-0-NCHW-FP32-B"]);
}

#[test]
fn the_leading_one_of_a_reshape_is_the_batch() {
    let graph = graph(
        &[1, 8, 2, 2],
        &[("shape", &[2], Some(&[1, -1])), ("w", &[10, 32], None)],
        vec![
            node("Relu", &["x"], "r", &[]),
            node("Reshape", &["r", "shape"], "flat", &[]),
            node("Gemm", &["flat", "w"], "y", &[("transB", &[1])]),
        ],
    );
    assert_eq!(asked(&graph, Some(16)), ["10 16 32 TN 1"]);
}

#[test]
fn shapes_follow_what_exports_compute() {
    // Shape, Gather, Unsqueeze and Concat, as PyTorch writes them.
    let graph = graph(
        &[4, 6, 8],
        &[
            ("zero", &[], Some(&[0])),
            ("axes", &[1], Some(&[0])),
            ("rest", &[1], Some(&[-1])),
            ("w", &[48, 7], None),
        ],
        vec![
            node("Shape", &["x"], "s", &[]),
            node("Gather", &["s", "zero"], "n", &[]),
            node("Unsqueeze", &["n", "axes"], "n1", &[]),
            node("Concat", &["n1", "rest"], "to", &[("axis", &[0])]),
            node("Reshape", &["x", "to"], "flat", &[]),
            node("MatMul", &["flat", "w"], "y", &[]),
        ],
    );
    assert_eq!(asked(&graph, None), ["7 4 48 NN 1"]);
}

#[test]
fn what_is_not_known_is_said_and_the_rest_is_answered() {
    let mut graph = graph(
        &[1, 3, 8, 8],
        &[("w", &[4, 3, 3, 3], None)],
        vec![
            node("Mystery", &["x"], "m", &[]),
            node("Conv", &["m", "w"], "a", &[]),
            node("Conv", &["x", "w"], "b", &[]),
            node("Conv", &["c", "w"], "c", &[]),
        ],
    );
    let all = asked(&graph, None);
    assert!(all[0].contains("is not known") && all[2].contains("is not known"), "{all:?}");
    assert_eq!(all[1], "3-8-8-3x3-4-6-6-1-0x0-1x1-1x1-0-NCHW-FP32-F");
    let (_, errors) = problems(&graph, &Sizes::default());
    assert!(errors.iter().any(|error| error.what().contains("which it or a later node makes")));
    // The file's statement on an intermediate tensor is used.
    let stated = [1, 3, 9, 9].map(Dimension::Size).to_vec();
    graph.stated.insert("m".to_owned(), Some(stated));
    assert_eq!(asked(&graph, None)[0], "3-9-9-3x3-4-7-7-1-0x0-1x1-1x1-0-NCHW-FP32-F");
}

/// Attention-23 of ONNX: scores = Q x K', result = softmax(scores) x V. The expected operands come from the
/// reference evaluator of Python's onnx 1.23.2.
#[test]
fn attention_is_two_products() {
    // Heads as a dimension: 8 for queries and 2 for keys; 5 queries and 7 keys of 64, values of 32.
    let four = graph(
        &[3, 8, 5, 64],
        &[("k", &[3, 2, 7, 64], None), ("v", &[3, 2, 7, 32], None), ("w", &[32, 16], None)],
        vec![node("Attention", &["x", "k", "v"], "a", &[]), node("MatMul", &["a", "w"], "y", &[])],
    );
    assert_eq!(asked(&four, None), ["7 5 64 TN 24", "32 5 7 NN 24", "16 120 32 NN 1"]);
    // Heads in the last dimension, and 10 past keys.
    let three = graph(
        &[3, 5, 512],
        &[
            ("k", &[3, 7, 128], None),
            ("v", &[3, 7, 64], None),
            ("past", &[3, 2, 10, 64], None),
            ("w", &[256, 16], None),
        ],
        vec![
            node(
                "Attention",
                &["x", "k", "v", "", "past"],
                "a",
                &[("q_num_heads", &[8]), ("kv_num_heads", &[2])],
            ),
            node("MatMul", &["a", "w"], "y", &[]),
        ],
    );
    assert_eq!(asked(&three, None), ["17 5 64 TN 24", "32 5 17 NN 24", "16 15 256 NN 1"]);
    let bare = graph(&[3, 5, 512], &[], vec![node("Attention", &["x", "x", "x"], "a", &[])]);
    assert!(asked(&bare, None)[0].contains("number of heads"));
}

#[test]
fn one_sided_padding_has_no_key() {
    let graph = graph(
        &[1, 3, 8, 8],
        &[("w", &[4, 3, 2, 2], None)],
        vec![node("Conv", &["x", "w"], "y", &[("pads", &[0, 0, 1, 1])])],
    );
    assert!(asked(&graph, None)[0].contains("no key"));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let graph = read(&bytes);
        let _ = problems(&graph, &Sizes { batch: Some(4), ..Sizes::default() });
    }

    #[test]
    fn any_numbers_are_answered(
        shape in prop::collection::vec(prop_oneof![0_u64..5, Just(u64::MAX)], 0..6),
        numbers in prop::collection::vec(prop_oneof![-4_i64..5, Just(i64::MAX), Just(i64::MIN)], 0..6),
        operator in "(Conv|ConvTranspose|Attention|MaxPool|Gemm|MatMul|Reshape|Slice|Gather|Concat|Split|Pad|Tile|Expand|Squeeze|Unsqueeze|Transpose|Flatten|ReduceMean|Add|ConstantOfShape|Shape)",
    ) {
        let names = ["q_num_heads", "kv_num_heads", "pads", "strides", "dilations", "axis", "axes", "starts", "ends", "perm", "shape", "group", "kernel_shape", "split", "start", "end"];
        let attributes: Vec<(&str, &[i64])> = names.iter().map(|name| (*name, &numbers[..])).collect();
        let bare = node(&operator, &["x", "c", "c", "c", "c"], "y", &[]);
        let full = node(&operator, &["x", "c", "c"], "z", &attributes);
        let last = node("Conv", &["y", "z"], "w", &attributes);
        let length = [numbers.len() as u64];
        let graph = graph(&shape, &[("c", &length, Some(&numbers))], vec![bare, full, last]);
        let _ = problems(&graph, &Sizes { batch: Some(3), ..Sizes::default() });
    }
}
