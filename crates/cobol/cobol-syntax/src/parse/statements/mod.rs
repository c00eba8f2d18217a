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
use crate::statements::{Begins, StatementRecord, StatementState, beginning_with, ended_by};
use crate::tree::{Event, Handler, Handlers, Performed, Statement, StatementKind, Statements};
use crate::words::WordKind;

impl Parser<'_> {
    /// Returns true if a statement begins at the cursor.
    pub(crate) fn starts_statement(&self) -> bool {
        self.record_here().is_some()
    }

    /// The record of the statement that begins at the cursor.
    fn record_here(&self) -> Option<&'static StatementRecord> {
        let word = self.word();
        let (text, executor) = match word.kind {
            WordKind::Exec => ("EXEC", self.blocks.get(word.block as usize).map(|block| &*block.name)),
            WordKind::Reserved | WordKind::Name => (&*word.text, None),
            _ => return None,
        };
        let follows = |record: &StatementRecord| {
            record.further_words().enumerate().all(|(by, behind)| match executor {
                Some(executor) => executor == behind,
                None => self.is_ahead(by + 1, behind),
            })
        };
        let candidates = beginning_with(text);
        let found = candidates.iter().find(|record| follows(record)).or(candidates.last())?;
        let begins = match found.begins {
            Begins::Verb => true,
            Begins::Pair => follows(found),
            // A block is one word; EXEC without an executor is none, and another executor has no record.
            Begins::Block => word.kind == WordKind::Exec,
            Begins::Old => self.ahead(1).kind != WordKind::Period,
            Begins::Listing | Begins::Title | Begins::Text => false,
        };
        begins.then_some(*found)
    }

    /// Returns true if a statement of an older compiler begins at the cursor, where an item may stand: its verb is no item's name.
    pub(crate) fn starts_old_statement(&self) -> bool {
        let word = self.word();
        word.kind == WordKind::Name && self.starts_statement() && !self.dimensions.has(&word.text)
    }

    /// Returns true if the word at the cursor ends some statement, or a part of one.
    pub(crate) fn ends_scope(&self) -> bool {
        let word = self.word();
        matches!(word.kind, WordKind::Reserved | WordKind::Name) && ended_by(&word.text).is_some()
    }

    /// Returns true if it ends one that is open.
    pub(crate) fn ends_open_scope(&self) -> bool {
        self.ends_scope() && self.open.iter().any(|record| record.is_ended_by(&self.word().text))
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
        let verb = ended_by(&word.text).map_or("its verb", StatementRecord::word);
        let message = format!("{} without {verb}", word.text);
        let help = "a full stop, or something in front, has ended that statement already";
        self.error(word.at, "SPSY025", message, "", help);
        self.recovering = true;
    }

    /// The statement at the cursor, if one begins there.
    fn statement(&mut self) -> Parsed<Statement> {
        let record = self.record_here();
        let word = self.bump();
        let Some(record) = record else {
            return self.fail(word.at, "SPSY024", "no statement begins here", "");
        };
        self.open.push(record);
        let kind = match record.state {
            StatementState::Refused => Ok(self.refused(record)),
            _ => self.statement_of(record),
        };
        self.open.pop();
        if let Some(end) = record.ends {
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

    /// Refuses a statement by its name, and goes on to what may begin or end another.
    fn refused(&mut self, record: &StatementRecord) -> StatementKind {
        let at = self.before().at;
        let message = format!("{} is not built", record.name);
        self.error(at, "SPSY090", message, "", record.lacks.unwrap_or_default());
        let is_phrase =
            |parser: &Self| parser.event().is_some_and(|(event, ..)| record.phrases.contains(&event));
        self.skip_until(0, |parser| {
            parser.starts_statement()
                || parser.is_kind(WordKind::Period)
                || parser.ends_scope()
                || parser.starts_division()
                || is_phrase(parser)
        });
        // What is wrong with the statements of its phrases has been told.
        let _: Parsed<Handlers> = self.handlers();
        StatementKind::NoEffect(Vec::new())
    }

    /// The statement of a record, behind its first word.
    fn statement_of(&mut self, record: &'static StatementRecord) -> Parsed<StatementKind> {
        match record.word() {
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
            verb @ ("ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE") => self.arithmetic(verb),
            "COMPUTE" => self.compute(),
            "ACCEPT" => self.accept(),
            "DISPLAY" => self.display(),
            "INITIALIZE" => self.initialize(),
            "ALLOCATE" => self.allocate(),
            "FREE" => Ok(StatementKind::Free(self.operands()?)),
            "CALL" => self.call(),
            "CANCEL" => Ok(StatementKind::Cancel(self.operands()?)),
            "ENTRY" => self.entry(),
            "OPEN" => self.open(),
            "CLOSE" => self.close(),
            "READ" => self.read(),
            "WRITE" => self.write(),
            "REWRITE" => self.rewrite(),
            "DELETE" => self.delete(),
            "START" => self.start(),
            "RETURN" => self.return_(),
            "RELEASE" => self.release(),
            "SORT" => self.sort(false),
            "MERGE" => self.sort(true),
            "STRING" => self.string(),
            "UNSTRING" => self.unstring(),
            "INSPECT" => self.inspect(),
            "JSON" => self.markup(false),
            "XML" => self.markup(true),
            "USE" => self.use_(),
            "EXHIBIT" => self.exhibit(),
            "EXAMINE" => self.examine(),
            "TRANSFORM" => self.transform(),
            "NOTE" => self.note(),
            "READY" | "RESET" => self.trace(),
            "SERVICE" => self.service(),
            "ENTER" => self.enter(),
            _ => Ok(self.refused(record)),
        }
    }

    /// The phrases that the record of the present statement allows behind it.
    pub(crate) fn handlers(&mut self) -> Parsed<Handlers> {
        let events = self.open.last().map_or(&[][..], |record| &record.phrases);
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
