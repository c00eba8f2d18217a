//! Intrinsic functions: one record for each, in `functions.tsv`. The parser, `cobol-check`, the lowering of `cobol-ir`, docs/compat/interface.md
//! and `syncpoint explain` read what they know of a function here.

use std::collections::HashMap;
use std::sync::LazyLock;

/// An intrinsic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionRecord {
    /// Its name.
    pub name: &'static str,
    /// The number of arguments it takes.
    pub arguments: Arguments,
    /// The class of its value.
    pub value: ValueClass,
    /// The characters that it takes.
    pub texts: Texts,
    /// A use of it that DISPLAY takes, …
    pub example: &'static str,
    /// … and what is shown.
    pub shown: &'static str,
    /// Its value in words.
    pub meaning: &'static str,
}

/// The number of arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The fewest.
    pub least: usize,
    /// The most; `None` for any number.
    pub most: Option<usize>,
}

/// The class of a function's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueClass {
    /// A whole number of so many digits.
    Whole(u8),
    /// A number whose digits depend on the arguments.
    Number,
    /// A number of floating point.
    Floating,
    /// Characters.
    Characters,
    /// National characters.
    National,
    /// That of the first argument: a number or characters.
    Argument,
}

/// The characters that a function takes: its rule for national characters and UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// None: its arguments are numbers.
    None,
    /// Those of one byte.
    Characters,
    /// Those of one byte, and UTF-8.
    Utf8,
    /// National ones.
    National,
    /// Characters of any kind, and its value is of that kind.
    Same,
    /// A literal that says how a date is written; its value is of the kind of that.
    Format,
    /// Characters of any kind; its value is another.
    All,
    /// The bytes of an item, whatever lies there.
    Bytes,
}

static RECORDS: LazyLock<Vec<FunctionRecord>> =
    LazyLock::new(|| include_str!("functions.tsv").lines().skip(1).filter_map(record).collect());

static BY_NAME: LazyLock<HashMap<&str, &FunctionRecord>> =
    LazyLock::new(|| RECORDS.iter().map(|record| (record.name, record)).collect());

/// The intrinsic function of a name in capitals.
pub fn function(name: &str) -> Option<&'static FunctionRecord> {
    BY_NAME.get(name).copied()
}

/// All functions by their names.
pub fn functions() -> &'static [FunctionRecord] {
    &RECORDS
}

impl FunctionRecord {
    /// Returns true if its value is of the kind of its first argument: national, UTF-8 or neither.
    pub fn is_of_kind_of_argument(&self) -> bool {
        matches!(self.texts, Texts::Same | Texts::Format)
    }
}

impl Arguments {
    /// Returns true if there may be so many.
    pub fn takes(self, count: usize) -> bool {
        self.least <= count && self.most.is_none_or(|most| count <= most)
    }

    /// The number in words.
    pub fn words(self) -> String {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match (self.least, self.most) {
            (0, Some(0)) => "no arguments".to_owned(),
            (least, Some(most)) if least == most => format!("{least} argument{}", plural(least)),
            (least, Some(most)) => format!("{least} to {most} arguments"),
            (least, None) => format!("{least} argument{} or more", plural(least)),
        }
    }

    fn read(text: &str) -> Option<Self> {
        if let Some(least) = text.strip_suffix('+') {
            return Some(Self { least: least.parse().ok()?, most: None });
        }
        let (least, most) = text.split_once('-').unwrap_or((text, text));
        Some(Self { least: least.parse().ok()?, most: Some(most.parse().ok()?) })
    }
}

impl ValueClass {
    /// The class in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Whole(_) => "a whole number",
            Self::Number => "a number",
            Self::Floating => "a number of floating point",
            Self::Characters => "characters",
            Self::National => "national characters",
            Self::Argument => "as the arguments",
        }
    }

    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "number" => Self::Number,
            "floating" => Self::Floating,
            "characters" => Self::Characters,
            "national" => Self::National,
            "argument" => Self::Argument,
            whole => Self::Whole(whole.strip_prefix("whole ")?.parse().ok()?),
        })
    }
}

impl Texts {
    /// The rule in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "–",
            Self::Characters => "characters of one byte",
            Self::Utf8 => "characters of one byte, UTF-8",
            Self::National => "national characters",
            Self::Same => "characters of one byte, national, UTF-8: the value is of that kind",
            Self::Format => "a format: the value is of its kind",
            Self::All => "characters of one byte, national, UTF-8",
            Self::Bytes => "the bytes of any item",
        }
    }

    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "-" => Self::None,
            "characters" => Self::Characters,
            "utf8" => Self::Utf8,
            "national" => Self::National,
            "same" => Self::Same,
            "format" => Self::Format,
            "all" => Self::All,
            "bytes" => Self::Bytes,
            _ => return None,
        })
    }
}

/// A line of the table; `None` for one that is no record, which a test finds.
fn record(line: &'static str) -> Option<FunctionRecord> {
    let mut cells = line.split('\t');
    let mut cell = || cells.next().filter(|cell| !cell.is_empty());
    let name = cell()?;
    let arguments = Arguments::read(cell()?)?;
    let value = ValueClass::read(cell()?)?;
    let texts = Texts::read(cell()?)?;
    Some(FunctionRecord { name, arguments, value, texts, example: cell()?, shown: cell()?, meaning: cell()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_record_and_the_names_are_in_order() {
        let lines: Vec<&str> = include_str!("functions.tsv").lines().skip(1).collect();
        for line in &lines {
            assert!(record(line).is_some(), "{line}");
        }
        assert!(RECORDS.is_sorted_by(|one, other| one.name < other.name));
        assert!(
            RECORDS.iter().all(|record| record.example.contains(record.name)),
            "examples use their function"
        );
    }

    #[test]
    fn numbers_of_arguments() {
        let takes = |name: &str, count| function(name).is_some_and(|record| record.arguments.takes(count));
        assert!(takes("CURRENT-DATE", 0) && !takes("CURRENT-DATE", 1));
        assert!(takes("RANDOM", 0) && takes("RANDOM", 1) && !takes("RANDOM", 2));
        assert!(takes("MAX", 1) && takes("MAX", 99) && !takes("MAX", 0));
        assert_eq!(function("FROBNICATE"), None);
        let words = |name: &str| function(name).map(|record| record.arguments.words());
        assert_eq!(words("PI").as_deref(), Some("no arguments"));
        assert_eq!(words("ABS").as_deref(), Some("1 argument"));
        assert_eq!(words("NUMVAL-C").as_deref(), Some("1 to 2 arguments"));
        assert_eq!(words("SUBSTITUTE").as_deref(), Some("3 arguments or more"));
    }
}
