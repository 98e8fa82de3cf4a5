//! The frameworks of a tree with their releases, and what each takes.

use super::{AITER, AOTRITON, FrameworkTakes, HeldKernels};
use crate::engines::attention::aotriton::AotritonRelease;
use crate::engines::attention::step::Environment;
use crate::engines::attention::{AttentionCall, aiter, pytorch, vllm};
use crate::inventory::Inventory;
use crate::inventory::distributions::Stated;
use crate::locator::file_name;

/// The version that a file states of a package.
fn stated<'s>(stated: &'s Stated, name: &str) -> Option<&'s str> {
    match stated {
        Stated::Package(one) if one.name == name => Some(&one.version),
        _ => None,
    }
}

/// The release of AOTriton: that of its library, else the one that PyTorch was built with.
pub(super) fn aotriton_release(inventory: &Inventory) -> Option<AotritonRelease> {
    let places = inventory.shared_libraries.keys().map(|name| file_name(name));
    let by_name = places.filter_map(pytorch::release_of_library).max_by_key(|own| (own.minor, own.patch));
    by_name.or_else(|| {
        let minor = pytorch::built_with(version(inventory, "torch")?)?;
        Some(AotritonRelease { minor, patch: None })
    })
}

/// The version of a package that the tree states.
pub(super) fn version<'i>(inventory: &'i Inventory, name: &str) -> Option<&'i str> {
    inventory.packages_stated.iter().find_map(|one| stated(&one.stated, name))
}

/// What the frameworks that are here take.
pub(super) fn frameworks(
    inventory: &Inventory,
    held: &HeldKernels,
    release: Option<AotritonRelease>,
    call: AttentionCall,
    processor: &str,
    has_aiter: bool,
    environment: &Environment,
) -> Vec<FrameworkTakes> {
    let version = |name: &str| version(inventory, name);
    let mut all = Vec::new();
    let torch = version("torch");
    if torch.is_some() || held.has(AOTRITON) {
        let known = release.map(|release| release.minor);
        let aotriton = release.unwrap_or(AotritonRelease { minor: pytorch::NEWEST, patch: None });
        let named = format!("AOTriton {}.{}", aotriton.minor.0, aotriton.minor.1);
        let remark = match known {
            None => Some(format!("the release of AOTriton is not known; these are the rules for {named}")),
            Some(known) if known > pytorch::NEWEST => {
                Some("this AOTriton is newer than the rules".to_owned())
            }
            Some(_) => None,
        };
        let release = match (torch, known) {
            (Some(torch), Some(_)) => Some(format!("{torch}, {named}")),
            (Some(torch), None) => Some(torch.to_owned()),
            (None, Some(_)) => Some(format!("with {named}")),
            (None, None) => None,
        };
        let has_code = held.of(AOTRITON, processor).is_some();
        let steps = pytorch::steps(&call, processor, aotriton, has_code, environment);
        all.push(FrameworkTakes {
            framework: "PyTorch",
            release,
            remark,
            steps,
            variables: environment.of("PyTorch"),
        });
    }
    if let Some(vllm) = version("vllm") {
        let known = vllm::release(vllm);
        let steps = vllm::steps(&call, processor, known.unwrap_or(vllm::NEWEST), has_aiter, environment);
        let (newest, oldest) = (vllm::NEWEST, vllm::OLDEST);
        let remark = match known {
            Some(known) if known > newest => {
                Some(format!("the rules are those of {}.{}", newest.0, newest.1))
            }
            Some(known) if known < oldest => {
                Some(format!("the rules are those of {}.{}", oldest.0, oldest.1))
            }
            Some(_) => None,
            None => {
                Some(format!("its release is not known; the rules are those of {}.{}", newest.0, newest.1))
            }
        };
        let release = Some(vllm.to_owned());
        all.push(FrameworkTakes {
            framework: "vLLM",
            release,
            remark,
            steps,
            variables: environment.of("vLLM"),
        });
    }
    if has_aiter {
        let release = version("amd-aiter").or_else(|| version("aiter")).map(str::to_owned);
        let remark = Some("the rules were read at one commit; this release may differ".to_owned());
        let steps = aiter::steps(&call, processor, environment);
        all.push(FrameworkTakes {
            framework: AITER,
            release,
            remark,
            steps,
            variables: environment.of(AITER),
        });
    }
    all
}
