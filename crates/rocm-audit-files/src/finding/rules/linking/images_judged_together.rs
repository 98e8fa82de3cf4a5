//! The rule `images-judged-together`.

use crate::finding::rule::rule;

rule! {
    /// One file or folder has several images of containers.
    ///
    /// `docker save` takes several images into one file, an OCI layout may have an image for each machine or tag. Each is laid
    /// together by itself, and its name stands before the paths of its files; but the answers are of all that was read. A library
    /// in one image does not serve a program in another: what is said to run, or to be found by the loader, may be in different
    /// images.
    ///
    /// The prefix takes images out: `--exclude 'NAME/**'`, with the name as paths begin.
    IMAGES_JUDGED_TOGETHER {
        id: "images-judged-together",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "several images of containers are in one file",
        effect: "the answers are of all of them together; no single one may have all that is said to run",
        effect_known: Inferred,
        advice: "look at one alone: `--exclude 'NAME/**'` takes the others out",
    }
}
