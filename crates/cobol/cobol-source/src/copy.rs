//! COPY and EXEC SQL INCLUDE: the program's text with all members in it.
//!
//! The comment-entries of the identification division (AUTHOR and its like) are dropped here too: they are prose, in
//! which a quote or the word COPY means nothing.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::conditional::Conditional;
use crate::lexer::{Lexer, Mode};
use crate::members::{self, Library};
use crate::messages::{Messages, did_you_mean};
use crate::origin::{At, FrameId};
use crate::reference_format::AREA_B;
use crate::replacing::{self, Mistake, Rule, mistake, read_rules};
use crate::token::{Kind, Token, phrase};

/// Returns the program's text words after its first `skip` lines, with everything copied and without the lines that conditional
/// compilation leaves out.
pub(crate) fn expand(
    source: &Arc<Source>,
    skip: usize,
    frame: FrameId,
    library: &dyn Library,
    mode: Mode,
    conditional: Conditional,
    messages: &mut Messages,
) -> Vec<Token> {
    let mut copier = Copier { library, mode, conditional, messages };
    let mut out = Vec::with_capacity(source.text.len() / 4);
    copier.source(source, skip, frame, mode, &mut out, 0);
    out
}

/// Paragraphs of the identification division whose text is prose.
const COMMENT_PARAGRAPHS: [&str; 7] =
    ["AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "SECURITY", "REMARKS", "ABSTRACT"];
/// Headers that may follow such a paragraph.
const AFTER_COMMENTS: [&str; 6] = ["ENVIRONMENT", "DATA", "PROCEDURE", "IDENTIFICATION", "ID", "PROGRAM-ID"];

/// A filter of comment-entries: it drops them from such a paragraph's name to the next header.
#[derive(Default)]
struct CommentEntries {
    identification: bool,
    in_comment: bool,
    line: u32,
}

impl CommentEntries {
    fn without(&mut self, tokens: &[Token], free: bool, out: &mut Vec<Token>) {
        for (at, token) in tokens.iter().enumerate() {
            let starts_line = token.at.line != self.line;
            self.line = token.at.line;
            let header = starts_line && (free || usize::from(token.at.column) < AREA_B);
            if header && (token.is_any(&AFTER_COMMENTS) || token.is("COPY")) {
                self.identification = token.is_any(&["IDENTIFICATION", "ID", "PROGRAM-ID"]);
                self.in_comment = false;
            } else if header && self.identification {
                let named =
                    token.is_any(&COMMENT_PARAGRAPHS) && tokens.get(at + 1).is_some_and(Token::is_period);
                self.in_comment = named || (self.in_comment && free);
            }
            if !self.in_comment {
                out.push(token.clone());
            }
        }
    }
}

/// Members within members, at most: deeper is a member that copies itself.
const DEPTH_MAX: usize = 16;

struct Copier<'a> {
    library: &'a dyn Library,
    /// The format that the program has set for its copybooks.
    mode: Mode,
    conditional: Conditional,
    messages: &'a mut Messages,
}

/// Text words of a source whose members are not in it yet.
#[derive(Default)]
struct Pending {
    tokens: Vec<Token>,
    /// A command of EXEC CICS is open: COPY is an option's name there (ISSUE COPY).
    in_command: bool,
}

/// A COPY or INCLUDE statement.
struct Statement {
    name: String,
    library: Option<String>,
    rules: Vec<Rule>,
    at: At,
    /// The token after the statement.
    next: usize,
}

impl Copier<'_> {
    /// Reads a source line by line. The text before a directive is expanded before it is obeyed, since a member may
    /// define what it uses. Returns the source's debugging lines.
    fn source(
        &mut self,
        source: &Arc<Source>,
        skip: usize,
        frame: FrameId,
        mode: Mode,
        out: &mut Vec<Token>,
        depth: usize,
    ) -> Vec<u32> {
        let mut lexer = Lexer::new(frame, mode);
        let mut comments = CommentEntries::default();
        let mut pending = Pending::default();
        // Debugging lines are read to be compared, and left out afterwards: what they copy is not there.
        let compared = mode.debugging && !self.mode.debugging;
        let base = self.conditional.enter();
        let lines = source.text.lines().enumerate().skip(skip);
        for (number, line) in lines.map(|(index, line)| (index as u32 + 1, line)) {
            let counts = self.conditional.counts();
            let Some(directive) = lexer.read(number, line, counts, self.messages) else { continue };
            self.flush(&mut lexer, &mut comments, &mut pending, compared, depth);
            self.expand(&mut pending, false, out, depth);
            self.conditional.obey(&directive.words, directive.at, self.messages);
        }
        self.conditional.leave(base, self.messages);
        self.flush(&mut lexer, &mut comments, &mut pending, compared, depth);
        self.expand(&mut pending, true, out, depth);
        lexer.debugging_lines
    }

    /// Takes over what was read.
    fn flush(
        &mut self,
        lexer: &mut Lexer,
        comments: &mut CommentEntries,
        pending: &mut Pending,
        compared: bool,
        depth: usize,
    ) {
        let mut tokens = lexer.take();
        if compared {
            let copies = |token: &Token| lexer.debugging_lines.contains(&token.at.line) && token.is("COPY");
            let without: Vec<u32> =
                tokens.iter().filter(|token| copies(token)).map(|token| token.at.line).collect();
            tokens.retain(|token| !without.contains(&token.at.line));
        }
        if depth > 0 {
            return pending.tokens.append(&mut tokens);
        }
        self.mode = lexer.mode;
        comments.without(&tokens, self.mode.free, &mut pending.tokens);
    }

    /// Expands what is there; a COPY whose end may come after a directive is left there, unless these are the `last` words.
    fn expand(&mut self, pending: &mut Pending, last: bool, out: &mut Vec<Token>, depth: usize) {
        let tokens = std::mem::take(&mut pending.tokens);
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            if phrase(tokens.as_slice(), at, &["EXEC", "CICS"]) {
                pending.in_command = true;
            } else if tokens[at].is("END-EXEC") || tokens[at].is_period() {
                pending.in_command = false;
            }
            let copies = tokens[at].is("COPY") && !pending.in_command;
            let includes = phrase(&tokens, at, &["EXEC", "SQL", "INCLUDE"]);
            let ends = |token: &Token| if copies { token.is_period() } else { token.is("END-EXEC") };
            if (copies || includes) && !last && !rest.iter().any(ends) {
                break;
            }
            if copies {
                at = self.copy(&tokens, at, out, depth);
            } else if includes {
                at = self.include(&tokens, at, out, depth);
            } else {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
        pending.tokens = tokens[at.min(tokens.len())..].to_vec();
    }

    fn copy(&mut self, tokens: &[Token], at: usize, out: &mut Vec<Token>, depth: usize) -> usize {
        match read_copy(tokens, at) {
            Ok(statement) => {
                self.member(&statement, out, depth);
                statement.next
            }
            Err(mistake) => {
                let message = Diagnostic::error("SPTR012", "this COPY statement cannot be read")
                    .label(format!("expected {}", mistake.expected))
                    .help("COPY member [OF library] [REPLACING x BY y …] and a full stop");
                self.messages.add(mistake.at, message);
                let rest = tokens[at..].iter().position(Token::is_period);
                rest.map_or(tokens.len(), |period| at + period + 1)
            }
        }
    }

    /// Expands `EXEC SQL INCLUDE x END-EXEC` with the full stop after it, unless that ends a sentence of the program.
    fn include(&mut self, tokens: &[Token], at: usize, out: &mut Vec<Token>, depth: usize) -> usize {
        let Some(name) = tokens.get(at + 3).filter(|_| phrase(tokens, at + 4, &["END-EXEC"])) else {
            let message = Diagnostic::error("SPTR013", "EXEC SQL INCLUDE without END-EXEC")
                .help("write EXEC SQL INCLUDE member END-EXEC");
            self.messages.add(tokens[at].at, message);
            return at + 3;
        };
        let next = at + 5;
        let place = tokens[at].at.to(tokens[next - 1].at);
        let name = member_name(name);
        let before = out.len();
        self.member(&Statement { name, library: None, rules: Vec::new(), at: place, next }, out, depth);
        let complete = out.len() == before || out.last().is_some_and(Token::is_period);
        let stop = tokens.get(next).is_some_and(Token::is_period);
        next + usize::from(stop && complete)
    }

    /// Puts a member's text in the place of the statement.
    fn member(&mut self, statement: &Statement, out: &mut Vec<Token>, depth: usize) {
        let name = &statement.name;
        let own = self.library.member(name, statement.library.as_deref());
        let Some(source) = own.or_else(|| members::supplied(name)) else {
            let mut names = self.library.names();
            names.extend(members::supplied_names().map(str::to_string));
            let names = names.iter().map(String::as_str);
            let help =
                did_you_mean(name, names, "add the folder that holds it to the application's copybooks");
            let message = Diagnostic::error("SPTR010", format!("no copybook {name}"));
            return self.messages.add(statement.at, message.label("not found").help(help));
        };
        if depth == DEPTH_MAX || self.messages.frames.is_within(statement.at.frame, &source) {
            let message = Diagnostic::error("SPTR011", format!("copybook {name} copies itself"))
                .help("take the COPY out of the member or of one that it copies");
            return self.messages.add(statement.at, message);
        }
        let frame = self.messages.frames.enter(&source, Some(statement.at), self.mode.tab_width);
        if statement.rules.is_empty() {
            self.source(&source, 0, frame, self.mode, out, depth + 1);
            return;
        }
        // Debugging lines are compared like others, and left out afterwards.
        let all = Mode { debugging: true, ..self.mode };
        let mut copied = Vec::new();
        let debugging_lines = self.source(&source, 0, frame, all, &mut copied, depth + 1);
        let left_out = if self.mode.debugging { Vec::new() } else { debugging_lines };
        let is_text = |token: &Token| token.at.frame != frame || !left_out.contains(&token.at.line);
        out.extend(replacing::apply(&statement.rules, copied).into_iter().filter(is_text));
    }
}

/// The name of a member or library, as a word or in quotes; blanks behind it are none of it.
fn member_name(token: &Token) -> String {
    token.literal_value().map_or_else(|| token.text.to_string(), |name| name.trim_end().to_owned())
}

fn read_copy(tokens: &[Token], start: usize) -> Result<Statement, Mistake> {
    let mut at = start + 1;
    let named = |at: usize| tokens.get(at).filter(|t| matches!(t.kind, Kind::Word | Kind::Literal));
    let name = named(at).ok_or_else(|| mistake(tokens, at, "the member's name"))?;
    let place = tokens[start].at.to(name.at);
    at += 1;
    let mut library = None;
    if tokens.get(at).is_some_and(|t| t.is_any(&["OF", "IN"])) {
        library = Some(member_name(named(at + 1).ok_or_else(|| mistake(tokens, at + 1, "a library"))?));
        at += 2;
    }
    at += usize::from(tokens.get(at).is_some_and(|t| t.is_any(&["SUPPRESS", "NOPRINT"])));
    let mut rules = Vec::new();
    if tokens.get(at).is_some_and(|t| t.is("REPLACING")) {
        (rules, at) = read_rules(tokens, at + 1)?;
    }
    if !tokens.get(at).is_some_and(Token::is_period) {
        return Err(mistake(tokens, at, "a full stop"));
    }
    Ok(Statement { name: member_name(name), library, rules, at: place, next: at + 1 })
}
