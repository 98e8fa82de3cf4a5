//! What a build for a card is called where builds are published.

/// The names under which TheRock publishes builds for a processor: its family, and the extra of its wheels.
///
/// Source: `cmake/therock_amdgpu_targets.cmake` (commit 02eb4a57fdf5) and `RELEASES.md` of ROCm/TheRock,
/// which name wheels `device-gfxN` and indexes by families.
const THEROCK: [(&str, &[&str]); 8] = [
    ("gfx90X-all", &["gfx906", "gfx908", "gfx90a"]),
    ("gfx94X-all", &["gfx942"]),
    ("gfx950-all", &["gfx950"]),
    ("gfx101X-all", &["gfx1010", "gfx1011", "gfx1012"]),
    ("gfx103X-all", &["gfx1030", "gfx1032", "gfx1035", "gfx1036"]),
    ("gfx110X-all", &["gfx1100", "gfx1101", "gfx1102", "gfx1103"]),
    ("gfx115X-all", &["gfx1150", "gfx1151", "gfx1152", "gfx1153"]),
    ("gfx120X-all", &["gfx1200", "gfx1201"]),
];

/// What a build for a processor is called, in a sentence; none where none is known to be published.
pub fn called(processor: &str) -> Option<String> {
    let (family, _) = THEROCK.iter().find(|(_, members)| members.contains(&processor))?;
    Some(format!(
        "TheRock's builds for it: family {family}; pip install \"torch[device-{processor}]\" from TheRock's own index, which its RELEASES.md names."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Processor;

    #[test]
    fn members_are_processors() {
        for member in THEROCK.iter().flat_map(|(_, members)| members.iter()) {
            assert!(Processor::by_name(member).is_some(), "{member}");
            assert!(called(member).is_some_and(|text| text.contains(member)));
        }
        assert_eq!(called("gfx803"), None);
    }
}
