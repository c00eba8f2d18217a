//! The commands that read, write, list and remove.

use crate::command::{
    Alter, BuildIndex, Command, Delete, Detail, Examine, Export, Import, ListCatalog, Name, Print,
    PrintFormat, Repro, Selection, Verify,
};
use crate::parameters::Parameters;

pub(crate) fn delete(mut command: Parameters<'_, '_>) -> Option<Command> {
    let entries = command.leading_names();
    if entries.is_empty() {
        command.missing("an entry name");
        return None;
    }
    let delete = Delete {
        entries,
        kind: command.kind(),
        purge: command.flag("PURGE"),
        force: command.flag("FORCE"),
        erase: command.either("ERASE", "NOERASE"),
        no_scratch: command.either("NOSCRATCH", "SCRATCH") == Some(true),
        mask: command.flag("MASK"),
        place: command.place(),
    };
    command.finish();
    Some(Command::Delete(delete))
}

pub(crate) fn alter(mut command: Parameters<'_, '_>) -> Option<Command> {
    let entry = leading_name(&mut command)?;
    let volumes = [command.flag("ADDVOLUMES"), command.flag("REMOVEVOLUMES")];
    let (new_name, attributes) = (command.name("NEWNAME"), command.attributes());
    let alter = Alter { entry, new_name, attributes, volumes: volumes.contains(&true) };
    command.finish();
    Some(Command::Alter(alter))
}

/// The one entry name at the start of a command.
fn leading_name(command: &mut Parameters<'_, '_>) -> Option<Name> {
    let name = command.leading_names().into_iter().next();
    if name.is_none() {
        command.missing("an entry name");
    }
    name
}

pub(crate) fn build_index(mut command: Parameters<'_, '_>) -> Option<Command> {
    let from = command.file("INFILE", "INDATASET");
    let to = command.files("OUTFILE", "OUTDATASET");
    if from.is_none() {
        command.missing("INFILE or INDATASET");
    }
    if to.is_empty() {
        command.missing("OUTFILE or OUTDATASET");
        return None;
    }
    let place = command.place();
    command.finish();
    Some(Command::BuildIndex(BuildIndex { from: from?, to, place }))
}

pub(crate) fn repro(mut command: Parameters<'_, '_>) -> Option<Command> {
    let from = command.file("INFILE", "INDATASET");
    let to = command.file("OUTFILE", "OUTDATASET");
    if from.is_none() {
        command.missing("INFILE or INDATASET");
    }
    if to.is_none() {
        command.missing("OUTFILE or OUTDATASET");
    }
    let repro = Repro {
        from: from?,
        to: to?,
        selection: selection(&mut command),
        replace: command.either("REPLACE", "NOREPLACE") == Some(true),
        reuse: command.either("REUSE", "NOREUSE") == Some(true),
        place: command.place(),
    };
    command.finish();
    Some(Command::Repro(repro))
}

pub(crate) fn print(mut command: Parameters<'_, '_>) -> Option<Command> {
    let from = command.file("INFILE", "INDATASET");
    if from.is_none() {
        command.missing("INFILE or INDATASET");
    }
    let format = match (command.flag("CHARACTER"), command.flag("HEX"), command.flag("DUMP")) {
        (true, _, _) => PrintFormat::Character,
        (_, true, _) => PrintFormat::Hex,
        _ => PrintFormat::Dump,
    };
    command.file("OUTFILE", "OUTDATASET");
    let print = Print { from: from?, selection: selection(&mut command), format, place: command.place() };
    command.finish();
    Some(Command::Print(print))
}

fn selection(command: &mut Parameters<'_, '_>) -> Selection {
    Selection {
        from_key: command.key("FROMKEY"),
        to_key: command.key("TOKEY"),
        addresses: (command.number("FROMADDRESS"), command.number("TOADDRESS")),
        numbers: (command.number("FROMNUMBER"), command.number("TONUMBER")),
        skip: command.number("SKIP"),
        count: command.number("COUNT"),
    }
}

pub(crate) fn list_catalog(mut command: Parameters<'_, '_>) -> Option<Command> {
    let entries = command.names("ENTRIES");
    let levels = command.names("LEVEL");
    let details = [
        ("ALL", Detail::All),
        ("ALLOCATION", Detail::Allocation),
        ("VOLUMES", Detail::Volume),
        ("HISTORY", Detail::History),
        ("NAME", Detail::Name),
    ];
    let detail = details.iter().find(|(keyword, _)| command.flag(keyword)).map(|(_, detail)| *detail);
    let kinds = std::iter::from_fn(|| command.kind()).collect();
    let listing =
        ListCatalog { entries, levels, kinds, detail: detail.unwrap_or_default(), place: command.place() };
    command.file("OUTFILE", "OUTDATASET");
    command.finish();
    Some(Command::ListCatalog(listing))
}

pub(crate) fn verify(mut command: Parameters<'_, '_>) -> Option<Command> {
    let file = command.file("FILE", "DATASET").or_else(|| command.file("INFILE", "INDATASET"));
    if file.is_none() {
        command.missing("FILE or DATASET");
    }
    command.flag("RECOVER");
    let place = command.place();
    command.finish();
    Some(Command::Verify(Verify { file: file?, place }))
}

pub(crate) fn export(mut command: Parameters<'_, '_>) -> Option<Command> {
    let entry = leading_name(&mut command)?;
    let to = command.file("OUTFILE", "OUTDATASET").unwrap_or_default();
    let temporary = command.either("TEMPORARY", "PERMANENT") == Some(true);
    command.file("INFILE", "INDATASET");
    command.either("PURGE", "NOPURGE");
    command.either("ERASE", "NOERASE");
    command.finish();
    Some(Command::Export(Export { entry, to, temporary }))
}

pub(crate) fn import(mut command: Parameters<'_, '_>) -> Option<Command> {
    let from = command.file("INFILE", "INDATASET");
    if from.is_none() {
        command.missing("INFILE or INDATASET");
    }
    let to = command.file("OUTFILE", "OUTDATASET").unwrap_or_default();
    let into_empty = command.flag("INTOEMPTY");
    let renamed = command.renamed();
    let place = command.place();
    command.finish();
    Some(Command::Import(Import { from: from?, to, into_empty, renamed, place }))
}

pub(crate) fn examine(mut command: Parameters<'_, '_>) -> Option<Command> {
    let name = command.needed_name("NAME");
    let index = command.either("INDEXTEST", "NOINDEXTEST").unwrap_or(true);
    let data = command.either("DATATEST", "NODATATEST").unwrap_or(false);
    command.finish();
    Some(Command::Examine(Examine { name: name?, index, data }))
}
