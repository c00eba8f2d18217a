//! The statements of ICETOOL: operators with their operands.

use ebcdic::Characters;

use crate::sort::{Item, Mistake, Symbols, items};

/// The columns of a statement.
const LAST_COLUMN: usize = 72;

/// An operator with its operands, in their order.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    /// The line of its first word.
    pub line: usize,
    /// Its name.
    pub name: String,
    operands: Vec<Operand>,
}

/// A keyword with what stands in its parentheses; `None` where it has none.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub keyword: String,
    pub values: Option<Vec<Item>>,
}

impl Operation {
    /// Returns all operands.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// Makes a message about it.
    pub fn wrong(&self, what: String) -> Mistake {
        (self.line, format!("{}: {what}", self.name), super::HELP.to_owned())
    }
}

impl Operand {
    /// Returns the words in the parentheses.
    pub fn words(&self) -> Vec<String> {
        self.values.iter().flatten().filter_map(Item::word).map(str::to_owned).collect()
    }

    /// Returns the only number in the parentheses.
    pub fn number(&self) -> Option<u64> {
        match self.values.as_deref() {
            Some([item]) => item.number().map(|number| number as u64),
            _ => None,
        }
    }

    /// Returns the only text in the parentheses.
    pub fn text(&self) -> Option<String> {
        match self.values.as_deref() {
            Some([Item::Text(bytes)]) => Some(Characters::default().text(bytes)),
            _ => None,
        }
    }
}

/// Reads the operators of a text.
pub(super) fn operations(text: &str, symbols: &Symbols) -> Result<Vec<Operation>, Mistake> {
    let mut operations = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (line, number) in text.lines().zip(1..) {
        let columns: String = line.chars().take(LAST_COLUMN).collect();
        if columns.trim().is_empty() || columns.starts_with('*') {
            continue;
        }
        let (part, goes_on) = continued(&columns);
        let (_, body) = open.get_or_insert_with(|| (number, String::new()));
        body.push(' ');
        body.push_str(part.trim());
        if !goes_on && let Some((line, body)) = open.take() {
            operations.push(operation(line, &body, symbols)?);
        }
    }
    if let Some((line, body)) = open {
        operations.push(operation(line, &body, symbols)?);
    }
    Ok(operations)
}

/// Returns the part of a line in front of a hyphen that stands behind a blank, and true if there is one: the statement goes on in
/// the next line then.
fn continued(line: &str) -> (&str, bool) {
    let mut quoted = false;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '-' if !quoted && before == ' ' => return (&line[..at], true),
            _ => {}
        }
        before = c;
    }
    (line, false)
}

fn operation(line: usize, body: &str, symbols: &Symbols) -> Result<Operation, Mistake> {
    let body = body.trim();
    let (name, rest) = body.split_at(body.find([' ', '(']).unwrap_or(body.len()));
    let wrong = || (line, format!("{body} is not understood"), super::HELP.to_owned());
    let mut operands: Vec<Operand> = Vec::new();
    for item in items(rest.trim(), symbols).ok_or_else(wrong)? {
        match (item, operands.last_mut()) {
            (Item::Word(keyword), _) => operands.push(Operand { keyword, values: None }),
            (Item::List(values), Some(operand)) if operand.values.is_none() => operand.values = Some(values),
            _ => return Err(wrong()),
        }
    }
    Ok(Operation { line, name: name.to_ascii_uppercase(), operands })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Operation> {
        operations(text, &Symbols::new()).expect("it is understood")
    }

    #[test]
    fn an_operator_goes_on_behind_a_hyphen_and_has_no_comments() {
        let text = "* A COMMENT\n COPY FROM(IN) -  anything\n      TO(OUT,MORE)\n\nselect from(IN) TO (X) ON(1,3,CH) FIRST\n";
        let found = read(text);
        let names: Vec<(usize, &str)> = found.iter().map(|one| (one.line, one.name.as_str())).collect();
        assert_eq!(names, [(2, "COPY"), (5, "SELECT")]);
        assert_eq!(found[0].operands()[1].words(), ["OUT", "MORE"]);
        let keywords: Vec<&str> = found[1].operands().iter().map(|one| one.keyword.as_str()).collect();
        assert_eq!(keywords, ["FROM", "TO", "ON", "FIRST"]);
        assert_eq!(found[1].operands()[2].words(), ["1", "3", "CH"]);
    }

    #[test]
    fn a_hyphen_in_a_text_is_part_of_it() {
        let found = read(" DISPLAY FROM(IN) TITLE('A - B')\n");
        assert_eq!(found[0].operands()[1].text().as_deref(), Some("A - B"));
    }

    #[test]
    fn what_is_no_statement_has_a_line() {
        for text in [" COPY FROM(IN\n", " COPY (IN)\n", " COPY FROM(A)(B)\n"] {
            assert_eq!(operations(text, &Symbols::new()).expect_err(text).0, 1, "{text}");
        }
    }
}
