//! Cursors: DECLARE, OPEN, FETCH, CLOSE.

use super::number::{Number, row_count};
use super::{Executable, rows};
use crate::mistake::Mistake;
use crate::package::{Action, Cursor, Isolation, Orientation, Text, Using};
use crate::print::{as_written, print};
use crate::rewrite;
use crate::token::Kind;
use crate::words::Words;

/// The name of the column that a query for changing rowsets has behind its own (see `sql::PLACE`).
const PLACE: &str = "db2_place";

/// A declared cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredCursor {
    /// The package's part of the cursor; the program knows if a statement is WHERE CURRENT OF it.
    pub cursor: Cursor,
    /// Its query; empty for a prepared one.
    pub text: Text,
    /// The query for when rows are changed through the cursor: it locks them. The variables are the same.
    pub changing: Text,
    /// The variables of the query.
    pub inputs: Vec<u32>,
    /// WITH RS and its like.
    pub isolation: Option<Isolation>,
}

/// DECLARE C [attributes] CURSOR [attributes] FOR query or statement; the name ends at `behind`.
pub(super) fn declare(mut words: Words, name: String, behind: usize) -> Result<DeclaredCursor, Mistake> {
    let at = words.spot(0).to(words.spot(behind.saturating_sub(1)));
    let Some(start) = words.find(behind, &["FOR"]) else {
        return Err(
            Mistake::new(at, "DECLARE CURSOR without FOR").help("write DECLARE name CURSOR FOR SELECT …")
        );
    };
    let said = |phrase: &[&str]| words.find(behind, phrase).is_some_and(|at| at < start);
    let sensitive = (behind..start).find(|at| words.is_any(*at, &["SENSITIVE"]));
    if let Some(sensitive) = sensitive {
        let message = "a SENSITIVE cursor is not supported";
        let help = "leave the word out: the cursor shows the rows as they were at OPEN";
        return Err(Mistake::unsupported(words.spot(sensitive), message).help(help));
    }
    let mut cursor = Cursor {
        name,
        prepared: None,
        hold: said(&["WITH", "HOLD"]),
        read_only: false,
        for_update: false,
        rowset: said(&["WITH", "ROWSET", "POSITIONING"]),
        scroll: said(&["SCROLL"]) && !said(&["NO", "SCROLL"]),
        with_return: said(&["WITH", "RETURN"]),
        query: String::new(),
        at,
    };
    words.cut(0..start + 1);
    if let Some(first) = words.list.first_mut() {
        first.glued = true;
    }
    if !words.is_any(0, &["SELECT", "WITH", "VALUES", "("])
        && let Some((prepared, range)) = words.host_name(0)
        && range.end == words.len()
    {
        cursor.prepared = Some(prepared);
        return Ok(DeclaredCursor {
            cursor,
            text: Text::default(),
            changing: Text::default(),
            inputs: Vec::new(),
            isolation: None,
        });
    }
    cursor.query = as_written(&words.list);
    let fixed = is_read_only(&words);
    let tail = rewrite::statement(&mut words);
    cursor.for_update = tail.for_update || tail.locks;
    cursor.read_only = !cursor.for_update && (tail.read_only || fixed);
    let changing = changing(&words, &cursor);
    if cursor.for_update {
        words = changing.clone();
    }
    let (text, inputs) = print(&words);
    Ok(DeclaredCursor { cursor, text, changing: print(&changing).0, inputs, isolation: tail.isolation })
}

/// The query again for a cursor that rows are changed through: it locks them, and for rowsets says their places.
fn changing(words: &Words, cursor: &Cursor) -> Words {
    let mut words = words.clone();
    if cursor.rowset {
        add_place(&mut words);
    }
    if !cursor.for_update {
        words.insert(words.len(), "FOR UPDATE");
    }
    words
}

/// One more column behind the others: the place of the row, if the query has the rows of one table.
pub(crate) fn add_place(words: &mut Words) {
    const ENDS: [&str; 5] = ["WHERE", "ORDER", "FETCH", "FOR", "LIMIT"];
    let Some(from) = words.find_outside(0, &["FROM"]) else { return };
    let end = (from..words.len()).find(|at| words.is_any(*at, &ENDS)).unwrap_or(words.len());
    let several = (from..end).any(|at| words.is_any(at, &[",", "JOIN", "("]));
    if !several && words.is(0, &["SELECT"]) {
        words.insert(from, format!(", ctid AS {PLACE}"));
        words.list[from].glued = true;
    }
}

/// Returns true if the rows of a query are not those of one table.
pub(crate) fn is_read_only(words: &Words) -> bool {
    const OUTSIDE: [&[&str]; 6] =
        [&["ORDER", "BY"], &["GROUP", "BY"], &["UNION"], &["EXCEPT"], &["INTERSECT"], &["JOIN"]];
    let outside = OUTSIDE.iter().any(|phrase| words.find_outside(0, phrase).is_some());
    outside || words.is(0, &["SELECT", "DISTINCT"]) || words.is_any(0, &["WITH", "VALUES"])
}

/// OPEN, FETCH, CLOSE.
pub(super) fn read(words: &Words) -> Result<Executable, Mistake> {
    match () {
        () if words.is(0, &["OPEN"]) => open(words),
        () if words.is(0, &["CLOSE"]) => {
            let (cursor, _) = named(words, 1)?;
            Ok(Executable { cursor, ..Executable::plain(Action::Close { cursor: 0 }) })
        }
        () => fetch(words),
    }
}

type Named = (Option<(String, crate::package::Spot)>, usize);

fn named(words: &Words, at: usize) -> Result<Named, Mistake> {
    let Some((name, range)) = words.host_name(at) else {
        let verb = words.list[0].text.to_uppercase();
        return Err(Mistake::new(words.spot(at), format!("{verb} without a cursor")));
    };
    let spot = words.spot(range.start).to(words.spot(range.end - 1));
    Ok((Some((name, spot)), range.end))
}

fn open(words: &Words) -> Result<Executable, Mistake> {
    let (cursor, at) = named(words, 1)?;
    let (using, inputs, descriptors) = using(words, at)?;
    let action = Action::Open { cursor: 0, using };
    Ok(Executable { cursor, inputs, descriptors, ..Executable::plain(action) })
}

/// `USING :A, :B` or `USING DESCRIPTOR :AREA` at `at`: where it comes from, the inputs, the areas.
pub(super) fn using(words: &Words, at: usize) -> Result<(Using, Vec<u32>, Vec<u32>), Mistake> {
    if words.is(at, &["USING", "DESCRIPTOR"]) && words.has_kind(at + 2, Kind::Host) {
        return Ok((Using::Descriptor(0), Vec::new(), vec![words.list[at + 2].variable]));
    }
    if !words.is(at, &["USING"]) {
        return Ok((Using::Nothing, Vec::new(), Vec::new()));
    }
    let (inputs, end) = rows::list(words, at + 1);
    if inputs.is_empty() {
        return Err(Mistake::new(words.spot(end), "USING without a host variable"));
    }
    Ok((Using::Variables, inputs, Vec::new()))
}

/// FETCH [orientation] [FROM] C [FOR n ROWS] [INTO …].
fn fetch(words: &Words) -> Result<Executable, Mistake> {
    let mut at = 1;
    if words.is_any(at, &["INSENSITIVE", "SENSITIVE"]) {
        at += 1;
    }
    let mut executable = Executable::plain(Action::Close { cursor: 0 });
    let start = at;
    let orientation = orientation(words, &mut at, &mut executable.inputs);
    let mut is_rowset = (start..at).any(|at| words.is(at, &["ROWSET"]));
    // FETCH CURRENT CONTINUE goes on with a value that was cut off.
    if words.is(at, &["CONTINUE"]) {
        return Err(Mistake::unsupported(words.spot(at), "FETCH … CONTINUE is not supported"));
    }
    at += usize::from(words.is(at, &["FROM"]));
    let (cursor, behind) = named(words, at)?;
    executable.cursor = cursor;
    let rows = row_count(words, behind).map(|(_, number)| number.behind(&mut executable.inputs));
    is_rowset |= rows.is_some();
    let mut into = Using::Nothing;
    if let Some(at) = words.find(behind, &["INTO"]) {
        if words.is(at + 1, &["DESCRIPTOR"]) && words.has_kind(at + 2, Kind::Host) {
            into = Using::Descriptor(0);
            executable.descriptors = vec![words.list[at + 2].variable];
        } else {
            into = Using::Variables;
            executable.targets = rows::list(words, at + 1).0;
        }
    } else if words.is(behind, &["USING", "DESCRIPTOR"]) && words.has_kind(behind + 2, Kind::Host) {
        into = Using::Descriptor(0);
        executable.descriptors = vec![words.list[behind + 2].variable];
    }
    if is_rowset && let Using::Descriptor(_) = into {
        let message = "a rowset INTO DESCRIPTOR is not supported";
        let help = "name host variables that are tables: INTO :A, :B";
        return Err(Mistake::unsupported(words.spot(behind), message).help(help));
    }
    executable.action = Action::Fetch { cursor: 0, orientation, is_rowset, rows, into };
    Ok(executable)
}

/// The orientation at `at`, which moves behind it.
fn orientation(words: &Words, at: &mut usize, inputs: &mut Vec<u32>) -> Orientation {
    const SIMPLE: [(&str, Orientation); 7] = [
        ("NEXT", Orientation::Next),
        ("PRIOR", Orientation::Prior),
        ("FIRST", Orientation::First),
        ("LAST", Orientation::Last),
        ("CURRENT", Orientation::Current),
        ("BEFORE", Orientation::Before),
        ("AFTER", Orientation::After),
    ];
    let start = *at;
    let mut at_number = start;
    if words.is(start, &["ROWSET", "STARTING", "AT"]) {
        at_number += 3;
    }
    if words.is_any(at_number, &["ABSOLUTE", "RELATIVE"])
        && let Some(number) = Number::at(words, at_number + 1)
    {
        *at = at_number + 2 + usize::from(words.is(at_number + 1, &["-"]));
        let count = number.behind(inputs);
        let absolute = words.is(at_number, &["ABSOLUTE"]);
        return if absolute { Orientation::Absolute(count) } else { Orientation::Relative(count) };
    }
    let simple = SIMPLE.iter().find(|(word, _)| words.is(start, &[word]));
    // A cursor may have such a name.
    let is_name = words.is_any(start + 1, &["INTO", "FOR", "USING", "-"]) || words.len() == start + 1;
    match simple.filter(|_| !is_name) {
        Some((_, orientation)) => {
            *at = start + 1 + usize::from(words.is(start + 1, &["ROWSET"]));
            *orientation
        }
        None => Orientation::Next,
    }
}
