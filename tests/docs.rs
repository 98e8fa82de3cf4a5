//! Runs the console blocks of README and docs, so that they cannot lie.

#[test]
fn console_blocks_print_what_they_show() {
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env("ROCM_PATH", "")
        .case("README.md")
        .case("docs/*.md")
        .run();
}
