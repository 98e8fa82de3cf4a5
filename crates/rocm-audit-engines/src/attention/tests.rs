use super::step::Environment;
use super::*;

fn call(ty: AttentionType, dim: u32, causal: bool) -> AttentionCall {
    AttentionCall { ty, dim, value_dim: dim, causal }
}

/// Names as AOTriton's own generator writes them, at 0.11.2b and at 30ae9671.
#[test]
fn names_of_images_are_read() {
    let path = "lib/aotriton.images/amd-gfx942/flash/attn_fwd/FONLY__＊bf16@16_128_F_F_3_0___gfx942.aks2";
    let read = aotriton::of_path(path).unwrap();
    assert_eq!((read.ty, read.dim, read.causal, read.padded), (AttentionType::Bf16, 128, true, Some(false)));
    let path = "amd-gfx11xx/flash/attn_fwd/FONLY__^fp16@16,160,True,False,0,0___gfx1100.aks2";
    let read = aotriton::of_path(path).unwrap();
    assert_eq!((read.dim, read.causal, read.padded), (160, false, Some(true)));
    let path = "amd-gfx942/flash/attn_fwd.zip!/Q='*fp32:16';BLOCK_DMODEL=512;PADDED_HEAD=False;ENABLE_DROPOUT=False;CAUSAL_TYPE=3;BIAS_TYPE=0";
    let read = aotriton::of_path(path).unwrap();
    assert_eq!((read.ty, read.dim, read.causal), (AttentionType::Fp32, 512, true));
    let old =
        aotriton::of_path("amd-gfx90a/flash/attn_fwd/FONLY__^fp16@16,True,64,False,False,0___MI200.aks2");
    assert_eq!(old.map(|one| (one.dim, one.causal)), Some((64, true)));
    for other in [
        "amd-gfx942/flash/attn_fwd/FONLY__＊bf16@16_128_F_T_3_0___gfx942.aks2",
        "amd-gfx942/flash/attn_fwd/FONLY__＊bf16@16_128_F_F_0_1___gfx942.aks2",
        "amd-gfx942/flash/bwd_kernel_dq/FONLY__＊bf16@16_128_F_F_0_0___gfx942.aks2",
        "amd-gfx942/flash/attn_fwd/FONLY__x___gfx942.aks2",
        "amd-gfx942/flash/attn_fwd/FONLY__＊bf16@16_x_F_F_0_0___gfx942.aks2",
    ] {
        assert_eq!(aotriton::of_path(other), None, "{other}");
    }
}

#[test]
fn a_list_of_assembly_and_its_symbols_say_the_same() {
    let text = "dtype,hdim_q,hdim_v,mask,mode,bf16_cvt,ts_qo,ts_kv,knl_name,co_name
bf16,192,128,2,1,1,128,32,_ZN5aiter41fmha_fwd_hd192x128_bf16_causal_rtna_groupE,fwd_hd192x128_bf16_causal_rtna_group.co
bf16,192,128,0,0,0,128,128,_ZN5aiter25fmha_fwd_hd192_hd128_bf16E,fwd_hd192_hd128_bf16.co
fp8bf16,256,256,2,0,0,256,64,_ZN5aiter32fmha_fwd_hd256_fp8_causal_gfx950E,fwd_hd256_fp8_causal.co
bf16,x,128,0,0
";
    let rows = aiter::list(text);
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!(aiter::of_symbol(&row.symbol), Some(row.kernel), "{}", row.symbol);
    }
    assert!(aiter::list("a,b\n1,2\n").is_empty());
    assert_eq!(aiter::processor_of("aiter_meta/hsa/gfx942/fmha_v3_fwd/fmha_fwd.csv"), Some("gfx942"));
}

#[test]
fn an_instance_of_composable_kernel_is_read() {
    let name = "void ck_tile::kentry<2, ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipelineQRKSVSAsync<\
        ck_tile::BlockFmhaPipelineProblem<_Float16, _Float16, _Float16, float, float, unsigned char, float, \
        _Float16, float, _Float16, ck_tile::TileFmhaShape<ck_tile::sequence<128, 128, 32, 96, 32, 192>, \
        ck_tile::sequence<4, 1, 1> >, true, ck_tile::SimplifiedGenericAttentionMask<true> > > > >(args)";
    let read = composable_kernel::of_name(name).unwrap();
    assert_eq!((read.ty, read.dim, read.value_dim, read.causal), (AttentionType::Fp16, 192, 96, true));
    assert_eq!(composable_kernel::of_name("FmhaFwdKernel<x>"), None);
}

/// pytorch#189849: heads of 512 on gfx11.
#[test]
fn pytorch_takes_what_its_rules_say() {
    let none = Environment::default();
    let taken = |call: &AttentionCall, processor: &str, aotriton, environment: &Environment| {
        let steps = pytorch::steps(call, processor, aotriton, true, environment);
        steps.into_iter().find(|step| step.refused.is_none()).unwrap().backend
    };
    let half = |dim| call(AttentionType::Fp16, dim, false);
    assert_eq!(taken(&half(128), "gfx942", (0, 11), &none), "flash attention");
    assert_eq!(taken(&half(512), "gfx1100", (0, 11), &none), "math");
    assert_eq!(taken(&half(512), "gfx1100", (0, 12), &none), "flash attention");
    assert_eq!(taken(&half(512), "gfx90a", (0, 8), &none), "math");
    assert_eq!(
        taken(&call(AttentionType::Fp32, 64, true), "gfx942", (0, 11), &none),
        "memory-efficient attention"
    );
    assert_eq!(taken(&half(64), "gfx1151", (0, 11), &none), "math");
    assert_eq!(taken(&half(64), "gfx1151", (0, 12), &none), "flash attention");
    let mut set = Environment::default();
    assert!(set.set("TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL", "1") && !set.set("PATH", "x"));
    assert_eq!(taken(&half(64), "gfx1151", (0, 11), &set), "flash attention");
    let unequal = AttentionCall { value_dim: 64, ..half(128) };
    assert_eq!(taken(&unequal, "gfx942", (0, 11), &none), "math");
    assert_eq!(taken(&unequal, "gfx942", (0, 12), &none), "memory-efficient attention");
    assert_eq!(pytorch::built_with("2.9.1+rocm7.2"), Some((0, 11)));
    assert_eq!(pytorch::release_of_library("libaotriton_v2.so.0.11.1"), Some((0, 11)));
}

#[test]
fn vllm_takes_the_first_backend_that_fits() {
    let mut set = Environment::default();
    let taken = |dim, processor: &str, environment: &Environment| {
        let steps = vllm::steps(&call(AttentionType::Bf16, dim, true), processor, true, environment);
        steps.into_iter().find(|step| step.refused.is_none()).map(|step| step.backend)
    };
    assert_eq!(taken(128, "gfx942", &set), Some("ROCM_ATTN"));
    assert_eq!(taken(40, "gfx942", &set), Some("ROCM_AITER_UNIFIED_ATTN"));
    assert_eq!(taken(40, "gfx1100", &set), Some("TRITON_ATTN"));
    assert_eq!(taken(16, "gfx1100", &set), None);
    set.set("VLLM_ROCM_USE_AITER", "1");
    let steps = vllm::steps(&call(AttentionType::Bf16, 128, true), "gfx942", true, &set);
    assert!(steps.iter().any(|step| step.backend == "ROCM_AITER_FA" && step.refused.is_none()));
}

#[test]
fn what_is_lacking_is_named() {
    let kernel = AttentionKernel {
        ty: AttentionType::Bf16,
        dim: 128,
        value_dim: 128,
        causal: false,
        padded: None,
        is_group: false,
    };
    let ask = |call: AttentionCall| {
        serving(&call, &[kernel], |one| (one.dim, one.value_dim) == (call.dim, call.value_dim))
    };
    assert_eq!(ask(call(AttentionType::Bf16, 128, false)), Ok(kernel));
    assert_eq!(ask(call(AttentionType::Fp16, 128, false)), Err(Lack::Type));
    assert_eq!(ask(call(AttentionType::Bf16, 64, false)), Err(Lack::HeadSize(vec![(128, 128)])));
    assert_eq!(ask(call(AttentionType::Bf16, 128, true)), Err(Lack::Mask));
    assert_eq!(serving(&call(AttentionType::Bf16, 128, true), &[], |_| true), Err(Lack::Card));
}
