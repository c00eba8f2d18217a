//! Programs of the direct path that are made of others: `convert` of a scenario.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use config::{Located, RegionConfig, Scenario, SourceConfig, at};
use diagnostics::{Diagnostic, any_error};
use direct::{Converted, Wanted, convert};
use toolchain::Toolchain;

use crate::codes;

/// The folder of their texts within the state.
const FOLDER: &str = "direct";

/// Writes the texts of the programs that scenarios have converted: the application's sources with those among them; `None` if
/// there are none. Doubtful items go into `doubts`.
///
/// # Errors
/// The part that cannot be converted, or written.
pub fn convert_programs(
    toolchain: &Toolchain,
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    doubts: &mut Vec<Diagnostic>,
) -> Result<Option<SourceConfig>, Vec<Diagnostic>> {
    let wanted =
        config.direct.scenarios.iter().filter_map(|scenario| Some((scenario, scenario.convert.as_ref()?)));
    let wanted: Vec<_> = wanted.collect();
    if wanted.is_empty() {
        return Ok(None);
    }
    // Sources are named from the application's folder.
    let folder = state.join(FOLDER);
    let folder =
        if folder.is_absolute() { folder } else { std::env::current_dir().unwrap_or_default().join(folder) };
    let mut failed = Vec::new();
    for (scenario, source) in wanted {
        match converted(toolchain, root, scenario, source) {
            Ok((text, told)) => {
                doubts.extend(told);
                let file = folder.join(format!("{}.cbl", scenario.program.value));
                if let Err(error) = written(&folder, &file, &text) {
                    let message = format!("{} cannot be written: {error}", file.display());
                    failed.push(Diagnostic::error(codes::UNWRITABLE, message));
                }
            }
            Err(messages) => failed.extend(messages),
        }
    }
    if any_error(&failed) {
        return Err(failed);
    }
    let mut sources = config.sources.clone();
    sources.programs.push(Located::default_value(folder.to_string_lossy().into_owned()));
    Ok(Some(sources))
}

/// The text of a scenario's program.
fn converted(
    toolchain: &Toolchain,
    root: &Path,
    scenario: &Scenario,
    source: &Located<String>,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let path: PathBuf = root.join(&source.value);
    let wanted =
        Wanted { name: &scenario.program.value, commarea: scenario.commarea.map(|bytes| bytes as usize) };
    let read = toolchain.with_library(&path, |text, library| convert(text, library, wanted));
    let (Converted { text, messages }, maps) = read.map_err(|unread| vec![at(unread, source)])?;
    let messages: Vec<Diagnostic> = messages.into_iter().chain(maps).collect();
    match text {
        Some(text) => Ok((text, messages)),
        None => Err(messages),
    }
}

/// Writes a text, unless it is there already: what is compiled of it stays so.
fn written(folder: &Path, file: &Path, text: &str) -> io::Result<()> {
    if fs::read(file).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    fs::write(file, text)
}
