//! The parameters of a solver's kernel: how a perf-db writes them, and what is taken where no perf-db has
//! them.
//!
//! Source, MIOpen 3.3.0: `src/include/miopen/conv/solvers.hpp` (the fields that each `Performance…` visits,
//! in the order in which a perf-db has them) and `src/include/miopen/legacy_exhaustive_search.hpp`.

mod blocks;
pub mod defaults;
mod direct_1x1;
mod direct_1x1_stride2;
mod gtc_nhwc;
pub mod kernel_launch;
pub mod launch;
mod sizes;
pub mod sources;
mod tiles;
mod weights;
mod winograd;

/// The fields of the solvers' configurations, in the order of a perf-db.
static FIELDS: &[(&[&str], &str)] = &[
    (&["ConvAsm3x3U"], "limit_wave_cnt filters_per_wave output_lines_per_wave"),
    (
        &["ConvAsm1x1U", "ConvBiasActivAsm1x1U"],
        "read_size k_mult chunks_per_wave chunk_size n_mult c_mult waves_c_in_group waves_k_in_group",
    ),
    (
        &["ConvAsm1x1UV2"],
        "chunk_size dwords_per_ld k_mult c_mult n_mult w_mult h_mult h_per_chunk waves_k_in_group waves_c_in_group",
    ),
    (
        &["ConvAsmBwdWrW1x1"],
        "chunk_size c_per_gpr c_mult k_per_gpr k_mult n_per_gpr n_part_cnt read_size short_store data_prefetch",
    ),
    (
        &["ConvAsmBwdWrW3x3"],
        "limit_wave_cnt reverse_inout chunk_size k_per_wave pipe_lines_depth n_per_group",
    ),
    (&["ConvBinWinogradRxSf2x3", "ConvBinWinogradRxSf2x3g1", "ConvBinWinogradRxSf3x2"], "n_groups"),
    (
        &["ConvOclDirectFwd", "ConvOclDirectFwd1x1", "ConvOclDirectFwdFused"],
        "grp_tile1 grp_tile0 in_tile1 in_tile0 out_pix_tile1 out_pix_tile0 n_out_pix_tiles n_in_data_tiles n_stacks",
    ),
    (&["ConvOclBwdWrW2"], "n_waves read_size n_out_channels_per_tile n_out_channels_tiles n_out_rows_in_lcl"),
    (
        &["ConvHipImplicitGemmV4R1Fwd", "ConvHipImplicitGemmV4R1WrW"],
        "BPerBlock KPerBlock EPerBlock GemmNRepeat GemmMPerThreadSubC GemmNPerThreadSubC GemmMLevel0Cluster GemmNLevel0Cluster \
         GemmMLevel1Cluster GemmNLevel1Cluster InBlockCopyClusterLengths_E InBlockCopyClusterLengths_N1 \
         InBlockCopyClusterLengths_B InBlockCopyClusterLengths_N2 WeiBlockCopyClusterLengths_E WeiBlockCopyClusterLengths_K",
    ),
    (
        &[
            "ConvHipImplicitGemmV4R4Fwd",
            "ConvHipImplicitGemmV4R4WrW",
            "ConvHipImplicitGemmBwdDataV1R1",
            "ConvHipImplicitGemmBwdDataV4R1",
            "ConvMlirIgemmFwd",
            "ConvMlirIgemmBwd",
            "ConvMlirIgemmWrW",
        ],
        "BlockSize GemmMPerBlock GemmNPerBlock GemmKPerBlock GemmMPerThread GemmNPerThread",
    ),
    (
        &["ConvHipImplicitGemmBwdDataV4R1Xdlops"],
        "GemmNPerBlock GemmMPerBlock GemmKPerBlock GemmKPACKSize GemmMPerWave GemmNPerWave GemmAThreadCopyMoreGemmK \
         GemmBThreadCopyMoreGemmKPack",
    ),
    (
        &["ConvMlirIgemmFwdXdlops", "ConvMlirIgemmBwdXdlops", "ConvMlirIgemmWrWXdlops"],
        "GemmNPerBlock GemmMPerBlock GemmKPerBlock GemmMPerWave GemmNPerWave GemmKPACKSize GemmAThreadCopyMoreGemmK \
         GemmBThreadCopyMoreGemmKPack",
    ),
    (
        &["ConvHipImplicitGemmForwardV4R4Xdlops", "ConvHipImplicitGemmForwardV4R5Xdlops"],
        "GemmMPerBlock GemmNPerBlock GemmKPerBlock GemmMPerWave GemmNPerWave GemmKPack GemmAThreadCopyMoreGemmK \
         GemmBThreadCopyMoreGemmKPack GemmBThreadDataPerRead_GemmN",
    ),
    (
        &["ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm"],
        "GemmMPerBlock GemmNPerBlock GemmKPerBlock GemmMPerWave GemmNPerWave GemmKPack GemmMFactor GemmNFactor GemmKFactor \
         GemmAThreadCopyMoreGemmK GemmBThreadCopyMoreGemmKPack GemmBThreadDataPerRead_GemmN",
    ),
    (
        &["ConvHipImplicitGemmBwdDataV1R1Xdlops"],
        "GemmMPerBlock GemmNPerBlock GemmKPerBlock GemmMPerWave GemmNPerWave GemmKPack GemmAThreadCopyMoreGemmK \
         GemmBThreadCopyMoreGemmKPack",
    ),
    (
        &["ConvHipImplicitGemmWrwV4R4Xdlops"],
        "GemmMPerBlock GemmNPerBlock GemmKPerBlock GemmMPerWave GemmNPerWave GemmKPack GemmAThreadCopyMoreGemmK \
         GemmBThreadCopyMoreGemmK",
    ),
    (
        &["ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm"],
        "GemmMPerBlock GemmNPerBlock GemmKPerBlock GemmMPerWave GemmNPerWave GemmKPack GemmMFactor GemmNFactor \
         GemmKTotalFactor GemmAThreadCopyMoreGemmK GemmBThreadCopyMoreGemmK",
    ),
    (
        &[
            "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
            "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
            "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC",
        ],
        "dir lyt pre nxb nxe mpb npb kpb wtm wtn wtk wsm wsn wrm wrn mh vs gks me pta ta0 ta1 ta2 ta3 ca0 ca1 ca2 ca3 \
         tb0 tb1 tb2 tb3 cb0 cb1 cb2 cb3 index",
    ),
    (
        &["ConvAsmImplicitGemmGTCDynamicFwdDlopsNCHWC"],
        "dir lyt pre nxb nxe mpb npb kpb lgtm lgtn lgpwm lgpwn lgrm lgrn vec_c ta0 ta1 ta2 ta3 ca0 ca1 ca2 ca3 \
         tb0 tb1 tb2 tb3 cb0 cb1 cb2 cb3 index",
    ),
    (&["ConvCkIgemmFwdV6r1DlopsNchw"], "ck_tunable_list_id"),
];

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name in MIOpen's source.
    pub name: &'static str,
    /// The value as a perf-db writes it.
    pub value: String,
}

/// The parameters that a perf-db writes as `text`, by their names; none where the solver's are not written
/// down here, or the text has more or fewer values than the solver has parameters, which MIOpen then leaves
/// out.
pub fn named(solver: &str, text: &str) -> Vec<Parameter> {
    // Five solvers are one class with a number.
    let class = solver.split('<').next().unwrap_or(solver);
    let Some((_, names)) = FIELDS.iter().find(|(solvers, _)| solvers.contains(&class)) else {
        return Vec::new();
    };
    let (names, values): (Vec<&'static str>, Vec<&str>) =
        (names.split_whitespace().collect(), text.split(',').collect());
    if names.len() != values.len() {
        return Vec::new();
    }
    names.into_iter().zip(values).map(|(name, value)| Parameter { name, value: value.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_the_order_of_a_perf_db() {
        let shown = |solver, text| {
            let all = named(solver, text).into_iter().map(|p| format!("{} {}", p.name, p.value));
            all.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(
            shown("ConvAsm1x1U", "4,16,4,16,2,1,1,1"),
            "read_size 4, k_mult 16, chunks_per_wave 4, chunk_size 16, n_mult 2, c_mult 1, waves_c_in_group 1, waves_k_in_group 1"
        );
        assert_eq!(
            shown("ConvOclBwdWrW2<4>", "1,6,3,3,9"),
            "n_waves 1, read_size 6, n_out_channels_per_tile 3, n_out_channels_tiles 3, n_out_rows_in_lcl 9"
        );
        assert_eq!(shown("ConvAsm1x1U", "4,16"), "", "another release's row");
        assert_eq!(shown("GemmFwdRest", "4"), "");
    }
}
