//! The document of a file as JSON: targets, kernels, and whether all was read.

use alloc::format;
use alloc::string::{String, ToString as _};
use amdgpu_object::carried::CarriedCode;
use amdgpu_object::codeobject::Kernel;
use amdgpu_object::target::TargetId;
use core::fmt::Write as _;

/// Most bytes of the list of kernels; the kernels beyond are counted.
const KERNEL_BYTES: usize = 64 << 20;

/// The document of the file `bytes`, and what it was made of.
pub(crate) fn read(bytes: &[u8]) -> (CarriedCode, String) {
    let (mut kernels, mut more) = (String::new(), 0u64);
    let code = CarriedCode::read(bytes, &mut |target, kernel| {
        if kernels.len().saturating_add(kernel.name().len()) > KERNEL_BYTES {
            more += 1;
        } else {
            separate(&mut kernels);
            one_kernel(&mut kernels, target, kernel);
        }
    });
    let json = document(&code, &kernels, more);
    (code, json)
}

fn document(code: &CarriedCode, kernels: &str, more: u64) -> String {
    let mut out = format!("{{\"amdgpu_object\":\"{}\",\"format\":", env!("CARGO_PKG_VERSION"));
    text(&mut out, code.format().name());
    field(&mut out, "complete", code.is_complete());
    field(&mut out, "bundles", code.bundles());
    out.push_str(",\"targets\":");
    list(&mut out, code.targets(), |out, row| {
        out.push_str("{\"target\":");
        text(out, &row.target().to_string());
        if let Some(named) = row.named().filter(|named| *named != row.target()) {
            out.push_str(",\"named\":");
            text(out, &named.to_string());
        }
        field(out, "code_objects", row.code_objects());
        field(out, "kernels", row.kernels());
        out.push('}');
    });
    field(&mut out, "spirv", code.spirv());
    out.push_str(",\"bitcode\":");
    list(&mut out, code.bitcode(), |out, target| text(out, &target.to_string()));
    field(&mut out, "moved_to_kpack", code.is_moved());
    out.push_str(",\"unread\":");
    list(&mut out, code.unread(), |out, what| text(out, what));
    out.push_str(",\"problems\":");
    list(&mut out, code.problems().iter(), |out, problem| text(out, &problem.to_string()));
    let _ = write!(out, ",\"kernels\":[{kernels}],\"kernels_more\":{more}}}");
    out
}

fn one_kernel(out: &mut String, target: &TargetId, kernel: &Kernel<'_>) {
    out.push_str("{\"target\":");
    text(out, &target.to_string());
    out.push_str(",\"name\":");
    text(out, kernel.name());
    for (name, number) in [
        ("sgprs", kernel.sgprs()),
        ("vgprs", kernel.vgprs()),
        ("agprs", kernel.agprs()),
        ("lds", kernel.lds()),
        ("scratch", kernel.scratch()),
        ("wavefront", kernel.wavefront()),
        ("max_workgroup", kernel.max_workgroup()),
    ] {
        if let Some(number) = number {
            field(out, name, number);
        }
    }
    out.push('}');
}

fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, one: impl Fn(&mut String, T)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        one(out, item);
    }
    out.push(']');
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push(',');
    }
}

fn field(out: &mut String, name: &str, value: impl core::fmt::Display) {
    let _ = write!(out, ",\"{name}\":{value}");
}

/// A string of JSON: RFC 8259 has quotes, backslashes and what is below a space escaped.
fn text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_as_json_has_it() {
        let mut out = String::new();
        text(&mut out, "a\"b\\c\n\u{7f}é\u{1}");
        assert_eq!(out, "\"a\\\"b\\\\c\\u000a\u{7f}é\\u0001\"");
    }
}
