//! Statements: which verb begins them, what ends them, and the phrases that several share.

mod arithmetic;
mod calling;
mod control;
mod exec;
mod files;
mod markup;
mod moving;
mod older;
mod sorting;
mod strings;

use crate::parser::{Parsed, Parser};
use crate::reserved::{OLD_VERBS, VERBS};
use crate::tree::{Event, Handler, Handlers, Performed, Statement, StatementKind, Statements};
use crate::words::WordKind;

/// Each verb with the word that ends its statement; verbs that have none are not here.
const TERMINATORS: [(&str, &str); 22] = [
    ("ADD", "END-ADD"),
    ("CALL", "END-CALL"),
    ("COMPUTE", "END-COMPUTE"),
    ("DELETE", "END-DELETE"),
    ("DISPLAY", "END-DISPLAY"),
    ("ACCEPT", "END-ACCEPT"),
    ("DIVIDE", "END-DIVIDE"),
    ("EVALUATE", "END-EVALUATE"),
    ("IF", "END-IF"),
    ("JSON", "END-JSON"),
    ("MULTIPLY", "END-MULTIPLY"),
    ("PERFORM", "END-PERFORM"),
    ("READ", "END-READ"),
    ("RETURN", "END-RETURN"),
    ("REWRITE", "END-REWRITE"),
    ("SEARCH", "END-SEARCH"),
    ("START", "END-START"),
    ("STRING", "END-STRING"),
    ("SUBTRACT", "END-SUBTRACT"),
    ("UNSTRING", "END-UNSTRING"),
    ("WRITE", "END-WRITE"),
    ("XML", "END-XML"),
];

impl Parser<'_> {
    /// Whether a statement begins at the cursor.
    pub(crate) fn starts_statement(&self) -> bool {
        let word = self.word();
        match word.kind {
            WordKind::Exec => true,
            WordKind::Reserved if &*word.text == "NEXT" => self.is_ahead(1, "SENTENCE"),
            // A block of EXEC is one word; without an executor it is none.
            WordKind::Reserved => VERBS.contains(&&*word.text) && &*word.text != "EXEC",
            WordKind::Name => OLD_VERBS.contains(&&*word.text) && self.ahead(1).kind != WordKind::Period,
            _ => false,
        }
    }

    /// Whether a statement of an older compiler begins at the cursor, where an item may stand: its verb is no item's name.
    pub(crate) fn starts_old_statement(&self) -> bool {
        let word = self.word();
        word.kind == WordKind::Name && self.starts_statement() && !self.dimensions.has(&word.text)
    }

    /// Whether the word at the cursor ends some statement, or a part of one.
    pub(crate) fn ends_scope(&self) -> bool {
        let word = self.word();
        let kind = matches!(word.kind, WordKind::Reserved | WordKind::Name);
        kind && (matches!(&*word.text, "ELSE" | "WHEN")
            || TERMINATORS.iter().any(|(_, end)| *end == &*word.text))
    }

    /// Whether it ends one that is open.
    pub(crate) fn ends_open_scope(&self) -> bool {
        let open = |end: &str| self.scopes.contains(&end);
        match &*self.word().text {
            "ELSE" => open("END-IF"),
            "WHEN" => open("END-EVALUATE") || open("END-SEARCH"),
            text => self.ends_scope() && open(text),
        }
    }

    /// Statements up to something that begins none.
    pub(crate) fn statements(&mut self) -> Statements {
        let mut statements = Vec::new();
        loop {
            if self.ends_scope() && !self.ends_open_scope() {
                self.stray_terminator();
                continue;
            }
            if !self.starts_statement() {
                return statements;
            }
            match self.nested(Self::statement) {
                Ok(statement) => statements.push(statement),
                Err(_) => self.recover(),
            }
        }
    }

    fn stray_terminator(&mut self) {
        let word = self.bump();
        if self.recovering {
            return;
        }
        let verb = match &*word.text {
            "ELSE" => "IF",
            "WHEN" => "EVALUATE",
            text => text.strip_prefix("END-").unwrap_or(text),
        };
        let message = format!("{} without {verb}", word.text);
        let help = "a full stop, or something in front, has ended that statement already";
        self.error(word.at, "SPSY025", message, "", help);
        self.recovering = true;
    }

    /// The statement at the cursor, which begins with a verb.
    fn statement(&mut self) -> Parsed<Statement> {
        let word = self.bump();
        let terminator = TERMINATORS.iter().find(|(verb, _)| *verb == &*word.text).map(|(_, end)| *end);
        self.scopes.extend(terminator);
        let kind = self.statement_of(&word.text);
        if let Some(end) = terminator {
            self.scopes.pop();
            // The END-PERFORM behind PERFORM and a paragraph's name is that of a PERFORM around it.
            let takes_it = |kind: &StatementKind| match kind {
                StatementKind::Perform(perform) => matches!(perform.what, Performed::InLine(_)),
                _ => true,
            };
            if kind.as_ref().is_ok_and(takes_it) {
                self.eat(end);
            }
        }
        Ok(Statement { at: word.at, kind: kind? })
    }

    fn statement_of(&mut self, verb: &str) -> Parsed<StatementKind> {
        match verb {
            "MOVE" => self.move_(),
            "IF" => self.if_(),
            "PERFORM" => self.perform(),
            "EXEC" => self.exec(),
            "EVALUATE" => self.evaluate(),
            "SET" => self.set(),
            "GO" => self.go_to_statement(),
            "EXIT" => self.exit(),
            "NEXT" => {
                self.bump();
                Ok(StatementKind::NextSentence)
            }
            "CONTINUE" => Ok(StatementKind::Continue),
            "GOBACK" => self.giving(StatementKind::Goback),
            "STOP" => self.stop(),
            "ALTER" => self.alter(),
            "SEARCH" => self.search(),
            "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" => self.arithmetic(verb),
            "COMPUTE" => self.compute(),
            "ACCEPT" => self.accept(),
            "DISPLAY" => self.display(),
            "INITIALIZE" => self.initialize(),
            "ALLOCATE" => self.allocate(),
            "FREE" => Ok(StatementKind::Free(self.operands()?)),
            "CALL" => self.call(),
            "CANCEL" => Ok(StatementKind::Cancel(self.operands()?)),
            "ENTRY" => self.entry(),
            "OPEN" | "CLOSE" | "READ" | "WRITE" | "REWRITE" | "DELETE" | "START" | "RETURN" | "RELEASE" => {
                self.file_statement(verb)
            }
            "SORT" | "MERGE" => self.sort(verb == "MERGE"),
            "STRING" => self.string(),
            "UNSTRING" => self.unstring(),
            "INSPECT" => self.inspect(),
            "JSON" | "XML" => self.markup(verb == "XML"),
            "USE" => self.use_(),
            _ => self.older_statement(verb),
        }
    }

    /// The phrases of these events behind a statement.
    pub(crate) fn handlers(&mut self, events: &[Event]) -> Parsed<Handlers> {
        let mut handlers = Handlers::default();
        while let Some((event, not, length)) = self.event() {
            if !events.contains(&event) {
                break;
            }
            let at = self.word().at;
            for _ in 0..length {
                self.bump();
            }
            let body = self.body(at)?;
            if handlers.has(event, not) {
                return self.fail(at, "SPSY026", "this phrase stands here twice", "take one of them away");
            }
            handlers.list.push(Handler { event, not, body });
        }
        Ok(handlers)
    }

    /// Statements of which there must be one.
    pub(crate) fn body(&mut self, at: cobol_source::At) -> Parsed<Statements> {
        let body = self.statements();
        if body.is_empty() && !self.recovering {
            let help = "write a statement behind it, CONTINUE if nothing is to be done";
            return self.fail(at, "SPSY027", "no statement follows here", help);
        }
        Ok(body)
    }

    /// The phrase at the cursor: its event, whether NOT stands there, how many words it has.
    fn event(&self) -> Option<(Event, bool, usize)> {
        let not = usize::from(self.is("NOT"));
        let word = self.ahead(not);
        let lead = usize::from(matches!(&*word.text, "ON" | "AT") && word.kind == WordKind::Reserved);
        let at = not + lead;
        let (event, length) = match &*self.ahead(at).text {
            "SIZE" if self.is_ahead(at + 1, "ERROR") => (Event::SizeError, 2),
            "END" if !self.is_any_ahead(at + 1, &["PROGRAM", "DECLARATIVES"]) => (Event::AtEnd, 1),
            "END-OF-PAGE" | "EOP" => (Event::EndOfPage, 1),
            "INVALID" => (Event::InvalidKey, 1 + usize::from(self.is_ahead(at + 1, "KEY"))),
            "OVERFLOW" => (Event::Overflow, 1),
            "EXCEPTION" => (Event::Exception, 1),
            _ => return None,
        };
        Some((event, not == 1, at + length))
    }
}
