//! Turns the records under `sections/` into a type for each, and the list of all.
//!
//! A record that cannot be read stops the build with its file: the records are source code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

fn main() {
    println!("cargo::rerun-if-changed=sections");
    let mut paths: Vec<PathBuf> =
        fs::read_dir("sections").expect("records").map(|entry| entry.expect("a record").path()).collect();
    paths.sort();
    let (mut code, mut names) = (String::new(), String::new());
    for path in &paths {
        let text = fs::read_to_string(path).expect("a record");
        let record: Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let record = Record { path, table: &record };
        record.write(&mut code);
        let _ = writeln!(names, "    &{}::SECTION,", record.text("type"));
    }
    let _ = writeln!(code, "/// All sections, by name.\npub static ALL: &[&Section] = &[\n{names}];");
    let file = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("sections.rs");
    fs::write(file, code).expect("the folder of the build");
}

/// A record: a section, or one of its keys.
struct Record<'a> {
    path: &'a Path,
    table: &'a Table,
}

impl<'a> Record<'a> {
    fn refuse(&self, what: &str) -> ! {
        panic!("{}: {what} in {}", self.path.display(), self.table)
    }

    /// A text that must be there.
    fn text(&self, key: &str) -> &'a str {
        let text = self.table.get(key).and_then(Value::as_str);
        text.unwrap_or_else(|| self.refuse(&format!("no text `{key}`")))
    }

    /// A number within `u32`.
    fn whole(&self, value: Option<&Value>) -> u32 {
        let number = value.and_then(Value::as_integer).and_then(|number| u32::try_from(number).ok());
        number.unwrap_or_else(|| self.refuse("no number"))
    }

    fn keys(&self) -> Vec<Record<'a>> {
        let keys = self.table.get("key").and_then(Value::as_array);
        let keys = keys.unwrap_or_else(|| self.refuse("no `[[key]]`"));
        let record = |key: &'a Value| {
            let table = key.as_table().unwrap_or_else(|| self.refuse("a key that is no table"));
            Record { path: self.path, table }
        };
        keys.iter().map(record).collect()
    }

    /// The type of a section, and those of its choices.
    fn write(&self, code: &mut String) {
        let (name, kind, about) = (self.text("section"), self.text("type"), self.text("about"));
        let keys = self.keys();
        let (mut fields, mut rows, mut values) = (String::new(), String::new(), String::new());
        for (place, key) in keys.iter().enumerate() {
            let KeyParts { field, row, value } = key.parts(place, code);
            fields.push_str(&field);
            rows.push_str(&row);
            values.push_str(&value);
        }
        let _ = write!(
            code,
            "/// `[{name}]`: {doc}\n#[derive(Clone, Debug, PartialEq, Eq)]\npub struct {kind} {{\n{fields}}}\n\n\
             impl SectionValue for {kind} {{\n    const SECTION: Section = Section {{\n        name: {name:?},\n        \
             about: {about:?},\n        keys: &[\n{rows}        ],\n        make: |given| Arc::new(Self::of(given)),\n        \
             kind: TypeId::of::<Self>,\n    }};\n\n    fn of(given: &[Given]) -> Self {{\n        Self {{\n{values}        }}\n    \
             }}\n}}\n\nimpl Default for {kind} {{\n    fn default() -> Self {{\n        Self::of(&Self::SECTION.defaults())\n    \
             }}\n}}\n\n",
            doc = sentence(about),
        );
    }

    /// The parts of a key; the type of a choice is written at once.
    fn parts(&self, place: usize, code: &mut String) -> KeyParts {
        let (name, about) = (self.text("name"), self.text("about"));
        let (kind, holds, value) = if let Some(bounds) = self.table.get("number").and_then(Value::as_array) {
            let [least, most] = [0, 1].map(|at| self.whole(bounds.get(at)));
            let default = self.whole(self.table.get("default"));
            if !(least..=most).contains(&default) {
                self.refuse("a default out of bounds");
            }
            let kind = format!("Kind::Number {{ least: {least}, most: {most}, default: {default} }}");
            (kind, "u32".to_owned(), format!("given[{place}].number()"))
        } else if let Some(words) = self.table.get("choice").and_then(Value::as_array) {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let (kind, default) = (self.text("type"), self.text("default"));
            let Some(default) = words.iter().position(|word| *word == default) else {
                self.refuse("a default that is no choice")
            };
            write_choice(code, kind, about, &words);
            let row = format!("Kind::Choice {{ words: &{words:?}, default: {default} }}");
            (row, kind.to_owned(), format!("{kind}::ALL[given[{place}].choice()]"))
        } else if self.table.contains_key("names") {
            let resource = self.table.get("resource").and_then(Value::as_str);
            let row = format!("Kind::Names {{ default: {:?}, resource: {resource:?} }}", self.text("names"));
            (row, "Vec<String>".to_owned(), format!("given[{place}].names()"))
        } else if let Some(default) = self.table.get("default").and_then(Value::as_bool) {
            let row = format!("Kind::Flag {{ default: {default} }}");
            (row, "bool".to_owned(), format!("given[{place}].flag()"))
        } else {
            self.refuse("a key of no kind")
        };
        let field = name.replace('-', "_");
        KeyParts {
            row: format!("            Key {{ name: {name:?}, about: {about:?}, kind: {kind} }},\n"),
            value: format!("            {field}: {value},\n"),
            field: format!("    /// {}\n    pub {field}: {holds},\n", sentence(about)),
        }
    }
}

/// A key in each of the three places that name it.
struct KeyParts {
    field: String,
    row: String,
    value: String,
}

/// The type of a key that takes one of some words.
fn write_choice(code: &mut String, kind: &str, about: &str, words: &[&str]) {
    let mut variants = Vec::new();
    for word in words {
        let mut parts = word.split('-').map(|part| part[..1].to_ascii_uppercase() + &part[1..]);
        variants.push((word, parts.by_ref().collect::<String>()));
    }
    let list: String =
        variants.iter().map(|(word, name)| format!("    /// `\"{word}\"`.\n    {name},\n")).collect();
    let all: String = variants.iter().map(|(_, name)| format!("Self::{name}, ")).collect();
    let _ = write!(
        code,
        "/// {doc}\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum {kind} {{\n{list}}}\n\nimpl {kind} {{\n    /// All, in \
         the order of their words.\n    pub const ALL: &[Self] = &[{all}];\n}}\n\n",
        doc = sentence(about),
    );
}

/// Words as a sentence of a comment, without what stands in parentheses for readers of the page.
fn sentence(words: &str) -> String {
    let words = words.split(" ([").next().unwrap_or(words).trim_end_matches('.');
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
