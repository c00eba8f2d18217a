//! CREATE PROCEDURE … LANGUAGE SQL: simple bodies become PL/pgSQL, whose statements are nearly the same. A statement without a counterpart
//! (handlers, cursors, REPEAT, FOR) stays as it is, and PostgreSQL refuses it at the user's word.

use super::{Definition, schema};
use crate::print::print;
use crate::rewrite::{self, types};
use crate::token::{Kind, Token};
use crate::words::Words;

/// Words behind which a statement of a body begins.
const BEGINNERS: [&str; 6] = [";", "BEGIN", "THEN", "ELSE", "DO", "LOOP"];

/// CREATE [OR REPLACE] PROCEDURE P (…) … BEGIN … END; `None`: there is no such body.
pub(super) fn create(words: &Words) -> Option<Vec<Definition>> {
    let at = words.find(0, &["PROCEDURE"]).filter(|at| *at <= 3)?;
    let (_, name) = words.qualified_name(at + 1)?;
    let begin = words.find_outside(name.end, &["BEGIN"])?;
    let end = (begin..words.len()).rev().find(|at| words.is(*at, &["END"]))?;
    let mut all = schema(words, at + 1);
    let mut head = Words::new(words.list[..name.end].to_vec());
    head.list.extend(parameters(words, name.end).list);
    let mut body =
        Body { words: Words::new(words.list[begin + 1..end].to_vec()), declared: Words::default() };
    if body.words.is(0, &["ATOMIC"]) {
        body.words.cut(0..1);
    } else if body.words.is(0, &["NOT", "ATOMIC"]) {
        body.words.cut(0..2);
    }
    body.rewrite();
    say(&mut head, "LANGUAGE plpgsql AS $db2$ #variable_conflict use_column DECLARE");
    head.list.append(&mut body.declared.list);
    say(&mut head, "BEGIN");
    head.list.append(&mut body.words.list);
    say(&mut head, "END $db2$");
    rewrite::expressions(&mut head);
    all.push(Definition { text: print(&head).0, helps: false });
    Some(all)
}

fn say(words: &mut Words, text: &str) {
    words.insert(words.len(), text);
}

/// The parameters in parentheses, with PostgreSQL's types.
fn parameters(words: &Words, at: usize) -> Words {
    if !words.is(at, &["("]) {
        let mut none = Words::default();
        say(&mut none, "()");
        return none;
    }
    let mut list = Words::new(words.list[at..words.close(at)].to_vec());
    for parameter in list.arguments(0).into_iter().rev() {
        let mode = usize::from(list.is_any(parameter.start, &["IN", "OUT", "INOUT"]));
        types::rewrite(&mut list, parameter.start + mode + 1, false);
    }
    list
}

struct Body {
    words: Words,
    /// Declarations in front of PL/pgSQL's BEGIN.
    declared: Words,
}

impl Body {
    fn rewrite(&mut self) {
        let mut at = 0;
        let mut starts = true;
        while at < self.words.len() {
            if starts && self.statement(at) {
                // Another stands in its place.
                continue;
            }
            starts = self.words.is_any(at, &BEGINNERS) || self.words.list[at].text == "LOOP";
            at += 1;
        }
    }

    /// The statement that begins at `at`; whether it is gone.
    fn statement(&mut self, at: usize) -> bool {
        let words = &mut self.words;
        match () {
            () if words.is(at, &["DECLARE"]) => return self.declare(at),
            () if words.is(at, &["SET"]) => {
                words.cut(at..at + 1);
                if words.is(at + 1, &["="]) {
                    words.put(at + 1..at + 2, ":=");
                }
            }
            () if words.is(at, &["WHILE"]) => {
                if let Some(begins) = words.find(at, &["DO"]) {
                    words.put(begins..begins + 1, "LOOP");
                }
            }
            () if words.is(at, &["END", "WHILE"]) => words.put(at + 1..at + 2, "LOOP"),
            () if words.is(at, &["LEAVE"]) => words.put(at..at + 1, "EXIT"),
            () if words.is(at, &["ITERATE"]) => words.put(at..at + 1, "CONTINUE"),
            () if words.is(at, &["EXECUTE", "IMMEDIATE"]) => words.cut(at + 1..at + 2),
            () if words.is(at, &["SIGNAL", "SQLSTATE"]) => signal(words, at),
            () if words.has_kind(at, Kind::Word) && words.is(at + 1, &[":"]) => {
                let label = format!("<<{}>>", words.list[at].text);
                words.put(at..at + 2, label);
                return self.statement(at + 1);
            }
            () => {}
        }
        false
    }

    /// DECLARE A, B INTEGER DEFAULT 0; cursors and handlers stay where they are.
    fn declare(&mut self, at: usize) -> bool {
        let words = &self.words;
        let end = words.find(at, &[";"]).unwrap_or(words.len());
        let mut names: Vec<Token> = Vec::new();
        let mut kind = at + 1;
        while words.has_kind(kind, Kind::Word) || words.has_kind(kind, Kind::Delimited) {
            names.push(words.list[kind].clone());
            if !words.is(kind + 1, &[","]) {
                break;
            }
            kind += 2;
        }
        let other = words.is_any(kind, &["CONTINUE", "EXIT", "UNDO"])
            || words.is_any(kind + 1, &["CURSOR", "CONDITION", "SCROLL", "INSENSITIVE"]);
        if names.is_empty() || other {
            return false;
        }
        let mut rest = Words::new(words.list[(kind + 1).min(end)..end].to_vec());
        types::rewrite(&mut rest, 0, false);
        for name in names {
            self.declared.list.push(Token { glued: false, ..name });
            self.declared.list.extend(rest.list.iter().cloned());
            say(&mut self.declared, ";");
        }
        self.words.cut(at..end + 1);
        true
    }
}

/// SIGNAL SQLSTATE '75000' SET MESSAGE_TEXT = e, or (e).
fn signal(words: &mut Words, at: usize) {
    let behind = at + 2 + usize::from(words.is(at + 2, &["VALUE"]));
    if words.is(behind + 1, &["SET", "MESSAGE_TEXT", "="]) {
        words.put(behind + 1..behind + 4, ", MESSAGE =");
    } else if words.is(behind + 1, &["("]) {
        words.insert(behind + 1, ", MESSAGE =");
    }
    words.put(at..behind, "RAISE EXCEPTION USING ERRCODE =");
}
