//! Catalogs of Tensile: what rocBLAS chooses its kernels by.

use crate::message_pack::Value;

/// The operation of every catalog: neither matrix is transposed.
const OPERATION: &str = "Contraction_l_Ailk_Bljk_Cijk_Dijk";

/// The name of a catalog of single precision for a processor, without its ending: that of its code object
/// begins with it too.
pub fn stem(processor: &str) -> String {
    format!("TensileLibrary_Type_SS_{OPERATION}_{processor}")
}

fn named(pairs: &[(&'static str, u32)]) -> Vec<(&'static str, Value<'static>)> {
    pairs.iter().map(|(key, number)| (*key, Value::Number(*number))).collect()
}

fn of_type(ty: &'static str) -> Value<'static> {
    Value::Map(vec![("type", Value::Text(ty))])
}

fn sizes(numbers: [u32; 3]) -> Value<'static> {
    Value::List(numbers.map(Value::Number).into())
}

/// A solution: the kernel that computes tiles of 32 by 32 values, whatever the sizes.
fn solution(index: u32, kernel: &str) -> Value<'_> {
    let mut problem = vec![("operationIdentifier", Value::Text(OPERATION))];
    problem.extend(["aType", "bType", "cType", "dType"].map(|key| (key, Value::Text("Float"))));
    let flags = [
        ("useBeta", true),
        ("highPrecisionAccumulate", false),
        ("useInitialStridesAB", false),
        ("useInitialStridesCD", false),
        ("stridedBatched", true),
        ("stochasticRounding", false),
    ];
    problem.extend(flags.map(|(key, flag)| (key, Value::Truth(flag))));
    problem.push(("f32XdlMathOp", Value::Text("Float")));
    let mut mapping = vec![
        ("workGroup", sizes([8, 8, 1])),
        ("macroTile", sizes([32, 32, 1])),
        ("threadTile", sizes([4, 4, 1])),
    ];
    mapping.extend(named(&[
        ("depthU", 8),
        ("staggerU", 32),
        ("globalSplitU", 1),
        ("staggerStrideShift", 3),
        ("workGroupMapping", 1),
        ("packSummationDims", 0),
        ("packBatchDims", 0),
        ("magicDivAlg", 2),
        ("streamK", 0),
        ("streamKAtomic", 0),
        ("persistentKernel", 0),
    ]));
    mapping.push(("persistentKernelAlongBatch", Value::Truth(false)));
    mapping.push(("sourceKernel", Value::Truth(false)));
    mapping.extend(named(&[("globalAccumulation", 0), ("workspaceSizePerElemC", 0), ("preloadKernargs", 0)]));
    Value::Map(vec![
        ("name", Value::Text(kernel)),
        ("problemType", Value::Map(problem)),
        ("hardwarePredicate", of_type("TruePred")),
        ("problemPredicate", of_type("TruePred")),
        ("taskPredicate", of_type("TruePred")),
        ("sizeMapping", Value::Map(mapping)),
        ("debugKernel", Value::Truth(false)),
        ("libraryLogicIndex", Value::Number(index)),
        ("index", Value::Number(index)),
        ("ideals", Value::Map(Vec::new())),
        ("linearModel", Value::Map(Vec::new())),
    ])
}

/// A catalog of one solution for each of these kernels, and a table in which each is the fastest for cubes of
/// a size of its own. Schema: rocBLAS 6.4.4, by Tensile's `LibraryIO`.
pub fn catalog(kernels: &[&str]) -> Vec<u8> {
    let solutions = kernels.iter().zip(0..).map(|(kernel, index)| solution(index, kernel)).collect();
    let row = |index: u32| {
        let size = 64 * (index + 1);
        let fields =
            vec![("key", sizes([size; 3])), ("index", Value::Number(index)), ("speed", Value::Real(100.0))];
        Value::Map(fields)
    };
    let property =
        |ty: &'static str| Value::Map(vec![("type", Value::Text(ty)), ("index", Value::Number(0))]);
    let properties = ["FreeSizeA", "FreeSizeB", "BoundSize"].map(property).into();
    let table = Value::Map(vec![
        ("type", Value::Text("Matching")),
        ("properties", Value::List(properties)),
        ("table", Value::List((0..kernels.len() as u32).map(row).collect())),
        ("distance", Value::Text("Euclidean")),
    ]);
    let rows = Value::List(vec![Value::Map(vec![("predicate", of_type("TruePred")), ("library", table)])]);
    let library = Value::Map(vec![("type", Value::Text("Problem")), ("rows", rows)]);
    let mut out = Vec::new();
    Value::Map(vec![("solutions", Value::List(solutions)), ("library", library)]).write(&mut out);
    out
}
