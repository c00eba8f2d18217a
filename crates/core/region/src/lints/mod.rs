//! Doubts about programs that can be given a level, and switched off line by line.
//!
//! A comment `*> syncpoint: off NAME` stands on the line that a message is about, or on the line in front of it.

mod areas;
mod constants;
mod names;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use cobol_check::CheckedProgram;
use cobol_source::exec::Item;
use cobol_syntax::Block;
use cobol_syntax::tree::{Exec, Expression, StatementKind};
use config::{LINTS, Lint, RegionConfig};
use csd::{Definition, ResourceType};
use diagnostics::{Diagnostic, Severity};
use spec::Command;
use spec::syntax::Word;
use toolchain::{Member, Toolchain};

use crate::{bundle_parts, codes, definitions, state};

/// The codes of each lint's messages.
const CODES: [(Lint, &[&str]); 5] = [
    (Lint::UndefinedName, &[codes::UNDEFINED_NAME]),
    (Lint::ShortArea, &[codes::SHORT_AREA]),
    (Lint::ResponseItem, &[codes::RESPONSE_ITEM]),
    (Lint::NullName, &[codes::NULL_NAME]),
    // A full stop in front of a paragraph; REDEFINES behind other clauses; a symbol of money that is one of pictures.
    (Lint::ZOs, &["SPSY015", "SPSY023", "SPSY028", "SPCK064"]),
];

/// The names that are defined.
#[derive(Default)]
struct Known {
    /// Files with the average and the greatest length of their records, where those are known.
    files: HashMap<String, Option<(usize, usize)>>,
    programs: HashSet<String>,
    transactions: HashSet<String>,
    mapsets: HashSet<String>,
    queues: HashSet<String>,
    /// All definitions of the CSD texts, installed or not.
    everywhere: Vec<Definition>,
}

/// Messages about everything that programs ask for in vain, as far as their texts show it. `scratch` is an empty folder in which data sets are defined.
pub async fn of_programs(
    root: &Path,
    config: &RegionConfig,
    toolchain: &Toolchain,
    scratch: &Path,
) -> Vec<Diagnostic> {
    // Definitions that are wrong have their messages elsewhere.
    let Ok((definitions, _)) = definitions::read(root, config) else { return Vec::new() };
    let parts = bundle_parts::brought(root, &definitions).definitions;
    let definitions = [definitions, parts].concat();
    let lengths = state::record_lengths(root, scratch, config, &definitions).await;
    let mut known = Known::of(&definitions, toolchain, config, &lengths);
    known.everywhere = definitions::everywhere(root, config);
    let mut messages: Vec<Diagnostic> = Vec::new();
    for member in toolchain.members() {
        let Member::Program(name) = member else { continue };
        let Ok(checked) = toolchain.examine(&name) else { continue };
        for program in checked.programs.iter().flat_map(with_contained) {
            for (at, message) in of_program(program, &checked.blocks, &known) {
                let message = checked.at(at, message);
                // A copybook that several programs have gives one message.
                if !messages.contains(&message) {
                    messages.push(message);
                }
            }
        }
    }
    messages
}

/// A program, and those that it contains.
fn with_contained(program: &CheckedProgram) -> Vec<&CheckedProgram> {
    let mut all = vec![program];
    all.extend(program.contained.iter().flat_map(with_contained));
    all
}

/// The messages with the levels that their lints have, without those that are off.
pub fn levelled(messages: Vec<Diagnostic>, config: &RegionConfig) -> Vec<Diagnostic> {
    let levelled = |mut message: Diagnostic| {
        let lint = CODES.iter().find(|(_, codes)| codes.contains(&message.code)).map(|(lint, _)| *lint);
        let Some(lint) = lint.filter(|_| message.severity != Severity::Error) else { return Some(message) };
        message.severity = config.lints.level(lint)?;
        (!is_off(&message, lint)).then_some(message)
    };
    messages.into_iter().filter_map(levelled).collect()
}

/// Returns true if a comment at a message's line, or in front of it, switches its lint off.
fn is_off(message: &Diagnostic, lint: Lint) -> bool {
    const MARK: &str = "syncpoint: off";
    let Some(place) = &message.place else { return false };
    let name = LINTS.iter().find(|(_, own)| *own == lint).map_or("", |(name, _)| name);
    let names_it = |line: &str| {
        let lower = line.to_ascii_lowercase();
        let Some(at) = lower.find(MARK) else { return false };
        let is_comment = lower[..at].contains("*>") || lower.chars().nth(6) == Some('*');
        let names = lower[at + MARK.len()..].split(|c: char| c == ',' || c.is_whitespace());
        is_comment && names.into_iter().any(|own| own == name)
    };
    let lines = place.source.text.lines().skip(place.line.saturating_sub(2));
    lines.take(if place.line > 1 { 2 } else { 1 }).any(names_it)
}

type Found = Vec<(cobol_source::At, Diagnostic)>;

/// A command of a program.
struct Used<'a> {
    command: &'static Command,
    exec: &'a Exec,
    block: &'a Block,
}

impl<'a> Used<'a> {
    fn of(exec: &'a Exec, blocks: &'a [Block]) -> Option<Self> {
        let block = blocks.get(exec.block as usize)?;
        let words: Vec<Word<'_>> = block
            .items
            .iter()
            .map(|item| Word { name: item.name.as_str(), has_value: item.argument.is_some() })
            .collect();
        let (verb, rest) = words.split_first()?;
        let command = spec::syntax::find(verb.name, rest)?;
        Some(Self { command, exec, block })
    }

    /// The value of an option, by its name in the record.
    fn value(&self, option: &str) -> Option<&'a Expression> {
        let is_it = |item: &Item| spec::syntax::canonical(&item.name) == option;
        let operands = &self.exec.operands;
        operands.iter().find(|(item, _)| self.item(*item).is_some_and(is_it)).map(|(_, value)| value)
    }

    /// The option of a number.
    fn item(&self, number: Option<u16>) -> Option<&'a Item> {
        self.block.items.get(usize::from(number?))
    }

    fn has(&self, option: &str) -> bool {
        self.block.items.iter().any(|item| spec::syntax::canonical(&item.name) == option)
    }
}

fn of_program(program: &CheckedProgram, blocks: &[Block], known: &Known) -> Found {
    let mut found = Vec::new();
    let constants = constants::Constants::of(program, blocks);
    cobol_check::each_statement(&program.syntax, &mut |statement| {
        let StatementKind::Exec(exec) = &statement.kind else { return };
        let Some(used) = Used::of(exec, blocks) else { return };
        names::look(&used, &constants, known, &mut found);
        areas::look(&used, program, &constants, known, &mut found);
    });
    found
}

impl Known {
    fn of(
        definitions: &[Definition],
        toolchain: &Toolchain,
        config: &RegionConfig,
        lengths: &HashMap<String, (usize, usize)>,
    ) -> Self {
        let mut known = Self::default();
        for definition in definitions {
            let name = definition.name.clone();
            match definition.resource {
                ResourceType::File => {
                    let dataset = definition.get("DSNAME").unwrap_or_default();
                    known.files.insert(name, lengths.get(dataset).copied());
                }
                ResourceType::Program => drop(known.programs.insert(name)),
                ResourceType::Transaction => drop(known.transactions.insert(name)),
                ResourceType::Mapset => drop(known.mapsets.insert(name)),
                ResourceType::Tdqueue => drop(known.queues.insert(name)),
                _ => {}
            }
        }
        for member in toolchain.all_members() {
            match member {
                Member::Program(name) if config.sit.autoinstall_programs => drop(known.programs.insert(name)),
                Member::Program(_) => {}
                Member::Mapset(name) => drop(known.mapsets.insert(name)),
            }
        }
        known
    }
}
