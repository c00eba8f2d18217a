//! A program's text with what its names stand for: each place where a name is written, in its own text and in copybooks.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use cobol_check::{CheckedProgram, NameTarget};
use cobol_data::{Area, Item};
use cobol_source::{At, Kind, Token};
use cobol_syntax::Executor;
use diagnostics::{Source, TextPlace};
use toolchain::Draft;

use crate::text::{Lines, Range, is_of_word, range_of};

/// A program's text, checked.
pub struct Analysis {
    /// The file of the text.
    pub path: PathBuf,
    /// Its name in messages.
    pub name: String,
    /// Its programs.
    pub drafts: Vec<Draft>,
    index: OnceCell<Index>,
}

/// A place in one of the sources of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The source, by its place in [`Index::files`].
    pub file: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A place where a name is written.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// Its place.
    pub spot: Spot,
    /// Its characters.
    pub width: usize,
    /// The named thing, by its place in [`Index::symbols`].
    pub symbol: usize,
    /// True if it is where the thing is described.
    pub definition: bool,
    /// True if its statement may change the thing.
    pub changes: bool,
    /// False if the text there is another one, as behind REPLACING.
    pub as_written: bool,
}

/// A thing that a program names.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name in capitals.
    pub name: String,
    /// Its kind and its number among those of its kind.
    pub target: NameTarget,
    /// The draft, and the program in it, that describe it.
    pub program: (usize, usize),
    /// Place of its description.
    pub spot: Spot,
    /// True if every program has it without describing it.
    pub supplied: bool,
}

/// A source of an analysis.
pub struct File {
    /// Its name in messages.
    pub name: String,
    /// Its text.
    pub source: Arc<Source>,
    lines: Lines,
}

/// All names of an analysis.
#[derive(Default)]
pub struct Index {
    /// The sources.
    pub files: Vec<File>,
    /// The named things.
    pub symbols: Vec<Symbol>,
    /// The places of names, in the order of their spots.
    pub occurrences: Vec<Occurrence>,
    /// Names of which some use could stand for several things.
    pub ambiguous: HashSet<String>,
}

impl File {
    /// A line of it, from 1.
    pub fn line(&self, line: usize) -> &str {
        self.lines.line(&self.source.text, line.saturating_sub(1))
    }

    /// Some characters of it.
    pub fn range(&self, spot: Spot, width: usize) -> Range {
        range_of(self.line(spot.line), spot.line, spot.column, width)
    }
}

impl Analysis {
    /// The programs of a file's text.
    pub fn new(path: PathBuf, name: String, drafts: Vec<Draft>) -> Self {
        Self { path, name, drafts, index: OnceCell::new() }
    }

    /// All its names; made when they are asked for first.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| Builder::default().build(&self.drafts))
    }

    /// The program that a symbol belongs to.
    pub fn program(&self, symbol: &Symbol) -> Option<&CheckedProgram> {
        let (draft, program) = symbol.program;
        self.drafts.get(draft)?.checked.all_programs().get(program).copied()
    }

    /// The item that a symbol is.
    pub fn item(&self, symbol: &Symbol) -> Option<&Item> {
        match symbol.target {
            NameTarget::Item(id) => Some(self.program(symbol)?.items.get(id)),
            _ => None,
        }
    }

    /// Returns true if a file answered one of its COPY statements.
    pub fn copies(&self, path: &std::path::Path) -> bool {
        self.drafts.iter().any(|draft| draft.copied.iter().any(|(_, copied)| copied == path))
    }
}

impl Index {
    /// The source of a name.
    pub fn file(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// The name that is written at a place of a source, its end included.
    pub fn at(&self, spot: Spot) -> Option<&Occurrence> {
        let behind = self.occurrences.partition_point(|one| one.spot <= spot);
        let found = self.occurrences[..behind].last()?;
        let is_within = (found.spot.file, found.spot.line) == (spot.file, spot.line)
            && spot.column <= found.spot.column + found.width;
        is_within.then_some(found)
    }

    /// The places of a symbol.
    pub fn of(&self, symbol: usize) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |one| one.symbol == symbol)
    }
}

#[derive(Default)]
struct Builder {
    index: Index,
    by_source: HashMap<*const Source, usize>,
    by_key: HashMap<(Spot, String), usize>,
    by_name: HashMap<String, Vec<usize>>,
    by_spot: HashMap<Spot, Occurrence>,
}

impl Builder {
    fn build(mut self, drafts: &[Draft]) -> Index {
        for (number, draft) in drafts.iter().enumerate() {
            for (place, program) in draft.checked.all_programs().into_iter().enumerate() {
                self.program(draft, program, (number, place));
            }
            self.others(draft);
        }
        let mut occurrences: Vec<Occurrence> = self.by_spot.into_values().collect();
        occurrences.sort_unstable_by_key(|one| one.spot);
        Index { occurrences, ..self.index }
    }

    fn program(&mut self, draft: &Draft, program: &CheckedProgram, at: (usize, usize)) {
        let mut known: HashMap<NameTarget, usize> = HashMap::new();
        for (id, item) in program.items.all().filter(|(_, item)| item.area != Area::Register) {
            if let Some(name) = &item.name {
                let target = NameTarget::Item(id);
                known.insert(target, self.define(draft, name.at, &name.text, target, at));
            }
        }
        for (place, procedure) in program.procedures.iter().enumerate() {
            let target = NameTarget::Procedure(place);
            let (name, target_at) = (&procedure.name.text, procedure.name.at);
            known.insert(target, self.define(draft, target_at, name, target, at));
        }
        for (place, file) in program.files.iter().enumerate() {
            let target = NameTarget::File(place);
            let symbol = self.define(draft, file.name.at, &file.name.text, target, at);
            known.insert(target, symbol);
            if let Some(select) = file.select.and_then(|at| program.syntax.environment.files.get(at)) {
                self.occur(draft, select.name.at, symbol, false);
            }
        }
        for used in &program.uses {
            if let Some(&symbol) = known.get(&used.target) {
                self.occur(draft, used.at, symbol, used.changes);
            }
        }
    }

    /// A thing and the place of its description.
    fn define(
        &mut self,
        draft: &Draft,
        at: At,
        name: &str,
        target: NameTarget,
        program: (usize, usize),
    ) -> usize {
        let place = draft.checked.frames().origin(at).place;
        let spot = self.spot(&place);
        let key = (spot, name.to_owned());
        if let Some(&known) = self.by_key.get(&key) {
            return known;
        }
        let symbol = self.index.symbols.len();
        // What the compiler supplies stands at the header of the procedure division.
        let owner = draft.checked.all_programs().get(program.1).and_then(|one| one.syntax.procedure.as_ref());
        let supplied = owner.is_some_and(|procedure| procedure.at == at);
        self.index.symbols.push(Symbol { name: name.to_owned(), target, program, spot, supplied });
        self.by_key.insert(key, symbol);
        self.by_name.entry(name.to_owned()).or_default().push(symbol);
        if !supplied {
            self.put(&place, name.chars().count(), symbol, (true, false));
        }
        symbol
    }

    fn occur(&mut self, draft: &Draft, at: At, symbol: usize, changes: bool) {
        let place = draft.checked.frames().origin(at).place;
        let width = self.index.symbols[symbol].name.chars().count();
        self.put(&place, width, symbol, (false, changes));
    }

    fn put(&mut self, place: &TextPlace, width: usize, symbol: usize, (definition, changes): (bool, bool)) {
        let spot = self.spot(place);
        let line = self.index.files[spot.file].line(spot.line);
        let written: String = line.chars().skip(spot.column.saturating_sub(1)).take(width).collect();
        let as_written = written.eq_ignore_ascii_case(&self.index.symbols[symbol].name);
        let one = Occurrence { spot, width, symbol, definition, changes, as_written };
        let known = self.by_spot.entry(spot).or_insert(one);
        if known.symbol == symbol {
            known.definition |= definition;
            known.changes |= changes;
        } else {
            // One text that stands for several things, as in a copybook that is copied twice.
            known.as_written = false;
        }
    }

    /// The place within the sources.
    fn spot(&mut self, place: &TextPlace) -> Spot {
        let files = &mut self.index.files;
        let file = *self.by_source.entry(Arc::as_ptr(&place.source)).or_insert_with(|| {
            let same = files.iter().position(|file| file.name == place.source.name);
            same.unwrap_or_else(|| {
                let lines = Lines::of(&place.source.text);
                let (name, source) = (place.source.name.clone(), Arc::clone(&place.source));
                files.push(File { name, source, lines });
                files.len() - 1
            })
        });
        Spot { file, line: place.line, column: place.column }
    }

    /// Names that no statement of COBOL has looked up: qualifiers, arguments of commands, host variables.
    fn others(&mut self, draft: &Draft) {
        let tokens = &draft.checked.tokens;
        let mut within = vec![None; tokens.len()];
        for block in &draft.checked.blocks {
            within[block.range.clone()].fill(Some(block.executor));
        }
        let mut depth = 0_usize;
        for (at, token) in tokens.iter().enumerate() {
            match within[at] {
                None => depth = 0,
                Some(_) if token.is_symbol("(") => depth += 1,
                Some(_) if token.is_symbol(")") => depth = depth.saturating_sub(1),
                Some(_) => {}
            }
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let is_name = match within[at] {
                None => {
                    !before.is_some_and(|before| before.is_any(&["PIC", "PICTURE", "COPY", "PROGRAM-ID"]))
                }
                Some(Executor::Cics) => depth > 0,
                Some(Executor::Sql) => {
                    token.text.starts_with(':')
                        || before.is_some_and(|before| before.text.ends_with(':') || &*before.text == ".")
                }
                Some(Executor::Other) => false,
            };
            if is_name && token.kind == Kind::Word && !token.is_number() {
                self.pieces(draft, token);
            }
        }
    }

    /// The names in a text word, which may be several in SQL.
    fn pieces(&mut self, draft: &Draft, token: &Token) {
        let mut at = 0;
        for piece in token.text.split(|c: char| !is_of_word(c)) {
            let name = piece.to_ascii_uppercase();
            let first = at;
            at += piece.chars().count() + 1;
            let Some(symbols) = self.by_name.get(&name) else { continue };
            let only = if let [symbol] = symbols[..] { Some(symbol) } else { None };
            let mut place = draft.checked.frames().origin(token.at).place;
            place.column += first;
            let spot = self.spot(&place);
            if self.by_spot.contains_key(&spot) {
                continue;
            }
            match only {
                Some(symbol) => self.put(&place, name.chars().count(), symbol, (false, false)),
                None => {
                    self.index.ambiguous.insert(name);
                }
            }
        }
    }
}
