//! The assembler's messages: the text, the number and the help of each, in one place.
//!
//! The numbers never change their meaning.

use std::sync::Arc;

use diagnostics::{Diagnostic, Severity, Source, TextPlace};

use super::letters::{Letter, Span};

/// The messages of one assembly.
pub struct Report {
    source: Arc<Source>,
    pub messages: Vec<Diagnostic>,
}

impl Report {
    pub fn new(source: &Arc<Source>) -> Self {
        Self { source: Arc::clone(source), messages: Vec::new() }
    }

    fn say(&mut self, message: Diagnostic, place: Span, label: impl Into<String>, help: impl Into<String>) {
        let place = TextPlace::new(&self.source, place.line, place.column, place.length);
        self.messages.push(message.at(place).label(label).help(help));
    }

    fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        place: Span,
        label: &str,
        help: impl Into<String>,
    ) {
        self.say(Diagnostic::new(Severity::Error, code, message), place, label, help);
    }

    fn warning(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        place: Span,
        label: &str,
        help: impl Into<String>,
    ) {
        self.say(Diagnostic::new(Severity::Warning, code, message), place, label, help);
    }

    pub fn mark_missing(&mut self, line: usize) {
        let end = self.source.text.lines().nth(line - 1).map_or(0, |text| text.trim_end().chars().count());
        self.error(
            "SPMA001",
            "this line goes on, but column 72 holds no continuation mark",
            Span { line, column: end.max(1), length: 1 },
            "more is expected after this",
            "put any character in column 72, or take the comma away",
        );
    }

    pub fn nothing_continues(&mut self, line: usize) {
        self.error(
            "SPMA002",
            "column 72 holds a continuation mark, but no line follows",
            Span { line, column: 72, length: 1 },
            "continuation mark",
            "take the mark away, or add the missing line",
        );
    }

    pub fn continued_too_early(&mut self, line: usize) {
        self.error(
            "SPMA003",
            "a continuation line has text before column 16",
            Span { line, column: 1, length: 15 },
            "these columns must be blank",
            "start the text in column 16, or take the mark in column 72 of the line before away",
        );
    }

    pub fn quote_open(&mut self, last: Option<Letter>) {
        let place = last.map_or(Span { line: 1, column: 1, length: 0 }, |at| Span {
            line: at.line,
            column: at.column,
            length: 1,
        });
        self.error(
            "SPMA004",
            "a quoted value does not end",
            place,
            "no closing quote up to here",
            "close the quote; write two quotes for one within the text; continue in column 16 after a mark in column 72",
        );
    }

    pub fn not_a_keyword(&mut self, operand: &str, place: Span) {
        self.error(
            "SPMA005",
            format!("{operand} is not of the form KEYWORD=value"),
            place,
            "this operand",
            "BMS macros have keyword operands only, separated by single commas without blanks",
        );
    }

    pub fn unknown_operand(&mut self, operation: &str, keyword: &str, place: Span, similar: Option<&str>) {
        let help = similar.map_or_else(
            || format!("take it away, or check the spelling of the operands of {operation}"),
            |similar| format!("did you mean {similar}?"),
        );
        self.error(
            "SPMA006",
            format!("{keyword} is not an operand of {operation}"),
            place,
            "unknown operand",
            help,
        );
    }

    pub fn repeated_operand(&mut self, keyword: &str, place: Span) {
        self.error(
            "SPMA007",
            format!("{keyword} is given twice"),
            place,
            "second time",
            "take one of them away; the first one counts",
        );
    }

    pub fn illegal_value(&mut self, keyword: &str, word: &str, place: Span, legal: &str) {
        let what = if word.is_empty() {
            format!("{keyword} has an empty value")
        } else {
            format!("{keyword} cannot be {word}")
        };
        self.error("SPMA008", what, place, "not accepted here", format!("{keyword} takes {legal}"));
    }

    pub fn unknown_operation(&mut self, operation: &str, place: Span) {
        self.error(
            "SPMA009",
            format!("{operation} is not a BMS macro"),
            place,
            "unknown operation",
            "a map is written with DFHMSD, DFHMDI and DFHMDF; PRINT, TITLE, EJECT, SPACE and END are ignored",
        );
    }

    pub fn no_mapset(&mut self, operation: &str, place: Span) {
        self.error(
            "SPMA010",
            format!("{operation} stands before any DFHMSD"),
            place,
            "belongs to no mapset",
            "start the mapset with: name DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,TIOAPFX=YES",
        );
    }

    pub fn no_map(&mut self, place: Span) {
        self.error(
            "SPMA011",
            "DFHMDF stands before any DFHMDI",
            place,
            "belongs to no map",
            "start the map with: name DFHMDI SIZE=(24,80)",
        );
    }

    pub fn not_ended(&mut self, mapset: &str, place: Span) {
        self.warning(
            "SPMA012",
            format!("mapset {mapset} does not end"),
            place,
            "started here",
            "end it with DFHMSD TYPE=FINAL",
        );
    }

    pub fn nothing_here(&mut self) {
        let place = Span { line: 1, column: 1, length: 0 };
        self.error(
            "SPMA013",
            "the source holds no DFHMSD",
            place,
            "no mapset starts in this text",
            "a mapset starts with: name DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,TIOAPFX=YES",
        );
    }

    pub fn name_missing(&mut self, operation: &str, what: &str, place: Span) {
        self.error(
            "SPMA014",
            format!("{operation} has no name"),
            place,
            "a name belongs before this",
            format!("write the {what}'s name from column 1"),
        );
    }

    pub fn name_too_long(&mut self, name: &str, what: &str, max: usize, place: Span) {
        self.error(
            "SPMA015",
            format!("{name} is too long for a {what}"),
            place,
            "this name",
            format!("a {what}'s name has at most {max} characters"),
        );
    }

    pub fn name_malformed(&mut self, name: &str, place: Span) {
        self.error(
            "SPMA016",
            format!("{name} cannot be a name"),
            place,
            "this name",
            "a name starts with a letter (A-Z, $, #, @) and goes on with letters, digits, - or _",
        );
    }

    pub fn map_repeated(&mut self, name: &str, place: Span) {
        self.error(
            "SPMA017",
            format!("the mapset has two maps {name}"),
            place,
            "second map of this name",
            "give each map of a mapset its own name",
        );
    }

    pub fn field_repeated(&mut self, name: &str, place: Span) {
        self.error(
            "SPMA018",
            format!("the map has two fields {name}"),
            place,
            "second field of this name",
            "give each field its own name, or take the name of a constant away; OCCURS makes arrays",
        );
    }

    pub fn position_missing(&mut self, place: Span) {
        self.error(
            "SPMA019",
            "the field has no position",
            place,
            "no POS operand",
            "write POS=(line,column), the place of the attribute character before the data",
        );
    }

    pub fn outside_map(&mut self, lines: u16, columns: u16, place: Span) {
        self.error(
            "SPMA021",
            "the field lies outside its map",
            place,
            "starts or ends beyond the map",
            format!(
                "the map has {lines} lines of {columns} columns: move or shorten the field, or enlarge SIZE"
            ),
        );
    }

    pub fn overlaps(&mut self, other: &str, other_line: usize, place: Span) {
        self.warning(
            "SPMA022",
            format!("the field overlaps {other} of line {other_line}"),
            place,
            "starts within that field, or on its attribute",
            "leave one position between a field's data and the next field's data for the attribute character",
        );
    }

    pub fn exclusive(&mut self, one: &str, other: &str, place: Span) {
        self.error(
            "SPMA023",
            format!("{one} and {other} exclude each other"),
            place,
            "given besides the other",
            "take one of them away; the first one counts",
        );
    }

    pub fn initial_cut(&mut self, keyword: &str, given: usize, length: u16, place: Span) {
        self.warning(
            "SPMA024",
            format!("{keyword} has {given} characters, the field only {length}"),
            place,
            "cut at the field's length",
            "lengthen the field or shorten the text",
        );
    }

    pub fn euro(&mut self, place: Span) {
        self.warning(
            "SPMA037",
            "the euro is X'A4' here, the place that code page 1140 has for it",
            place,
            "terminals of code page 1140 show a euro, all others \u{a4}",
            "let the terminals have code-page = \"1140\" in region.toml, or write EUR",
        );
    }

    pub fn not_in_code(&mut self, char: char, place: Span) {
        self.error(
            "SPMA025",
            format!("the character {char} has no place in a single-byte code page"),
            place,
            "holds that character",
            "use characters of Latin-1, or write the terminal's bytes with XINIT",
        );
    }

    pub fn unsupported(&mut self, what: &str, consequence: &str, place: Span) {
        self.warning(
            "SPMA026",
            format!("{what} is not supported"),
            place,
            consequence,
            "nothing else is affected",
        );
    }

    pub fn not_announced(&mut self, keyword: &str, place: Span) {
        self.warning(
            "SPMA027",
            format!("{keyword} is not among the map's MAPATTS"),
            place,
            "accepted nevertheless",
            format!("add {keyword} to MAPATTS of DFHMDI or DFHMSD"),
        );
    }

    pub fn group_split(&mut self, group: &str, place: Span) {
        self.error(
            "SPMA028",
            format!("the fields of group {group} do not stand together"),
            place,
            "another field stands between",
            "write the fields of a group one after the other, without gaps on the screen",
        );
    }

    pub fn picture_length(&mut self, keyword: &str, picture: usize, length: u16, place: Span) {
        self.warning(
            "SPMA029",
            format!("{keyword} describes {picture} characters, the field has {length}"),
            place,
            "this picture",
            "make LENGTH and the picture agree, else every later item of the symbolic map is displaced",
        );
    }

    pub fn size_missing(&mut self, place: Span) {
        self.warning(
            "SPMA030",
            "the map has no size",
            place,
            "taken as SIZE=(24,80)",
            "write SIZE=(lines,columns)",
        );
    }

    pub fn too_many_fields(&mut self, map: &str, max: usize, place: Span) {
        self.error(
            "SPMA031",
            format!("map {map} has too many named fields"),
            place,
            "this map",
            format!("a map has at most {max} named fields; split the map"),
        );
    }

    pub fn empty_name(&mut self, place: Span) {
        self.warning(
            "SPMA032",
            "a named field of length 0 has no data",
            place,
            "only its attributes can be used",
            "give it a length, or take the name away",
        );
    }

    pub fn name_differs(&mut self, name: &str, mapset: &str, place: Span) {
        self.warning(
            "SPMA033",
            format!("{name} ends mapset {mapset}"),
            place,
            "another name",
            "the name of DFHMSD TYPE=FINAL is that of the mapset, or is left out",
        );
    }

    pub fn line_too_long(&mut self, line: usize) {
        self.error(
            "SPMA034",
            "the line runs into column 72, which marks a continuation",
            Span { line, column: 72, length: 1 },
            "beyond the end of the text",
            "end the line at a comma before column 72, put a mark there, and go on in column 16 of a new line",
        );
    }

    pub fn comma_dangles(&mut self, comma: Letter) {
        self.warning(
            "SPMA035",
            "the statement ends in a comma",
            Span { line: comma.line, column: comma.column, length: 1 },
            "nothing follows",
            "take the comma away, or add what is missing after a mark in column 72",
        );
    }

    pub fn continued_too_late(&mut self, line: usize, column: usize) {
        self.error(
            "SPMA036",
            "a continuation line starts after column 16",
            Span { line, column, length: 1 },
            "an assembler takes this for a remark and leaves the operands out",
            "start the text in column 16",
        );
    }
}
