//! IEBGENER: copies records, changed as GENERATE and RECORD say.

use access::Client;
use datasets::Shape;
use ebcdic::Characters;

use crate::dd::Dds;
use crate::output::Output;
use crate::utility_records::{Failed, Sink, fitted, read, shape_of};

/// Control statements that are wrong or not built: the return code.
const NOT_UNDERSTOOD: i32 = 12;
/// The columns of a control statement, and where it goes on.
const LAST_COLUMN: usize = 71;

/// The line of a mistake in control statements, what is wrong, and what to do.
pub(super) type Mistake = (usize, String, String);

/// A field of the records that are written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    /// Its source: an offset and a length, or a text.
    from: From,
    /// Its offset in the record that is written.
    to: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum From {
    Record(usize, usize),
    Text(String),
}

/// Checks control statements.
pub(super) fn check(text: &str) -> Result<(), Mistake> {
    fields(text).map(drop)
}

/// Copies SYSUT1 to SYSUT2, and returns the return code.
pub(super) fn run(
    (name, text): &(String, String),
    dds: &Dds,
    client: &mut Client,
    output: &mut dyn Output,
) -> Result<i32, Failed> {
    let fields = match fields(text) {
        Ok(fields) => fields,
        Err((line, what, help)) => {
            output.log(format!("{name}:{line}: {what}: {help}"));
            return Ok(NOT_UNDERSTOOD);
        }
    };
    let from =
        dds.get("SYSUT1").cloned().ok_or_else(|| Failed::Other("there is no DD statement SYSUT1".into()))?;
    let shape = match (shape_of(&from), fields.is_empty()) {
        // Lines of a file have the length of a card where nothing says another one.
        (Shape::Lines | Shape::Fixed(None), _) => Shape::Fixed(Some(crate::utility_records::CARD)),
        (shape, _) => shape,
    };
    let mut sink = Sink::open(dds, "SYSUT2", shape, client)?;
    let to = dds.get("SYSUT2").map_or(shape, shape_of);
    read(&from, client, &mut |client, record| {
        let record = if fields.is_empty() { record } else { edited(&fields, &record, to) };
        sink.write(&fitted(record, to), client, output)?;
        Ok(true)
    })?;
    sink.finish(client)?;
    output.display("PROCESSING ENDED AT EOD");
    Ok(0)
}

/// Builds a record of fields, with blanks elsewhere.
fn edited(fields: &[Field], record: &[u8], to: Shape) -> Vec<u8> {
    let mut out = match to {
        Shape::Fixed(Some(length)) => vec![b' '; length],
        _ => Vec::new(),
    };
    for field in fields {
        let bytes = match &field.from {
            From::Record(at, length) => {
                let own = record.get(*at..).unwrap_or_default();
                own[..own.len().min(*length)].to_vec()
            }
            From::Text(text) => Characters::default().bytes(text),
        };
        let end = field.to + bytes.len();
        if out.len() < end {
            out.resize(end, b' ');
        }
        out[field.to..end].copy_from_slice(&bytes);
    }
    out
}

/// Reads the fields that control statements ask for; none for a plain copy.
fn fields(text: &str) -> Result<Vec<Field>, Mistake> {
    let mut fields = Vec::new();
    let mut generates = false;
    let mut records = 0;
    for (line, statement) in statements(text)? {
        let refuse = |what: String, help: &str| Err((line, what, help.to_owned()));
        let (operation, operands) = statement.split_once(' ').unwrap_or((&statement, ""));
        match operation {
            "GENERATE" => {
                generates = true;
                for (keyword, _) in operands_of(operands) {
                    if !matches!(keyword.as_str(), "MAXFLDS" | "MAXLITS" | "MAXNAME" | "MAXGPS") {
                        return refuse(
                            format!("{keyword} of GENERATE is not built"),
                            "MAXFLDS and MAXLITS are taken",
                        );
                    }
                }
            }
            "RECORD" => {
                records += 1;
                if !generates {
                    return refuse("RECORD without GENERATE".into(), "GENERATE comes first");
                }
                if records > 1 {
                    return refuse(
                        "a second RECORD statement is not built".into(),
                        "one RECORD with several FIELD=",
                    );
                }
                for (keyword, value) in operands_of(operands) {
                    if keyword != "FIELD" {
                        let help = "FIELD=(length,from,,to) and FIELD=(length,'text',,to) are built";
                        return refuse(format!("{keyword} of RECORD is not built"), help);
                    }
                    match field(&value) {
                        Some(field) => fields.push(field),
                        None => {
                            let help = "FIELD=(length,from,,to), or a text in apostrophes; conversions are not built";
                            return refuse(format!("FIELD={value} is not built"), help);
                        }
                    }
                }
            }
            other => {
                let help = "GENERATE and RECORD FIELD= are built; IEBGENER without SYSIN copies";
                return refuse(format!("the statement {other} of IEBGENER is not built"), help);
            }
        }
    }
    Ok(fields)
}

/// Returns the statements of a text with their lines; continued ones as one line.
fn statements(text: &str) -> Result<Vec<(usize, String)>, Mistake> {
    let mut statements: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (line, number) in text.lines().zip(1..) {
        let columns: String = line.chars().take(LAST_COLUMN).collect();
        if columns.trim().is_empty() || columns.starts_with('*') {
            continue;
        }
        let (operation, rest) = if goes_on {
            (String::new(), columns.trim())
        } else {
            // A label in the first column is not looked at.
            let body = match columns.starts_with(' ') {
                true => columns.trim(),
                false => columns.split_once(' ').map_or("", |(_, rest)| rest.trim()),
            };
            let (operation, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
            (operation.to_ascii_uppercase(), rest.trim())
        };
        let operands = parts(rest, true).join(",");
        let is_full = operands.len() == rest.len() && columns.chars().count() == LAST_COLUMN;
        if is_full && !operands.ends_with(',') && line.chars().nth(LAST_COLUMN).is_some_and(|c| c != ' ') {
            let help = "break it behind a comma".to_owned();
            return Err((number, "the statement goes beyond column 71".to_owned(), help));
        }
        let was_open = std::mem::replace(&mut goes_on, operands.ends_with(','));
        match statements.last_mut().filter(|_| was_open) {
            Some((_, last)) => last.push_str(&operands),
            None => statements.push((number, format!("{operation} {operands}").trim_end().to_owned())),
        }
    }
    Ok(statements)
}

/// Returns the operands of a statement up to its comment: `KEYWORD=value`.
fn operands_of(text: &str) -> Vec<(String, String)> {
    parts(text, true)
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| match part.split_once('=') {
            Some((keyword, value)) => (keyword.to_ascii_uppercase(), value.to_owned()),
            None => (part.to_ascii_uppercase(), String::new()),
        })
        .collect()
}

/// Splits at commas outside of apostrophes and parentheses; with `to_blank`, up to the first blank outside of them.
fn parts(text: &str, to_blank: bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quoted) = (0, false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ' ' if !quoted && to_blank && depth <= 0 => break,
            ',' if !quoted && depth <= 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

/// Reads `(length,from,conversion,to)`: positions count from 1, and there is no conversion.
fn field(value: &str) -> Option<Field> {
    let inner = value.strip_prefix('(')?.strip_suffix(')')?;
    let parts: Vec<String> = parts(inner, false).iter().map(|part| part.trim().to_owned()).collect();
    let part = |at: usize| parts.get(at).map_or("", String::as_str);
    let number = |text: &str, default: usize| match text {
        "" => Some(default),
        text => text.parse::<usize>().ok().filter(|number| (1..=32_760).contains(number)),
    };
    if parts.len() > 4 || !part(2).is_empty() {
        return None;
    }
    let to = number(part(3), 1)? - 1;
    if let Some(text) = part(1).strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        let text = text.replace("''", "'");
        let length = number(part(0), text.chars().count().max(1))?;
        let text: String = text.chars().chain(std::iter::repeat(' ')).take(length).collect();
        return Some(Field { from: From::Text(text), to });
    }
    let length = number(part(0), 80)?;
    let from = number(part(1), 1)? - 1;
    Some(Field { from: From::Record(from, length), to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_moved_and_texts_put_in() {
        let text = "LABEL GENERATE MAXFLDS=3,MAXLITS=5\n  RECORD FIELD=(5,6,,1),  remark\n         FIELD=(5,1,,6),FIELD=(3,'a''b',,20)\n";
        let found = fields(text).expect("understood");
        let out = edited(&found, b"12345ABCDE", Shape::Fixed(Some(24)));
        assert_eq!(String::from_utf8_lossy(&out), "ABCDE12345         a'b  ");
        assert_eq!(fields(""), Ok(Vec::new()));
        for (text, line, what) in [
            (" GENERATE MAXNAME=1\n MEMBER NAME=A\n", 2, "the statement MEMBER of IEBGENER is not built"),
            ("\n GENERATE MAXFLDS=1\n RECORD FIELD=(5,1,PZ,1)\n", 3, "FIELD=(5,1,PZ,1) is not built"),
            (" RECORD FIELD=(5)\n", 1, "RECORD without GENERATE"),
            (" GENERATE MAXFLDS=1\n RECORD IDENT=(1,'A',1)\n", 2, "IDENT of RECORD is not built"),
        ] {
            let (at, said, _) = fields(text).expect_err("refused");
            assert_eq!((at, said.as_str()), (line, what));
        }
    }
}
