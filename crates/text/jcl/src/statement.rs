//! One JCL statement from one or more lines.

/// The last column of a record that a utility reads; a sequence number may follow.
const LAST_COLUMN: usize = 72;

/// A statement: `//NAME OPERATION OPERANDS`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    pub name: String,
    pub operation: String,
    /// Operands as `(keyword, value)`; a positional operand has an empty keyword.
    pub operands: Vec<(String, String)>,
}

impl Statement {
    /// The value of a keyword operand, without quotes.
    pub fn value(&self, keywords: &[&str]) -> Option<&str> {
        let (_, value) =
            self.operands.iter().find(|(k, _)| keywords.iter().any(|w| k.eq_ignore_ascii_case(w)))?;
        Some(value)
    }

    /// Returns true if a positional operand stands there.
    pub fn has(&self, word: &str) -> bool {
        self.operands.iter().any(|(k, v)| k.is_empty() && v.eq_ignore_ascii_case(word))
    }
}

/// Returns true if a line belongs to a statement, not to a comment or data.
pub(crate) fn is_statement(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("//*")
}

/// Reads the statement that starts at the first line; says how many lines it took, comments between them included.
pub(crate) fn statement<'a>(lines: impl Iterator<Item = &'a str>) -> (Statement, usize) {
    let mut statement = Statement::default();
    let mut operands = String::new();
    let mut taken = 0;
    let mut seen = 0;
    for line in lines {
        seen += 1;
        let first = taken == 0;
        if line.starts_with("//*") && !first {
            continue;
        }
        if !is_statement(line) || (!first && !line[2..].starts_with([' ', '\t'])) {
            break;
        }
        let body = &without_sequence(line)[2..];
        let rest = if first { head(body, &mut statement) } else { body.trim_start() };
        operands.push_str(operand_field(rest, open_quote(&operands)));
        taken = seen;
        if !operands.ends_with(',') && !open_quote(&operands) {
            break;
        }
    }
    statement.operands = split(&operands);
    (statement, taken.max(1))
}

/// Takes name and operation off the first line; what is left are operands and comment.
fn head<'a>(body: &'a str, statement: &mut Statement) -> &'a str {
    let (name, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    let rest = rest.trim_start();
    let (operation, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    statement.name = name.to_ascii_uppercase();
    statement.operation = operation.to_ascii_uppercase();
    rest.trim_start()
}

/// The operands at the start of a text: up to the first blank outside quotes.
fn operand_field(text: &str, mut quoted: bool) -> &str {
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            ' ' | '\t' if !quoted => return &text[..at],
            _ => {}
        }
    }
    if quoted { text } else { text.trim_end() }
}

fn open_quote(text: &str) -> bool {
    text.matches('\'').count() % 2 == 1
}

/// Splits operands at commas outside quotes and parentheses.
fn split(operands: &str) -> Vec<(String, String)> {
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    let mut parts = Vec::new();
    for (at, c) in operands.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(&operands[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&operands[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).map(operand).collect()
}

fn operand(part: &str) -> (String, String) {
    match part.split_once('=') {
        Some((keyword, value)) if keyword.chars().all(|c| c.is_alphanumeric() || "@#$.".contains(c)) => {
            (keyword.to_owned(), unquoted(value))
        }
        _ => (String::new(), unquoted(part)),
    }
}

/// A value without the quotes around it; doubled quotes inside become one.
fn unquoted(value: &str) -> String {
    match value.strip_prefix('\'').and_then(|v| v.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => value.to_owned(),
    }
}

/// A line without the sequence number in its columns 73 to 80.
pub(crate) fn without_sequence(line: &str) -> &str {
    match line.char_indices().nth(LAST_COLUMN) {
        Some((end, _)) if line[end..].trim().chars().all(|c| c.is_ascii_digit()) => &line[..end],
        _ => line,
    }
}
