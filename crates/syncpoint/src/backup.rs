//! `syncpoint backup` and `syncpoint restore`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use access::Request;
use diagnostics::Diagnostic;

use crate::application::{Application, Messages};
use crate::terminal::CountLine;
use crate::{codes, data_files};

const MEBIBYTE: u64 = 1 << 20;

/// Copies the state of an application into a file, whether its region runs or not, and compares the file with its checksums.
pub(crate) fn backup(application: &Application, file: &Path) -> Result<(), Messages> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let (state, file) = (absolute(&application.state), absolute(file));
    let mut client = data_files::open(application, "syncpoint backup")?;
    {
        let line = CountLine::new();
        let request = Request::Backup { state, file: file.clone() };
        let done = client.ask_telling(request, &mut |what, count| line.show(what, count));
        done.map_err(data_files::failed)?;
    }
    check(&file)?;
    println!("{} holds everything that was committed when it began", file.display());
    Ok(())
}

/// Makes the state of an application from a backup.
pub(crate) fn restore(application: &Application, file: &Path) -> Result<(), Messages> {
    check(file)?;
    let line = CountLine::new();
    let mut input = BufReader::new(open(file)?);
    region::restore(&application.state, &mut input, &mut |count| line.show("records restored", count))
        .map_err(|why| refused(file, &why))?;
    drop(line);
    println!("{} is restored: syncpoint run starts it", application.state.display());
    Ok(())
}

/// Compares a backup with its checksums.
pub(crate) fn check(file: &Path) -> Result<(), Messages> {
    let line = CountLine::new();
    let mut input = BufReader::new(open(file)?);
    let mut told = |bytes: u64| line.show("MB checked", bytes / MEBIBYTE);
    region::check_backup(&mut input, &mut told).map_err(|why| refused(file, &why))
}

fn open(file: &Path) -> Result<File, Messages> {
    let unreadable = |error| format!("{} cannot be read: {error}", file.display());
    File::open(file).map_err(|error| vec![Diagnostic::error(codes::UNREADABLE, unreadable(error))])
}

fn refused(file: &Path, why: &str) -> Messages {
    vec![
        Diagnostic::error(codes::NO_BACKUP, format!("{}: {why}", file.display()))
            .help("docs/backup.md says how backups are made and restored"),
    ]
}
