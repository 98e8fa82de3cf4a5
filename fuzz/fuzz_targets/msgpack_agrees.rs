//! Any bytes, and such that are made, as MessagePack: what the crate `rmpv` reads, we read to the same end with the same values;
//! what it refuses, we refuse, but for what it alone demands.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rmpv::ValueRef;
use rocm_audit::bytes::msgpack::{Reader, Value};
use rocm_audit::container::kpack;
use rocm_audit::engines::tensile::tensilelite;
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::gpu;

/// Whether a value that is at hand is the next of ours.
fn same(theirs: &ValueRef<'_>, ours: &mut Reader<'_>) -> bool {
    let Ok(value) = ours.value() else { return false };
    match (theirs, value) {
        (ValueRef::Nil, Value::Nil) => true,
        (ValueRef::Boolean(a), Value::Bool(b)) => *a == b,
        (ValueRef::Integer(a), Value::Unsigned(b)) => a.as_u64() == Some(b),
        (ValueRef::Integer(a), Value::Signed(b)) => a.as_i64() == Some(b) && b < 0,
        (ValueRef::F32(a), Value::Float(b)) => f64::from(*a).to_bits() == b.to_bits() || b.is_nan(),
        (ValueRef::F64(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (ValueRef::String(a), Value::Str(b)) => a.as_bytes() == b,
        (ValueRef::Binary(a), Value::Bin(b)) => *a == b,
        (ValueRef::Ext(kind, a), Value::Ext(other, b)) => *kind == other && *a == b,
        (ValueRef::Array(all), Value::Array(count)) => {
            all.len() as u64 == u64::from(count) && all.iter().all(|value| same(value, ours))
        }
        (ValueRef::Map(all), Value::Map(count)) => {
            all.len() as u64 == u64::from(count)
                && all.iter().all(|(key, value)| same(key, ours) && same(value, ours))
        }
        _ => false,
    }
}

fn compare(bytes: &[u8]) {
    let mut skipped = Reader::new(bytes, 5);
    let skip = skipped.skip();
    // `rmpv` reads the byte that MessagePack never uses as nil.
    if skip.as_ref().is_err_and(|error| error.what().contains("never uses")) {
        return;
    }
    let mut rest = bytes;
    // Bounded in depth as ours is.
    match rmpv::decode::read_value_ref_with_max_depth(&mut rest, 100) {
        Ok(theirs) => {
            let mut ours = Reader::new(bytes, 5);
            assert!(same(&theirs, &mut ours), "{theirs:?}");
            let end = (bytes.len() - rest.len()) as u64 + 5;
            assert_eq!(ours.offset(), end);
            assert!(skip.is_ok());
            assert_eq!(skipped.offset(), end);
        }
        Err(rmpv::decode::Error::DepthLimitExceeded) => {}
        Err(error) => assert!(skip.is_err(), "{error}"),
    }
    let mut small = Reader::new(bytes, 0);
    if let Some(number) = small.small() {
        assert_eq!(Reader::new(bytes, 0).value(), Ok(Value::Unsigned(u64::from(number))));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match kind % 4 {
        0 => {
            let mut made = Vec::new();
            gpu::any_value(&mut Choices::new(rest), &mut made, 8);
            compare(&made);
        }
        1 => {
            let _ = (tensilelite::read_mapping(rest), tensilelite::read_ext_ops(rest));
            let _ = (tensilelite::leads_to_a_solution(rest), kpack::read_reference(rest, 0));
        }
        _ => compare(rest),
    }
});
