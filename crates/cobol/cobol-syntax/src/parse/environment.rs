//! The environment division.

use std::rc::Rc;

use crate::parser::{Parsed, Parser};
use crate::tree::{
    Access, Alphabet, CharacterClass, CharacterRange, Currency, Environment, Mnemonic, Name, Organization,
    SameArea, Select,
};
use crate::words::WordKind;

/// Headers of the division's sections and paragraphs.
const HEADERS: [&str; 9] = [
    "CONFIGURATION",
    "INPUT-OUTPUT",
    "SOURCE-COMPUTER",
    "OBJECT-COMPUTER",
    "SPECIAL-NAMES",
    "REPOSITORY",
    "FILE-CONTROL",
    "I-O-CONTROL",
    "SELECT",
];

impl Parser<'_> {
    /// The division from its header on.
    pub(crate) fn environment_division(&mut self, out: &mut Environment) {
        self.eat_header();
        self.eat_period();
        while !self.starts_division() {
            let header = &*self.word().text;
            let result = match header {
                "CONFIGURATION" | "INPUT-OUTPUT" => {
                    self.bump();
                    self.expect("SECTION", "the header is CONFIGURATION SECTION or INPUT-OUTPUT SECTION").map(
                        |()| {
                            self.eat_period();
                        },
                    )
                }
                "SOURCE-COMPUTER" | "OBJECT-COMPUTER" => self.computer(out),
                "SPECIAL-NAMES" => self.special_names(out),
                "REPOSITORY" => self.repository(out),
                "FILE-CONTROL" => {
                    self.bump();
                    self.eat_period();
                    Ok(())
                }
                "SELECT" => self.select().map(|select| out.files.push(select)),
                "I-O-CONTROL" => self.io_control(out),
                _ if self.eat_period() => Ok(()),
                _ => self.expected(
                    "a paragraph of the environment division",
                    "SOURCE-COMPUTER, OBJECT-COMPUTER, SPECIAL-NAMES, REPOSITORY, FILE-CONTROL, I-O-CONTROL",
                ),
            };
            if result.is_err() {
                self.skip_until(0, |parser| {
                    parser.is_kind(WordKind::Period) || parser.starts_division() || parser.is_any(&HEADERS)
                });
                self.eat_period();
            }
        }
    }

    fn computer(&mut self, out: &mut Environment) -> Parsed<()> {
        self.bump();
        self.eat_period();
        // The computer's name and its sizes mean nothing to anybody any more.
        while !self.is_kind(WordKind::Period) && !self.starts_division() && !self.is_any(&HEADERS) {
            if self.is_phrase(&["DEBUGGING", "MODE"]) {
                out.debugging = true;
            }
            if self.is("SEQUENCE") && self.before().text.contains("COLLATING") {
                self.bump();
                self.eat("IS");
                out.collating =
                    Some(self.any_word("an alphabet name", "PROGRAM COLLATING SEQUENCE IS name")?);
                continue;
            }
            self.bump();
        }
        self.eat_period();
        Ok(())
    }

    fn special_names(&mut self, out: &mut Environment) -> Parsed<()> {
        self.bump();
        self.eat_period();
        while !self.is_kind(WordKind::Period) && !self.starts_division() && !self.is_any(&HEADERS) {
            self.special_name(out)?;
            // Some sources end each clause with a full stop.
            if self.is_kind(WordKind::Period)
                && (self.is_ahead(1, "DECIMAL-POINT")
                    || self.is_ahead(1, "CURRENCY")
                    || self.is_ahead(1, "CLASS"))
            {
                self.bump();
            }
        }
        self.eat_period();
        Ok(())
    }

    fn special_name(&mut self, out: &mut Environment) -> Parsed<()> {
        if self.eat("DECIMAL-POINT") {
            self.eat("IS");
            self.expect("COMMA", "DECIMAL-POINT IS COMMA")?;
            out.decimal_comma = true;
        } else if self.eat("CURRENCY") {
            self.eat("SIGN");
            self.eat("IS");
            let sign = self.literal()?;
            self.eat("WITH");
            let symbol = if self.eat_phrase(&["PICTURE", "SYMBOL"]) { Some(self.literal()?) } else { None };
            out.currencies.push(Currency { sign, symbol });
        } else if self.eat("ALPHABET") {
            let alphabet = self.alphabet()?;
            out.alphabets.push(alphabet);
        } else if self.eat("CLASS") {
            let name = self.name("a class name", "CLASS name IS 'a' THRU 'z'")?;
            self.eat("IS");
            let ranges = self.character_ranges()?;
            out.classes.push(CharacterClass { name, ranges });
        } else if self.eat("SYMBOLIC") {
            self.symbolic_characters(out)?;
        } else if self.is("XML-SCHEMA") {
            self.bump();
            self.any_word("a schema name", "XML-SCHEMA name IS file")?;
            self.eat("IS");
            self.any_word("a file", "XML-SCHEMA name IS file")?;
        } else {
            let mnemonic = self.mnemonic()?;
            out.mnemonics.push(mnemonic);
        }
        Ok(())
    }

    fn mnemonic(&mut self) -> Parsed<Mnemonic> {
        const HELP: &str = "as in C01 IS NEW-PAGE, or UPSI-0 ON STATUS IS SWITCH-ON";
        let system = self.any_word("a name of the system", HELP)?;
        let mut mnemonic = Mnemonic { system, name: None, on: None, off: None };
        if self.eat("IS") || self.is_kind(WordKind::Name) {
            mnemonic.name = Some(self.name("a mnemonic name", HELP)?);
        }
        while let Some(state) = self.eat_any(&["ON", "OFF"]) {
            self.eat("STATUS");
            self.eat("IS");
            let name = self.name("a condition name", HELP)?;
            *(if state == "ON" { &mut mnemonic.on } else { &mut mnemonic.off }) = Some(name);
        }
        if mnemonic.name.is_none() && mnemonic.on.is_none() && mnemonic.off.is_none() {
            return self.expected("IS", HELP);
        }
        Ok(mnemonic)
    }

    fn alphabet(&mut self) -> Parsed<Alphabet> {
        let name =
            self.name("an alphabet name", "ALPHABET name IS STANDARD-1, NATIVE, EBCDIC or literals")?;
        self.eat("IS");
        let system = ["STANDARD-1", "STANDARD-2", "NATIVE", "EBCDIC", "ASCII"];
        if self.is_any(&system) {
            let system = self.any_word("an alphabet", "")?;
            return Ok(Alphabet { name, system: Some(system), ranges: Vec::new() });
        }
        Ok(Alphabet { name, system: None, ranges: self.character_ranges()? })
    }

    fn character_ranges(&mut self) -> Parsed<Vec<CharacterRange>> {
        let mut ranges = Vec::new();
        while self.starts_operand() && !self.is_kind(WordKind::Name) {
            let from = self.operand()?;
            let to = if self.eat_any(&["THRU", "THROUGH"]).is_some() { Some(self.operand()?) } else { None };
            ranges.push(CharacterRange { from, to, also: false });
            while self.eat("ALSO") {
                ranges.push(CharacterRange { from: self.operand()?, to: None, also: true });
            }
        }
        if ranges.is_empty() {
            return self.expected("a literal", "as in 'A' THRU 'Z'");
        }
        Ok(ranges)
    }

    fn symbolic_characters(&mut self, out: &mut Environment) -> Parsed<()> {
        const HELP: &str = "SYMBOLIC CHARACTERS name … IS number …";
        self.skip_words(&["CHARACTERS", "CHARACTER"]);
        while self.starts_symbolic_characters() {
            let mut names = Vec::new();
            while self.is_kind(WordKind::Name) {
                names.push(self.name("a name", HELP)?);
            }
            self.skip_words(&["IS", "ARE"]);
            for name in names {
                let place = self.literal()?;
                out.symbolic.push((name, place));
            }
        }
        if self.eat("IN") {
            self.any_word("an alphabet name", HELP)?;
        }
        Ok(())
    }

    /// Returns true if names with their numbers begin here, and not the next name of the system: `UPSI-0 IS SWITCH`.
    fn starts_symbolic_characters(&self) -> bool {
        let names = (0..).take_while(|by| self.ahead(*by).kind == WordKind::Name).count();
        let is = usize::from(self.is_any_ahead(names, &["IS", "ARE"]));
        names > 0 && self.ahead(names + is).kind == WordKind::Number
    }

    fn repository(&mut self, out: &mut Environment) -> Parsed<()> {
        const HELP: &str = "FUNCTION ALL INTRINSIC, or FUNCTION with the names of functions and INTRINSIC";
        self.bump();
        self.eat_period();
        while !self.is_kind(WordKind::Period) && !self.starts_division() && !self.is_any(&HEADERS) {
            if self.eat("CLASS") {
                let at = self.word().at;
                return self.fail(at, "SPSY090", "classes are not built", "use programs instead of classes");
            }
            self.expect("FUNCTION", HELP)?;
            if self.eat_phrase(&["ALL", "INTRINSIC"]) {
                (out.all_functions, self.all_functions) = (true, true);
                continue;
            }
            while !self.eat("INTRINSIC") {
                let name = self.any_word("a function's name", HELP)?;
                self.functions.push(Rc::clone(&name.text));
                out.functions.push(name);
            }
        }
        self.eat_period();
        Ok(())
    }

    fn select(&mut self) -> Parsed<Select> {
        let at = self.bump().at;
        let optional = self.eat("OPTIONAL");
        let name = self.name("a file name", "SELECT file ASSIGN TO name")?;
        let mut select = Select {
            name,
            optional,
            assign: Vec::new(),
            organization: Organization::default(),
            access: Access::default(),
            record_key: None,
            alternate_keys: Vec::new(),
            relative_key: None,
            status: Vec::new(),
            passwords: Vec::new(),
            at,
        };
        while !self.is_kind(WordKind::Period) && !self.starts_division() && !self.is("SELECT") {
            self.select_clause(&mut select)?;
        }
        self.eat_period();
        Ok(select)
    }

    fn select_clause(&mut self, select: &mut Select) -> Parsed<()> {
        const HELP: &str = "ASSIGN, ORGANIZATION, ACCESS MODE, RECORD KEY, ALTERNATE RECORD KEY, RELATIVE KEY, \
                            FILE STATUS, RESERVE, PADDING, PASSWORD";
        let word = self.word();
        match &*word.text {
            "ASSIGN" => {
                self.bump();
                self.eat("TO");
                self.assign(select)?;
            }
            "ORGANIZATION" => {
                self.bump();
                self.eat("IS");
                self.organization(select)?;
            }
            "LINE" | "SEQUENTIAL" | "INDEXED" | "RELATIVE" if !self.is_relative_key() => {
                self.organization(select)?
            }
            "ACCESS" => {
                self.bump();
                self.skip_words(&["MODE", "IS"]);
                select.access = match self.eat_any(&["SEQUENTIAL", "RANDOM", "DYNAMIC"]) {
                    Some("SEQUENTIAL") => Access::Sequential,
                    Some("RANDOM") => Access::Random,
                    Some(_) => Access::Dynamic,
                    None => return self.expected("SEQUENTIAL, RANDOM or DYNAMIC", "ACCESS MODE IS …"),
                };
            }
            "RECORD" if self.is_phrase(&["RECORD", "DELIMITER"]) => {
                self.bump();
                self.bump();
                self.eat("IS");
                self.any_word("STANDARD-1", "RECORD DELIMITER IS STANDARD-1")?;
            }
            "RECORD" => {
                self.bump();
                self.skip_words(&["KEY", "IS"]);
                select.record_key = Some(self.plain_reference("a data name")?);
                self.password(select)?;
            }
            "ALTERNATE" => {
                self.bump();
                self.skip_words(&["RECORD", "KEY", "IS"]);
                let key = self.plain_reference("a data name")?;
                self.password(select)?;
                self.eat("WITH");
                let duplicates = self.eat("DUPLICATES");
                self.eat_phrase(&["NO", "DUPLICATES"]);
                select.alternate_keys.push((key, duplicates));
            }
            "RELATIVE" => {
                self.bump();
                self.skip_words(&["KEY", "IS"]);
                select.relative_key = Some(self.plain_reference("a data name")?);
            }
            "FILE" | "STATUS" => {
                self.skip_words(&["FILE", "STATUS", "IS"]);
                select.status.push(self.plain_reference("a data name")?);
                if self.is_kind(WordKind::Name) {
                    select.status.push(self.plain_reference("a data name")?);
                }
            }
            "RESERVE" => {
                self.bump();
                self.skip_words(&["NO"]);
                if self.is_kind(WordKind::Number) {
                    self.bump();
                }
                self.skip_words(&["ALTERNATE", "AREA", "AREAS"]);
            }
            "PADDING" => {
                self.bump();
                self.skip_words(&["CHARACTER", "IS"]);
                self.operand()?;
            }
            "PASSWORD" => self.password(select)?,
            "LOCK" | "SHARING" | "MODE" => {
                let message = format!("{} is a clause of other systems", word.text);
                return self.fail(
                    word.at,
                    "SPSY091",
                    &message,
                    "take it away: z/OS shares data sets by its own rules",
                );
            }
            "FILE-LIMIT" | "PROCESSING" | "ACTUAL" | "NOMINAL" | "TRACK-AREA" | "TRACK-LIMIT" => {
                let message = format!("{} is a clause of OS/VS COBOL", word.text);
                return self.fail(word.at, "SPSY091", &message, HELP);
            }
            _ => return self.expected("a clause of SELECT, or a full stop", HELP),
        }
        Ok(())
    }

    fn is_relative_key(&self) -> bool {
        self.is("RELATIVE")
            && (self.is_ahead(1, "KEY")
                || (self.ahead(1).kind == WordKind::Name
                    || (self.is_ahead(1, "IS") && self.ahead(2).kind == WordKind::Name)))
    }

    fn password(&mut self, select: &mut Select) -> Parsed<()> {
        if self.eat("PASSWORD") {
            self.eat("IS");
            select.passwords.push(self.plain_reference("a data name")?);
        }
        Ok(())
    }

    fn assign(&mut self, select: &mut Select) -> Parsed<()> {
        const CLAUSES: [&str; 14] = [
            "ORGANIZATION",
            "ACCESS",
            "RECORD",
            "ALTERNATE",
            "RELATIVE",
            "FILE",
            "STATUS",
            "RESERVE",
            "PADDING",
            "PASSWORD",
            "SEQUENTIAL",
            "INDEXED",
            "LINE",
            "SELECT",
        ];
        let mut first = true;
        while first || (self.is_kind(WordKind::Name) || self.is_kind(WordKind::Literal)) {
            if !first && self.is_any(&CLAUSES) {
                break;
            }
            first = false;
            let name: Name = self.any_word("a name", "ASSIGN TO the name of the data set's DD statement")?;
            select.assign.push(name);
        }
        Ok(())
    }

    fn organization(&mut self, select: &mut Select) -> Parsed<()> {
        select.organization = match self.eat_any(&["SEQUENTIAL", "INDEXED", "RELATIVE", "LINE"]) {
            Some("SEQUENTIAL") => Organization::Sequential,
            Some("INDEXED") => Organization::Indexed,
            Some("RELATIVE") => Organization::Relative,
            Some(_) => {
                self.expect("SEQUENTIAL", "ORGANIZATION IS LINE SEQUENTIAL")?;
                Organization::LineSequential
            }
            None => return self.expected("SEQUENTIAL, INDEXED or RELATIVE", "ORGANIZATION IS …"),
        };
        Ok(())
    }

    fn io_control(&mut self, out: &mut Environment) -> Parsed<()> {
        self.bump();
        self.eat_period();
        while !self.starts_division() && !self.is_any(&HEADERS) {
            if self.eat("SAME") {
                let record = self.eat("RECORD");
                self.skip_words(&["SORT", "SORT-MERGE", "AREA", "FOR"]);
                let mut files = Vec::new();
                while self.is_kind(WordKind::Name) {
                    files.push(self.plain_reference("a file name")?);
                }
                out.same_areas.push(SameArea { record, files });
                continue;
            }
            // RERUN, MULTIPLE FILE TAPE, APPLY WRITE-ONLY: matters of tapes and buffers.
            if self.is_any(&["RERUN", "MULTIPLE", "APPLY"]) {
                self.skip_until(1, |parser| {
                    parser.is_any(&["RERUN", "MULTIPLE", "APPLY", "SAME"])
                        || parser.is_kind(WordKind::Period)
                        || parser.starts_division()
                });
                continue;
            }
            if !self.eat_period() {
                return self.expected("SAME, RERUN, MULTIPLE FILE or APPLY WRITE-ONLY", "or a full stop");
            }
        }
        Ok(())
    }
}
