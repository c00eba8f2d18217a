//! `syncpoint backup` and `syncpoint restore`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use access::Request;
use command_line::{terminal, terminal::CountLine};
use diagnostics::Diagnostic;

use crate::application::{Application, Messages};
use crate::{codes, data_files};

const MEBIBYTE: u64 = 1 << 20;

/// Copies the state of an application into a file, whether its region runs or not, and compares the file with its checksums.
pub(crate) fn backup(application: &Application, file: &Path) -> Result<(), Messages> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let (state, file) = (absolute(&application.state), absolute(file));
    let servers = region::server_folders(&state);
    let (missing, tables) = (missing(application), !servers.is_empty());
    let mut client = data_files::open(application, "syncpoint backup")?;
    {
        let line = CountLine::default();
        let request = Request::Backup { state, file: file.clone(), tables };
        let done = client.ask_telling(request, &mut |what, count| line.show(what, count));
        done.map_err(data_files::failed)?;
    }
    check(&file)?;
    println!(
        "{} holds everything that was committed {}when it began",
        file.display(),
        match (tables, missing.is_empty()) {
            (true, _) => "in records and tables of the region's own PostgreSQL ",
            (false, false) => "in the records ",
            (false, true) => "",
        }
    );
    terminal::tell(&missing);
    Ok(())
}

/// Warns of tables that a backup leaves out, with the way to take them.
fn missing(application: &Application) -> Messages {
    let sql = &application.config.sql;
    let elsewhere = sql.server.iter().chain(sql.named.iter().filter_map(|named| named.server.as_ref()));
    let warning = elsewhere.map(|server| {
        // Without its password.
        let shown = server.url.value.rsplit_once('@').map_or(server.url.value.as_str(), |(_, place)| place);
        let message = format!("the tables at {shown} are not in the backup");
        let help = "the region does not run that server: pg_dump takes them, while no unit of work runs";
        Diagnostic::warning(codes::WITHOUT_TABLES, message).help(help)
    });
    warning.collect()
}

/// Makes the state of an application from a backup.
pub(crate) fn restore(application: &Application, file: &Path, keeps_tables: bool) -> Result<(), Messages> {
    check(file)?;
    if records::backup_of_server(&mut open(file)?).is_ok_and(|is| is) {
        let why =
            "it is the backup of a record server: `syncpoint records FOLDER --restore FILE` restores it";
        return Err(refused(file, why));
    }
    let line = CountLine::default();
    let mut input = BufReader::new(open(file)?);
    let mut told = |count: u64| line.show("records restored", count);
    let place = (&*application.root, &*application.state, &application.config);
    let restored = region::restore(place, &mut input, keeps_tables, &mut told);
    let has_tables = restored.map_err(|why| refused(file, &why))?;
    drop(line);
    let state = application.state.display();
    println!(
        "{state} is restored{}: syncpoint run starts it",
        if has_tables { ", records and tables" } else { "" }
    );
    Ok(())
}

/// Compares a backup with its checksums.
pub(crate) fn check(file: &Path) -> Result<(), Messages> {
    let line = CountLine::default();
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
