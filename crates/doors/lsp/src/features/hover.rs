//! Hover: what a name, a command or a word is, as Markdown.

use std::fmt::Write as _;

use cobol_check::NameTarget;
use cobol_data::{Area, Item, Type};
use spec::{Command, Direction, Kind, OptionSpec, Status};

use crate::analysis::Symbol;
use crate::layout::{Language, Open, open};
use crate::text::Position;
use crate::view::View;

/// The text about a place; `None` where nothing is known.
pub fn hover(view: &View<'_>, at: Position) -> Option<String> {
    if let Some((_, symbol)) = view.symbol(at) {
        return of_symbol(view, symbol);
    }
    let word = view.word(at);
    let lines = view.all_lines();
    let (start, _) = crate::text::word_at(view.line(at.line), view.byte(at));
    if let Some(open) = open(&lines, view.layout, at.line, start)
        && open.language == Language::Cics
    {
        return of_command(&open, &word);
    }
    condition(&word)
        .or_else(|| cobol_syntax::function(&word).map(of_function))
        .or_else(|| cobol_syntax::statement(&word).map(of_statement))
}

fn of_symbol(view: &View<'_>, symbol: &Symbol) -> Option<String> {
    let program = view.analysis.program(symbol)?;
    let file = &view.analysis.index().files[symbol.spot.file].name;
    let place =
        if symbol.supplied { "supplied".to_owned() } else { format!("{file}, line {}", symbol.spot.line) };
    let text = match symbol.target {
        NameTarget::Item(id) => {
            let item = program.items.get(id);
            let groups = std::iter::successors(item.parent, |id| program.items.get(*id).parent);
            let groups: Vec<String> =
                groups.map(|id| program.items.get(id).display_name().to_string()).collect();
            of_item(item, &groups)
        }
        NameTarget::Procedure(at) => {
            let procedure = &program.procedures[at];
            let section =
                procedure.section.map(|at| format!(" of section {}", program.procedures[at].name.text));
            let kind = if procedure.is_section { "section" } else { "paragraph" };
            format!("**{}**: {kind}{}", procedure.name.text, section.unwrap_or_default())
        }
        NameTarget::File(at) => {
            let file = &program.files[at];
            format!("**{}**: file, records of {} bytes", file.name.text, file.record_length)
        }
        _ => return None,
    };
    Some(format!("{text}\n\n{place}"))
}

/// The description of an item, with its place in storage.
fn of_item(item: &Item, groups: &[String]) -> String {
    let mut text = format!("```cobol\n{:02} {}", item.level, item.display_name());
    if let Some(picture) = &item.picture {
        let _ = write!(text, " PIC {picture}");
    }
    if let Some(usage) = usage(&item.kind) {
        let _ = write!(text, " USAGE {usage}");
    }
    if let Some(occurs) = &item.occurs {
        let most = occurs.max.map_or("UNBOUNDED".to_owned(), |max| max.to_string());
        let _ = match &occurs.depending {
            Some(by) => write!(text, " OCCURS {} TO {most} DEPENDING ON {}", occurs.min, by.name.text),
            None => write!(text, " OCCURS {most}"),
        };
    }
    text.push_str("\n```\n");
    let _ = write!(text, "{}", item.kind.name());
    if !matches!(item.kind, Type::Condition | Type::IndexName | Type::Constant) {
        let moves = if item.moves_behind.is_empty() { "" } else { " at most" };
        let _ = write!(text, ", offset {}{moves}, length {}", item.offset, item.length);
    }
    if !groups.is_empty() {
        let _ = write!(text, ", in {}", groups.join(" of "));
    }
    let _ = write!(text, ", {}", area(item.area));
    text
}

fn area(area: Area) -> &'static str {
    match area {
        Area::File(_) => "record of a file",
        Area::WorkingStorage => "WORKING-STORAGE",
        Area::LocalStorage => "LOCAL-STORAGE",
        Area::Linkage => "LINKAGE",
        Area::Register => "register",
        Area::Around(_) => "GLOBAL of a program around this one",
    }
}

/// The USAGE of a type, where its picture does not say it already.
fn usage(kind: &Type) -> Option<&'static str> {
    use cobol_data::Representation;
    Some(match kind {
        Type::Numeric(numeric) => match numeric.representation {
            Representation::Zoned(_) => "DISPLAY",
            Representation::Packed => "COMP-3",
            Representation::Binary => "COMP",
            Representation::Native => "COMP-5",
            Representation::National(_) => "NATIONAL",
            Representation::Bytes { .. } => return None,
        },
        Type::Alphabetic | Type::Alphanumeric | Type::AlphanumericEdited(_) | Type::NumericEdited(_) => {
            "DISPLAY"
        }
        Type::National | Type::NationalEdited(_) => "NATIONAL",
        Type::DoubleByte => "DISPLAY-1",
        Type::Utf8(_) => "UTF-8",
        Type::FloatShort => "COMP-1",
        Type::FloatLong => "COMP-2",
        Type::Index => "INDEX",
        Type::Pointer => "POINTER",
        Type::ProcedurePointer => "PROCEDURE-POINTER",
        Type::FunctionPointer => "FUNCTION-POINTER",
        _ => return None,
    })
}

fn of_command(open: &Open, word: &str) -> Option<String> {
    // The word itself is behind the place at which the block was looked at.
    let mut words = open.words();
    let is_there = words.iter().any(|one| one.name == word);
    if !is_there {
        words.insert(open.before.len(), spec::syntax::Word { name: word, has_value: false });
    }
    let (verb, rest) = words.split_first()?;
    let command = spec::syntax::find(verb.name, rest)?;
    if open.within.is_some() {
        return None;
    }
    let option = command.takes(word).filter(|_| verb.name != word);
    Some(match option {
        Some(option) => of_option(command, option),
        None => of_whole(command),
    })
}

/// A command: its options and conditions.
pub fn of_whole(command: &Command) -> String {
    let mut text = format!("```cobol\n{}\n```\n{}", syntax(command), command.group);
    text.push_str(match command.status {
        Status::NotYet => "; not built here",
        Status::Partial => "; built in part",
        Status::Complete => "",
    });
    if !command.conditions.is_empty() {
        let _ = write!(text, "\n\nConditions: {}", command.conditions.join(", "));
    }
    text
}

/// A command with its options, those that may be left out in brackets.
pub fn syntax(command: &Command) -> String {
    let mut text = format!("EXEC CICS {}", command.name);
    for option in command.options {
        text.push_str("\n    ");
        text.push_str(&form(command, option));
    }
    text.push_str("\nEND-EXEC");
    text
}

/// An option as it is written.
pub fn form(command: &Command, option: &OptionSpec) -> String {
    let value = argument(option);
    let value = match (value, option.value_optional) {
        ("", _) => String::new(),
        (value, true) => format!("[({value})]"),
        (value, false) => format!("({value})"),
    };
    let required = command.required.iter().any(|set| set.contains(&option.id));
    if required { format!("{}{value}", option.name) } else { format!("[{}{value}]", option.name) }
}

/// The content of an option's parentheses in a word.
pub fn argument(option: &OptionSpec) -> &'static str {
    match option.kind {
        Kind::Keyword => "",
        Kind::Name => "name",
        Kind::Value => "value",
        Kind::Area => "area",
        Kind::Pointer => "pointer",
        Kind::Cvda => "cvda",
        Kind::Hhmmss => "hhmmss",
        Kind::Label => "label",
    }
}

fn of_option(command: &Command, option: &OptionSpec) -> String {
    let goes = match (option.kind, option.direction) {
        (Kind::Keyword, _) => "keyword",
        (_, Direction::In) => "from the program",
        (_, Direction::Out) => "to the program",
        (_, Direction::InOut) => "from the program and back",
    };
    let mut text = format!("```cobol\n{}\n```\n{goes}, of {}", form(command, option), command.name);
    let names = |set: &[spec::OptionId]| set.iter().map(|id| id.name()).collect::<Vec<_>>().join(", ");
    for set in command.required.iter().filter(|set| set.contains(&option.id)) {
        let _ = match set.len() {
            1 => write!(text, "; required"),
            _ => write!(text, "; one of {} is required", names(set)),
        };
    }
    for set in command.exclusive.iter().filter(|set| set.contains(&option.id)) {
        let _ = write!(text, "; at most one of {}", names(set));
    }
    if !option.is_for_regions() {
        text.push_str("; not built here");
    }
    text
}

fn condition(word: &str) -> Option<String> {
    let record = spec::conditions().iter().find(|record| record.name == word)?;
    let ends = record.default_abend.map_or("is ignored where it is not handled".to_owned(), |abend| {
        format!("ends the task with {abend} where it is not handled")
    });
    Some(format!("**{word}**: condition {}, {ends}", record.condition.resp()))
}

fn of_statement(record: &cobol_syntax::StatementRecord) -> String {
    let mut text = format!("```cobol\n{}\n```\n{}", record.form, record.meaning);
    if let Some(lacks) = record.lacks {
        let _ = write!(text, "\n\n{lacks}");
    }
    text
}

fn of_function(record: &cobol_syntax::FunctionRecord) -> String {
    format!(
        "```cobol\nFUNCTION {}\n```\n{}\n\n`{}` shows `{}`",
        record.name, record.meaning, record.example, record.shown
    )
}
