//! Completion: what may stand at a place, by what stands in front of it.

use std::collections::BTreeMap;

use cobol_check::NameTarget;
use cobol_source::Token;
use cobol_syntax::Executor;
use spec::{Kind, OptionSpec};

use crate::features::hover;
use crate::layout::{Language, Open, open};
use crate::limits::COMPLETIONS_MAX;
use crate::text::{Position, Range, is_of_word, units};
use crate::view::View;

/// Kinds of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A word of the language, a command.
    Word,
    /// An option of a command.
    Option,
    /// A data item.
    Item,
    /// A section or paragraph.
    Procedure,
    /// A copybook, a program, a map.
    Member,
    /// A column of a table.
    Column,
    /// A table.
    Table,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The word.
    pub label: String,
    /// Its kind.
    pub sort: Sort,
    /// A few words about it.
    pub detail: String,
    /// The text that is written; `$0` marks the cursor's place.
    pub written: String,
}

/// Candidates for a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The candidates, each label once.
    pub candidates: Vec<Candidate>,
    /// The part of the text that a candidate replaces.
    pub range: Range,
    /// True if there are more.
    pub is_cut: bool,
}

/// Candidates found so far: those that begin as the word in front of the place does.
struct Found {
    prefix: String,
    lower: bool,
    candidates: BTreeMap<String, Candidate>,
    is_cut: bool,
}

impl Found {
    fn add(&mut self, label: &str, sort: Sort, detail: impl Into<String>) {
        self.add_written(label, sort, detail, label.to_owned());
    }

    fn add_written(&mut self, label: &str, sort: Sort, detail: impl Into<String>, written: String) {
        if !label.get(..self.prefix.len()).is_some_and(|own| own.eq_ignore_ascii_case(&self.prefix)) {
            return;
        }
        if self.candidates.len() >= COMPLETIONS_MAX {
            self.is_cut = true;
            return;
        }
        let written = if self.lower { written.to_ascii_lowercase() } else { written };
        let candidate = Candidate { label: label.to_owned(), sort, detail: detail.into(), written };
        self.candidates.entry(label.to_owned()).or_insert(candidate);
    }
}

/// The candidates for a place.
pub fn complete(view: &View<'_>, at: Position) -> Completion {
    let line = view.line(at.line);
    let before = &line[..view.byte(at)];
    let start = before.char_indices().rev().take_while(|(_, c)| is_of_word(*c)).last();
    let start = start.map_or(before.len(), |(at, _)| at);
    let prefix = before[start..].to_ascii_uppercase();
    let lower = !prefix.is_empty() && before[start..].chars().all(|c| !c.is_ascii_uppercase());
    let mut found = Found { prefix, lower, candidates: BTreeMap::new(), is_cut: false };
    let (_, code) = view.layout.code(line);
    if !view.layout.is_comment(line) && !code.is_empty() {
        fill(view, at, &before[..start], &mut found);
    }
    let end = Position { line: at.line, unit: units(before) };
    let range = Range { start: Position { line: at.line, unit: units(&before[..start]) }, end };
    Completion { candidates: found.candidates.into_values().collect(), range, is_cut: found.is_cut }
}

fn fill(view: &View<'_>, at: Position, before: &str, found: &mut Found) {
    let lines = view.all_lines();
    let words: Vec<String> = before.split_whitespace().map(str::to_ascii_uppercase).collect();
    let last = words.last().map(String::as_str).unwrap_or_default();
    if let Some(open) = open(&lines, view.layout, at.line, view.byte(at)) {
        return match open.language {
            Language::Cics => of_command(view, &open, found),
            Language::Sql => of_sql(view, &open, before, found),
        };
    }
    match last {
        "COPY" => {
            view.folder.drafts.copy_names().iter().for_each(|name| found.add(name, Sort::Member, "copybook"))
        }
        "EXEC" => ["CICS", "SQL"].iter().for_each(|word| found.add(word, Sort::Word, "")),
        "PERFORM" | "THRU" | "THROUGH" => {
            procedures(view, found);
            words_of_cobol(found);
        }
        "TO" if words.iter().rev().nth(1).is_some_and(|word| word == "GO") => procedures(view, found),
        "FUNCTION" => {
            for function in cobol_syntax::functions() {
                found.add(function.name, Sort::Word, function.meaning);
            }
        }
        _ if last.ends_with(['\'', '"']) && before.to_ascii_uppercase().contains("CALL ") => {
            programs(view, found)
        }
        "OF" | "IN" => items(view, found),
        _ => {
            items(view, found);
            words_of_cobol(found);
        }
    }
}

fn words_of_cobol(found: &mut Found) {
    for statement in cobol_syntax::statements() {
        found.add(statement.name, Sort::Word, statement.meaning);
        if let Some(end) = statement.ends {
            found.add(end, Sort::Word, "");
        }
    }
    for row in spec::tables::COBOL_WORDS.lines().skip(1) {
        let mut columns = row.split('\t');
        if let (Some(word), Some("reserved")) = (columns.next(), columns.next()) {
            found.add(word, Sort::Word, "");
        }
    }
}

fn items(view: &View<'_>, found: &mut Found) {
    for symbol in &view.analysis.index().symbols {
        if let Some(item) = view.analysis.item(symbol) {
            let picture = item.picture.as_ref().map(|picture| format!("PIC {picture}"));
            let detail = picture.unwrap_or_else(|| item.kind.name().to_owned());
            found.add(&symbol.name, Sort::Item, format!("{:02} {detail}", item.level));
        } else if matches!(symbol.target, NameTarget::File(_)) {
            found.add(&symbol.name, Sort::Item, "file");
        }
    }
}

fn procedures(view: &View<'_>, found: &mut Found) {
    for symbol in &view.analysis.index().symbols {
        if matches!(symbol.target, NameTarget::Procedure(_)) {
            found.add(&symbol.name, Sort::Procedure, "");
        }
    }
}

fn programs(view: &View<'_>, found: &mut Found) {
    view.folder.drafts.program_names().iter().for_each(|name| found.add(name, Sort::Member, "program"));
}

fn of_command(view: &View<'_>, open: &Open, found: &mut Found) {
    if let Some(option) = &open.within {
        return match (option.as_str(), open.text.ends_with('\'') || open.text.contains(&format!("({}", '\'')))
        {
            ("PROGRAM", true) => programs(view, found),
            ("MAPSET", true) => {
                view.folder
                    .drafts
                    .map_names()
                    .iter()
                    .for_each(|name| found.add(name, Sort::Member, "mapset"));
            }
            ("LABEL", _) => procedures(view, found),
            _ => items(view, found),
        };
    }
    let Some(first) = open.before.first() else {
        return spec::commands()
            .iter()
            .for_each(|command| found.add(command.name, Sort::Word, command.group));
    };
    let words = open.words();
    // The second word of a command's name, as long as nothing else is there.
    if open.before.len() == 1 && !first.has_value {
        for command in spec::commands() {
            if let Some(rest) =
                command.name.strip_prefix(first.name.as_str()).and_then(|rest| rest.strip_prefix(' '))
            {
                let is_option = open.command().is_some_and(|own| own.takes(rest).is_some());
                if !is_option {
                    found.add(rest, Sort::Word, command.group);
                }
            }
        }
    }
    let all =
        spec::commands().iter().filter(|command| command.name.split(' ').next() == Some(first.name.as_str()));
    let commands: Vec<&spec::Command> = match open.command() {
        Some(command) => vec![command],
        None => all.collect(),
    };
    for command in commands {
        let is_there =
            |option: &OptionSpec| words.iter().any(|word| spec::syntax::canonical(word.name) == option.name);
        for option in command.all_options().filter(|option| !is_there(option)) {
            let written = match option.kind {
                Kind::Keyword => option.name.to_owned(),
                _ => format!("{}($0)", option.name),
            };
            found.add_written(option.name, Sort::Option, hover::form(command, option), written);
        }
    }
    found.add("END-EXEC", Sort::Word, "");
}

fn of_sql(view: &View<'_>, open: &Open, before: &str, found: &mut Found) {
    if before.ends_with(':') {
        return items(view, found);
    }
    match open.before.last().map(|word| word.name.as_str()) {
        Some("INCLUDE") => {
            view.folder.drafts.copy_names().iter().for_each(|name| found.add(name, Sort::Member, "copybook"));
            found.add("SQLCA", Sort::Member, "");
            return;
        }
        None => {
            for word in
                ["SELECT", "INSERT", "UPDATE", "DELETE", "DECLARE", "OPEN", "FETCH", "CLOSE", "INCLUDE"]
            {
                found.add(word, Sort::Word, "");
            }
        }
        Some(_) => {}
    }
    for table in tables(view) {
        found.add(&table.name, Sort::Table, "table");
        for (column, kind) in &table.columns {
            found.add(column, Sort::Column, format!("{kind}, of {}", table.name));
        }
    }
    found.add("END-EXEC", Sort::Word, "");
}

/// A table of DECLARE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, without its schema.
    pub name: String,
    /// Its columns with the words of their types.
    pub columns: Vec<(String, String)>,
}

/// The tables that the program and its copybooks declare.
pub fn tables(view: &View<'_>) -> Vec<Table> {
    let mut tables = Vec::new();
    for draft in &view.analysis.drafts {
        for block in draft.checked.blocks.iter().filter(|block| block.executor == Executor::Sql) {
            tables.extend(declared(&draft.checked.tokens[block.range.clone()]));
        }
    }
    tables
}

/// The table that the words of a block declare.
fn declared(tokens: &[Token]) -> Option<Table> {
    let at = tokens.iter().position(|token| token.is("DECLARE"))?;
    let table = at + tokens[at..].iter().position(|token| token.is("TABLE"))?;
    let name = tokens.get(table.checked_sub(1)?)?.upper();
    let name = name.rsplit('.').next().unwrap_or(&name).to_owned();
    let mut columns: Vec<(String, String)> = Vec::new();
    let (mut depth, mut begins) = (0_usize, true);
    for token in &tokens[table + 1..] {
        match &*token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 1 => begins = true,
            _ if depth == 0 => {}
            text if begins => {
                let (name, rest) = text.split_once(',').unwrap_or((text, ""));
                columns.push((name.to_ascii_uppercase(), rest.to_owned()));
                begins = false;
            }
            text => {
                // A comma may be glued to the word in front of it.
                begins = depth == 1 && text.ends_with(',');
                if let Some((_, kind)) = columns.last_mut().filter(|(_, kind)| kind.len() < 40) {
                    if !kind.is_empty() && depth == 1 {
                        kind.push(' ');
                    }
                    kind.push_str(text.trim_end_matches(','));
                }
            }
        }
    }
    Some(Table { name, columns })
}

/// The form of the command around a place, and the option that the place is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The command in one line.
    pub label: String,
    /// Its options as they stand in the label.
    pub options: Vec<String>,
    /// The option that the place is in.
    pub active: Option<usize>,
    /// Its conditions.
    pub conditions: String,
}

/// The form of the EXEC CICS command around a place.
pub fn signature(view: &View<'_>, at: Position) -> Option<Signature> {
    let open = open(&view.all_lines(), view.layout, at.line, view.byte(at))?;
    let command = open.command().filter(|_| open.language == Language::Cics)?;
    let options: Vec<String> = command.options.iter().map(|option| hover::form(command, option)).collect();
    let current = open.within.as_deref().or(open.before.last().map(|word| word.name.as_str()));
    let current = current.map(spec::syntax::canonical);
    let active = command.options.iter().position(|option| Some(option.name) == current);
    let label = format!("{} {}", command.name, options.join(" "));
    Some(Signature { label, options, active, conditions: command.conditions.join(", ") })
}
