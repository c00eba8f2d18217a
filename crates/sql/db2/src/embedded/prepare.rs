//! Dynamic statements: PREPARE, EXECUTE, EXECUTE IMMEDIATE, DESCRIBE.

use super::Executable;
use super::cursors::using;
use super::number::row_count;
use crate::mistake::Mistake;
use crate::package::{Action, DescribeWhat, Text, Using};
use crate::print::print;
use crate::token::Kind;
use crate::words::Words;

pub(super) fn read(words: &Words) -> Result<Executable, Mistake> {
    match () {
        () if words.is(0, &["PREPARE"]) => prepare(words),
        () if words.is(0, &["EXECUTE", "IMMEDIATE"]) => {
            let (text, inputs) = source(words, 2)?;
            Ok(Executable::new(Action::ExecuteImmediate, text, inputs))
        }
        () if words.is(0, &["EXECUTE"]) => execute(words),
        () => describe(words),
    }
}

fn statement(words: &Words, at: usize) -> Result<(String, usize), Mistake> {
    let named = words.host_name(at).map(|(name, range)| (name, range.end));
    named.ok_or_else(|| {
        let verb = words.list[0].text.to_uppercase();
        Mistake::new(words.spot(at), format!("{verb} without the name of a statement"))
    })
}

/// The text to be prepared: a host variable, or an expression, whose text `SELECT …` gives it.
fn source(words: &Words, at: usize) -> Result<(Text, Vec<u32>), Mistake> {
    match words.get(at) {
        Some(only) if only.kind == Kind::Host => Ok((Text::default(), vec![only.variable])),
        Some(_) => {
            let mut expression = Words::new(words.list[at..].to_vec());
            expression.insert(0, "SELECT");
            crate::rewrite::expressions(&mut expression);
            Ok(print(&expression))
        }
        None => {
            Err(Mistake::new(words.spot(at), "no text to prepare")
                .help("name the host variable that holds it"))
        }
    }
}

/// PREPARE S [INTO :AREA [USING …]] [ATTRIBUTES :A] FROM :TEXT.
fn prepare(words: &Words) -> Result<Executable, Mistake> {
    let (name, behind) = statement(words, 1)?;
    let Some(from) = words.find(behind, &["FROM"]) else {
        return Err(Mistake::new(words.spot(0), "PREPARE without FROM"));
    };
    let (text, mut inputs) = source(words, from + 1)?;
    let attributes = words.find(behind, &["ATTRIBUTES"]).filter(|at| *at < from).map(|at| at + 1);
    let attributes = match attributes.map(|at| (at, words.get(at))) {
        Some((_, Some(token))) if token.kind == Kind::Host => {
            inputs.push(token.variable);
            Some(inputs.len() as u16 - 1)
        }
        Some((at, _)) => {
            let help = "name the host variable that holds them";
            return Err(Mistake::new(words.spot(at), "ATTRIBUTES without a host variable").help(help));
        }
        None => None,
    };
    let area = words.is(behind, &["INTO"]).then(|| words.get(behind + 1)).flatten();
    let descriptors: Vec<u32> =
        area.filter(|token| token.kind == Kind::Host).map(|token| token.variable).into_iter().collect();
    let into = (!descriptors.is_empty()).then_some(0);
    Ok(Executable {
        descriptors,
        ..Executable::new(Action::Prepare { name, into, attributes }, text, inputs)
    })
}

fn execute(words: &Words) -> Result<Executable, Mistake> {
    let (name, behind) = statement(words, 1)?;
    let (using, mut inputs, descriptors) = using(words, behind)?;
    let rows = row_count(words, behind);
    if let (Some((at, _)), Using::Descriptor(_)) = (rows, using) {
        let message = "EXECUTE … USING DESCRIPTOR … FOR n ROWS is not supported";
        let help = "name host variables that are tables: USING :A, :B FOR n ROWS";
        return Err(Mistake::unsupported(words.spot(at), message).help(help));
    }
    let rows = rows.map(|(_, number)| number.behind(&mut inputs));
    let action = Action::Execute { name, using, rows };
    Ok(Executable { inputs, descriptors, ..Executable::plain(action) })
}

/// DESCRIBE [OUTPUT | INPUT | CURSOR | TABLE] x INTO :AREA [USING …].
fn describe(words: &Words) -> Result<Executable, Mistake> {
    let area =
        words.find(1, &["INTO"]).and_then(|at| words.get(at + 1)).filter(|token| token.kind == Kind::Host);
    let Some(area) = area.map(|token| token.variable) else {
        return Err(Mistake::new(words.spot(0), "DESCRIBE without INTO").help("name an SQLDA: INTO :AREA"));
    };
    let mut executable = Executable::plain(Action::Close { cursor: 0 });
    executable.descriptors = vec![area];
    executable.has_effects = false;
    let what = if words.is(1, &["TABLE"]) && words.has_kind(2, Kind::Host) {
        executable.inputs = vec![words.list[2].variable];
        DescribeWhat::Table
    } else if words.is(1, &["CURSOR"]) {
        let (name, end) = statement(words, 2)?;
        executable.cursor = Some((name, words.spot(2).to(words.spot(end - 1))));
        DescribeWhat::Cursor(0)
    } else if words.is(1, &["INPUT"]) {
        DescribeWhat::Input(statement(words, 2)?.0)
    } else {
        let output = usize::from(words.is(1, &["OUTPUT"]));
        DescribeWhat::Output(statement(words, 1 + output)?.0)
    };
    executable.action = Action::Describe { what, into: 0 };
    Ok(executable)
}
