//! Descriptions to items, and items to lines.

#![allow(dead_code, reason = "each test file uses what it needs")]

use cobol_data::{Area, Built, DataOptions, build};
use cobol_source::{Format, NoLibrary, read};
use diagnostics::Source;

/// The items of some descriptions in WORKING-STORAGE.
pub fn built(data: &str, options: &DataOptions) -> Built {
    let text = format!(
        ">>SOURCE FREE\nID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\n"
    );
    let tree = cobol_syntax::parse(read(&Source::new("T", text), &NoLibrary, Format::Detect, 4));
    assert!(tree.messages.list.is_empty(), "{:?}", tree.messages.list);
    let program = tree.programs.first().expect("a program");
    build(&[(Area::WorkingStorage, &program.data.working_storage)], options)
}

/// `name offset+length type`, an item a line, and what is wrong behind them.
pub fn lines(built: &Built) -> String {
    let mut text = String::new();
    for (_, item) in built.items.all() {
        let stride = item.occurs.as_ref().map_or(String::new(), |occurs| format!(" each {}", occurs.stride));
        let slack = if item.slack > 0 { format!(" slack {}", item.slack) } else { String::new() };
        let moves = match item.moves_behind.len() {
            0 => String::new(),
            tables => format!(" moves behind {tables}"),
        };
        let (name, kind) = (item.display_name(), item.kind.name());
        text.push_str(&format!("{name} {}+{} {kind}{stride}{slack}{moves}\n", item.offset, item.length));
    }
    for complaint in &built.complaints {
        text.push_str(&format!("{} {}\n", complaint.code, complaint.message));
    }
    text
}
