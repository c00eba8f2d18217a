//! What is known of a program by its own source alone: whether our own compiler takes it, which records it has that hosted
//! programs see otherwise, and what it CALLs: for checks, and for warnings where programs have different compilers.
//!
//! It is kept in memory and in `NAME.facts`, so that a start reads only what has changed. What cannot be kept is found out again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Checked, CheckedProgram};
use cobol_data::{Area, Type};
use diagnostics::Diagnostic;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::artifact::Failure;
use crate::codes;
use crate::flight::Flights;
use crate::own::{self, OwnBuilder, Read, Taken};
use crate::record::{Ingredients, SavedMessage, write_whole};
use crate::sources::Sources;
use crate::stamp::hash;

/// The extension of their files.
const EXTENSION: &str = "facts";
/// Characters of the hash in front of a file.
const HASH_LENGTH: usize = 64;

/// Records that the region fills as their program sees them, and that no other program sees.
const OF_REGION: [&str; 5] = ["VSVCLIST", "SQLDA", "DFHWBTDO", "DFHWBCDO", "DFHWBEPO"];

/// What is known of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) from: Ingredients,
    /// Whether our own compiler does not take it.
    pub(crate) refused: bool,
    /// What there is to say of it: why it is refused, if it is.
    messages: Vec<SavedMessage>,
    /// The first item of each shape that hosted programs see otherwise in a record.
    pub(crate) holds: Vec<Held>,
    /// The programs that it CALLs by a literal.
    pub(crate) calls: Vec<String>,
    /// Names that items by which it CALLs get from its text.
    pub(crate) perhaps: Vec<String>,
    /// The names of its entries.
    pub(crate) entries: Vec<String>,
}

/// An item of a record that hosted programs see otherwise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) shape: Shape,
    at: SavedMessage,
}

/// What hosted programs see otherwise: a pointer has eight bytes there, and floating point is the processor's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Shape {
    Pointer,
    Float,
}

impl Shape {
    pub(crate) const ALL: [Self; 2] = [Self::Pointer, Self::Float];

    /// How it differs in some programs.
    pub(crate) fn differs(self, programs: &str) -> String {
        match self {
            Self::Pointer => format!("a pointer within a record has 4 bytes here, and 8 in {programs}"),
            Self::Float => format!(
                "floating point in a record is hexadecimal here, and the processor's own in {programs}"
            ),
        }
    }
}

impl Facts {
    /// Those of a source that was read.
    pub(crate) fn of(from: Ingredients, checked: &Checked, taken: &Result<Taken, Failure>) -> Self {
        let (messages, calls, entries) = match taken {
            Ok(taken) => (taken.messages(), taken.calls(), taken.entries()),
            Err(refused) => {
                let called = checked.programs.iter().flat_map(CheckedProgram::called);
                let calls = called.filter(|called| !own::is_service(called)).collect();
                (refused.diagnostics(), calls, Default::default())
            }
        };
        let mut holds = Vec::new();
        each_otherwise(checked, &checked.programs, &mut |shape, at| {
            let place = at.place.as_ref();
            let member = place.and_then(|place| Path::new(&place.source.name).file_stem()?.to_str());
            let is_of = |members: &[&str]| {
                members.iter().any(|of| member.is_some_and(|member| member.eq_ignore_ascii_case(of)))
            };
            if !is_of(&OF_REGION) && !holds.iter().any(|held: &Held| held.shape == shape) {
                holds.push(Held { shape, at: SavedMessage::new(&at) });
            }
        });
        Self {
            from,
            refused: taken.is_err(),
            messages: messages.iter().map(SavedMessage::new).collect(),
            holds,
            calls: calls.into_iter().collect(),
            perhaps: checked.programs.iter().flat_map(CheckedProgram::perhaps_called).collect(),
            entries: entries.into_iter().collect(),
        }
    }

    pub(crate) fn holds(&self, shape: Shape) -> Option<&Held> {
        self.holds.iter().find(|held| held.shape == shape)
    }

    /// What there is to say of it.
    pub(crate) fn messages(&self, sources: &Sources) -> Vec<Diagnostic> {
        self.messages.iter().map(|message| message.restore(|name| sources.source(name))).collect()
    }
}

impl Held {
    /// That it is otherwise in these programs, at its place.
    pub(crate) fn differs(&self, programs: &str, sources: &Sources) -> Diagnostic {
        let at = self.at.restore(|name| sources.source(name));
        Diagnostic { message: self.shape.differs(programs), ..at }
    }
}

/// Visits the items of these programs, and of those that they contain, that hosted programs see otherwise in a record. What is
/// passed by others is such a record, too.
fn each_otherwise(checked: &Checked, programs: &[CheckedProgram], visit: &mut dyn FnMut(Shape, Diagnostic)) {
    for program in programs {
        for (_, item) in program.items.all() {
            let is_passed = matches!(item.area, Area::Linkage | Area::File(_));
            let shape = match item.kind {
                Type::Pointer | Type::FunctionPointer if item.parent.is_some() => Shape::Pointer,
                Type::FloatShort | Type::FloatLong if item.parent.is_some() || is_passed => Shape::Float,
                _ => continue,
            };
            let message = Diagnostic::error(codes::NOT_NATIVE, shape.differs("hosted programs"));
            visit(shape, checked.at(item.at, message));
        }
        each_otherwise(checked, &program.contained, visit);
    }
}

/// The facts of an application's programs.
#[derive(Debug)]
pub(crate) struct Known {
    folder: PathBuf,
    /// What a file must have been made with.
    key: String,
    facts: Mutex<HashMap<String, Arc<Facts>>>,
    /// Sources that are being read.
    reading: Flights<Result<Arc<Facts>, Failure>>,
}

impl Known {
    /// Those in a folder, of sources that are read in this way.
    pub(crate) fn new(folder: &Path, options: &translator::Options) -> Self {
        Self {
            folder: folder.to_owned(),
            key: format!("{} {options:?}", env!("OWN_COMPILER_FINGERPRINT")),
            facts: Mutex::default(),
            reading: Flights::new(),
        }
    }

    /// The facts of a program, whose source is read if it has changed.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn of(
        &self,
        name: &str,
        path: &Path,
        builder: &OwnBuilder<'_>,
    ) -> Result<Arc<Facts>, Failure> {
        self.reading.join(name, || {
            let sources = builder.sources;
            let known = self.facts.lock().get(name).cloned();
            if let Some(known) = known.filter(|known| known.from.source == path) {
                let mut from = known.from.clone();
                match from.renew(sources) {
                    Some(false) => return Ok(known),
                    Some(true) => {
                        return Ok(self.keep(name, Facts { from, ..Facts::clone(&known) }, sources));
                    }
                    None => {}
                }
            } else if let Some((found, touched)) = self.find(name, path, sources) {
                return Ok(if touched {
                    self.keep(name, found, sources)
                } else {
                    self.remember(name, found)
                });
            }
            let Read { facts, .. } = builder.read(name, path)?;
            Ok(self.keep(name, facts, sources))
        })
    }

    fn remember(&self, name: &str, facts: Facts) -> Arc<Facts> {
        let facts = Arc::new(facts);
        self.facts.lock().insert(name.to_owned(), Arc::clone(&facts));
        facts
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{EXTENSION}"))
    }

    /// What was known at the last start, if nothing has changed since, and whether a file was touched.
    fn find(&self, name: &str, path: &Path, sources: &Sources) -> Option<(Facts, bool)> {
        let content = fs::read(self.path(name)).ok()?;
        let (sum, content) = content.split_at_checked(HASH_LENGTH)?;
        if hash(content).as_bytes() != sum {
            return None;
        }
        let (key, mut facts): (String, Facts) = postcard::from_bytes(content).ok()?;
        facts.from = facts.from.beneath(sources.root());
        if key != self.key || facts.from.source != path {
            return None;
        }
        let touched = facts.from.renew(sources)?;
        Some((facts, touched))
    }

    fn keep(&self, name: &str, facts: Facts, sources: &Sources) -> Arc<Facts> {
        let within = Facts { from: facts.from.clone().within(sources.root()), ..facts.clone() };
        if let Ok(content) = postcard::to_allocvec(&(&self.key, within)) {
            let mut file = hash(&content).into_bytes();
            file.extend(content);
            // What cannot be kept is found out again.
            let _ = write_whole(&self.path(name), &file);
        }
        self.remember(name, facts)
    }
}
