//! Operators of ICETOOL as values: what each reads, writes and chooses.

use crate::sort::{Field, Format, Item, Mistake};

use super::statements::{Operand, Operation};

/// The fields that ON names at most.
const FIELDS_MAX: usize = 20;
/// The letters of a prefix of control statements at most.
const PREFIX_MAX: usize = 4;
/// The digits of a number in a report, where ON does not say how many.
pub(super) const DIGITS: usize = 15;

/// Operators that are known and not built.
const REFUSED: [&str; 7] = ["DATASORT", "DEFAULTS", "MERGE", "RESIZE", "SPLICE", "SUBSET", "VERIFY"];

/// An operator, ready to be carried out.
pub(super) struct Operator {
    pub line: usize,
    pub name: String,
    pub from: String,
    /// The prefix of the ddname with control statements.
    pub using: Option<String>,
    pub work: Work,
}

/// The work of an operator.
pub(super) enum Work {
    Copy {
        to: Vec<String>,
        sorts: bool,
    },
    Count(Count),
    Select {
        to: Option<String>,
        discard: Option<String>,
        fields: Vec<Field>,
        chosen: Chosen,
    },
    Statistics(Vec<Field>),
    Unique(Field),
    /// The number of values in a range.
    Range(Field, Vec<Bound>),
    Report(Report),
    Mode(Mode),
}

/// The fate of operators behind one that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Stop,
    Continue,
    Scan,
}

/// COUNT.
#[derive(Default)]
pub(super) struct Count {
    /// The return code that the count gives where all bounds hold; no bounds: none.
    pub bounds: Vec<Bound>,
    pub is_warning: bool,
    pub write: Option<String>,
    pub text: Option<String>,
    pub digits: Option<usize>,
    pub width: Option<usize>,
    /// Added to the number of records; less than 0: taken off.
    pub added: i128,
}

/// A bound of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Higher(i128),
    Lower(i128),
    Equal(i128),
    NotEqual(i128),
}

impl Bound {
    /// Returns true if a number is within the bound.
    pub fn holds(self, number: i128) -> bool {
        match self {
            Self::Higher(bound) => number > bound,
            Self::Lower(bound) => number < bound,
            Self::Equal(bound) => number == bound,
            Self::NotEqual(bound) => number != bound,
        }
    }
}

/// The records of a group that are chosen, by their place and the group's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// Those of groups of these sizes.
    Groups(Bound),
    First(u64),
    Last,
    /// The first so many of groups with more than one record.
    FirstDuplicates(u64),
    LastDuplicate,
}

impl Chosen {
    /// Returns true if the record at a place, from 0, of a group of a size is chosen.
    pub fn takes(self, place: u64, size: u64) -> bool {
        match self {
            Self::Groups(bound) => bound.holds(size.into()),
            Self::First(count) => place < count,
            Self::Last => place + 1 == size,
            Self::FirstDuplicates(count) => size > 1 && place < count,
            Self::LastDuplicate => size > 1 && place + 1 == size,
        }
    }
}

/// DISPLAY and OCCUR.
pub(super) struct Report {
    pub list: String,
    pub columns: Vec<Column>,
    pub titles: Vec<String>,
    pub has_headings: bool,
    /// Numbers without leading zeros.
    pub is_blank: bool,
    /// The values that are shown, by how often they occur; `None` for DISPLAY, which shows each record.
    pub occurring: Option<Bound>,
}

/// A column of a report.
pub(super) struct Column {
    pub what: Shown,
    pub heading: String,
    /// The digits of its numbers, and true if they have no sign.
    pub digits: (usize, bool),
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Field(Field),
    /// The number of records with these values.
    Occurrences,
    /// The number of the record.
    Number,
}

impl Operator {
    /// Reads an operator; an error says by name what is wrong or not built.
    pub fn read(operation: &Operation) -> Result<Self, Mistake> {
        let mut operands = Operands { all: operation.operands().to_vec() };
        operator(operation, &mut operands).map_err(|what| operation.wrong(what))
    }
}

/// The operands of an operator that are not taken yet.
struct Operands {
    all: Vec<Operand>,
}

impl Operands {
    fn take(&mut self, keyword: &str) -> Option<Operand> {
        let at = self.all.iter().position(|operand| operand.keyword == keyword)?;
        Some(self.all.remove(at))
    }

    /// Takes a keyword without a value.
    fn flag(&mut self, keyword: &str) -> Result<bool, String> {
        match self.take(keyword) {
            None => Ok(false),
            Some(Operand { values: None, .. }) => Ok(true),
            Some(_) => Err(format!("{keyword} has no value")),
        }
    }

    fn ddname(&mut self, keyword: &str) -> Result<Option<String>, String> {
        let Some(operand) = self.take(keyword) else { return Ok(None) };
        match operand.words().as_slice() {
            [name] => Ok(Some(name.clone())),
            _ => Err(format!("{keyword} names one ddname")),
        }
    }

    fn number(&mut self, keyword: &str) -> Result<Option<i128>, String> {
        let Some(operand) = self.take(keyword) else { return Ok(None) };
        signed(&operand).map(Some).ok_or_else(|| format!("{keyword} is a number in parentheses"))
    }

    fn text(&mut self, keyword: &str) -> Result<Option<String>, String> {
        let Some(operand) = self.take(keyword) else { return Ok(None) };
        operand.text().map(Some).ok_or_else(|| format!("{keyword} is one text in apostrophes"))
    }

    /// Takes all bounds.
    fn bounds(&mut self) -> Result<Vec<Bound>, String> {
        let mut bounds = Vec::new();
        bounds.extend(self.number("HIGHER")?.map(Bound::Higher));
        bounds.extend(self.number("LOWER")?.map(Bound::Lower));
        bounds.extend(self.number("EQUAL")?.map(Bound::Equal));
        bounds.extend(self.number("NOTEQUAL")?.map(Bound::NotEqual));
        Ok(bounds)
    }

    /// Takes every ON that names a field.
    fn fields(&mut self) -> Result<Vec<Field>, String> {
        let mut fields = Vec::new();
        while let Some(operand) = self.take("ON") {
            fields.push(field(&operand)?);
        }
        match fields.len() {
            0 => Err("ON(position,length,format) is missing".into()),
            1..=FIELDS_MAX => Ok(fields),
            _ => Err(format!("there are more than {FIELDS_MAX} ON")),
        }
    }

    /// Refuses what is left.
    fn end(self) -> Result<(), String> {
        match self.all.first() {
            None => Ok(()),
            Some(operand) => Err(format!("{} is not built", operand.keyword)),
        }
    }
}

fn signed(operand: &Operand) -> Option<i128> {
    let [item] = operand.values.as_deref()? else { return None };
    item.word()?.trim_start_matches('+').parse().ok()
}

fn field(operand: &Operand) -> Result<Field, String> {
    let items = operand.values.as_deref().unwrap_or_default();
    let wrong = || format!("ON({}) is no field that is built", operand.words().join(","));
    match items {
        [position, length, format] => field_of(position, length, format).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

fn field_of(position: &Item, length: &Item, format: &Item) -> Option<Field> {
    Field::new(position, length, Format::named(format.word()?)?)
}

/// Returns true if a field holds a number in any format.
fn is_number(field: &Field) -> bool {
    field.format != Format::Bytes
}

fn numeric(fields: Vec<Field>) -> Result<Vec<Field>, String> {
    match fields.iter().all(is_number) {
        true => Ok(fields),
        false => Err("ON needs a numeric format".into()),
    }
}

fn operator(operation: &Operation, operands: &mut Operands) -> Result<Operator, String> {
    let name = operation.name.as_str();
    if REFUSED.contains(&name) {
        return Err("the operator is not built".into());
    }
    if name == "MODE" {
        let mode = match operands.all.as_slice() {
            [Operand { keyword, values: None }] => match keyword.as_str() {
                "STOP" => Mode::Stop,
                "CONTINUE" => Mode::Continue,
                "SCAN" => Mode::Scan,
                other => return Err(format!("{other} is none of STOP, CONTINUE and SCAN")),
            },
            _ => return Err("it needs one of STOP, CONTINUE and SCAN".into()),
        };
        let work = Work::Mode(mode);
        return Ok(Operator {
            line: operation.line,
            name: name.into(),
            from: String::new(),
            using: None,
            work,
        });
    }
    let from = operands.ddname("FROM");
    let using = operands.ddname("USING")?;
    if using.as_ref().is_some_and(|using| using.len() > PREFIX_MAX) {
        return Err(format!("USING has at most {PREFIX_MAX} characters"));
    }
    let takes_control = matches!(name, "COPY" | "SORT" | "COUNT" | "SELECT");
    let work = match name {
        "COPY" | "SORT" => copy(name == "SORT", operands)?,
        "COUNT" => Work::Count(count(operands)?),
        "SELECT" => select(operands)?,
        "STATS" => Work::Statistics(numeric(operands.fields()?)?),
        "UNIQUE" => Work::Unique(only(operands.fields()?)?),
        "RANGE" => {
            let field = only(numeric(operands.fields()?)?)?;
            Work::Range(field, range(operands)?)
        }
        "DISPLAY" | "OCCUR" => Work::Report(report(name == "OCCUR", operands)?),
        _ => return Err("there is no such operator".into()),
    };
    if using.is_some() && !takes_control {
        return Err("USING is not built here".into());
    }
    if name == "SORT" && using.is_none() {
        return Err("USING(xxxx) is missing: xxxxCNTL says how to sort".into());
    }
    let from = from?.ok_or("FROM(ddname) is missing")?;
    std::mem::replace(operands, Operands { all: Vec::new() }).end()?;
    Ok(Operator { line: operation.line, name: name.into(), from, using, work })
}

fn only(mut fields: Vec<Field>) -> Result<Field, String> {
    match fields.len() {
        1 => Ok(fields.remove(0)),
        _ => Err("it takes one ON".into()),
    }
}

fn copy(sorts: bool, operands: &mut Operands) -> Result<Work, String> {
    let to = operands.take("TO").map(|operand| operand.words()).unwrap_or_default();
    Ok(Work::Copy { to, sorts })
}

fn range(operands: &mut Operands) -> Result<Vec<Bound>, String> {
    match operands.bounds()?.as_slice() {
        [bound] => Ok(vec![*bound]),
        [low @ Bound::Higher(_), high @ Bound::Lower(_)] => Ok(vec![*low, *high]),
        _ => Err("it takes HIGHER and LOWER, one of them, EQUAL or NOTEQUAL".into()),
    }
}

fn count(operands: &mut Operands) -> Result<Count, String> {
    let mut bounds = operands.bounds()?;
    if operands.flag("EMPTY")? {
        bounds.push(Bound::Equal(0));
    }
    if operands.flag("NOTEMPTY")? {
        bounds.push(Bound::Higher(0));
    }
    if bounds.len() > 1 {
        return Err("it takes one of EMPTY, NOTEMPTY, HIGHER, LOWER, EQUAL and NOTEQUAL".into());
    }
    let is_warning = operands.flag("RC4")?;
    let added = match (operands.number("ADD")?, operands.number("SUB")?) {
        (Some(_), Some(_)) => return Err("it takes one of ADD and SUB".into()),
        (added, taken) => added.unwrap_or_default() - taken.unwrap_or_default(),
    };
    let limited = |number: Option<i128>, keyword: &str, most: usize| match number {
        None => Ok(None),
        Some(number) => match usize::try_from(number).ok().filter(|number| (1..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{keyword} is a number from 1 to {most}")),
        },
    };
    Ok(Count {
        bounds,
        is_warning,
        write: operands.ddname("WRITE")?,
        text: operands.text("TEXT")?,
        digits: limited(operands.number("DIGITS")?, "DIGITS", DIGITS)?,
        width: limited(operands.number("WIDTH")?, "WIDTH", 32_760)?,
        added,
    })
}

fn select(operands: &mut Operands) -> Result<Work, String> {
    let fields = operands.fields()?;
    let mut chosen = Vec::new();
    for (keyword, what) in [
        ("ALLDUPS", Chosen::Groups(Bound::Higher(1))),
        ("NODUPS", Chosen::Groups(Bound::Equal(1))),
        ("LAST", Chosen::Last),
        ("LASTDUP", Chosen::LastDuplicate),
    ] {
        if operands.flag(keyword)? {
            chosen.push(what);
        }
    }
    for (keyword, make) in
        [("FIRST", Chosen::First as fn(u64) -> Chosen), ("FIRSTDUP", Chosen::FirstDuplicates)]
    {
        if let Some(operand) = operands.take(keyword) {
            let count = match &operand.values {
                None => Some(1),
                Some(_) => operand.number().filter(|count| *count > 0),
            };
            chosen.push(make(count.ok_or_else(|| format!("{keyword}(n) is a number from 1 on"))?));
        }
    }
    chosen.extend(operands.bounds()?.into_iter().map(Chosen::Groups));
    let [chosen] = chosen.as_slice() else {
        return Err(
            "it takes one of ALLDUPS, NODUPS, FIRST, LAST, FIRSTDUP, LASTDUP, HIGHER, LOWER and EQUAL".into(),
        );
    };
    let (to, discard) = (operands.ddname("TO")?, operands.ddname("DISCARD")?);
    if to.is_none() && discard.is_none() {
        return Err("TO(ddname) or DISCARD(ddname) is missing".into());
    }
    Ok(Work::Select { to, discard, fields, chosen: *chosen })
}

fn report(occurs: bool, operands: &mut Operands) -> Result<Report, String> {
    let list = operands.ddname("LIST")?.ok_or("LIST(ddname) is missing")?;
    let mut columns = Vec::new();
    let mut headings = Vec::new();
    // A HEADER belongs to the ON with the same number.
    while let Some(operand) = operands.take("ON") {
        columns.push(column(&operand, occurs)?);
    }
    while let Some(text) = operands.text("HEADER")? {
        headings.push(text);
    }
    if columns.is_empty() || columns.len() > FIELDS_MAX {
        return Err(format!("it takes 1 to {FIELDS_MAX} ON"));
    }
    if headings.len() > columns.len() {
        return Err("there are more HEADER than ON".into());
    }
    for (column, heading) in columns.iter_mut().zip(headings) {
        column.heading = heading;
    }
    let mut titles = Vec::new();
    while let Some(text) = operands.text("TITLE")? {
        titles.push(text);
    }
    // A report has no control characters of printers: NOCC says so.
    operands.flag("NOCC")?;
    let has_headings = !operands.flag("NOHEADER")?;
    let is_blank = operands.flag("BLANK")?;
    let occurring = match occurs {
        false => None,
        true => {
            let mut bounds = operands.bounds()?;
            if operands.flag("ALLDUPS")? {
                bounds.push(Bound::Higher(1));
            }
            if operands.flag("NODUPS")? {
                bounds.push(Bound::Equal(1));
            }
            match bounds.as_slice() {
                [] => Some(Bound::Higher(0)),
                [bound] => Some(*bound),
                _ => return Err("it takes one of ALLDUPS, NODUPS, HIGHER, LOWER and EQUAL".into()),
            }
        }
    };
    Ok(Report { list, columns, titles, has_headings, is_blank, occurring })
}

fn column(operand: &Operand, occurs: bool) -> Result<Column, String> {
    let words = operand.words();
    let items = operand.values.as_deref().unwrap_or_default();
    let (what, taken, heading) = match words.first().map(String::as_str) {
        Some("VALCNT") if occurs => (Shown::Occurrences, 1, "VALUE COUNT".to_owned()),
        Some("NUM") if !occurs => (Shown::Number, 1, "RECORD NUMBER".to_owned()),
        _ => match items {
            [position, length, format, ..] => {
                let field = field_of(position, length, format);
                let field =
                    field.ok_or_else(|| format!("ON({}) is no field that is built", words.join(",")))?;
                (Shown::Field(field), 3, format!("({})", words[..3].join(",")))
            }
            _ => return Err(format!("ON({}) is not built", words.join(","))),
        },
    };
    let digits = match &items[taken..] {
        [] => (DIGITS, false),
        [item] => {
            let word = item.word().unwrap_or_default();
            let digits = word.get(1..).and_then(|digits| digits.parse::<usize>().ok());
            match (word.chars().next(), digits.filter(|digits| (1..=31).contains(digits))) {
                (Some('N'), Some(digits)) => (digits, false),
                (Some('U'), Some(digits)) => (digits, true),
                _ => return Err(format!("the formatting of ON({}) is not built", words.join(","))),
            }
        }
        _ => return Err(format!("the formatting of ON({}) is not built", words.join(","))),
    };
    Ok(Column { what, heading, digits })
}
