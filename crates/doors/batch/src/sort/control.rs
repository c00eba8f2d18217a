//! Control statements of SORT as trees of words, and the symbols of SYMNAMES.

use std::collections::BTreeMap;

use ebcdic::Characters;

/// The columns of a control statement.
const LAST_COLUMN: usize = 71;
/// The greatest depth of nested lists.
const DEPTH_MAX: usize = 32;

/// The line of a mistake, what is wrong, and what to do.
pub(crate) type Mistake = (usize, String, String);

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A word or a number.
    Word(String),
    /// The format that a symbol has: it counts where a format is asked for.
    Implied(String),
    /// `C'…'`, `X'…'`, with a repetition in front.
    Text(Vec<u8>),
    /// `(…)`.
    List(Vec<Item>),
    /// `KEYWORD=…`.
    Pair(String, Box<Item>),
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub line: usize,
    pub operation: String,
    pub operands: Vec<Item>,
}

impl Item {
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) | Self::Implied(word) => Some(word),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<usize> {
        self.word()?.parse().ok()
    }

    /// Returns the parts of a list; anything else alone.
    pub fn list(&self) -> Vec<Self> {
        match self {
            Self::List(items) => items.clone(),
            item => vec![item.clone()],
        }
    }
}

/// The items that symbols stand for.
pub(crate) type Symbols = BTreeMap<String, Vec<Item>>;

/// Reads the symbols of SYMNAMES: `NAME,position,length,format` or `NAME,constant`.
pub(crate) fn symbols(text: &str) -> Result<Symbols, Mistake> {
    let mut symbols = Symbols::new();
    let mut behind = 1_usize;
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('*') {
            continue;
        }
        let wrong = || (number, format!("{line} is no symbol"), "NAME,position,length,format".to_owned());
        let line = up_to_blank(line);
        let mut reader = Reader { characters: line.chars().collect(), at: 0, depth: 0 };
        let mut items = reader.items().ok_or_else(wrong)?;
        if items.len() < 2 {
            return Err(wrong());
        }
        let name = items.remove(0).word().map(str::to_owned).ok_or_else(wrong)?;
        if let Some(Item::Word(position)) = items.first_mut()
            && position == "*"
        {
            *position = behind.to_string();
        }
        if let (Some(position), Some(length)) = (items[0].number(), items.get(1).and_then(Item::number)) {
            behind = position + length;
        }
        if let (Some(_), Some(format @ Item::Word(_))) = (items[0].number(), items.get_mut(2)) {
            *format = Item::Implied(format.word().unwrap_or_default().to_owned());
        }
        symbols.insert(name, items);
    }
    Ok(symbols)
}

/// Returns a symbol without the comment behind it.
fn up_to_blank(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

/// Returns the statements of a text, with symbols replaced.
pub(super) fn statements(text: &str, symbols: &Symbols) -> Result<Vec<Statement>, Mistake> {
    let mut statements = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (line, number) in text.lines().zip(1..) {
        let columns: String = line.chars().take(LAST_COLUMN).collect();
        if columns.trim().is_empty() || columns.starts_with('*') {
            continue;
        }
        let body = match &mut open {
            Some((_, body)) => {
                body.push_str(columns.trim_start());
                body
            }
            None => {
                // A label in the first column is not looked at.
                let begins =
                    columns.starts_with(' ') || columns.split_whitespace().next().is_some_and(is_operation);
                let body = if begins {
                    columns.trim()
                } else {
                    columns.split_once(' ').map_or("", |(_, rest)| rest.trim())
                };
                &mut open.insert((number, body.to_owned())).1
            }
        };
        let kept = without_comment(body);
        let goes_on = kept.ends_with(',');
        let is_full = kept.len() == body.trim_end().len()
            && columns.chars().count() == LAST_COLUMN
            && !columns.ends_with(' ');
        if is_full && !goes_on && line.chars().nth(LAST_COLUMN).is_some_and(|c| c != ' ') {
            let help = "break it behind a comma".to_owned();
            return Err((number, "the statement goes beyond column 71".to_owned(), help));
        }
        *body = kept;
        if !goes_on && let Some((line, body)) = open.take() {
            statements.push(statement(line, &body, symbols)?);
        }
    }
    if let Some((line, body)) = open {
        statements.push(statement(line, &body, symbols)?);
    }
    Ok(statements)
}

/// Returns the items of a text, with symbols replaced; `None` if it is not understood.
pub(crate) fn items(text: &str, symbols: &Symbols) -> Option<Vec<Item>> {
    let mut reader = Reader { characters: text.chars().collect(), at: 0, depth: 0 };
    let items = reader.items()?;
    (reader.at == reader.characters.len()).then(|| replaced(items, symbols))
}

/// Returns the options that PARM names.
pub(super) fn options(parm: &str, symbols: &Symbols) -> Result<Vec<Item>, Mistake> {
    statement(0, &format!("OPTION {parm}"), symbols).map(|statement| statement.operands)
}

fn is_operation(word: &str) -> bool {
    [
        "SORT", "MERGE", "INCLUDE", "OMIT", "SUM", "OPTION", "INREC", "OUTREC", "OUTFIL", "RECORD", "END",
        "MODS", "ALTSEQ",
    ]
    .contains(&word.to_ascii_uppercase().as_str())
}

/// Cuts a statement off at the comment: a blank outside of apostrophes behind the operands.
fn without_comment(body: &str) -> String {
    let mut quoted = false;
    let mut seen_operation = false;
    let mut in_operands = false;
    for (at, c) in body.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted && in_operands => return body[..at].to_owned(),
            ' ' => seen_operation = true,
            _ => in_operands = seen_operation,
        }
    }
    body.trim_end().to_owned()
}

fn statement(line: usize, body: &str, symbols: &Symbols) -> Result<Statement, Mistake> {
    let (operation, operands) = body.split_once(' ').unwrap_or((body, ""));
    let mut reader = Reader { characters: operands.trim().chars().collect(), at: 0, depth: 0 };
    let wrong = || (line, format!("{body} is not understood"), "OPERATION KEYWORD=value".to_owned());
    let operands = reader.items().ok_or_else(wrong)?;
    if reader.at < reader.characters.len() {
        return Err(wrong());
    }
    Ok(Statement { line, operation: operation.to_ascii_uppercase(), operands: replaced(operands, symbols) })
}

/// Items with symbols replaced; those in a list become several items of it.
fn replaced(items: Vec<Item>, symbols: &Symbols) -> Vec<Item> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Word(word) => match symbols.get(&word) {
                Some(meaning) => out.extend(meaning.iter().cloned()),
                None => out.push(Item::Word(word)),
            },
            Item::List(items) => out.push(Item::List(replaced(items, symbols))),
            Item::Pair(keyword, value) => {
                let value = match *value {
                    Item::List(items) => Item::List(replaced(items, symbols)),
                    value => {
                        replaced(vec![value], symbols).into_iter().next().unwrap_or(Item::List(Vec::new()))
                    }
                };
                out.push(Item::Pair(keyword, Box::new(value)));
            }
            text => out.push(text),
        }
    }
    out
}

struct Reader {
    characters: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    /// Items up to the end or a closing parenthesis.
    fn items(&mut self) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None | Some(')') => return Some(items),
                Some(',' | ' ') => self.at += 1,
                Some(_) => items.push(self.item()?),
            }
        }
    }

    fn item(&mut self) -> Option<Item> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let item = self.one();
        self.depth -= 1;
        item
    }

    fn one(&mut self) -> Option<Item> {
        if self.peek() == Some('(') {
            self.at += 1;
            let items = self.items()?;
            if self.peek() != Some(')') {
                return None;
            }
            self.at += 1;
            return Some(Item::List(items));
        }
        let mut word = String::new();
        while let Some(c) = self.peek() {
            match c {
                ',' | '(' | ')' | ' ' => break,
                '=' => {
                    self.at += 1;
                    let value = if matches!(self.peek(), None | Some(',' | ')')) {
                        Item::List(Vec::new())
                    } else {
                        self.item()?
                    };
                    return Some(Item::Pair(word.to_ascii_uppercase(), Box::new(value)));
                }
                ':' => {
                    // A column: what comes behind it is an item of its own.
                    self.at += 1;
                    word.push(c);
                    break;
                }
                '\'' => return self.text(&word),
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
        Some(Item::Word(word.to_ascii_uppercase()))
    }

    /// Reads a text in apostrophes behind a repetition and its kind: `3C'AB'`, `X'0C'`.
    fn text(&mut self, front: &str) -> Option<Item> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek()? {
                '\'' if self.characters.get(self.at + 1) == Some(&'\'') => {
                    text.push('\'');
                    self.at += 2;
                }
                '\'' => break,
                c => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        let front = front.to_ascii_uppercase();
        let (times, kind) = front.split_at(front.len().saturating_sub(1));
        let times =
            if times.is_empty() { 1 } else { times.parse::<usize>().ok().filter(|times| *times <= 4095)? };
        let bytes = match kind {
            "C" | "" => Characters::default().bytes(&text),
            "X" => {
                let digits: Vec<u8> =
                    text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
                if !digits.len().is_multiple_of(2) {
                    return None;
                }
                digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
            }
            _ => return None,
        };
        Some(Item::Text(bytes.repeat(times)))
    }
}
