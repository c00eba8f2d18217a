//! `[lints]`: levels of the doubts that `syncpoint check` tells.

use diagnostics::Severity;

use crate::reader::Table;

/// Something that `syncpoint check` looks for, though programs with it are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lint {
    /// A command names a file, program, transaction, mapset or queue that no definition has.
    UndefinedName,
    /// An area of a command is shorter than what goes into it or comes out of it.
    ShortArea,
    /// The item of RESP or RESP2 cannot hold every value.
    ResponseItem,
    /// A name in a command ends with X'00'.
    NullName,
    /// Source that Enterprise COBOL does not compile.
    ZOs,
}

/// The lints with their keys.
pub const LINTS: [(&str, Lint); 5] = [
    ("undefined-name", Lint::UndefinedName),
    ("short-area", Lint::ShortArea),
    ("response-item", Lint::ResponseItem),
    ("null-name", Lint::NullName),
    ("z-os", Lint::ZOs),
];

/// The level of each lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintConfig([Option<Severity>; LINTS.len()]);

impl Default for LintConfig {
    fn default() -> Self {
        Self([Some(Severity::Warning); LINTS.len()])
    }
}

impl LintConfig {
    /// The severity of a lint's messages; `None` if they are off.
    pub fn level(&self, lint: Lint) -> Option<Severity> {
        let at = LINTS.iter().position(|(_, own)| *own == lint);
        at.and_then(|at| self.0[at])
    }

    pub(crate) fn read(table: Option<Table<'_>>) -> Self {
        let mut lints = Self::default();
        let Some(table) = table else { return lints };
        let levels = [
            ("off", None),
            ("note", Some(Severity::Note)),
            ("warning", Some(Severity::Warning)),
            ("error", Some(Severity::Error)),
        ];
        for ((key, _), level) in LINTS.iter().zip(&mut lints.0) {
            if let Some(wanted) = table.choice(key, &levels) {
                *level = wanted;
            }
        }
        table.finish();
        lints
    }
}
