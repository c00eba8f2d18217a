//! `syncpoint records FOLDER --backup`, `--restore`, `--rotate-key`: copies of the records of a record server, and another key for them.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use command_line::{event_loop, terminal::CountLine};
use diagnostics::Diagnostic;
use records::Error;

use crate::application::{Messages, read};
use crate::{backup, codes, records_status};

/// A file by a name that means the same to the server.
fn absolute(file: &Path) -> Result<String, Messages> {
    let path = std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file));
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("the server cannot be told the name {}", path.to_string_lossy());
        vec![Diagnostic::error(codes::UNREADABLE, message).help("name a file whose path is UTF-8")]
    })
}

fn refused(what: &str, why: &dyn std::fmt::Display, help: &str) -> Messages {
    vec![Diagnostic::error(codes::NO_BACKUP, format!("{what}: {why}")).help(help)]
}

/// Has a server copy its records into a file, and compares the file with its checksums.
pub(crate) fn backup(folder: &Path, file: &Path) -> Result<(), Messages> {
    let path = absolute(file)?;
    let made = event_loop::run(async {
        share::backup(folder, &path).await.map_err(|why| records_status::silent(folder, &why))
    })?;
    let records = made.map_err(|why| {
        let help = match why {
            Error::Unsupported(_) => {
                "a database has backups of its own: docs/record-server.md, \"In a database\""
            }
            _ => "the server writes the file: it must have the right to, and room",
        };
        refused("no backup is made", &why, help)
    })?;
    backup::check(Path::new(&path))?;
    println!("{path} holds everything that was committed when it began, {records} records and descriptions");
    Ok(())
}

/// Makes the folder of a record server from a backup.
pub(crate) fn restore(folder: &Path, file: &Path) -> Result<(), Messages> {
    let what = || file.display().to_string();
    let open = || {
        let opened = File::open(file).map(BufReader::new);
        opened.map_err(|error| {
            let message = format!("{} cannot be read: {error}", file.display());
            vec![Diagnostic::error(codes::UNREADABLE, message)]
        })
    };
    backup::check(file)?;
    if !records::backup_of_server(&mut open()?).map_err(|why| refused(&what(), &why, "docs/backup.md"))? {
        let why = "it is the backup of a region, and not of a record server";
        return Err(refused(&what(), &why, "`syncpoint restore FILE APPLICATION` restores it"));
    }
    if folder.join("base").exists() || folder.join("log").exists() {
        let why = format!("there are records in {} already", folder.display());
        return Err(refused(&what(), &why, "move that folder away first"));
    }
    let line = CountLine::default();
    let (mut nothing, mut told) = (|_: &str, _: &[u8]| Ok(()), |count| line.show("records restored", count));
    let restored = records::restore(folder, &mut open()?, &mut nothing, &mut told);
    drop(line);
    restored.map_err(|why| refused(&what(), &why, "docs/record-server.md, \"Backups\""))?;
    println!("{} is restored: syncpoint records starts a server of it", folder.display());
    Ok(())
}

/// Has a server encrypt its records with the key in a file.
pub(crate) fn rotate(folder: &Path, file: &Path) -> Result<(), Messages> {
    // What is no key the server need not be asked about.
    if records::EncryptionKey::from_hex(read(file)?.trim_end()).is_none() {
        let message = format!("{} holds no key", file.display());
        let help = "a key of records is 64 hexadecimal digits";
        return Err(vec![Diagnostic::error(codes::NO_KEY, message).help(help)]);
    }
    let path = absolute(file)?;
    let rotated = event_loop::run(async {
        share::rotate(folder, &path).await.map_err(|why| records_status::silent(folder, &why))
    })?;
    rotated.map_err(|why| {
        let message = format!("the records keep their key: {why}");
        let help = "a folder is encrypted from its beginning or never: docs/record-server.md, \"Backups\"";
        vec![Diagnostic::error(codes::NO_KEY, message).help(help)]
    })?;
    println!("The records have the key of {path} from now on: start the server with it the next time.");
    Ok(())
}
