//! `syncpoint demo`: the sample bank, unpacked from the binary and run.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use diagnostics::Diagnostic;
use records::Trust;

use crate::application::{ApplicationFolder, Messages, unwritable};
use crate::{codes, run};

/// The address of terminals if none is given: that of any application.
const ADDRESS: &str = "127.0.0.1:3270";

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder for the bank, made if it is absent; one that has it already is run as it is
    #[arg(value_name = "DIR", default_value = "syncpoint-demo")]
    folder: PathBuf,
    /// Listen for terminals here: an address and a port, or a port
    #[arg(long, value_name = "ADDRESS", default_value = ADDRESS)]
    listen: String,
    /// Unpack the bank, and run nothing
    #[arg(long)]
    unpack: bool,
}

/// Each file of the bank: its path and its bytes.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/demo.rs"));

/// Unpacks the bank where it is not there yet, and runs it.
pub(crate) fn demo(arguments: &Arguments) -> Result<(), Messages> {
    let folder = &arguments.folder;
    if !folder.join("region.toml").exists() {
        unpack(folder)?;
    }
    if arguments.unpack {
        println!("{} holds the sample bank. Run it:    syncpoint run {0}", folder.display());
        return Ok(());
    }
    println!("The sample bank is in {}; Ctrl-C ends it.", folder.display());
    println!("See it by a 3270 terminal, such as c3270 (package c3270):    c3270 {}", arguments.listen);
    println!("Type BK00, sign on as TELLER1 with the password HARBOUR1, and look around.");
    let application = ApplicationFolder { folder: folder.clone(), data: None, settings: Vec::new() };
    let loaded = application.load_listening(Some(&arguments.listen))?;
    run::run(loaded, false, Trust::Checked)
}

fn unpack(folder: &Path) -> Result<(), Messages> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = Diagnostic::error(codes::NOT_EMPTY, format!("{} is not empty", folder.display()));
        return Err(vec![message.help("name a folder that is not there yet, or that has the bank")]);
    }
    // What makes the folder the bank's comes last: one that was left half way is not run.
    let (last, first): (Vec<_>, Vec<_>) = FILES.iter().partition(|(path, _)| *path == "region.toml");
    for (path, bytes) in first.into_iter().chain(last) {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
        fs::write(&path, bytes).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(())
}
