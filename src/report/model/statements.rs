//! Further statements about a model: the source of its rules, the contents of its files, and what is unknown.

use super::Modelled;
use crate::answers::model::OnCard;
use crate::answers::model::Phase;
use crate::engines::model::conversion::Conversion;
use crate::engines::model::families::Becomes;
use crate::engines::model::graph;
use crate::engines::model::network::Network;
use crate::engines::model::rules::{COUNTED, OBSERVED};
use crate::report::v1::{Evidence, Statement};

fn of_conversion(made: &Conversion, network: &Network) -> Vec<(String, Evidence)> {
    let ty = made.ty.map_or("f16", |ty| ty.name);
    let how = match made.follows_file {
        true => format!("{ty}, that of the file's matrices, as --outtype auto takes it"),
        false => format!("{ty}, as the call says"),
    };
    let mut all = vec![(
        format!(
            "llama.cpp reads GGUF alone: convert_hf_to_gguf.py comes first, and names, shapes and types are those that it would write \
             (llama.cpp 0024aa7417ef). Matrices become {how}; norms and routers f32"
        ),
        Evidence::Code,
    )];
    if !made.is_known {
        let class = made.class.as_deref().unwrap_or("a model without a class");
        let text = format!(
            "no rules are known for {class}: names that llama.cpp would change are kept, and it may refuse the model"
        );
        all.push((text, Evidence::Inferred));
    }
    if let Some((method, becomes)) = &made.quantized {
        let text = match becomes {
            Some(Becomes::Dequantized) => {
                format!("weights in {method} are none that llama.cpp reads: the converter makes {ty} of them")
            }
            Some(Becomes::Repacked) => {
                format!("weights in {method} are repacked as ggml's type of that name")
            }
            Some(Becomes::Refused) => format!(
                "the converter does not take weights in {method}: the answer is for {ty} of the same shapes, which another file must bring"
            ),
            None => format!(
                "what the converter makes of weights in {method} is not known; shapes are taken as they are stored"
            ),
        };
        all.push((text, Evidence::Code));
    }
    if made.of_other_parts > 0 {
        let text = format!(
            "{} tensors read images or sound; the converter writes a file of its own for them, and they are left out",
            made.of_other_parts
        );
        all.push((text, Evidence::Code));
    }
    if !made.unplaced.is_empty() {
        const NAMED: usize = 8;
        let names: Vec<&str> = made.unplaced.iter().take(NAMED).map(String::as_str).collect();
        let more = made.unplaced.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("left out, since the rules have no place for them: {}{more}", names.join(", "));
        all.push((text, Evidence::Inferred));
    }
    if made.heads_of_shapes {
        let text = "config.json leaves sizes of heads to defaults; they are taken from shapes of the weights"
            .to_owned();
        all.push((text, Evidence::Inferred));
    }
    let asks = network.weights.iter().find(|weight| weight.role.starts_with("attn_q"));
    if asks.and_then(|weight| weight.block).is_some_and(|block| network.attention(block).is_none()) {
        let text =
            "how many heads attention has is not known, so that it is left out of all numbers".to_owned();
        all.push((text, Evidence::Observed));
    }
    all
}

pub(super) fn statements(modelled: &Modelled<'_>, answers: &[OnCard]) -> Vec<Statement> {
    let say = |about: &str, text: String, evidence| Statement { about: about.to_owned(), text, evidence };
    let mut all = Vec::new();
    let architecture = &modelled.files.network.architecture;
    if OBSERVED.contains(&architecture.as_str()) {
        let text = format!(
            "the rules for {architecture} were compared with runs of llama.cpp 0.7.0 and ggml 0.27.0 without a GPU"
        );
        all.push(say("architecture", text, Evidence::StandIn));
    } else {
        let is_read = graph::is_named(architecture);
        let named = match architecture.as_str() {
            "" => "a model that names no architecture".to_owned(),
            named => format!("{named:?}"),
        };
        let (text, evidence) = if is_read {
            let text = format!(
                "what {named} has of its own is read in llama.cpp's sources; no run of it was compared. Columns of the last block, \
                 precision and fusion can be others"
            );
            (text, Evidence::Code)
        } else {
            let text = format!(
                "no rules of its own are known for {named}: every matrix is taken to be a product of each token. Columns of the last \
                 block, precision and fusion can be others"
            );
            (text, Evidence::Inferred)
        };
        all.push(say("architecture", text, evidence));
    }
    if let Some(made) = &modelled.files.conversion {
        let said = of_conversion(made, &modelled.files.network);
        all.extend(said.into_iter().map(|(text, evidence)| say("conversion", text, evidence)));
    }
    if modelled.files.is_header_only {
        let text = "only headers are in the files, which is all that is read".to_owned();
        all.push(say("data", text, Evidence::Observed));
    }
    if answers.iter().any(|asked| asked.answer.phases.iter().any(Phase::has_loop)) {
        let text = "how many tokens an expert gets is the router's choice; launches are those of an even one"
            .to_owned();
        all.push(say("experts", text, Evidence::Inferred));
    }
    let fused =
        "gate, up and sums are joined as ggml does it unless buffers overlap, which its allocator decides"
            .to_owned();
    all.push(say("fusion", fused, Evidence::Inferred));
    let (counted, evidence) = if COUNTED.contains(&architecture.as_str()) {
        ("all launches are counted, as in the runs; a call of rocBLAS is one", Evidence::StandIn)
    } else {
        (
            "launches between products are those of the weights that are there: norms, rotations, sums and units of a usual block",
            Evidence::Inferred,
        )
    };
    all.push(say("launches", counted.to_owned(), evidence));
    if answers.iter().any(|asked| asked.quantization.is_some()) {
        let text = "which weights get another type is as in llama-quantize (llama.cpp 007dbbf3fd17, the same as dry runs of 0.7.0), \
                    without an importance matrix and from weights that are not quantized";
        all.push(say("quantization", text.to_owned(), Evidence::Code));
    }
    let known = answers.iter().any(|asked| asked.card.memory.is_some());
    let of_card = match (modelled.memory_given, known) {
        (true, _) => {
            "the card's memory is that of the call; buffers of computation are not known, and come on top"
        }
        (false, true) => {
            "the card's memory is that of published tables; buffers of computation are not known, and come on top"
        }
        (false, false) => {
            "the card's memory is not known; give it with --memory GIB. Buffers of computation are not known"
        }
    };
    all.push(say("memory", of_card.to_owned(), Evidence::Inferred));
    all.push(bound(answers));
    let predicted = "rules name kernels; nothing was run, and no speed is promised".to_owned();
    all.push(say("predicted", predicted, Evidence::Inferred));
    all
}

/// What "at most" rests on.
fn bound(answers: &[OnCard]) -> Statement {
    let mut speeds: Vec<String> = Vec::new();
    for asked in answers {
        let Some(speed) = asked.card.speed else { continue };
        let units = match (speed.compute_units, speed.clock_mhz) {
            (Some(units), Some(clock)) => format!(", {units} compute units at {clock} MHz"),
            _ => ", compute units or clock unknown".to_owned(),
        };
        let text = format!("{} GB/s{units} ({})", speed.bandwidth / 1_000_000_000, asked.card.processor);
        if !speeds.contains(&text) {
            speeds.push(text);
        }
    }
    let text = if speeds.is_empty() {
        "tokens a second at most are calculated for a card that is named, as in --gpu \"RX 7900 XTX\""
            .to_owned()
    } else {
        format!(
            "\"at most\" is what the card's memory and units can do, and no prediction: bytes by its bandwidth, operations by its peaks; {}. \
             Published runs are the middle half of those of llama.cpp on similar cards, in docs/model.md",
            speeds.join("; ")
        )
    };
    Statement { about: "at most".to_owned(), text, evidence: Evidence::Code }
}
