//! `syncpoint new`: a folder with a first application.

use std::fs;
use std::path::Path;

use diagnostics::Diagnostic;

use crate::application::{Messages, unwritable, write};
use crate::codes;

/// Each file of the first application and its text.
const FILES: [(&str, &str); 7] = [
    ("region.toml", include_str!("../skeleton/region.toml")),
    ("first.csd", include_str!("../skeleton/first.csd")),
    ("first.idcams", include_str!("../skeleton/first.idcams")),
    ("programs/HELLO.cbl", include_str!("../skeleton/programs/HELLO.cbl")),
    ("maps/HELLOS.bms", include_str!("../skeleton/maps/HELLOS.bms")),
    ("data/visits.txt", include_str!("../skeleton/data/visits.txt")),
    ("tests/hello.md", include_str!("../skeleton/tests/hello.md")),
];

/// Writes the first application into a folder that is new or empty.
pub(crate) fn new(folder: &Path) -> Result<(), Messages> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = Diagnostic::error(codes::NOT_EMPTY, format!("{} is not empty", folder.display()));
        return Err(vec![message.help("name a folder that is not there yet")]);
    }
    for (name, text) in FILES {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
        write(&path, text)?;
    }
    println!("{} holds an application with one program, one map and one file.", folder.display());
    println!("Start it:    syncpoint run {} --watch", folder.display());
    println!("Then connect a 3270 terminal to 127.0.0.1:3270 and type HELO.");
    println!("Test it:     syncpoint test {}", folder.display());
    Ok(())
}
