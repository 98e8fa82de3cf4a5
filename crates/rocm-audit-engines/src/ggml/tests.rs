//! Observed routes, tested without the library.

use super::*;
use std::collections::BTreeMap;

/// Routes of dense products by type, printed by a probe of ggml 0.27.0's selector.
type Table = (&'static str, &'static [(&'static str, &'static str)]);

const TABLES: [Table; 5] = [
    (
        "gfx900",
        &[
            ("f32", "MMVF 1-8, BLAS 9+"),
            ("f16", "MMVF 1-8, BLAS 9+"),
            ("bf16", "MMVF 1-8, BLAS 9+"),
            ("q4_0 q4_1 q5_1", "MMVQ 1-8, BLAS 9+"),
            ("q5_0", "MMVQ 1-8, BLAS 9+"),
            ("q8_0 iq2_xxs iq3_s iq4_xs", "MMVQ 1-8, BLAS 9+"),
            ("q2_K", "MMVQ 1-8, BLAS 9+"),
            ("q3_K", "MMVQ 1-8, BLAS 9+"),
            ("q4_K", "MMVQ 1-8, BLAS 9+"),
            ("q5_K", "MMVQ 1-8, BLAS 9+"),
            ("q6_K", "MMVQ 1-8, BLAS 9+"),
            ("iq2_xs iq2_s", "MMVQ 1-8, BLAS 9+"),
            ("iq3_xxs iq4_nl mxfp4 nvfp4 q1_0 q2_0", "MMVQ 1-8, BLAS 9+"),
            ("iq1_s", "MMVQ 1-8, BLAS 9+"),
            ("iq1_m", "MMVQ 1-8, BLAS 9+"),
        ],
    ),
    (
        "gfx906",
        &[
            ("f32", "MMVF 1-8, BLAS 9+"),
            ("f16", "MMVF 1-8, BLAS 9+"),
            ("bf16", "MMVF 1-8, BLAS 9+"),
            ("q4_0 q4_1 q5_1", "MMVQ 1-8, MMQ 9+"),
            ("q5_0", "MMVQ 1-8, MMQ 9+"),
            ("q8_0 iq2_xxs iq3_s iq4_xs", "MMVQ 1-8, MMQ 9+"),
            ("q2_K", "MMVQ 1-8, MMQ 9+"),
            ("q3_K", "MMVQ 1-8, MMQ 9+"),
            ("q4_K", "MMVQ 1-8, MMQ 9+"),
            ("q5_K", "MMVQ 1-8, MMQ 9+"),
            ("q6_K", "MMVQ 1-8, MMQ 9+"),
            ("iq2_xs iq2_s", "MMVQ 1-8, MMQ 9+"),
            ("iq3_xxs iq4_nl mxfp4 nvfp4 q1_0 q2_0", "MMVQ 1-8, MMQ 9+"),
            ("iq1_s", "MMVQ 1-8, MMQ 9+"),
            ("iq1_m", "MMVQ 1-8, BLAS 9+"),
        ],
    ),
    (
        "gfx908",
        &[
            ("f32", "MMVF 1-3, MMF 4-16, BLAS 17+"),
            ("f16", "MMVF 1-2, BLAS 3+"),
            ("bf16", "MMVF 1-3, BLAS 4+"),
            ("q4_0 q4_1 q5_1", "MMVQ 1-7, MMQ 8+"),
            ("q5_0", "MMVQ 1-8, MMQ 9+"),
            ("q8_0 iq2_xxs iq3_s iq4_xs", "MMVQ 1-6, MMQ 7-128, BLAS 129+"),
            ("q2_K", "MMVQ 1-4, MMQ 5-128, BLAS 129+"),
            ("q3_K", "MMVQ 1-3, MMQ 4-128, BLAS 129+"),
            ("q4_K", "MMVQ 1-2, MMQ 3-256, BLAS 257+"),
            ("q5_K", "MMVQ 1-3, MMQ 4-256, BLAS 257+"),
            ("q6_K", "MMVQ 1-4, MMQ 5-128, BLAS 129+"),
            ("iq2_xs iq2_s", "MMVQ 1-8, MMQ 9-128, BLAS 129+"),
            ("iq3_xxs iq4_nl mxfp4 nvfp4 q1_0 q2_0", "MMVQ 1-8, MMQ 9-128, BLAS 129+"),
            ("iq1_s", "MMVQ 1-5, MMQ 6-128, BLAS 129+"),
            ("iq1_m", "MMVQ 1-8, BLAS 9+"),
        ],
    ),
    (
        "gfx1030",
        &[
            ("f32", "MMVF 1-8, BLAS 9+"),
            ("f16", "MMVF 1-8, BLAS 9+"),
            ("bf16", "MMVF 1-8, BLAS 9+"),
            ("q4_0 q4_1 q5_1", "MMVQ 1-8, MMQ 9+"),
            ("q5_0", "MMVQ 1-8, MMQ 9+"),
            ("q8_0 iq2_xxs iq3_s iq4_xs", "MMVQ 1-8, MMQ 9+"),
            ("q2_K", "MMVQ 1-8, MMQ 9+"),
            ("q3_K", "MMVQ 1-8, MMQ 9+"),
            ("q4_K", "MMVQ 1-8, MMQ 9+"),
            ("q5_K", "MMVQ 1-8, MMQ 9+"),
            ("q6_K", "MMVQ 1-8, MMQ 9+"),
            ("iq2_xs iq2_s", "MMVQ 1-8, MMQ 9+"),
            ("iq3_xxs iq4_nl mxfp4 nvfp4 q1_0 q2_0", "MMVQ 1-8, MMQ 9+"),
            ("iq1_s", "MMVQ 1-8, MMQ 9+"),
            ("iq1_m", "MMVQ 1-8, BLAS 9+"),
        ],
    ),
    (
        "gfx1100",
        &[
            ("f32", "MMVF 1-8, BLAS 9+"),
            ("f16", "MMVF 1-3, MMF 4-8, BLAS 9+"),
            ("bf16", "MMVF 1-3, MMF 4-8, BLAS 9+"),
            ("q4_0 q4_1 q5_1", "MMVQ 1-8, MMQ 9+"),
            ("q5_0", "MMVQ 1-8, MMQ 9+"),
            ("q8_0 iq2_xxs iq3_s iq4_xs", "MMVQ 1-8, MMQ 9+"),
            ("q2_K", "MMVQ 1-8, MMQ 9-128, BLAS 129+"),
            ("q3_K", "MMVQ 1-8, MMQ 9+"),
            ("q4_K", "MMVQ 1-8, MMQ 9+"),
            ("q5_K", "MMVQ 1-8, MMQ 9+"),
            ("q6_K", "MMVQ 1-8, MMQ 9-128, BLAS 129+"),
            ("iq2_xs iq2_s", "MMVQ 1-8, MMQ 9-128, BLAS 129+"),
            ("iq3_xxs iq4_nl mxfp4 nvfp4 q1_0 q2_0", "MMVQ 1-8, MMQ 9+"),
            ("iq1_s", "MMVQ 1-8, MMQ 9+"),
            ("iq1_m", "MMVQ 1-8, BLAS 9+"),
        ],
    ),
];

/// Answers of the probe of 0.27.0: GPU, problem, route, prefix of the kernel's name.
const ANSWERS: &[(&str, &str, &str, &str)] = &[
    (
        "gfx950",
        "fa bf16 D256 DV256 nq=64 nh=32 nkv=8 kv=1024 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi256ELi256ELi16ELi4ELb0ELb0ELb0EE",
    ),
    (
        "gfx90a",
        "fa f16 D256 DV256 nq=64 nh=32 nkv=4 kv=1024 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi256ELi256ELi8ELi8ELb0ELb0ELb0EE",
    ),
    (
        "gfx1100",
        "fa q8_0 D192 DV128 nq=2 nh=32 nkv=1 kv=1024 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi192ELi128ELi2ELi16ELb0ELb0ELb0EE",
    ),
    (
        "gfx1101",
        "fa q8_0 D96 DV96 nq=2 nh=32 nkv=8 kv=1024 mask=1",
        "TILE",
        "_ZL15flash_attn_tileILi96ELi96ELi2ELi4ELb0EE",
    ),
    (
        "gfx803",
        "fa f16 D192 DV128 nq=32 nh=32 nkv=1 kv=1024 mask=1",
        "TILE",
        "_ZL15flash_attn_tileILi192ELi128ELi2ELi16ELb0EE",
    ),
    (
        "gfx803",
        "fa bf16 D576 DV512 nq=32 nh=32 nkv=4 kv=1024 mask=1",
        "TILE",
        "_ZL15flash_attn_tileILi576ELi512ELi8ELi4ELb0EE",
    ),
    ("gfx906", "fa q5_1 D512 DV512 nq=4 nh=32 nkv=32 kv=1024 mask=1", "UNSUPPORTED", ""),
    ("gfx1101", "fa q5_1 D320 DV256 nq=512 nh=32 nkv=4 kv=1024 mask=1", "UNSUPPORTED", ""),
    ("gfx900", "fa q5_1 D320 DV256 nq=512 nh=32 nkv=32 kv=1024 mask=1", "UNSUPPORTED", ""),
    (
        "gfx1030",
        "fa q4_0 D128 DV128 nq=1 nh=32 nkv=1 kv=1024 mask=1",
        "VEC",
        "_ZL18flash_attn_ext_vecILi128ELi1EL9ggml_type2ELS0_2ELb0EE",
    ),
    (
        "gfx908",
        "fa q5_1 D128 DV128 nq=1 nh=32 nkv=32 kv=1024 mask=1",
        "VEC",
        "_ZL18flash_attn_ext_vecILi128ELi1EL9ggml_type1ELS0_1ELb0EE",
    ),
    (
        "gfx803",
        "fa f16 D256 DV256 nq=1 nh=32 nkv=32 kv=1024 mask=1",
        "VEC",
        "_ZL18flash_attn_ext_vecILi256ELi1EL9ggml_type1ELS0_1ELb0EE",
    ),
    (
        "gfx900",
        "mm q4_K K4096 N4096 ne11=64 prec=0",
        "BLAS:hipblasGemmEx",
        "_ZL21dequantize_block_q4_KI6__halfE",
    ),
    (
        "gfx950",
        "mm q8_0 K4096 N4096 ne11=2048 prec=0",
        "BLAS:hipblasGemmEx",
        "_ZL25dequantize_block_q8_0_f16ILb0EE",
    ),
    (
        "gfx942",
        "mm iq1_m K4096 N4096 ne11=1024 prec=0",
        "BLAS:hipblasGemmEx",
        "_ZL22dequantize_block_iq1_mI6__halfE",
    ),
    ("gfx900", "mm f32 K4096 N4096 ne11=128 prec=0", "BLAS:hipblasSgemm", ""),
    ("gfx950", "mm f32 K4096 N4096 ne11=128 prec=0", "BLAS:hipblasSgemm", ""),
    (
        "gfx900",
        "mm bf16 K4096 N4096 ne11=192 prec=0",
        "BLAS:hipblasSgemm",
        "_ZL23convert_unary_cont_vec4I14__hip_bfloat16fE",
    ),
    (
        "gfx1101",
        "mm bf16 K4096 N4096 ne11=7 prec=0",
        "MMF",
        "_ZL9mul_mat_fI15__hip_bfloat162Li32ELi7ELi8ELb0EE",
    ),
    ("gfx1100", "mm f16 K4096 N4096 ne11=5 prec=0", "MMF", "_ZL9mul_mat_fI7__half2Li32ELi5ELi8ELb0EE"),
    ("gfx90a", "mm f32 K4096 N4096 ne11=4 prec=0", "MMF", "_ZL9mul_mat_fIfLi64ELi4ELi8ELb0EE"),
    (
        "gfx90a",
        "mm q8_0 K4096 N4096 ne11=32 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type8ELi32ELb0EL9ggml_prec30EE",
    ),
    (
        "gfx1010",
        "mm q4_1 K4096 N4096 ne11=12 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type3ELi16ELb0EL9ggml_prec30EE",
    ),
    (
        "gfx906",
        "mm q6_K K4096 N4096 ne11=1024 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type14ELi64ELb0EL9ggml_prec30EE",
    ),
    ("gfx1151", "mm f32 K4096 N4096 ne11=1 prec=0", "MMVF", "_ZL13mul_mat_vec_fIffLi1ELi256ELb0ELb0EE"),
    ("gfx1151", "mm f32 K4096 N4096 ne11=3 prec=0", "MMVF", "_ZL13mul_mat_vec_fIffLi3ELi256ELb0ELb0EE"),
    (
        "gfx1030",
        "mm f16 K4096 N4096 ne11=1 prec=0",
        "MMVF",
        "_ZL13mul_mat_vec_fI6__halfS0_Li1ELi256ELb0ELb0EE",
    ),
    (
        "gfx803",
        "mm iq2_s K4096 N4096 ne11=5 prec=0",
        "MMVQ",
        "_ZL13mul_mat_vec_qIL9ggml_type22ELi5ELb0ELb0ELb0EE",
    ),
    (
        "gfx1201",
        "mm q1_0 K4096 N4096 ne11=6 prec=0",
        "MMVQ",
        "_ZL13mul_mat_vec_qIL9ggml_type41ELi6ELb0ELb0ELb0EE",
    ),
    (
        "gfx908",
        "mm q8_0 K4096 N4096 ne11=6 prec=0",
        "MMVQ",
        "_ZL13mul_mat_vec_qIL9ggml_type8ELi6ELb0ELb0ELb0EE",
    ),
    (
        "gfx900",
        "mmid bf16 K1024 N512 ne=64 used=2 tok=32",
        "BLAS:hipblasGemmEx",
        "_ZL16k_get_rows_floatIf14__hip_bfloat16E",
    ),
    (
        "gfx1200",
        "mmid iq1_m K1024 N512 ne=64 used=2 tok=64",
        "BLAS:hipblasGemmEx",
        "_ZL20k_get_rows_float_vecIfE",
    ),
    (
        "gfx908",
        "mmid iq1_s K1024 N512 ne=8 used=2 tok=512",
        "BLAS:hipblasGemmEx",
        "_ZL20k_get_rows_float_vecIfE",
    ),
    (
        "gfx950",
        "mmid f32 K1024 N512 ne=64 used=2 tok=513",
        "BLAS:hipblasSgemm",
        "_ZL20k_get_rows_float_vecIfE",
    ),
    (
        "gfx1030",
        "mmid bf16 K1024 N512 ne=8 used=2 tok=256",
        "BLAS:hipblasSgemm",
        "_ZL16k_get_rows_floatIf14__hip_bfloat16E",
    ),
    (
        "gfx900",
        "mmid bf16 K1024 N512 ne=8 used=2 tok=256",
        "BLAS:hipblasSgemm",
        "_ZL16k_get_rows_floatIf14__hip_bfloat16E",
    ),
    (
        "gfx90a",
        "mmid f16 K1024 N512 ne=128 used=2 tok=128",
        "MMF",
        "_ZL13mul_mat_f_idsI7__half2Li64ELi16ELi4EE",
    ),
    ("gfx1101", "mmid f16 K1024 N512 ne=32 used=2 tok=9", "MMF", "_ZL9mul_mat_fI7__half2Li32ELi9ELi8ELb1EE"),
    ("gfx942", "mmid f16 K1024 N512 ne=64 used=2 tok=16", "MMF", "_ZL9mul_mat_fI7__half2Li64ELi16ELi4ELb1EE"),
    (
        "gfx906",
        "mmid q8_0 K1024 N512 ne=8 used=2 tok=129",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type8ELi80ELb0EL9ggml_prec30EE",
    ),
    (
        "gfx1201",
        "mmid q8_0 K1024 N512 ne=64 used=2 tok=256",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type8ELi16ELb0EL9ggml_prec30EE",
    ),
    (
        "gfx1200",
        "mmid q1_0 K1024 N512 ne=128 used=2 tok=32",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type41ELi16ELb0EL9ggml_prec30EE",
    ),
    (
        "gfx942",
        "mmid f16 K1024 N512 ne=8 used=2 tok=8",
        "MMVF",
        "_ZL13mul_mat_vec_fI6__halfS0_Li1ELi128ELb0ELb1EE",
    ),
    (
        "gfx1101",
        "mmid f16 K1024 N512 ne=64 used=2 tok=8",
        "MMVF",
        "_ZL13mul_mat_vec_fI6__halfS0_Li1ELi256ELb0ELb1EE",
    ),
    (
        "gfx906",
        "mmid bf16 K1024 N512 ne=128 used=2 tok=1",
        "MMVF",
        "_ZL13mul_mat_vec_fI14__hip_bfloat16fLi1ELi128ELb0ELb0EE",
    ),
    (
        "gfx1201",
        "mmid mxfp4 K1024 N512 ne=32 used=2 tok=1",
        "MMVQ",
        "_ZL13mul_mat_vec_qIL9ggml_type39ELi1ELb0ELb0ELb0EE",
    ),
    (
        "gfx900",
        "mmid iq3_s K1024 N512 ne=128 used=2 tok=1",
        "MMVQ",
        "_ZL13mul_mat_vec_qIL9ggml_type21ELi1ELb0ELb0ELb0EE",
    ),
    (
        "gfx900",
        "mmid iq1_s K1024 N512 ne=128 used=2 tok=1",
        "MMVQ",
        "_ZL13mul_mat_vec_qIL9ggml_type19ELi1ELb0ELb0ELb0EE",
    ),
    (
        "gfx1200",
        "mmid iq2_xs K1024 N512 ne=64 used=2 tok=4",
        "MMVQ-moe",
        "_ZL17mul_mat_vec_q_moeIL9ggml_type17ELi2ELb0EE",
    ),
    (
        "gfx90a",
        "mmid iq4_xs K1024 N512 ne=128 used=2 tok=6",
        "MMVQ-moe",
        "_ZL17mul_mat_vec_q_moeIL9ggml_type23ELi2ELb0EE",
    ),
    (
        "gfx1101",
        "mmid iq4_xs K1024 N512 ne=64 used=2 tok=6",
        "MMVQ-moe",
        "_ZL17mul_mat_vec_q_moeIL9ggml_type23ELi2ELb0EE",
    ),
    (
        "gfx900",
        "mm f16 K4096 N4095 ne11=4 prec=0",
        "MMVF",
        "_ZL13mul_mat_vec_fI6__halfS0_Li4ELi128ELb0ELb0EE",
    ),
    (
        "gfx90a",
        "mm q4_K K4096 N4095 ne11=64 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type12ELi64ELb1EL9ggml_prec30EE",
    ),
    (
        "gfx1101",
        "mm f16 K4096 N4095 ne11=4 prec=0",
        "MMVF",
        "_ZL13mul_mat_vec_fI6__halfS0_Li4ELi256ELb0ELb0EE",
    ),
    (
        "gfx1101",
        "mm f16 K4096 N4095 ne11=16 prec=0",
        "BLAS:hipblasGemmEx",
        "_ZL23convert_unary_cont_vec4If6__halfE",
    ),
    (
        "gfx90a",
        "mm f16 K4096 N4095 ne11=4 prec=0",
        "BLAS:hipblasGemmEx",
        "_ZL23convert_unary_cont_vec4If6__halfE",
    ),
    (
        "gfx1100",
        "mm q2_K K2048 N576 ne11=128 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type10ELi64ELb1EL9ggml_prec30EE",
    ),
    (
        "gfx1151",
        "mm q4_K K2048 N576 ne11=96 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type12ELi128ELb1EL9ggml_prec30EE",
    ),
    (
        "gfx1201",
        "mm q4_K K2048 N576 ne11=512 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type12ELi128ELb1EL9ggml_prec30EE",
    ),
    (
        "gfx906",
        "mm q8_0 K2048 N576 ne11=80 prec=0",
        "MMQ",
        "_ZL9mul_mat_qIL9ggml_type8ELi80ELb1EL9ggml_prec30EE",
    ),
    (
        "gfx1100",
        "fa f16 D128 DV128 nq=64 nh=24 nkv=4 kv=512 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi128ELi128ELi32ELi2ELb0ELb0ELb0EE",
    ),
    (
        "gfx1201",
        "fa f16 D128 DV128 nq=64 nh=24 nkv=2 kv=512 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi128ELi128ELi16ELi4ELb0ELb0ELb0EE",
    ),
    (
        "gfx90a",
        "fa f16 D128 DV128 nq=64 nh=24 nkv=4 kv=512 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi128ELi128ELi8ELi8ELb0ELb0ELb0EE",
    ),
    (
        "gfx1100",
        "fa f16 D128 DV128 nq=64 nh=40 nkv=8 kv=512 mask=1",
        "MMA",
        "_ZL18flash_attn_ext_f16ILi128ELi128ELi8ELi8ELb0ELb0ELb0EE",
    ),
    ("gfx906", "mm f32 K2048 N1 ne11=512 prec=0", "MMVF", "_ZL13mul_mat_vec_fIffLi1ELi128ELb0ELb0EE"),
];

fn asked(arch: &str, query: &str, version: Option<&str>) -> Answer<'static> {
    let version = version.map(|text| text.parse().unwrap());
    route(&Architecture::parse(arch).unwrap(), &query.parse().unwrap(), version).unwrap()
}

#[test]
fn route_tables_are_those_that_were_observed() {
    for (arch, rows) in TABLES {
        let expected: BTreeMap<&str, &str> =
            rows.iter().flat_map(|(types, routes)| types.split(' ').map(|ty| (ty, *routes))).collect();
        let table = table::route_table(&Architecture::parse(arch).unwrap(), None).unwrap();
        assert_eq!((table.len(), expected.len()), (26, 26), "{arch}");
        for row in table {
            let ranges: Vec<String> = row.ranges.iter().map(ToString::to_string).collect();
            assert_eq!(ranges.join(", "), expected[row.ty.name], "{arch} {}", row.ty.name);
        }
    }
}

#[test]
fn answers_are_those_that_were_observed() {
    for (arch, query, expected, prefix) in ANSWERS {
        let answer = asked(arch, query, None);
        let kernel = answer.kernel.as_ref().map(Kernel::prefix).unwrap_or_default();
        assert_eq!(
            (answer.route.to_string().as_str(), kernel.as_str()),
            (*expected, *prefix),
            "{arch} {query}"
        );
        let sizes = query.starts_with("fa") && answer.route == Route::Unsupported;
        assert!(answer.rule.is_some() || sizes, "{arch} {query}: no rule");
    }
}

#[test]
fn a_rule_names_itself_and_its_source() {
    let answer = asked("gfx908", "mm q4_K K4096 N4096 ne11=257 prec=0", None);
    let rule = answer.rule.unwrap();
    assert_eq!((answer.route.name(), rule.id.as_str()), ("BLAS", "mmq-cdna-256"));
    assert!(rule.source.contains("12236b4a") && answer.is_documented);
}

/// A published study states one rule of one version as if it applied to all GPUs and versions; the sources
/// differ (`ggml_cuda_should_use_mmq` of each tag in src/ggml-cuda/mmq.cu).
#[test]
fn rules_change_with_versions() {
    let route = |arch: &str, columns: u64, version: &str| {
        let query = format!("mm q4_K K4096 N4096 ne11={columns} prec=0");
        asked(arch, &query, Some(version)).route.name()
    };
    for arch in ["gfx908", "gfx90a"] {
        let routes = [8, 9, 256, 257].map(|columns| route(arch, columns, "0.9.1"));
        assert_eq!(routes, ["MMVQ", "MMQ", "MMQ", "BLAS"], "{arch}");
    }
    assert_eq!(route("gfx90a", 8, "0.13.0"), "MMVQ");
    assert_eq!(route("gfx90a", 8, "0.13.1"), "MMQ");
    assert_eq!(route("gfx1201", 63, "0.9.4"), "MMQ");
    assert_eq!(route("gfx1201", 64, "0.9.4"), "BLAS");
    assert_eq!(route("gfx1201", 64, "0.9.5"), "MMQ");
    assert_eq!(route("gfx900", 64, "0.15.0"), "MMQ");
    assert_eq!(route("gfx900", 64, "0.16.0"), "BLAS");
    assert_eq!(route("gfx90c", 8, "0.27.0"), "MMVQ");
    assert_eq!(route("gfx90c", 9, "0.27.0"), "BLAS");
}

/// `ggml_cuda_should_use_mmf`, `ggml_cuda_should_use_mmvf` and `ggml_cuda_should_use_mmq` in each tag, and
/// `ggml_backend_cuda_device_supports_op` for the types.
#[test]
fn stages_and_types_come_with_their_version() {
    let route = |arch: &str, ty: &str, columns: u64, version: &str| {
        let answer = asked(arch, &format!("mm {ty} K4096 N4096 ne11={columns} prec=0"), Some(version));
        answer.route.name()
    };
    for (arch, ty, columns, version, expected) in [
        ("gfx1201", "f16", 6, "0.9.4", "BLAS"),
        ("gfx1201", "f16", 6, "0.9.5", "MMF"),
        ("gfx1100", "bf16", 4, "0.9.1", "BLAS"),
        ("gfx1100", "bf16", 4, "0.9.5", "MMF"),
        ("gfx1100", "f16", 5, "0.9.4", "MMVF"),
        ("gfx1100", "f16", 5, "0.9.5", "MMF"),
        ("gfx942", "f32", 16, "0.9.5", "BLAS"),
        ("gfx942", "f32", 16, "0.9.6", "MMF"),
        ("gfx950", "q8_0", 512, "0.9.11", "MMQ"),
        ("gfx950", "q8_0", 512, "0.10.0", "BLAS"),
        ("gfx1100", "nvfp4", 1, "0.9.8", "UNSUPPORTED"),
        ("gfx1100", "nvfp4", 1, "0.9.9", "MMVQ"),
        ("gfx1100", "nvfp4", 64, "0.9.10", "BLAS"),
        ("gfx1100", "nvfp4", 64, "0.9.11", "MMQ"),
        ("gfx1100", "q1_0", 1, "0.9.11", "UNSUPPORTED"),
        ("gfx1100", "q1_0", 1, "0.10.0", "MMVQ"),
        ("gfx1100", "q2_0", 1, "0.17.0", "UNSUPPORTED"),
        ("gfx1100", "q2_0", 1, "0.18.0", "MMVQ"),
        ("gfx1100", "mxfp4", 1, "0.9.1", "MMVQ"),
    ] {
        assert_eq!(route(arch, ty, columns, version), expected, "{arch} {ty} {columns} {version}");
    }
}

#[test]
fn no_rule_claims_to_be_the_only_one() {
    let rules = rules::rules().unwrap();
    let notes = rules.all().iter().filter_map(|rule| rule.note.as_deref());
    assert!(notes.clone().all(|note| !note.contains("the only 256") || note.starts_with("not the only 256")));
    // Two rules end MMQ at 256 columns.
    let ends = rules.stage("mmq").filter(|rule| rule.at_most == Some(256)).map(|rule| rule.id.as_str());
    assert_eq!(ends.collect::<Vec<_>>(), ["mmq-cdna-256", "mmq-rdna3.5-q6_K"]);
}

#[test]
fn attention_of_0_21_took_fewer_matrices_and_types() {
    let route = |arch: &str, query: &str, version: &str| asked(arch, query, Some(version)).route.name();
    let large = "fa f16 D576 DV512 nq=512 nh=32 nkv=1 kv=1024 mask=1";
    assert_eq!((route("gfx90a", large, "0.21.0"), route("gfx90a", large, "0.27.0")), ("TILE", "MMA"));
    let middle = "fa f16 D256 DV256 nq=512 nh=32 nkv=4 kv=1024 mask=1";
    assert_eq!((route("gfx1100", middle, "0.21.0"), route("gfx1100", middle, "0.27.0")), ("TILE", "MMA"));
    let q5 = "fa q5_1 D128 DV128 nq=1 nh=32 nkv=4 kv=1024 mask=1";
    assert_eq!((route("gfx906", q5, "0.21.0"), route("gfx906", q5, "0.27.0")), ("UNSUPPORTED", "VEC"));
}

#[test]
fn kernels_have_the_arguments_of_their_version() {
    let name = |query: &str, version: &str| asked("gfx906", query, Some(version)).kernel.unwrap().name();
    let vector = "mm q4_K K4096 N4096 ne11=1 prec=0";
    assert_eq!(name(vector, "0.27.0"), "mul_mat_vec_q<(ggml_type)12, 1, false, false, false>");
    assert_eq!(name(vector, "0.9.6"), "mul_mat_vec_q<(ggml_type)12, 1, false>");
    assert_eq!(name(vector, "0.9.4"), "mul_mat_vec_q<(ggml_type)12, 1>");
    let matrix = "mm q4_K K4096 N4096 ne11=64 prec=0";
    assert_eq!(name(matrix, "0.27.0"), "mul_mat_q<(ggml_type)12, 64, false, (ggml_prec)30>");
    assert_eq!(name(matrix, "0.21.0"), "mul_mat_q<(ggml_type)12, 64, false>");
}
