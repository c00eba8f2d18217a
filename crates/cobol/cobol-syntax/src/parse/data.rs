//! The data division: sections, file descriptions, data descriptions.

use std::rc::Rc;

use crate::parser::{Parsed, Parser};
use crate::tree::{
    Data, DataEntry, FileDescription, FileKind, Linage, OccursClause, PictureText, RecordClause, SignClause,
    Usage,
};
use crate::words::WordKind;

/// Sections of the data division.
const SECTIONS: [&str; 7] =
    ["FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE", "REPORT", "SCREEN", "COMMUNICATION"];

impl Parser<'_> {
    /// The division from its header on.
    pub(crate) fn data_division(&mut self, out: &mut Data) {
        let told = self.told();
        self.eat_header();
        self.eat_period();
        while !self.starts_division() {
            let word = self.word();
            if !self.starts_data_section() && self.note_procedures() {
                break;
            }
            if self.starts_data_section() {
                self.bump();
                self.bump();
                self.eat_period();
                match &*word.text {
                    "FILE" => self.file_section(out),
                    "WORKING-STORAGE" => self.entries_of(out, |out| &mut out.working_storage),
                    "LOCAL-STORAGE" => self.entries_of(out, |out| &mut out.local_storage),
                    "LINKAGE" => self.entries_of(out, |out| &mut out.linkage),
                    section => {
                        let (code, what, help) = refused_section(section);
                        self.error(word.at, code, format!("{section} SECTION {what}"), "", help);
                        self.skip_until(0, Self::ends_section);
                    }
                }
                continue;
            }
            if self.eat_period() {
                continue;
            }
            let help = "WORKING-STORAGE SECTION, LOCAL-STORAGE SECTION, LINKAGE SECTION or FILE SECTION";
            let _ = self.expected::<()>("a section of the data division", help);
            self.skip_until(1, Self::ends_section);
        }
        out.damaged = self.told() > told;
    }

    fn ends_section(&self) -> bool {
        self.starts_division() || self.starts_data_section()
    }

    /// Returns true at the header of a section of the data division.
    pub(crate) fn starts_data_section(&self) -> bool {
        self.is_ahead(1, "SECTION") && SECTIONS.contains(&&*self.word().text)
    }

    /// Returns true if a statement or a paragraph begins where a description should: the header of the procedure division is
    /// missing, and the place is noted.
    fn note_procedures(&mut self) -> bool {
        let word = self.word();
        let paragraph = || word.kind == WordKind::Name && self.ahead(1).kind == WordKind::Period;
        let section = || word.kind == WordKind::Name && self.is_ahead(1, "SECTION");
        let statement = || word.kind == WordKind::Reserved && self.starts_statement();
        let begins = word.first && (statement() || paragraph() || section());
        if begins {
            self.headless = Some(self.position());
        }
        begins
    }

    fn entries_of(&mut self, out: &mut Data, section: impl Fn(&mut Data) -> &mut Vec<DataEntry>) {
        let mut entries = Vec::new();
        while !self.ends_section() {
            self.entry_or_block(&mut entries);
        }
        section(out).append(&mut entries);
    }

    /// One description, or an EXEC block such as EXEC SQL BEGIN DECLARE SECTION.
    fn entry_or_block(&mut self, entries: &mut Vec<DataEntry>) {
        if self.is_kind(WordKind::Exec) {
            self.bump();
            self.eat_period();
            return;
        }
        if self.eat_period() || self.note_procedures() {
            return;
        }
        match self.data_entry() {
            Ok(entry) => entries.push(entry),
            Err(_) => self.recover_entry(),
        }
    }

    /// Goes on behind the next full stop, or to a line that begins with a level number.
    pub(crate) fn recover_entry(&mut self) {
        self.skip_until(0, |parser| {
            parser.is_kind(WordKind::Period)
                || parser.ends_section()
                || parser.starts_entry_line()
                || parser.is_any(&["FD", "SD"])
        });
        self.eat_period();
    }

    /// Returns true if a line begins here with a level number and the likeness of a description.
    pub(crate) fn starts_entry_line(&self) -> bool {
        let word = self.word();
        let level =
            word.kind == WordKind::Number && word.text.len() <= 2 && word.text.parse().is_ok_and(is_level);
        let next = self.ahead(1);
        let named = matches!(next.kind, WordKind::Name)
            || matches!(&*next.text, "FILLER" | "PIC" | "PICTURE" | "REDEFINES" | "OCCURS" | "COPY");
        level && word.first && named
    }

    fn file_section(&mut self, out: &mut Data) {
        while !self.ends_section() {
            if self.is_any(&["FD", "SD"]) {
                match self.file_description() {
                    Ok(file) => out.files.push(file),
                    Err(_) => self.recover_entry(),
                }
                continue;
            }
            let mut entries = Vec::new();
            let before = self.word().at;
            self.entry_or_block(&mut entries);
            if entries.is_empty() {
                continue;
            }
            match out.files.last_mut() {
                Some(file) => file.records.append(&mut entries),
                None => {
                    let help = "write FD and the file's name in front of its records";
                    self.error(before, "SPSY010", "this record belongs to no file".to_owned(), "", help);
                }
            }
        }
    }

    fn file_description(&mut self) -> Parsed<FileDescription> {
        let kind = if &*self.bump().text == "SD" { FileKind::Sort } else { FileKind::File };
        let name = self.name("a file name", "FD file, its clauses, and a full stop")?;
        let mut file = FileDescription {
            kind,
            name,
            record: RecordClause::default(),
            recording_mode: None,
            external: false,
            global: false,
            linage: None,
            data_records: Vec::new(),
            records: Vec::new(),
        };
        while !self.is_kind(WordKind::Period) && !self.ends_section() && !self.starts_entry_line() {
            self.file_clause(&mut file)?;
        }
        if !self.eat_period() {
            let at = self.before().at;
            let help = "write a full stop behind the last clause";
            self.error(at, "SPSY011", "the description of the file has no full stop".to_owned(), "", help);
        }
        Ok(file)
    }

    fn file_clause(&mut self, file: &mut FileDescription) -> Parsed<()> {
        const HELP: &str =
            "BLOCK, RECORD, LABEL, VALUE OF, DATA, LINAGE, RECORDING MODE, CODE-SET, EXTERNAL, GLOBAL";
        self.skip_words(&["IS"]);
        let word = self.word();
        match &*word.text {
            "BLOCK" => {
                self.bump();
                self.eat("CONTAINS");
                self.number("a number", "BLOCK CONTAINS 0 RECORDS")?;
                if self.eat("TO") {
                    self.number("a number", "BLOCK CONTAINS 1 TO 10 RECORDS")?;
                }
                // RECORD may begin the next clause.
                let next_clause = self.is_any_ahead(1, &["IS", "CONTAINS", "VARYING"])
                    || self.ahead(1).kind == WordKind::Number;
                if !(self.is("RECORD") && next_clause) {
                    self.eat_any(&["CHARACTERS", "CHARACTER", "RECORDS", "RECORD"]);
                }
            }
            "RECORD" => {
                self.bump();
                self.record_clause(&mut file.record)?;
            }
            "RECORDING" => {
                self.bump();
                self.skip_words(&["MODE", "IS"]);
                file.recording_mode = Some(self.any_word("F, V, U or S", "RECORDING MODE IS F")?);
            }
            "LABEL" => {
                self.bump();
                self.skip_words(&["RECORD", "RECORDS", "IS", "ARE"]);
                if self.eat_any(&["STANDARD", "OMITTED"]).is_none() {
                    file.data_records.push(self.plain_reference("STANDARD or OMITTED")?);
                }
            }
            "DATA" => {
                self.bump();
                self.skip_words(&["RECORD", "RECORDS", "IS", "ARE"]);
                // Any names: the clause is a comment, and often wrong.
                while self.is_kind(WordKind::Name) {
                    self.bump();
                }
            }
            "VALUE" => {
                self.bump();
                self.eat("OF");
                self.any_word("a name", "VALUE OF name IS value")?;
                self.eat("IS");
                self.operand()?;
            }
            "LINAGE" => self.linage(file)?,
            "CODE-SET" => {
                self.bump();
                self.eat("IS");
                self.any_word("an alphabet name", "CODE-SET IS name")?;
            }
            "EXTERNAL" => {
                self.bump();
                file.external = true;
            }
            "GLOBAL" => {
                self.bump();
                file.global = true;
            }
            "REPORT" | "REPORTS" => {
                return self.fail(
                    word.at,
                    "SPSY090",
                    "REPORT belongs to the report writer, which is not built",
                    "write the lines with WRITE",
                );
            }
            _ => return self.expected("a clause of a file description, or a full stop", HELP),
        }
        Ok(())
    }

    fn record_clause(&mut self, record: &mut RecordClause) -> Parsed<()> {
        self.skip_words(&["CONTAINS", "IS"]);
        record.varying = self.eat("VARYING");
        self.skip_words(&["IN", "SIZE", "FROM"]);
        if self.is_kind(WordKind::Number) {
            let first = self.number("a number", "RECORD CONTAINS 80 CHARACTERS")?;
            record.max = Some(first);
            if !record.varying {
                record.min = Some(first);
            }
        }
        self.skip_words(&["CHARACTERS", "CHARACTER"]);
        if self.eat("TO") {
            record.min = record.max;
            record.max = Some(self.number("a number", "RECORD CONTAINS 1 TO 80 CHARACTERS")?);
        }
        self.skip_words(&["CHARACTERS", "CHARACTER"]);
        if self.eat("DEPENDING") {
            self.eat("ON");
            record.depending = Some(self.plain_reference("a data name")?);
        }
        Ok(())
    }

    fn linage(&mut self, file: &mut FileDescription) -> Parsed<()> {
        self.bump();
        self.eat("IS");
        let mut linage = Linage { lines: self.operand()?, footing: None, top: None, bottom: None };
        loop {
            self.skip_words(&["LINES", "WITH", "AT"]);
            let Some(word) = self.eat_any(&["FOOTING", "TOP", "BOTTOM"]) else { break };
            self.eat("AT");
            let value = Some(self.operand()?);
            match word {
                "FOOTING" => linage.footing = value,
                "TOP" => linage.top = value,
                _ => linage.bottom = value,
            }
        }
        file.linage = Some(linage);
        Ok(())
    }

    pub(crate) fn data_entry(&mut self) -> Parsed<DataEntry> {
        const HELP: &str = "a description begins with a level number: 01 to 49, 66, 77 or 88";
        let word = self.word();
        let level: u8 = match word.text.parse() {
            Ok(level) if word.kind == WordKind::Number && is_level(level) => level,
            _ if word.kind == WordKind::Number => {
                let message = format!("{} is no level number", word.text);
                return self.fail(word.at, "SPSY012", &message, HELP);
            }
            _ => return self.expected("a level number", HELP),
        };
        self.bump();
        let mut entry = DataEntry::empty(level, word.at);
        if self.is_kind(WordKind::Name) && !self.starts_entry_line() {
            entry.name = Some(self.name("a data name", "")?);
        } else if !self.eat("FILLER") && self.is_kind(WordKind::Reserved) && !self.starts_clause() {
            return self.expected("a data name", "give the item another name");
        }
        self.entry_clauses = self.position();
        while !self.is_kind(WordKind::Period) {
            if self.starts_entry_line() || self.ends_section() || self.is_any(&["FD", "SD"]) {
                let at = self.before().at;
                let help = "write a full stop behind the last clause";
                self.error(at, "SPSY013", "this description has no full stop".to_owned(), "", help);
                return Ok(entry);
            }
            if self.is_kind(WordKind::Exec) {
                return self.expected("a full stop", "write a full stop behind the last clause");
            }
            self.clause(&mut entry)?;
        }
        self.bump();
        Ok(entry)
    }

    fn starts_clause(&self) -> bool {
        const CLAUSES: [&str; 19] = [
            "IS",
            "PIC",
            "PICTURE",
            "USAGE",
            "VALUE",
            "VALUES",
            "REDEFINES",
            "RENAMES",
            "OCCURS",
            "SIGN",
            "LEADING",
            "TRAILING",
            "SYNC",
            "SYNCHRONIZED",
            "JUST",
            "JUSTIFIED",
            "BLANK",
            "EXTERNAL",
            "GLOBAL",
        ];
        let others = ["GROUP-USAGE", "VOLATILE", "SQL", "OBJECT"];
        self.is_any(&CLAUSES) || self.is_any(&others) || usage(&self.word().text).is_some()
    }

    fn clause(&mut self, entry: &mut DataEntry) -> Parsed<()> {
        let word = self.word();
        let position = self.position();
        self.skip_words(&["IS"]);
        match &*self.word().text {
            "PIC" | "PICTURE" => {
                self.bump();
                self.eat("IS");
                self.picture(entry)?;
            }
            "REDEFINES" => {
                let at = self.bump().at;
                if position > self.entry_clauses {
                    let message = "REDEFINES stands behind other clauses".to_owned();
                    let help = "z/OS takes it as the first clause alone: write it behind the item's name";
                    self.warning(at, "SPSY015", message, help);
                }
                entry.redefines = Some(self.plain_reference("a data name")?);
            }
            "RENAMES" => {
                self.bump();
                let from = self.plain_reference("a data name")?;
                let through = self.eat_any(&["THRU", "THROUGH"]).is_some();
                let to = if through { Some(self.plain_reference("a data name")?) } else { None };
                entry.renames = Some((from, to));
            }
            "OCCURS" => {
                let occurs = self.occurs()?;
                entry.occurs = Some(occurs);
            }
            "VALUE" | "VALUES" => self.values(entry)?,
            "USAGE" => {
                self.bump();
                self.eat("IS");
                self.usage_clause(entry)?;
            }
            "GROUP-USAGE" => {
                self.bump();
                self.eat("IS");
                entry.group_usage = match self.eat_any(&["NATIONAL", "UTF-8"]) {
                    Some("NATIONAL") => Some(Usage::National),
                    Some(_) => Some(Usage::Utf8),
                    None => return self.expected("NATIONAL or UTF-8", "GROUP-USAGE NATIONAL"),
                };
            }
            "SIGN" | "LEADING" | "TRAILING" => self.sign(entry)?,
            "SYNC" | "SYNCHRONIZED" => {
                self.bump();
                self.skip_words(&["LEFT", "RIGHT"]);
                entry.synchronized = true;
            }
            "JUST" | "JUSTIFIED" => {
                self.bump();
                self.skip_words(&["RIGHT"]);
                entry.justified = true;
            }
            "BLANK" => {
                self.bump();
                self.eat("WHEN");
                if self.eat_any(&["ZERO", "ZEROS", "ZEROES"]).is_none() {
                    return self.expected("ZERO", "BLANK WHEN ZERO");
                }
                entry.blank_when_zero = true;
            }
            "EXTERNAL" => {
                self.bump();
                entry.external = true;
            }
            "GLOBAL" => {
                self.bump();
                entry.global = true;
            }
            "VOLATILE" => {
                self.bump();
                entry.volatile = true;
            }
            "DYNAMIC" => {
                self.bump();
                self.eat("LENGTH");
                let limit = match self.eat("LIMIT") {
                    true => {
                        self.eat("IS");
                        Some(self.number("a number", "DYNAMIC LENGTH LIMIT IS 100")?)
                    }
                    false => None,
                };
                entry.dynamic = Some((limit, word.at));
            }
            "ANY" => {
                let message = format!("{} items are not built", self.word().text);
                return self.fail(word.at, "SPSY090", &message, "give the item a length of its own");
            }
            _ => self.usage_clause(entry)?,
        }
        Ok(())
    }

    fn picture(&mut self, entry: &mut DataEntry) -> Parsed<()> {
        let word = self.word();
        if word.kind != WordKind::Picture {
            return self.expected("a picture", "PICTURE X(10), PICTURE S9(7)V99 …");
        }
        self.bump();
        entry.picture = Some(PictureText { text: Rc::clone(&word.text), at: word.at });
        if self.eat("BYTE-LENGTH") {
            self.eat("IS");
            let at = self.word().at;
            entry.byte_length = Some((self.number("a number", "BYTE-LENGTH 20")?, at));
        }
        Ok(())
    }

    fn usage_clause(&mut self, entry: &mut DataEntry) -> Parsed<()> {
        const HELP: &str = "PICTURE, USAGE, VALUE, REDEFINES, OCCURS, SIGN, SYNC, JUSTIFIED, BLANK WHEN ZERO, EXTERNAL, GLOBAL";
        let word = self.word();
        if self.is("SQL") && self.is_ahead(1, "TYPE") {
            entry.sql_type = Some(word.at);
            self.skip_until(2, |parser| parser.is_kind(WordKind::Period) || parser.ends_section());
            return Ok(());
        }
        if self.eat("OBJECT") {
            self.eat("REFERENCE");
            if self.is_kind(WordKind::Name) {
                self.bump();
            }
            entry.usage = Some((Usage::Object, word.at));
            return Ok(());
        }
        if let Some(help) = refused_usage(&word.text).filter(|_| word.kind != WordKind::Literal) {
            let message = format!("{} is a USAGE of other compilers", word.text);
            return self.fail(word.at, "SPSY091", &message, help);
        }
        let Some(usage) = usage(&word.text).filter(|_| word.kind != WordKind::Literal) else {
            return self.expected("a clause of a data description, or a full stop", HELP);
        };
        self.bump();
        self.skip_words(&["NATIVE"]);
        let usage = match usage {
            Usage::Whole { bytes, .. } => {
                let signed = self.eat_any(&["SIGNED", "UNSIGNED"]) != Some("UNSIGNED");
                Usage::Whole { bytes, signed }
            }
            usage => usage,
        };
        entry.usage = Some((usage, word.at));
        Ok(())
    }

    fn sign(&mut self, entry: &mut DataEntry) -> Parsed<()> {
        self.skip_words(&["SIGN", "IS"]);
        let leading = match self.eat_any(&["LEADING", "TRAILING"]) {
            Some(side) => side == "LEADING",
            None => return self.expected("LEADING or TRAILING", "SIGN IS LEADING SEPARATE CHARACTER"),
        };
        let separate = self.eat("SEPARATE");
        self.skip_words(&["CHARACTER"]);
        entry.sign = Some(SignClause { leading, separate });
        Ok(())
    }

    fn occurs(&mut self) -> Parsed<OccursClause> {
        const HELP: &str = "OCCURS 5 TIMES, or OCCURS 1 TO 5 TIMES DEPENDING ON N";
        let at = self.bump().at;
        let mut occurs =
            OccursClause { min: 0, max: None, depending: None, keys: Vec::new(), indexes: Vec::new(), at };
        if self.eat("UNBOUNDED") {
            occurs.min = 1;
        } else {
            occurs.min = self.number("a number", HELP)?;
            occurs.max = Some(occurs.min);
        }
        if self.eat("TO") {
            occurs.max = if self.eat("UNBOUNDED") { None } else { Some(self.number("a number", HELP)?) };
        }
        self.eat("TIMES");
        loop {
            if self.is_any(&["DEPENDING"]) {
                self.bump();
                self.eat("ON");
                occurs.depending = Some(self.plain_reference("a data name")?);
            } else if self.is_any(&["ASCENDING", "DESCENDING"]) {
                let ascending = &*self.bump().text == "ASCENDING";
                self.skip_words(&["KEY", "IS"]);
                while self.is_kind(WordKind::Name) {
                    occurs.keys.push((self.plain_reference("a data name")?, ascending));
                }
            } else if self.is("INDEXED") {
                self.bump();
                self.eat("BY");
                while self.is_kind(WordKind::Name) {
                    occurs.indexes.push(self.name("an index name", "INDEXED BY I")?);
                }
            } else {
                break;
            }
        }
        if occurs.depending.is_some() && occurs.max == Some(occurs.min) {
            // OCCURS 5 DEPENDING ON N is OCCURS 1 TO 5.
            occurs.min = 1.min(occurs.min);
        }
        Ok(occurs)
    }
}

/// The replacement for a USAGE that is not taken; `None` for other words.
fn refused_usage(word: &str) -> Option<&'static str> {
    let suffix = word.strip_prefix("COMPUTATIONAL-").or_else(|| word.strip_prefix("COMP-"));
    Some(match (suffix, word) {
        (Some("6"), _) => {
            "compilers differ in its bytes: write COMP-3, whose last half byte is a sign, and convert the records"
        }
        (Some("0" | "9" | "10" | "15"), _) => {
            "write COMP, COMP-5 or COMP-X with the length that the item has"
        }
        (_, "SIGNED-SHORT" | "UNSIGNED-SHORT") => "write BINARY-SHORT, SIGNED or UNSIGNED",
        (_, "SIGNED-INT" | "UNSIGNED-INT" | "BINARY-INT") => "write BINARY-LONG, SIGNED or UNSIGNED",
        (_, "SIGNED-LONG" | "UNSIGNED-LONG" | "BINARY-C-LONG" | "BINARY-LONG-LONG") => {
            "write BINARY-DOUBLE, SIGNED or UNSIGNED"
        }
        (_, "FLOAT-EXTENDED" | "FLOAT-BINARY-32" | "FLOAT-BINARY-64" | "FLOAT-BINARY-128") => {
            "write FLOAT-SHORT or FLOAT-LONG: floating point of 4 or 8 bytes"
        }
        (_, "FLOAT-DECIMAL-16" | "FLOAT-DECIMAL-34" | "FLOAT-DECIMAL-7") => "write COMP-3 with enough digits",
        (_, "PROGRAM-POINTER") => "write PROCEDURE-POINTER",
        _ => return None,
    })
}

/// The code of the message that refuses a section, the end of its sentence, and what to do instead.
fn refused_section(section: &str) -> (&'static str, &'static str, &'static str) {
    match section {
        "REPORT" => {
            ("SPSY090", "belongs to the report writer, which is not built", "write the lines with WRITE")
        }
        "SCREEN" => (
            "SPSY091",
            "describes the screen of a console, which neither a task nor a job has",
            "describe a map with BMS, and SEND and RECEIVE it",
        ),
        _ => (
            "SPSY091",
            "belongs to a message control system, which the language has no more",
            "EXEC CICS has queues (WRITEQ, READQ) and terminals (SEND, RECEIVE)",
        ),
    }
}

fn is_level(level: u8) -> bool {
    matches!(level, 1..=49 | 66 | 77 | 78 | 88)
}

fn usage(word: &str) -> Option<Usage> {
    Some(match word {
        "DISPLAY" => Usage::Display,
        "COMP" | "COMPUTATIONAL" | "COMP-4" | "COMPUTATIONAL-4" | "BINARY" => Usage::Binary,
        "COMP-5" | "COMPUTATIONAL-5" => Usage::Native,
        "COMP-3" | "COMPUTATIONAL-3" | "PACKED-DECIMAL" => Usage::Packed,
        "COMP-1" | "COMPUTATIONAL-1" | "FLOAT-SHORT" => Usage::FloatShort,
        "COMP-2" | "COMPUTATIONAL-2" | "FLOAT-LONG" => Usage::FloatLong,
        "COMP-X" | "COMPUTATIONAL-X" => Usage::Bytes { native: false },
        "COMP-N" | "COMPUTATIONAL-N" => Usage::Bytes { native: true },
        "BINARY-CHAR" => Usage::Whole { bytes: 1, signed: true },
        "BINARY-SHORT" => Usage::Whole { bytes: 2, signed: true },
        "BINARY-LONG" => Usage::Whole { bytes: 4, signed: true },
        "BINARY-DOUBLE" => Usage::Whole { bytes: 8, signed: true },
        "DISPLAY-1" => Usage::DoubleByte,
        "NATIONAL" => Usage::National,
        "UTF-8" => Usage::Utf8,
        "INDEX" => Usage::Index,
        "POINTER" => Usage::Pointer,
        "POINTER-32" => Usage::Pointer32,
        "PROCEDURE-POINTER" => Usage::ProcedurePointer,
        "FUNCTION-POINTER" => Usage::FunctionPointer,
        _ => return None,
    })
}
