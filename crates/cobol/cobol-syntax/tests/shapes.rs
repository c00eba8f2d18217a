//! The shape of expressions and conditions: what binds to what.

use cobol_source::{Format, NoLibrary, read};
use cobol_syntax::tree::{Condition, Expression, Operand, Operator, StatementKind};
use diagnostics::Source;

fn first(statement: &str) -> StatementKind {
    let text = format!("ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n{statement}.\n");
    let mut tree = cobol_syntax::parse(read(&Source::new("T", text), &NoLibrary, Format::Free, 4));
    assert!(tree.messages.list.is_empty(), "{:?}", tree.messages.list);
    let program = tree.programs.pop().expect("a program");
    let sentence = &program.procedure.expect("a division").sections[0].paragraphs[0].sentences[0];
    sentence.statements[0].kind.clone()
}

fn expression(of: &Expression) -> String {
    match of {
        Expression::Operand(operand) => match operand {
            Operand::Reference(reference) => reference.name.text.to_string(),
            Operand::Literal(literal) => literal.text.to_string(),
            Operand::Figurative(constant, _) => constant.name().to_owned(),
            Operand::Function(call) => {
                let arguments: Vec<String> = call.arguments.iter().map(expression).collect();
                format!("{}({})", call.name.text, arguments.join(" "))
            }
            other => format!("{other:?}"),
        },
        Expression::Negative(inner) => format!("(- {})", expression(inner)),
        Expression::Binary(operator, left, right) => {
            let sign = match operator {
                Operator::Add => "+",
                Operator::Subtract => "-",
                Operator::Multiply => "*",
                Operator::Divide => "/",
                Operator::Power => "**",
            };
            format!("({sign} {} {})", expression(left), expression(right))
        }
    }
}

fn condition(of: &Condition) -> String {
    let list = |parts: &[Condition]| parts.iter().map(condition).collect::<Vec<_>>().join(" ");
    match of {
        Condition::Or(parts) => format!("(or {})", list(parts)),
        Condition::And(parts) => format!("(and {})", list(parts)),
        Condition::Not(inner, _) => format!("(not {})", condition(inner)),
        Condition::Group(inner) => format!("[{}]", condition(inner)),
        Condition::Relation { subject, relation, object, .. } => {
            let subject = subject.as_ref().map_or("_".to_owned(), expression);
            format!("({relation:?} {subject} {})", expression(object))
        }
        Condition::Class { subject, not, class } => {
            format!("({}{class:?} {})", if *not { "not " } else { "" }, expression(subject))
        }
        Condition::Sign { subject, not, sign } => {
            format!("({}{sign:?} {})", if *not { "not " } else { "" }, expression(subject))
        }
        Condition::Bare(of) => expression(of),
    }
}

#[test]
fn expressions() {
    for (written, shape) in [
        ("A + B * C", "(+ A (* B C))"),
        ("A - B - C", "(- (- A B) C)"),
        ("A ** B ** C", "(** (** A B) C)"),
        ("(A + B) * C", "(* (+ A B) C)"),
        ("- A + B", "(+ (- A) B)"),
        ("A * -1", "(* A -1)"),
        ("A - -1", "(- A -1)"),
        ("A -1", "(- A 1)"),
        ("FUNCTION MAX(A, -B C)", "MAX(A (- B) C)"),
        ("FUNCTION MAX(5 -3 A)", "MAX(5 -3 A)"),
        ("FUNCTION MAX(5 - 3 A)", "MAX((- 5 3) A)"),
        ("FUNCTION MAX((5 -3) T(5 -3))", "MAX((- 5 3) T)"),
        ("FUNCTION MAX(A - B, C)", "MAX((- A B) C)"),
    ] {
        match first(&format!("COMPUTE X = {written}")) {
            StatementKind::Compute { value, .. } => assert_eq!(expression(&value), shape, "{written}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn conditions() {
    for (written, shape) in [
        ("A = B", "(Equal A B)"),
        ("A NOT > B", "(LessOrEqual A B)"),
        ("A = 1 OR 2 AND NOT > 5", "(or (Equal A 1) (and 2 (LessOrEqual _ 5)))"),
        ("A > B AND < C OR D", "(or (and (Greater A B) (Less _ C)) D)"),
        ("NOT A = B AND C = D", "(and (not (Equal A B)) (Equal C D))"),
        ("NOT (A = B OR C)", "(not [(or (Equal A B) C)])"),
        ("(A + B) > C", "(Greater (+ A B) C)"),
        ("(A) = B", "(Equal A B)"),
        ("A IS GREATER THAN OR EQUAL TO B", "(GreaterOrEqual A B)"),
        ("A = (B OR C)", "[(or (Equal A B) (Equal A C))]"),
        ("A IS NOT NUMERIC", "(not Numeric A)"),
        ("A NOT ZERO", "(not Zero A)"),
        ("A = ZERO", "(Equal A ZERO)"),
    ] {
        match first(&format!("IF {written} CONTINUE")) {
            StatementKind::If { condition: found, .. } => assert_eq!(condition(&found), shape, "{written}"),
            other => panic!("{other:?}"),
        }
    }
}
