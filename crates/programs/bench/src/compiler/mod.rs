//! Promises of the COBOL compiler: instructions of its code, its own time, and the time of code that is there already.

mod captures;
pub(crate) mod counted;
mod files;
mod instructions;
mod keystroke;
mod mix;
mod policies;

pub(crate) use captures::elsewhere;
pub(crate) use files::load;
pub(crate) use instructions::WORD;
pub(crate) use keystroke::keystroke;
pub(crate) use mix::{call, compile, statement};
pub(crate) use policies::{MANIFEST, POLICY, nineteen, spanned, summed, traced};

use config::SourceConfig;
use diagnostics::Source;
use toolchain::Toolchain;

use crate::site::Workshop;

/// A tool chain of the folder's programs.
fn toolchain(workshop: &Workshop) -> Result<Toolchain, String> {
    toolchain_in(workshop.path())
}

/// The same for any folder.
fn toolchain_in(folder: &std::path::Path) -> Result<Toolchain, String> {
    let (config, _) = config::region(&Source::new("region.toml", "programs = [\".\"]\n"));
    let sources: &SourceConfig = &config.sources;
    let made = Toolchain::new(folder, sources, &config.compile, &folder.join("code"));
    made.map_err(|messages| messages.iter().map(|message| message.render(false)).collect())
}

/// A program of it, and its code.
fn program(toolchain: &Toolchain, name: &str) -> Result<toolchain::Program, String> {
    let built = toolchain.program(name);
    built.map_err(|failure| failure.diagnostics().iter().map(|message| message.render(false)).collect())
}

/// A text in columns: what begins in area A stands there, and long lines go on in the next one.
fn in_columns(text: &str) -> String {
    /// Characters between the indicator and column 73.
    const ROOM: usize = 65;
    let mut columns = String::new();
    for line in text.lines() {
        let margin = if is_of_area_a(line) { "" } else { "    " };
        let mut row = margin.to_owned();
        for word in line.split_inclusive(' ') {
            if row.len() + word.trim_end().len() > ROOM {
                columns.push_str(&format!("       {}\n", row.trim_end()));
                row = String::from("    ");
            }
            row.push_str(word);
        }
        columns.push_str(&format!("       {}\n", row.trim_end()));
    }
    columns
}

/// Returns true if a line is a heading, a paragraph or a record.
fn is_of_area_a(line: &str) -> bool {
    let heading = line.ends_with("DIVISION.") || line.ends_with("SECTION.") || line.starts_with("PROGRAM-ID");
    heading || line.starts_with("01 ") || !line.contains(' ') && line.contains('-')
}
