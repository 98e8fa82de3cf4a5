//! Arbitrary text wherever a report shows names from files or callers: a reader of all of Markdown sees it as
//! text, JSON keeps its value, and it contains nothing that a terminal obeys.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag};
use rocm_audit::finding::confidence::Confidence;
use rocm_audit::finding::evidence::Evidence;
use rocm_audit::finding::severity::Severity;
use rocm_audit::render::style::Style;
use rocm_audit::render::{Draw as _, Format};
use rocm_audit::report::v1::{self, CheckReport, Coverage, Requirement, UnusedIgnore};
use rocm_audit_fuzz::choices::Choices;

const USUAL: &[&str] = &[
    "a",
    "<b>",
    "[x](http://y)",
    "![](z)",
    "`code`",
    "```",
    "1. x",
    "- x",
    "# x",
    "> q",
    "|",
    "\\|",
    "**b**",
    "_e_",
    "~~d~~",
    "<!-- c -->",
    "&lt;",
    "&#60;",
    "https://a.b",
    "www.a.b",
    "@user",
    "$x$",
    "\u{1b}[31m",
    "\u{202e}",
    "---",
    "===",
    "    i",
    "\t",
    "\n\n",
    "[^1]: f",
    "[r]: /u",
    "$$",
    "* * *",
    "+ p",
    "<a@b.c>",
    "\\",
    "|-|",
    "\r",
    "\u{85}",
    "\u{2028}",
    ":-:",
];

fn text(choices: &mut Choices<'_>) -> String {
    (0..choices.below(4)).map(|_| choices.text(USUAL)).collect()
}

fn texts(choices: &mut Choices<'_>) -> Vec<String> {
    (0..choices.below(3)).map(|_| text(choices)).collect()
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    let c = &mut choices;
    let mut requirements = Vec::new();
    for _ in 0..c.below(3) {
        requirements.push(Requirement {
            processor: text(c),
            library: text(c),
            tensile: c.seldom(),
            place: c.seldom().then(|| text(c)),
            places: texts(c),
            is_met: c.seldom(),
            coverage: c.of(&[None, Some(Coverage::Native), Some(Coverage::Generic)]),
            why: c.seldom().then(|| text(c)),
            before: c.of(&[None, Some(Coverage::Native)]),
            ignored: c.seldom().then(|| text(c)),
            code: c.seldom().then(|| v1::RequiredCode {
                code_objects: c.number(),
                kernels: c.number(),
                first: c.seldom().then(|| text(c)),
            }),
            lacking: texts(c),
        });
    }
    let mut findings = Vec::new();
    for _ in 0..c.below(3) {
        findings.push(v1::Finding {
            id: "malformed-bytes".to_owned(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            known: Evidence::Observed,
            what: "bytes are malformed".to_owned(),
            target: c.seldom().then(|| text(c)),
            count: c.number(),
            detail: text(c),
            effect: "something".to_owned(),
            effect_known: Evidence::Inferred,
            advice: "look".to_owned(),
            locations: vec![v1::Location {
                path: text(c),
                offset: c.seldom().then(|| c.number()),
                unpacked: c.seldom(),
                line: c.seldom().then(|| c.number()),
                row: None,
                what: text(c),
            }],
        });
    }
    let report = CheckReport {
        header: v1::Header::from_document(v1::document::CHECK),
        roots: texts(c),
        inputs: Vec::new(),
        required: texts(c),
        passed: c.seldom(),
        failed_because: texts(c),
        roots_without_code: texts(c),
        complete: c.seldom(),
        requirements,
        baseline: c.seldom().then(|| text(c)),
        size_budgets: Vec::new(),
        unused_ignores: texts(c)
            .into_iter()
            .map(|what| UnusedIgnore { reason: what.clone(), what })
            .collect(),
        findings,
        not_counted: Vec::new(),
    };
    let style = Style { verbose: c.byte() % 3, ascii: c.seldom(), width: c.word(), ..Style::default() };
    let table = report.draw(Format::Table, &style).expect("a table").into_text();
    assert!(!table.chars().any(|c| c.is_control() && c != '\n'), "{table:?}");
    let json = report.draw(Format::Json, &style).expect("JSON").into_text();
    assert!(!json.chars().any(|c| c.is_control() && c != '\n'), "{json:?}");
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let roots: Vec<&str> =
        value["roots"].as_array().expect("roots").iter().filter_map(|root| root.as_str()).collect();
    assert_eq!(roots, report.roots);

    let markdown = report.draw(Format::Md, &style).expect("Markdown").into_text();
    assert!(!markdown.chars().any(|c| c.is_control() && c != '\n'), "{markdown:?}");
    let mut headings = 0;
    for event in Parser::new_ext(&markdown, Options::all().difference(Options::ENABLE_SMART_PUNCTUATION)) {
        match event {
            // The element that folds a long section.
            Event::Html(text)
                if text.starts_with("<details><summary><b>Findings") || text.starts_with("</details>") => {}
            Event::Html(text) | Event::InlineHtml(text) => panic!("HTML {text:?} in {markdown:?}"),
            Event::Start(
                Tag::Link { .. } | Tag::Image { .. } | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_),
            ) => {
                panic!("markup in {markdown:?}")
            }
            Event::Start(Tag::Strikethrough | Tag::Table(_)) | Event::Rule | Event::TaskListMarker(_) => {
                panic!("markup in {markdown:?}")
            }
            Event::Start(Tag::MetadataBlock(_)) => panic!("metadata in {markdown:?}"),
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                panic!("a formula {text:?} in {markdown:?}")
            }
            Event::Code(text) => panic!("code {text:?} in {markdown:?}"),
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Start(Tag::CodeBlock(kind)) => {
                let ours = pulldown_cmark::CodeBlockKind::Fenced(CowStr::Borrowed("text"));
                assert!(kind == ours, "a block of code in {markdown:?}");
            }
            _ => {}
        }
    }
    // The title, and the heading of findings.
    assert!(headings <= 2, "{markdown:?}");
});
