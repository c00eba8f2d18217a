//! Records shown, written to files of other programs, and read from them.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use access::{Client, FileBytes, FileSpec, Opened, Organization, Reply, Request, SequentialKind, ShapeSpec};
use command_line::terminal::CountLine;
use diagnostics::Diagnostic;

use super::describe::{Description, Fields, bytes, text};
use super::records::{Records, open};
use super::table::{from_object, read_rows, to_object};
use super::{Of, wrong};
use crate::application::{Messages, unwritable};
use crate::{codes, data_files};

/// Bytes that are shown as one record where nothing says how long records are.
const UNKNOWN_LENGTH: usize = 80;
/// Width of the names of fields, at most.
const NAME_MAX: usize = 40;

/// The kind of a file, by its name.
#[derive(Clone, Copy)]
enum Format {
    Csv,
    Json,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Messages> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            _ => Err(wrong(format!("{} ends neither in .csv nor in .json", path.display()))),
        }
    }
}

fn client(of: &Of) -> Result<Client, Messages> {
    data_files::open(&of.place.application()?, "syncpoint data")
}

/// Shows records.
pub(crate) fn show(of: &Of, from: Option<&str>, count: u64) -> Result<(), Messages> {
    let description = Description::new(of)?;
    let mut client = client(of)?;
    let key = match from {
        Some(from) => Some(bytes(from).ok_or_else(|| wrong(format!("{from} is no key")))?),
        None => None,
    };
    let located = client.ask(Request::Locate { name: of.data_set.to_ascii_uppercase() });
    match located {
        Ok(Reply::Sequential(found)) => return show_sequential(&[found], &description, from, count),
        Ok(Reply::Several(found)) => return show_sequential(&found, &description, from, count),
        // What is not there is refused below.
        _ => {}
    }
    let mut records = Records::open(&mut client, &of.data_set, key.as_deref())?;
    for number in 0..count {
        let Some(found) = records.next()? else {
            if number == 0 {
                println!("{}", nothing(&of.data_set, from));
            }
            break;
        };
        println!("{}", heading(&records.opened, &found.key));
        match description.decode(&found.record) {
            Ok(fields) => print!("{}", shown(&fields)),
            Err(problem) => println!("  {problem}: {}", text(&found.record)),
        }
    }
    Ok(())
}

/// The line that stands for records of which there are none.
fn nothing(data_set: &str, from: Option<&str>) -> String {
    let data_set = data_set.to_ascii_uppercase();
    match from {
        Some(from) => format!("{data_set} has no record with the key {from}, nor behind it"),
        None => format!("{data_set} has no records"),
    }
}

/// Shows sequential data sets: what each is, and its records.
fn show_sequential(
    found: &[access::Sequential],
    description: &Description,
    from: Option<&str>,
    count: u64,
) -> Result<(), Messages> {
    if from.is_some() {
        return Err(wrong("a sequential data set has no keys: leave --from out"));
    }
    for own in found {
        let shape = match own.shape {
            ShapeSpec::Fixed(Some(length)) => format!("records of {length} bytes"),
            ShapeSpec::Fixed(None) => "records of a length that nothing has said yet".to_owned(),
            ShapeSpec::Variable => "records of varying length".to_owned(),
            ShapeSpec::Lines => "lines".to_owned(),
        };
        let kind = match own.kind {
            SequentialKind::DataSet => "SEQUENTIAL",
            SequentialKind::Library => "LIBRARY",
            SequentialKind::Member => "MEMBER OF",
        };
        println!("{kind} {}, {shape}", own.name);
        if own.kind == SequentialKind::Library {
            let entries = std::fs::read_dir(&own.path).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
            names.sort();
            names.iter().for_each(|name| println!("  {name}"));
            continue;
        }
        // One that was never written has no file.
        if !own.path.exists() {
            println!("{}", nothing(&own.name, None));
            continue;
        }
        let file = datasets::File::plain(&own.path, own.shape.into());
        let failed = |error: datasets::FileError| wrong(error.to_string());
        let longest = if own.shape == ShapeSpec::Lines { 0 } else { UNKNOWN_LENGTH };
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        let mut records = file.read(longest).map_err(failed)?.zip(1_u64..).take(wanted).peekable();
        if wanted > 0 && records.peek().is_none() {
            println!("{}", nothing(&own.name, None));
        }
        for (record, number) in records {
            let record = record.map_err(failed)?;
            println!("RECORD {number}");
            match description.decode(&record) {
                Ok(fields) => print!("{}", shown(&fields)),
                Err(problem) => println!("  {problem}: {}", text(&record)),
            }
        }
    }
    Ok(())
}

/// The key of a record as a line.
fn heading(opened: &Opened, key: &[u8]) -> String {
    let number = || key.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    match (opened.path, opened.organization) {
        (false, Organization::Entry) => format!("ADDRESS {}", number()),
        (false, Organization::Relative) => format!("NUMBER {}", number()),
        _ => format!("KEY {}", text(key)),
    }
}

fn shown(fields: &Fields) -> String {
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0).min(NAME_MAX);
    fields.iter().map(|(name, value)| format!("  {name:<width$}  {value}\n")).collect()
}

/// Writes all records to a file.
pub(crate) fn export(of: &Of, to: &Path) -> Result<(), Messages> {
    let (format, description) = (Format::of(to)?, Description::new(of)?);
    let mut client = client(of)?;
    let count = match format {
        Format::Csv => export_csv(of, &description, &mut client, to)?,
        Format::Json => export_json(of, &description, &mut client, to)?,
    };
    println!("{count} records of {} written to {}", of.data_set, to.display());
    Ok(())
}

/// Shows each record to `take`, as fields.
fn each(
    of: &Of,
    description: &Description,
    client: &mut Client,
    take: &mut dyn FnMut(Fields) -> Result<(), Messages>,
) -> Result<u64, Messages> {
    let (line, mut count) = (CountLine::default(), 0);
    let mut records = Records::open(client, &of.data_set, None)?;
    while let Some(found) = records.next()? {
        count += 1;
        let fields = description.decode(&found.record);
        take(fields.map_err(|problem| wrong(format!("record {count}: {problem}")))?)?;
        line.show("records", count);
    }
    let handle = records.opened.handle;
    client.done(Request::Close { handle }).map_err(data_files::failed)?;
    Ok(count)
}

fn export_csv(of: &Of, description: &Description, client: &mut Client, to: &Path) -> Result<u64, Messages> {
    // Tables of varying size: only all records know all names.
    let mut names: Vec<String> = Vec::new();
    each(of, description, client, &mut |fields| {
        for (name, _) in fields {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(())
    })?;
    if names.is_empty() {
        names = description.names();
    }
    let failed = |error: io::Error| unwritable(to, &error);
    let mut out = csv::Writer::from_writer(File::create(to).map_err(failed)?);
    out.write_record(&names).map_err(|error| failed(error.into()))?;
    let count = each(of, description, client, &mut |fields| {
        let value = |name: &String| {
            fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str())
        };
        out.write_record(names.iter().map(value)).map_err(|error| failed(error.into()))
    })?;
    out.flush().map_err(failed)?;
    Ok(count)
}

fn export_json(of: &Of, description: &Description, client: &mut Client, to: &Path) -> Result<u64, Messages> {
    let failed = |error: io::Error| unwritable(to, &error);
    let mut out = BufWriter::new(File::create(to).map_err(failed)?);
    let mut between = "[\n";
    let count = each(of, description, client, &mut |fields| {
        write!(out, "{between}{}", to_object(fields)).map_err(failed)?;
        between = ",\n";
        Ok(())
    })?;
    let end = if count == 0 { "[]\n" } else { "\n]\n" };
    out.write_all(end.as_bytes()).and_then(|()| out.flush()).map_err(failed)?;
    Ok(count)
}

/// Adds the records of a file.
pub(crate) fn import(of: &Of, from: &Path, replace: bool) -> Result<(), Messages> {
    let (format, description) = (Format::of(from)?, Description::new(of)?);
    let rows = match format {
        Format::Csv => read_csv(from)?,
        Format::Json => read_json(from)?,
    };
    let mut client = client(of)?;
    let opened = open(&mut client, &of.data_set)?;
    let done = Request::Close { handle: opened.handle };
    client.done(done).map_err(data_files::failed)?;
    let mut records = Vec::new();
    for (fields, number) in rows.iter().zip(1..) {
        let record = description.encode(fields);
        records.push(record.map_err(|problem| wrong(format!("record {number}: {problem}")))?);
    }
    if let Organization::Keyed(offset, length) = opened.organization {
        let key = |record: &Vec<u8>| {
            record.get(offset as usize..(offset + length) as usize).unwrap_or_default().to_vec()
        };
        records.sort_by_cached_key(key);
    }
    load(of, &mut client, &records, replace)
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> Messages {
    vec![Diagnostic::error(codes::UNREADABLE, format!("{} cannot be read: {why}", path.display()))]
}

fn read_csv(path: &Path) -> Result<Vec<Fields>, Messages> {
    let failed = |error: io::Error| unreadable(path, &error);
    let mut cells = read_rows(File::open(path).map_err(failed)?).map_err(failed)?.into_iter();
    let names = cells.next().unwrap_or_default();
    let mut rows = Vec::new();
    for values in cells {
        if values.len() != names.len() {
            let text =
                format!("row {} has {} cells, the first {}", rows.len() + 2, values.len(), names.len());
            return Err(unreadable(path, &text));
        }
        rows.push(names.iter().cloned().zip(values).filter(|(_, value)| !value.is_empty()).collect());
    }
    Ok(rows)
}

fn read_json(path: &Path) -> Result<Vec<Fields>, Messages> {
    let input = BufReader::new(File::open(path).map_err(|error| unreadable(path, &error))?);
    let objects: Vec<serde_json::Value> =
        serde_json::from_reader(input).map_err(|error| unreadable(path, &error))?;
    let rows = objects.iter().zip(1..).map(|(object, number)| {
        let what = || format!("item {number} is no object of texts and numbers; a table is T(1), T(2), …");
        from_object(object).ok_or_else(|| unreadable(path, &what()))
    });
    rows.collect()
}

/// Puts records into the data set, all with their lengths, by REPRO.
fn load(of: &Of, client: &mut Client, records: &[Vec<u8>], replace: bool) -> Result<(), Messages> {
    let folder = client.temporary().map_err(data_files::failed)?;
    let file = folder.path().join("records");
    let plain = datasets::File::plain(&file, datasets::Shape::Variable);
    let wrong_file = |error: datasets::FileError| wrong(error.to_string());
    let mut writer = plain.write(0, false).map_err(wrong_file)?;
    for record in records {
        writer.write(record).map_err(wrong_file)?;
    }
    writer.finish().map_err(wrong_file)?;
    let bytes = FileBytes::Path(file);
    let spec =
        FileSpec { bytes, shape: ShapeSpec::Variable, code_page: None, copybook: None, extends: false };
    let name = of.data_set.to_ascii_uppercase();
    let request = Request::Utility {
        name: "import".into(),
        text: format!(" REPRO INFILE(IN) OUTDATASET({name}) {}\n", if replace { "REPLACE" } else { "" }),
        files: vec![("IN".into(), spec)],
        data_sets: Vec::new(),
        recoverable: Vec::new(),
    };
    let line = CountLine::default();
    let reply = client.ask_telling(request, &mut |what, count| line.show(what, count));
    drop(line);
    let Reply::Utility(outcome) = reply.map_err(data_files::failed)? else { return Ok(()) };
    print!("{}", outcome.listing);
    for (_, message) in &outcome.messages {
        eprintln!("{message}\n");
    }
    if outcome.max == 0 { Ok(()) } else { Err(Vec::new()) }
}
