//! From files of records to tables: read twice, once for what columns there are and once for the rows.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use instruments::format::{Broken, FileEntry, Reader};

use crate::places::{self, UNREADABLE};
use crate::rows::Rows;
use crate::shape::{Cell, Column, Form};
use crate::tables::{Tables, create};
use crate::waits::{self, Waits};
use crate::{Format, Messages};

/// Everybody but the owner is kept out of what is in clear.
const OWNERS: u32 = 0o700;
/// Problems of one file that are named; more of them say nothing new.
const PROBLEMS_MAX: usize = 20;

/// The outcome of an export.
pub(crate) struct Gathered {
    /// The tables with their rows.
    pub(crate) tables: Vec<(String, u64)>,
    /// Warnings and errors about files of records.
    pub(crate) told: Messages,
    /// True if every file was read to its end.
    pub(crate) whole: bool,
}

/// A file of records, as it was found.
#[derive(Default)]
struct Source {
    bytes: u64,
    records: u64,
    lost: u64,
    /// Everything that was wrong with it.
    problems: Vec<String>,
    damaged: bool,
}

/// Writes the tables of these files into a folder, which is there as a whole afterwards or not at all.
pub(crate) fn gather(files: &[PathBuf], to: &Path, format: Format) -> Result<Gathered, Messages> {
    let beside =
        begun(to).map_err(|why| vec![places::error(format!("{} cannot be made: {why}", to.display()))])?;
    let written = write(files, &beside, format).and_then(|gathered| {
        fs::rename(&beside, to)?;
        Ok(gathered)
    });
    written.map_err(|why| {
        // A half-made export is of no use.
        let _ = fs::remove_dir_all(&beside);
        vec![places::error(format!("{} cannot be written: {why}", to.display()))]
    })
}

/// Makes a folder beside the one that is asked for.
fn begun(to: &Path) -> io::Result<PathBuf> {
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(io::Error::other("it has files already: name another folder, or remove it"));
    }
    let name =
        to.file_name().ok_or_else(|| io::Error::other("it has no name"))?.to_string_lossy().into_owned();
    let beside = to.with_file_name(format!(".{name}.{}", std::process::id()));
    DirBuilder::new().mode(OWNERS).create(&beside)?;
    Ok(beside)
}

fn write(files: &[PathBuf], folder: &Path, format: Format) -> io::Result<Gathered> {
    let mut tables = Tables::default();
    let differ = learn(files, &mut tables);
    tables.create(folder, format)?;
    let mut waits = Waits::default();
    let mut sources = Vec::new();
    for file in files {
        sources.push(take(file, &mut tables, &mut waits)?);
    }
    let mut written = tables.end()?;
    let mut rows = create(folder, "waits", &waits::columns(), format)?;
    written.push((String::from("waits"), waits.write(&mut rows)?));
    rows.end()?;
    list(files, &sources, create(folder, "sources", &source_columns(), format)?)?;
    written.push((String::from("sources"), sources.len() as u64));
    let mut told: Messages = differ.iter().map(|column| differs(column)).collect();
    told.extend(files.iter().zip(&sources).flat_map(|(file, source)| source.told(file)));
    let whole = differ.is_empty() && !sources.iter().any(|source| source.damaged);
    Ok(Gathered { tables: written, told, whole })
}

/// Learns the columns of all kinds of records. A damaged file is named when its rows are taken.
fn learn(files: &[PathBuf], tables: &mut Tables) -> Vec<String> {
    let mut differ = Vec::new();
    for file in files {
        let Ok(bytes) = places::read(file) else { continue };
        let Ok(mut reader) = Reader::new(&bytes) else { continue };
        let mut seen = Vec::new();
        while let Some(Ok(entry)) = reader.next() {
            if let FileEntry::Record(record) = entry
                && !seen.iter().any(|kind| std::rc::Rc::ptr_eq(kind, &record.kind))
            {
                seen.push(record.kind);
            }
        }
        let always = reader.kinds().filter(|kind| Tables::always(&kind.name));
        for kind in always.chain(&seen) {
            differ.extend(tables.learn(kind));
        }
    }
    differ.sort();
    differ.dedup();
    differ
}

/// Takes the records of a file into their tables.
fn take(file: &Path, tables: &mut Tables, waits: &mut Waits) -> io::Result<Source> {
    let mut source = Source::default();
    let bytes = match places::read(file) {
        Ok(bytes) => bytes,
        Err(why) => return Ok(source.damaged(format!("it cannot be read: {why}"))),
    };
    source.bytes = bytes.len() as u64;
    let mut reader = match Reader::new(&bytes) {
        Ok(reader) => reader,
        Err(why) => return Ok(source.damaged(why.to_string())),
    };
    for entry in &mut reader {
        match entry {
            Ok(FileEntry::Lost(count)) => source.lost = source.lost.saturating_add(count),
            Ok(FileEntry::Record(record)) if tables.knows(&record.kind.name) => {
                source.records += 1;
                for column in tables.add(&record)? {
                    let text = format!(
                        "record {}: {column} is larger than a column holds, and left out",
                        source.records
                    );
                    source.problem(text);
                    source.damaged = true;
                }
                if record.kind.name == "performance" {
                    waits.add(&record);
                }
            }
            // It was written since the columns were learnt.
            Ok(FileEntry::Record(_)) => source.problem("it has grown meanwhile: export again".to_owned()),
            Err(why @ (Broken::At(_) | Broken::NotOurs)) => {
                let text = format!("{why}; what is behind it is not exported");
                return Ok(source.damaged(text));
            }
        }
    }
    if reader.unread() > 0 {
        let text = format!(
            "its last {} bytes are no whole record: it was cut off, or is being written",
            reader.unread()
        );
        return Ok(source.damaged(text));
    }
    Ok(source)
}

impl Source {
    fn damaged(mut self, problem: String) -> Self {
        self.problem(problem);
        self.damaged = true;
        self
    }

    /// Adds a problem, once, as long as there are few.
    fn problem(&mut self, text: String) {
        if self.problems.last() == Some(&text) {
            return;
        }
        match self.problems.len() {
            0..PROBLEMS_MAX => self.problems.push(text),
            PROBLEMS_MAX => self.problems.push(String::from("and more")),
            _ => {}
        }
    }

    /// Messages about the file.
    fn told(&self, file: &Path) -> Messages {
        let mut texts: Vec<_> =
            self.problems.iter().map(|problem| format!("{}: {problem}", file.display())).collect();
        if self.lost > 0 {
            let lost = self.lost;
            texts.push(format!(
                "{}: {lost} records are missing: they came faster than they could be written",
                file.display()
            ));
        }
        let message = if self.damaged { Diagnostic::error } else { Diagnostic::warning };
        texts.into_iter().map(|text| message(UNREADABLE, text)).collect()
    }
}

fn differs(column: &str) -> Diagnostic {
    let text = format!("{column} has another form in another file: only the first one's values are exported");
    Diagnostic::error(UNREADABLE, text).help("export the files of each build of Syncpoint alone, with --file")
}

fn source_columns() -> Vec<Column> {
    [
        ("FILE", Form::Text),
        ("BYTES", Form::Integer),
        ("RECORDS", Form::Integer),
        ("LOST", Form::Integer),
        ("PROBLEM", Form::Text),
    ]
    .map(|(name, form)| Column::new(name, form))
    .to_vec()
}

/// Writes what was read, and what was wrong with it.
fn list(files: &[PathBuf], sources: &[Source], mut rows: Rows) -> io::Result<()> {
    for (file, source) in files.iter().zip(sources) {
        let number = |number| Cell::number(number).unwrap_or(Cell::Nothing);
        rows.add(&[
            Cell::text(&file.display().to_string()),
            number(source.bytes),
            number(source.records),
            number(source.lost),
            Cell::text(&source.problems.join("; ")),
        ])?;
    }
    rows.end()
}
