//! The commands `completions` and `man`: a program's command line for a shell and for `man`, made from its own description.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use diagnostics::Diagnostic;

use crate::codes;
use crate::messages::Messages;

/// The arguments of `completions`.
#[derive(Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// The arguments of `man`.
#[derive(Args)]
pub struct Manual {
    /// The folder for the pages, made if it is absent
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the script that completes commands and options of a command line in a shell.
pub fn completions(arguments: &Completions, line: &mut Command) -> Result<(), Messages> {
    let mut script = Vec::new();
    let name = line.get_name().to_owned();
    clap_complete::generate(arguments.shell, line, name, &mut script);
    crate::print!("{}", String::from_utf8_lossy(&script));
    Ok(())
}

/// Writes a page of the manual for each command.
pub fn manual(arguments: &Manual, line: Command) -> Result<(), Messages> {
    write(&arguments.folder, line).map_err(|error| {
        let text = format!("{}: {error}", arguments.folder.display());
        vec![Diagnostic::error(codes::NO_PAGES, text)]
    })
}

fn write(folder: &Path, line: Command) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(line, folder)
}
