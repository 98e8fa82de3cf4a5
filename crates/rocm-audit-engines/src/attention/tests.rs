use super::aotriton::AotritonRelease;
use super::step::Environment;
use super::*;

fn call(ty: AttentionType, dim: u32, causal: bool) -> AttentionCall {
    AttentionCall { ty, dim, value_dim: dim, causal }
}

fn release(minor: u32, patch: Option<u32>) -> AotritonRelease {
    AotritonRelease { minor: (0, minor), patch }
}

/// As AOTriton's own `attn_fwd` and `getGpuFromStream` do on a stand-in for HIP: 0.11.2b, 0.12.1b and 0.13b.
#[test]
fn aotriton_takes_blocks_and_cards_by_its_release() {
    let sizes = [16, 32, 48, 64];
    let block = |dim, value_dim, processor, release, has_16| {
        let call = AttentionCall { value_dim, ..call(AttentionType::Fp16, dim, false) };
        aotriton::block(&call, processor, release, has_16, sizes)
    };
    for (processor, release, has_16, taken) in [
        ("gfx950", Some((0, 11)), true, 16),
        ("gfx950", Some((0, 11)), false, 16),
        ("gfx950", Some((0, 12)), true, 32),
        ("gfx950", None, true, 16),
        ("gfx950", None, false, 32),
        ("gfx942", Some((0, 13)), true, 16),
    ] {
        assert_eq!(block(16, 16, processor, release, has_16), Some(taken), "{processor} {release:?}");
    }
    assert_eq!(block(64, 40, "gfx942", Some((0, 11)), true), None);
    assert_eq!(block(40, 64, "gfx942", Some((0, 12)), true), Some(64));
    let fails = |ty, causal, minor| aotriton::fails(&call(ty, 100, causal), "gfx1250", minor, 128);
    assert!(fails(AttentionType::Bf16, false, (0, 12)));
    assert!(!fails(AttentionType::Bf16, true, (0, 12)));
    assert!(!fails(AttentionType::Fp16, false, (0, 12)));
    assert!(!fails(AttentionType::Bf16, false, (0, 13)));
    for (processor, of, known) in [
        ("gfx1151", release(10, None), false),
        ("gfx1151", release(11, Some(0)), true),
        ("gfx1152", release(11, Some(1)), false),
        ("gfx1152", release(11, None), true),
        ("gfx1250", release(11, Some(2)), false),
        ("gfx1250", release(11, Some(52)), true),
        ("gfx1250", release(12, Some(0)), false),
        ("gfx1250", release(12, Some(1)), true),
        ("gfx1030", release(13, None), false),
    ] {
        assert_eq!(aotriton::knows(processor, of), known, "{processor} {of:?}");
    }
    assert!(pytorch::is_experimental("gfx1100", release(11, Some(0))));
    assert!(!pytorch::is_experimental("gfx1100", release(11, Some(1))));
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
        let release = AotritonRelease { minor: aotriton, patch: None };
        let steps = pytorch::steps(call, processor, release, true, environment);
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
    // What the sources of 2.5, 2.6.0 and 2.9 say of the memory-efficient one.
    let single = |dim| call(AttentionType::Fp32, dim, false);
    for (aotriton, dim, backend) in [
        ((0, 7), 512, "memory-efficient attention"),
        ((0, 7), 12, "memory-efficient attention"),
        ((0, 7), 6, "math"),
        ((0, 8), 6, "memory-efficient attention"),
        ((0, 8), 264, "math"),
        ((0, 11), 512, "memory-efficient attention"),
        ((0, 11), 12, "memory-efficient attention"),
        ((0, 11), 6, "math"),
        ((0, 11), 520, "math"),
    ] {
        assert_eq!(taken(&single(dim), "gfx942", aotriton, &none), backend, "{aotriton:?} {dim}");
    }
    assert_eq!(taken(&unequal, "gfx942", (0, 7), &none), "memory-efficient attention");
    for (aotriton, backend) in [((0, 7), "math"), ((0, 8), "flash attention"), ((0, 9), "flash attention")] {
        assert_eq!(taken(&half(64), "gfx1100", aotriton, &none), backend, "{aotriton:?}");
    }
    assert_eq!(pytorch::built_with("2.9.1+rocm7.2"), Some((0, 11)));
    assert_eq!(pytorch::release_of_library("libaotriton_v2.so.0.11.1"), Some(release(11, Some(1))));
}

/// Written down from the sources of each release, which ask a GPU when they run.
#[test]
fn vllm_takes_what_its_release_says() {
    let none: &[&str] = &[];
    let aiter: &[&str] = &["VLLM_ROCM_USE_AITER"];
    let unified: &[&str] = &["VLLM_ROCM_USE_AITER", "VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION"];
    let split: &[&str] = &["VLLM_V1_USE_PREFILL_DECODE_ATTENTION"];
    let rows = [
        ((0, 9), 128, "gfx942", none, Some("TRITON_ATTN")),
        ((0, 10), 80, "gfx942", none, None),
        ((0, 10), 128, "gfx90a", aiter, Some("ROCM_AITER_FA")),
        ((0, 10), 96, "gfx90a", aiter, None),
        ((0, 11), 80, "gfx1100", none, Some("TRITON_ATTN")),
        ((0, 11), 128, "gfx942", split, Some("ROCM_ATTN")),
        ((0, 12), 128, "gfx942", unified, Some("ROCM_AITER_UNIFIED_ATTN")),
        ((0, 14), 128, "gfx942", aiter, Some("ROCM_AITER_FA")),
        ((0, 16), 128, "gfx1100", aiter, Some("TRITON_ATTN")),
        ((0, 18), 96, "gfx942", aiter, Some("TRITON_ATTN")),
        ((0, 18), 128, "gfx90a", aiter, Some("TRITON_ATTN")),
        ((0, 16), 80, "gfx942", unified, None),
        ((0, 17), 80, "gfx942", unified, Some("ROCM_AITER_UNIFIED_ATTN")),
        ((0, 18), 16, "gfx942", none, None),
        ((0, 20), 128, "gfx942", aiter, Some("ROCM_ATTN")),
        ((0, 20), 40, "gfx942", none, Some("ROCM_AITER_UNIFIED_ATTN")),
        ((0, 20), 40, "gfx1100", none, Some("TRITON_ATTN")),
        ((0, 33), 128, "gfx1201", none, Some("ROCM_ATTN")),
        ((0, 33), 128, "gfx1201", aiter, Some("ROCM_AITER_UNIFIED_ATTN")),
    ];
    for (release, dim, processor, variables, expected) in rows {
        let mut set = Environment::default();
        assert!(variables.iter().all(|name| set.set(name, "1")));
        let steps = vllm::steps(&call(AttentionType::Bf16, dim, true), processor, release, true, &set);
        let taken = steps.iter().find(|step| step.refused.is_none()).map(|step| step.backend);
        assert_eq!(taken, expected, "{release:?} {dim} {processor} {variables:?}: {steps:?}");
    }
    assert_eq!(vllm::release("0.11.0+rocm702"), Some((0, 11)));
    assert_eq!(vllm::release("dev"), None);
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
