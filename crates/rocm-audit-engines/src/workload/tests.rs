//! Lines in the forms that libraries write.

use super::*;
use crate::tensile::call::Transpose;

fn one(line: &str) -> (u64, Problem) {
    let workload = read(line.as_bytes());
    assert_eq!((workload.entries.len(), &workload.wrong[..]), (1, &[][..]), "{line}");
    let entry = workload.entries[0].clone();
    (entry.weight, entry.problem)
}

fn call(line: &str) -> GemmCall {
    match one(line).1 {
        Problem::Gemm(call) => *call,
        other => unreachable!("{other:?}"),
    }
}

fn wrong(line: &str) -> String {
    let workload = read(line.as_bytes());
    assert_eq!(workload.wrong_lines, 1, "{line}");
    workload.wrong[0].what.clone()
}

#[test]
fn a_convolution_stands_alone_in_a_line() {
    let key = "256-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-FP16-F";
    for line in ["fwd:fp16:n32:c256:h56:w56:k64:y1x1", key] {
        let Problem::Convolution(found) = one(line).1 else { panic!("{line}") };
        assert_eq!(found, key);
    }
    assert!(wrong("fwd:fp16:n32").contains("A convolution is written"));
    // A sentence of a log is none.
    assert_eq!(read(b"fwd: 3 passes of the network").other_lines, 1);
}

/// A line from a public log (gist cgmb/5bc00ad3f04afbdd04e2ef12d4aabe2d), with the lost value of `--ldc`
/// restored.
#[test]
fn command_lines_of_rocblas_bench() {
    let line = "./rocblas-bench -f gemm_batched_ex --transposeA T --transposeB N -m 32 -n 2 -k 128 --alpha 1 --a_type f16_r \
                --lda 1024 --b_type f16_r --ldb 4096 --beta 0 --c_type f32_r --ldc 32 --d_type f32_r --ldd 32 --batch_count 32 \
                --compute_type f32_r --algo 0 --solution_index 0 --flags 1";
    let found = call(line);
    assert_eq!((found.ty.as_str(), found.ta, found.tb), ("HSS", Transpose::T, Transpose::N));
    assert_eq!(
        ([found.m, found.n, found.k, found.batch], found.ld),
        ([32, 2, 128, 32], [1024, 4096, 32, 32])
    );
    assert!(!found.strided && !found.c_eq_d);
    assert_eq!(one(line).1.flops(), 2 * 32 * 2 * 128 * 32);
    let single = call(
        "rocblas-bench -f gemm -r s --transposeA N --transposeB T -m 8 -n 4 -k 2 --alpha -1.5 --lda 8 --ldb 4 --ldc 8",
    );
    assert_eq!((single.ty.as_str(), single.alpha, single.ld), ("SS", -1.5, [8, 4, 8, 8]));
    assert!(wrong("rocblas-bench -f gemm_ex -m 8 -n 4").contains("the size k is missing"));
    assert!(wrong("rocblas-bench -f gemm_ex -m 8 -n 4 -k 4 --a_type f16_r --c_type f64_r").contains("f64_r"));
    // Other functions are skipped.
    assert_eq!(read(b"rocblas-bench -f axpy -r s -n 100").other_lines, 1);
}

/// Lines from public documentation and tests: profiles count calls.
#[test]
fn profiles_and_traces_of_rocblas() {
    let line = r#"- { rocblas_function: "rocblas_gemm_ex", atomics_mode: atomics_allowed, a_type: "bf16_r", b_type: "bf16_r", c_type: "bf16_r", d_type: "bf16_r", compute_type: "f32_r", transA: 'T', transB: 'N', M: 12288, N: 4547, K: 4608, alpha: 1.0, lda: 4608, beta: 0.0, ldb: 4608, ldc: 12288, ldd: 12288, batch_count: 1, algo: 0, solution_index: 0, flags: none, call_count: 136 }"#;
    let found = call(line);
    assert_eq!((one(line).0, found.ty.as_str(), found.n), (136, "BBS", 4547));
    let trace = "rocblas_gemm_ex,T,N,34816,512,5120,1,0x7f0000000000,bf16_r,5120,0x7f1000000000,bf16_r,5120,0,0x7f2000000000,bf16_r,34816,0x7f2000000000,bf16_r,34816,f32_r,0,0,0";
    let found = call(trace);
    assert_eq!((found.ty.as_str(), [found.m, found.n, found.k]), ("BBS", [34816, 512, 5120]));
    let plain = call("rocblas_sgemm,N,N,4,5,6,1,0x1,4,0x2,6,0,0x3,4");
    assert_eq!((plain.api.as_str(), plain.ty.as_str(), plain.ld), ("gemm", "SS", [4, 6, 4, 4]));
    assert!(wrong("rocblas_gemm_ex,T,N,34816").contains("20 are expected"));
    assert_eq!(read(b"rocblas_create_handle,atomics_allowed").other_lines, 1);
}

/// The line from ROCm/hipBLASLt pull request 485.
#[test]
fn command_lines_of_hipblaslt_bench() {
    let line = "hipblaslt-bench -m 1024 -n 512 -k 1024 --lda 1024 --ldb 1024 --ldc 1024 --ldd 1024 --lde 1024 --stride_a 0 --stride_b 0 \
                --stride_c 0 --stride_d 0 --stride_e 0 --alpha 1 --beta 1 --transA N --transB N --batch_count 1 --a_type f16_r --b_type f16_r \
                --c_type f16_r --d_type f16_r --compute_type f32_r --scale_type f32_r";
    let (_, problem) = one(line);
    assert_eq!(problem.words(), "NN 1024 × 512 × 1024, f16 × f16 → f16 in f32");
    assert_eq!(problem.flops(), 2 * 1024 * 512 * 1024);
    // The parts of an epilogue as in hipBLASLt's own log: vectors of scales, a bias, an activation.
    let call = match one("hipblaslt-bench --api_method c -m 10240 -n 1 -k 8192 --lda 8192 --ldb 8192 --ldc 10240 --ldd 10240 --transA T --transB N \
                          --batch_count 1 --scaleA 2 --scaleB 2 --bias_vector --bias_source d --a_type f8_r --b_type f8_r --c_type bf16_r \
                          --d_type bf16_r --bias_type f16_r --compute_type f32_r --activation_type relu").1
    {
        Problem::HipBlasLt(call) => call,
        other => unreachable!("{other:?}"),
    };
    assert_eq!((call.epilogue.name, call.bias_type.unwrap().name, call.bias_ptr), ("RELU_BIAS", "f16", true));
    assert_eq!(([call.scale_mode_a, call.scale_mode_b], call.scale_a), ([3, 3], true));
    assert_eq!((call.a.name, call.d.name, call.ld), ("f8", "bf16", [8192, 8192, 10240, 10240]));
    assert!(wrong("hipblaslt-bench -m 8 -n 8 -k 8 --activation_type tanh").contains("relu, gelu"));
    assert!(wrong("hipblaslt-bench -m 8 -n 8 -k 8 --gradient --bias_vector").contains("no epilogue"));
}

/// A trace with the texts from the library.
#[test]
fn traces_of_hipblaslt() {
    let line = "[2025-01-01 00:00:00][HIPBLASLT][1][rocblaslt_matmul] A=0x1 Adesc=[type=R_16F rows=4096 cols=1024 ld=4096] B=0x2 \
                Bdesc=[type=R_16F rows=4096 cols=512 ld=4096] C=0x3 Cdesc=[type=R_16F rows=1024 cols=512 ld=1024] D=0x3 Ddesc=[type=R_16F \
                rows=1024 cols=512 ld=1024] computeDesc=[computeType=COMPUTE_32F scaleType=R_32F transA=OP_T transB=OP_N \
                epilogue=EPILOGUE_GELU_BIAS biasPointer=0x7f0] workSpaceSizeInBytes=1048576";
    let Problem::HipBlasLt(call) = one(line).1 else { unreachable!() };
    assert_eq!(call.words(), "TN 1024 × 512 × 4096, f16 × f16 → f16 in f32, GELU_BIAS");
    assert_eq!((call.workspace, call.c_eq_d, call.bias_ptr), (1_048_576, true, true));
    assert!(wrong("Adesc=[type=R_16F rows=1 cols=1 ld=1] computeDesc=[transA=OP_T").contains("computeDesc"));
}

#[test]
fn command_lines_of_miopen() {
    let line = "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 32 -c 64 -H 28 -W 28 -k 64 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2 \
                -l 1 -j 1 -m conv -g 32 -F 1 -t 1";
    let (_, problem) = one(line);
    assert_eq!(problem.words(), "64-28-28-3x3-64-14-14-32-1x1-2x2-1x1-0-NCHW-FP32-F_g32");
    assert_eq!(problem.flops(), 2 * 32 * 64 * 14 * 14 * 2 * 9);
    let both = read(b"MIOpenDriver convfp16 -n 1 -c 8 -H 7 -W 7 -k 8 -y 1 -x 1 -F 6 --in_layout NHWC --out_layout NHWC --fil_layout NHWC");
    let words: Vec<String> = both.entries.iter().map(|entry| entry.problem.words()).collect();
    assert_eq!(
        words,
        [
            "8-7-7-1x1-8-7-7-1-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-B",
            "8-7-7-1x1-8-7-7-1-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-W"
        ]
    );
    assert!(wrong("MIOpenDriver conv -n 1 -c 3").contains("in_h"));
    assert!(wrong("MIOpenDriver conv -n 1 -c 3 -H 7 -W 7 -k 8 -m turned").contains("trans"));
    assert_eq!(read(b"MIOpenDriver pool -n 1").other_lines, 1);
}

/// ROCm/MIOpen driver/conv_driver.hpp: casts are options of their own, and stand in the key (a public study
/// has the driver's `…INT8-F_coFP32`); int32 ends the driver.
#[test]
fn casts_of_miopens_driver_stand_in_the_key() {
    let line = "MIOpenDriver convint8 -n 32 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -F 1";
    let words = |more: &str| one(&format!("{line} {more}")).1.words();
    let plain = "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8-F";
    assert_eq!(words("--out_cast_type -1"), plain);
    assert_eq!(words("--out_cast_type fp32"), format!("{plain}_coFP32"));
    assert_eq!(words("-T fp32 -U fp8 -R bf8"), format!("{plain}_ciFP8_cwBF8_coFP32"));
    let groups = "MIOpenDriver convfp16 -n 1 -c 8 -H 7 -W 7 -k 8 -y 1 -x 1 -F 1 -g 2 -U fp8";
    assert!(one(groups).1.words().ends_with("FP16-F_g2_ciFP8"), "{}", one(groups).1.words());
    assert!(wrong(&format!("{line} --out_cast_type int32")).contains("int32"));
}

#[test]
fn transposed_convolutions_of_miopen() {
    // 16 channels of 4x4 to 3 of 8x8: (4 - 1) * 2 + 4 - 2 * 1 = 8. MIOpen looks up the convolution from 3
    // channels of 8x8 to 16 of 4x4.
    let line = "MIOpenDriver conv -n 2 -c 16 -H 4 -W 4 -k 3 -y 4 -x 4 -p 1 -q 1 -u 2 -v 2 -m trans";
    let of = |forw: &str| one(&format!("{line} -F {forw}")).1.words();
    assert_eq!(of("1"), "16-4-4-4x4-3-8-8-2-1x1-2x2-1x1-0-NCHW-FP32-B");
    assert_eq!(of("2"), "3-8-8-4x4-16-4-4-2-1x1-2x2-1x1-0-NCHW-FP32-F");
    assert_eq!(of("4"), "16-4-4-4x4-3-8-8-2-1x1-2x2-1x1-0-NCHW-FP32-W");
    assert!(wrong("MIOpenDriver conv -n 1 -c 3 -H 2 -W 2 -k 8 -p 9 -q 9 -m trans").contains("padding"));
}

#[test]
fn lines_of_json_and_equal_problems() {
    let text = br#"{"weight": 12, "gemm": {"ty": "f16", "ta": "T", "m": 4096, "n": 512, "k": 4096}}
a log's other line
{"gemm": {"ty": "HHS", "ta": "T", "m": 4096, "n": 512, "k": 4096}}
{"conv": "fwd:fp16:n32:c256:h56:w56:k64:y3x3:s1:p1"}
{"ggml": "fa f16 D128 DV128 nq=1 nh=32 nkv=8 kv=1024 mask=1"}
{"gemm": {"ty": "HHS", "m": 4096}}
{"weight": 1}
"#;
    let workload = read(text);
    assert_eq!((workload.entries.len(), workload.other_lines, workload.wrong_lines), (3, 1, 2));
    let first = &workload.entries[0];
    assert_eq!((first.line, first.lines, first.weight), (1, 2, 13));
    assert_eq!(workload.wrong[1].line, 7);
    assert!(workload.wrong[1].what.contains("none of its fields is one of gemm (or ty), conv (or key)"));
    let long = [b"{".to_vec(), vec![b' '; LONGEST_LINE]].concat();
    assert!(wrong(&String::from_utf8(long).unwrap()).contains("at most"));
}

#[test]
fn cases_of_test_backend_ops_are_products() {
    // Lines as the program prints them, with what follows a case.
    let log = "Backend 1/2: ROCm0\n\
        \x20 MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=512,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3],v=0,o=1):  852 runs\n\
        \x20 MUL_MAT_ID(type_a=q4_K,type_b=f32,n_mats=8,n_used=2,b=0,m=512,n=4,k=1024,o=1): OK\n\
        \x20 FLASH_ATTN_EXT(hsk=128,hsv=128,nh=8,nr23=[4,1],kv=1024,nb=1,mask=1,sinks=0,max_bias=0.000000,logit_softcap=0.000000,prec=f32,type_KV=f16,permute=[0,1,2,3]): OK\n\
        \x20 ADD(type=f32,ne=[1,1,8,1],nr=[1,1,1,1],nf=1): OK\n";
    let read = read(log.as_bytes());
    let words: Vec<String> = read.entries.iter().map(|entry| entry.problem.words()).collect();
    let expected = [
        "mm q4_0 K14336 N4096 ne11=512 prec=0",
        "mmid q4_K K1024 N512 ne=8 used=2 tok=4",
        "fa f16 D128 DV128 nq=1 nh=32 nkv=8 kv=1024 mask=1",
    ];
    assert_eq!(words, expected);
    assert_eq!((read.wrong_lines, read.other_lines), (0, 2));
}

#[test]
fn what_a_line_leaves_open_is_said() {
    let refused = |line: &str| read(line.as_bytes()).wrong.first().map(|wrong| wrong.what.clone()).unwrap();
    let debug = "ggml_debug:                 ffn_up-0 = (f32)    MUL_MAT(blk.0.ffn_up.weight{4096, 14336, 1, 1}, ffn_norm-0{4096, 7, 1, 1}}) = {14336, 7, 1, 1}";
    assert!(refused(debug).contains("not the type of the weights"));
    let several = "MUL_MAT(type_a=f16,type_b=f32,m=16,n=1,k=256,bs=[10,1],nr=[1,1]): OK";
    assert!(refused(several).contains("several matrices"));
    let forced =
        "./bin/MIOpenDriver convint8 -n 64 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -F 1 -S ConvMlirIgemmFwd";
    assert!(refused(forced).contains("forces a solver"), "{}", refused(forced));
    let found = "./bin/MIOpenDriver conv -n 64 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -F 1 -S -1";
    assert_eq!(read(found.as_bytes()).entries.len(), 1);
}
