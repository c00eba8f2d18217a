//! `--watch` at a terminal: what a developer sees there of what is saved.

use std::fs;

use crate::house::{AtTerminal, FREE_PORT, application};

#[test]
fn what_is_saved_wrong_is_told_at_a_terminal_in_colours_and_without_escape_codes_as_text() {
    let program = |statement: &str| {
        format!(">>SOURCE FORMAT FREE\nID DIVISION.\nPROGRAM-ID. P.\nPROCEDURE DIVISION.\n    {statement}.\n")
    };
    let folder = application(&[
        ("region.toml", &format!("csd = [\"p.csd\"]\n{FREE_PORT}")),
        ("p.csd", "DEFINE PROGRAM(P) GROUP(G)\n"),
        ("P.cbl", &program("DISPLAY FIRST")),
    ]);
    let region = AtTerminal::watch(folder.path());
    region.shows("these do not build: P");
    fs::write(folder.path().join("P.cbl"), program("DISPLAY SECOND")).expect("written");
    region.shows("there is no item SECOND");
    let shown = region.interrupted();
    assert!(shown.contains("\u{1b}["), "no colours:\n{shown}");
    for code in ["\\x1b", "\\u{1b}", "^[", "\u{241b}"] {
        assert!(!shown.contains(code), "{code}:\n{shown}");
    }
}
