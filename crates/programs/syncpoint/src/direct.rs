//! `syncpoint direct`: a program with a COMMAREA as one of the direct path.

use std::path::PathBuf;

use clap::Args;
use command_line::terminal;
use config::{REGION_FILE, RegionConfig};
use diagnostics::{Diagnostic, Source};
use direct::{Wanted, convert};
use toolchain::Toolchain;

use crate::application::{Application, Messages, read_config};
use crate::codes;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The source of a program with a COMMAREA
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The name of the program that is made
    #[arg(long, value_name = "PROGRAM")]
    name: String,
    /// Bytes of the COMMAREA: answers are as long; without it, as long as the message
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=32_763))]
    commarea: Option<u32>,
    /// File for its text; standard output if it is left out
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The application whose copybooks it copies; the folder of FILE if it is left out
    #[arg(long, value_name = "DIR")]
    application: Option<PathBuf>,
}

/// Longest name of a program.
const NAME_MAX: usize = 8;

/// Converts it.
pub(crate) fn direct(arguments: &Arguments) -> Result<(), Messages> {
    let name = arguments.name.to_ascii_uppercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "@#$".contains(c);
    if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_name) {
        let message = Diagnostic::error(codes::BAD_NAME, format!("{name} is no name of a program"));
        return Err(vec![message.help("one to eight letters, digits, or @ # $")]);
    }
    let file = std::path::absolute(&arguments.file).unwrap_or_else(|_| arguments.file.clone());
    let beside = || file.parent().map_or_else(PathBuf::new, PathBuf::from);
    let root = arguments.application.clone().unwrap_or_else(beside);
    let config = config_of(&root)?;
    let cache = tempfile::tempdir().map_err(|error| {
        vec![Diagnostic::error(codes::UNWRITABLE, format!("no folder for what is between: {error}"))]
    })?;
    let toolchain = Toolchain::new(&root, &config.sources, &config.compile, cache.path())?;
    let wanted = Wanted { name: &name, commarea: arguments.commarea.map(|bytes| bytes as usize) };
    let read = toolchain.with_library(&file, |source, library| convert(source, library, wanted));
    let (converted, maps) = read.map_err(|message| vec![message])?;
    let messages: Messages = converted.messages.into_iter().chain(maps).collect();
    let Some(text) = converted.text else { return Err(messages) };
    terminal::tell(&messages);
    match &arguments.output {
        None => print!("{text}"),
        Some(output) => std::fs::write(output, text).map_err(|error| {
            let message = format!("{} cannot be written: {error}", output.display());
            vec![Diagnostic::error(codes::UNWRITABLE, message)]
        })?,
    }
    Ok(())
}

/// The configuration of an application's folder; that of a folder without one.
fn config_of(root: &std::path::Path) -> Result<RegionConfig, Messages> {
    if root.join(REGION_FILE).is_file() {
        return Ok(read_config(root, &[])?.0);
    }
    Ok(config::region(&Source::new(REGION_FILE, "")).0)
}

impl Application {
    /// The tool chain, with the programs that scenarios have converted.
    pub(crate) fn with_converted(&self, toolchain: Toolchain) -> Result<Toolchain, Messages> {
        let mut doubts = Vec::new();
        let sources =
            region::convert_programs(&toolchain, &self.root, &self.state, &self.config, &mut doubts)?;
        terminal::tell(&doubts);
        let Some(sources) = sources else { return Ok(toolchain) };
        Toolchain::new(&self.root, &sources, &self.config.compile, &self.programs())
    }
}
