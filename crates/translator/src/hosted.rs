//! Constructs that the hosted compiler gets wrong without a word, and those that the host refuses a task; what a user is
//! told of each.
//!
//! One row for each of them; what is mended loses its row.

use diagnostics::{Diagnostic, Severity};

use crate::data::{CONDITION, Items, Usage};
use crate::messages::Messages;
use crate::phrases::is_verb;
use crate::token::{Kind, Token, phrase};
use crate::unit::Unit;

/// A construct.
struct Construct {
    code: &'static str,
    severity: Severity,
    message: &'static str,
    help: &'static str,
}

const SLACK: Construct = Construct {
    code: "SPTR081",
    severity: Severity::Warning,
    message: "SYNCHRONIZED lays this out differently on z/OS",
    help: "leave out SYNCHRONIZED, or write the slack bytes as FILLER in front of the group",
};
const BEHIND_VARYING: Construct = Construct {
    code: "SPTR082",
    severity: Severity::Warning,
    message: "this stands behind a table of varying size, at a fixed place here",
    help: "put the table last in its record: on z/OS what stands behind it moves with its size",
};
const LONG_LITERAL: Construct = Construct {
    code: "SPTR083",
    severity: Severity::Warning,
    message: "a number of more than 18 digits is not calculated with exactly here",
    help: "MOVE it to an item, and calculate with that",
};
const NATIONAL: Construct = Construct {
    code: "SPTR084",
    severity: Severity::Warning,
    message: "national characters take one byte here, and hold no more than ISO 8859-1",
    help: "records with such fields cannot be exchanged; use PIC X where the text allows it",
};
const NATIONAL_FUNCTION: Construct = Construct {
    code: "SPTR085",
    severity: Severity::Error,
    message: "functions of national text are not built",
    help: "the text is ISO 8859-1 here: leave the conversion out",
};
const XML_GENERATE: Construct = Construct {
    code: "SPTR086",
    severity: Severity::Warning,
    message: "XML GENERATE adds to COUNT IN, and its exception phrases may not run",
    help: "set COUNT IN to zero before it, and look at XML-CODE behind it",
};
const NO_TREES: Construct = Construct {
    code: "SPTR087",
    severity: Severity::Error,
    message: "JSON GENERATE, JSON PARSE and XML PARSE are not built",
    help: "have the native compiler take the program (compiler = \"native\" or \"auto\" in [cobol]), or build and read the text with STRING, UNSTRING and INSPECT",
};

const ROUTINE: Construct = Construct {
    code: "SPTR093",
    severity: Severity::Warning,
    message: "a task that comes here ends with 4038: this routine of the COBOL runtime is for batch programs alone",
    help: "files, time and programs are asked for by EXEC CICS; C$SLEEP suspends the task, as DELAY does",
};
const CONSOLE: Construct = Construct {
    code: "SPTR088",
    severity: Severity::Warning,
    message: "a task that comes here ends with 4038: it has no console to read from",
    help: "use EXEC CICS RECEIVE",
};
const OPERATOR: Construct = Construct { code: "SPTR093", ..CONSOLE };
const PAUSE: Construct = Construct {
    code: "SPTR088",
    severity: Severity::Warning,
    message: "a task that comes here ends with 4038: CONTINUE AFTER would hold up others",
    help: "use EXEC CICS DELAY",
};

const CONTENT: Construct = Construct {
    code: "SPTR089",
    severity: Severity::Warning,
    message: "a number BY CONTENT is passed as a fullword of this processor, its lowest byte first",
    help: "MOVE it to an item of the size that the called program wants, and pass that",
};
const SEVERAL_RESULTS: Construct = Construct {
    code: "SPTR079",
    severity: Severity::Warning,
    message: "the quotients of this COMPUTE have the decimal places that its first result needs",
    help: "name the result with the most decimal places first: on z/OS all of them count",
};

/// Tells of each such construct of one program. `runs_as_task`: it has commands, and so it is no batch program.
pub(crate) fn check(
    tokens: &[Token],
    unit: &Unit,
    items: &Items,
    runs_as_task: bool,
    messages: &mut Messages,
) {
    let mut told = Told { messages };
    described(tokens, items, &mut told);
    let procedure = unit.procedure.unwrap_or(unit.tokens.end);
    for at in procedure..unit.tokens.end {
        let waits = || if runs_as_task { refused(&tokens[at..unit.tokens.end]) } else { None };
        let Some(construct) = stated(tokens, at, items).or_else(waits) else { continue };
        told.add(construct, tokens[at].at);
    }
}

struct Told<'m> {
    messages: &'m mut Messages,
}

impl Told<'_> {
    fn add(&mut self, construct: &Construct, at: crate::origin::At) {
        let Construct { code, severity, message, help } = *construct;
        self.messages.add(at, Diagnostic::new(severity, code, message).help(help));
    }
}

/// The construct that begins at a word of the procedure division.
fn stated(tokens: &[Token], at: usize, items: &Items) -> Option<&'static Construct> {
    const NATIONAL_FUNCTIONS: [&str; 5] = ["NATIONAL-OF", "DISPLAY-OF", "HEX-OF", "ULENGTH", "USUBSTR"];
    let token = &tokens[at];
    let behind = |words: &[&str]| tokens.get(at + 1).is_some_and(|next| next.is_any(words));
    match () {
        () if token.kind == Kind::Literal => token.text.starts_with(['N', 'n']).then_some(&NATIONAL),
        () if phrase(tokens, at, &["XML", "GENERATE"]) => Some(&XML_GENERATE),
        () if phrase(tokens, at, &["XML", "PARSE"]) => Some(&NO_TREES),
        () if token.is("JSON") && behind(&["GENERATE", "PARSE"]) => Some(&NO_TREES),
        () if token.is("FUNCTION") && behind(&NATIONAL_FUNCTIONS) => Some(&NATIONAL_FUNCTION),
        () if token.is("CONTENT") && behind_number(tokens, at) => Some(&CONTENT),
        () if token.is("COMPUTE") && divides_for_several(&tokens[at + 1..], items) => Some(&SEVERAL_RESULTS),
        () if is_too_long(token) && !tokens[at - 1].is("MOVE") => Some(&LONG_LITERAL),
        () => None,
    }
}

/// Whether a number stands behind BY CONTENT, perhaps with a sign.
fn behind_number(tokens: &[Token], at: usize) -> bool {
    let sign = tokens.get(at + 1).is_some_and(|token| token.is_symbol("-") || token.is_symbol("+"));
    tokens[at - 1].is("BY") && tokens.get(at + 1 + usize::from(sign)).is_some_and(Token::is_number)
}

/// Whether a COMPUTE divides, and a result behind the first one has more decimal places than that.
fn divides_for_several(tokens: &[Token], items: &Items) -> bool {
    let Some(equals) = tokens.iter().position(|token| token.is_symbol("=") || token.is("EQUAL")) else {
        return false;
    };
    let mut expression =
        tokens[equals + 1..].iter().take_while(|token| !token.is_period() && !is_verb(token));
    if !expression.any(|token| token.is_symbol("/")) {
        return false;
    }
    let mut places = Vec::new();
    let (mut depth, mut qualifies) = (0_usize, false);
    for token in &tokens[..equals] {
        depth += usize::from(token.is_symbol("("));
        depth -= usize::from(token.is_symbol(")") && depth > 0);
        if depth == 0 && token.kind == Kind::Word && !qualifies && !token.is_any(&["ROUNDED", "OF", "IN"]) {
            places.push(items.named(&token.text).map_or(0, |item| items.places(item)));
        } else if token.is("ROUNDED") {
            places.iter_mut().last().into_iter().for_each(|places| *places += 1);
        }
        qualifies = token.is_any(&["OF", "IN"]);
    }
    places.iter().any(|more| Some(more) > places.first())
}

/// What a task may not do, of the statements that begin here.
fn refused(tokens: &[Token]) -> Option<&'static Construct> {
    let (first, second) = (tokens.first()?, tokens.get(1)?);
    let console = || {
        let device = tokens.iter().skip(1).take_while(|token| !token.is_period() && !is_verb(token));
        let from = device.clone().position(|token| token.is("FROM"));
        let elsewhere = device.clone().any(|token| token.is_any(&["AT", "LINE", "COL", "COLUMN"]));
        from.map_or(!elsewhere, |from| {
            device.clone().nth(from + 1).is_some_and(|name| name.is_any(&CONSOLES))
        })
    };
    match () {
        () if first.is("CALL") && second.literal_value().is_some_and(|name| is_absent(&name)) => {
            Some(&ROUTINE)
        }
        () if first.is("ACCEPT") && console() => Some(&CONSOLE),
        () if first.is("STOP") && second.kind == Kind::Literal => Some(&OPERATOR),
        () if first.is("CONTINUE") && second.is("AFTER") => Some(&PAUSE),
        () => None,
    }
}

/// Names of the console, and of a job's input.
const CONSOLES: [&str; 3] = ["CONSOLE", "SYSIN", "SYSIPT"];

/// Whether the COBOL runtime has a routine of this name, and keeps it from tasks.
fn is_absent(name: &str) -> bool {
    const PURE: [&str; 19] = [
        "CBL_AND",
        "CBL_EQ",
        "CBL_GC_PRINTABLE",
        "CBL_IMP",
        "CBL_NIMP",
        "CBL_NOR",
        "CBL_NOT",
        "CBL_OR",
        "CBL_TOLOWER",
        "CBL_TOUPPER",
        "CBL_XOR",
        "C$CALLEDBY",
        "C$JUSTIFY",
        "C$NARG",
        "C$PARAMSIZE",
        "C$PRINTABLE",
        "C$SLEEP",
        "C$TOLOWER",
        "C$TOUPPER",
    ];
    let name = name.trim();
    let is_routine = name.starts_with("CBL_") || name.starts_with("C$");
    matches!(name, "SYSTEM" | "EXTFH") || is_routine && !PURE.contains(&name)
}

/// Whether a number's digits, its point aside, do not fit the 64 bits that arithmetic takes them in.
fn is_too_long(token: &Token) -> bool {
    token.is_number() && token.text.replace('.', "").parse::<u64>().is_err() && token.text.len() > 18
}

/// Constructs among the data descriptions.
fn described(tokens: &[Token], items: &Items, told: &mut Told<'_>) {
    for (at, item) in items.list.iter().enumerate() {
        if items.usage(at) == Usage::National && !item.is_group && item.level != CONDITION {
            told.add(&NATIONAL, items.place(tokens, at));
        }
        let is_record = item.level == 1 && item.is_group;
        if let Some(moved) = is_record.then(|| moves(items, at)).flatten() {
            told.add(&SLACK, items.place(tokens, moved));
        }
        if let Some(behind) = behind_varying(items, at) {
            told.add(&BEHIND_VARYING, items.place(tokens, behind));
        }
    }
}

/// The first item behind a table of varying size in the same record.
fn behind_varying(items: &Items, table: usize) -> Option<usize> {
    if !items.list[table].varies {
        return None;
    }
    items.above(table).find_map(|inner| {
        let group = items.list[inner].parent?;
        // A table that is repeated itself varies in each of its places.
        if items.list[group].occurs.is_some() {
            return Some(table);
        }
        items.parts(group).find(|part| *part > inner && items.list[*part].redefines.is_none())
    })
}

/// How slack bytes are put in.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// In front of the item itself, at a multiple of its length.
    Hosted,
    /// In front of the groups that begin with the item; numbers in binary at halfwords and words.
    Published,
}

/// The first item of a record that lies elsewhere, or has another length, by the published rule.
fn moves(items: &Items, record: usize) -> Option<usize> {
    let [hosted, published] = [Rule::Hosted, Rule::Published].map(|rule| {
        let mut layout = Layout { items, rule, places: Vec::new() };
        layout.place(record, 0, rule == Rule::Published && items.list[record].synchronized);
        layout.places.sort_unstable();
        layout.places
    });
    let both = || hosted.iter().zip(&published);
    let elsewhere = both().find(|(hosted, published)| hosted.1 != published.1);
    elsewhere.or_else(|| both().find(|(hosted, published)| hosted != published)).map(|(hosted, _)| hosted.0)
}

struct Layout<'i> {
    items: &'i Items,
    rule: Rule,
    /// Item, offset, length.
    places: Vec<(usize, usize, usize)>,
}

impl Layout<'_> {
    /// Places an item and its parts from an offset on; answers where it ends, and the greatest alignment in it. `all`:
    /// every item is synchronized, for the record says so.
    fn place(&mut self, item: usize, offset: usize, all: bool) -> (usize, usize) {
        let own = &self.items.list[item];
        let start = match self.rule {
            _ if !own.is_group => offset.next_multiple_of(self.alignment(item, all)),
            Rule::Published => offset.next_multiple_of(self.first_alignment(item, all)),
            Rule::Hosted => offset,
        };
        let (mut end, mut greatest) = (start, self.alignment(item, all));
        if own.is_group {
            for part in self.items.parts(item).collect::<Vec<_>>() {
                let redefined =
                    self.items.list[part].redefines.as_deref().and_then(|name| self.items.named(name));
                let at = redefined.and_then(|at| self.places.iter().find(|place| place.0 == at));
                let (part_end, align) = self.place(part, at.map_or(end, |place| place.1), all);
                (end, greatest) = (end.max(part_end), greatest.max(align));
            }
        } else {
            end = start.saturating_add(self.items.length(item));
        }
        let mut length = end - start;
        let times = own.occurs.unwrap_or(1);
        if times > 1 {
            length = length.next_multiple_of(greatest);
        }
        self.places.push((item, start, length));
        (start.saturating_add(length.saturating_mul(times)), greatest)
    }

    /// To what an item is aligned; 1 for a group.
    fn alignment(&self, item: usize, all: bool) -> usize {
        let own = &self.items.list[item];
        if own.is_group || !(own.synchronized || all) {
            return 1;
        }
        let length = self.items.length(item);
        match self.items.usage(item) {
            Usage::Binary if self.rule == Rule::Published => length.clamp(2, 4),
            Usage::Binary | Usage::Float(_) | Usage::Pointer | Usage::Index if length.is_power_of_two() => {
                length
            }
            _ => 1,
        }
    }

    /// To what the first elementary item of a group is aligned.
    fn first_alignment(&self, group: usize, all: bool) -> usize {
        let first = std::iter::successors(Some(group), |at| self.items.parts(*at).next()).last();
        first.map_or(1, |first| self.alignment(first, all))
    }
}
