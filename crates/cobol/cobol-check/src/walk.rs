//! The walk over the statements of a program, and over those within them.

use cobol_syntax::tree::{Program, Statement, StatementKind, Statements};

/// Visits each statement of a program, and those within it; not those of programs that it contains.
pub fn each<'s>(program: &'s Program, visit: &mut dyn FnMut(&'s Statement)) {
    let sections = program.procedure.iter();
    let sections = sections.flat_map(|procedure| procedure.declaratives.iter().chain(&procedure.sections));
    let paragraphs = sections.flat_map(|section| &section.paragraphs);
    for sentence in paragraphs.flat_map(|paragraph| &paragraph.sentences) {
        each_of(&sentence.statements, visit);
    }
}

/// The same of a list of statements.
pub(crate) fn each_of<'s>(statements: &'s Statements, visit: &mut dyn FnMut(&'s Statement)) {
    for statement in statements {
        visit(statement);
        bodies(&statement.kind, &mut |body| each_of(body, visit));
    }
}

/// Every list of statements within a statement.
pub(crate) fn bodies<'s>(kind: &'s StatementKind, visit: &mut dyn FnMut(&'s Statements)) {
    let mut handlers = |handlers: &'s cobol_syntax::tree::Handlers| handlers.bodies().for_each(&mut *visit);
    match kind {
        StatementKind::Arithmetic(statement) => handlers(&statement.handlers),
        StatementKind::Markup(statement) => handlers(&statement.handlers),
        StatementKind::Call { handlers: own, .. }
        | StatementKind::Compute { handlers: own, .. }
        | StatementKind::Delete { handlers: own, .. }
        | StatementKind::Read { handlers: own, .. }
        | StatementKind::Return { handlers: own, .. }
        | StatementKind::Rewrite { handlers: own, .. }
        | StatementKind::Start { handlers: own, .. }
        | StatementKind::String { handlers: own, .. }
        | StatementKind::Unstring { handlers: own, .. }
        | StatementKind::Write { handlers: own, .. } => handlers(own),
        StatementKind::If { then, otherwise, .. } => {
            visit(then);
            otherwise.iter().for_each(visit);
        }
        StatementKind::Evaluate { branches, other, .. } => {
            branches.iter().for_each(|branch| visit(&branch.body));
            other.iter().for_each(visit);
        }
        StatementKind::Perform(perform) => {
            if let cobol_syntax::tree::Performed::InLine(body) = &perform.what {
                visit(body);
            }
        }
        StatementKind::Search(search) => {
            search.at_end.iter().for_each(&mut *visit);
            search.whens.iter().for_each(|(_, body)| visit(body));
        }
        _ => {}
    }
}
