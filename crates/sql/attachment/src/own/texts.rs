//! The text that a statement is about: that of PREPARE and EXECUTE IMMEDIATE, the value of a special register.

use db2::package::Action;
use db2::{Kind, Letters, Token};
use db2_values::{Value, text_of};
use records::UnitOfWork;

use super::call::{Call, Given, Words};
use super::codes::{Trouble, not_built};
use super::task::OwnThread;
use crate::arguments::Inputs;
use crate::registers::constant;
use crate::statements::{SESSION, parameters};

impl OwnThread {
    /// The text that a statement is about: its first input, a constant, or an expression.
    pub(super) async fn text(
        &mut self,
        call: Call<'_>,
        inputs: &Inputs,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Vec<u8>, Trouble> {
        let sql = &call.source.sql.sql;
        if let Some(text) = constant(sql) {
            return Ok(SESSION.bytes(&text));
        }
        if sql.is_empty() && parameters(call.source) > 0 {
            return Ok(inputs.text(0).unwrap_or_default().to_vec());
        }
        let words = expression(&call.source.action, &call.source.text);
        self.value(call, words, Given { words: Words::Own, inputs }, unit).await
    }

    /// The value of an expression, as characters.
    pub(super) async fn value(
        &mut self,
        call: Call<'_>,
        words: Option<String>,
        given: Given<'_>,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Vec<u8>, Trouble> {
        let words = words.ok_or_else(|| not_built("THE WORDS OF THIS EXPRESSION"))?;
        let query = format!("SELECT {words} FROM SYSIBM.SYSDUMMY1");
        let mut statement = self.begin_value(call, &query, given)?;
        statement.next(&mut self.work, unit).await?;
        let value = statement.run.row().first().cloned().unwrap_or_default();
        let text = match value {
            Value::Text(text) => text,
            other => text_of(&other, statement.run.setting()).into_bytes(),
        };
        statement.close(&mut self.work, unit).await?;
        Ok(text)
    }
}

/// The words of the expression in a statement; `None`: it has none.
pub(super) fn expression(action: &Action, text: &str) -> Option<String> {
    let tokens = db2::lex(&Letters::plain(text)).ok()?;
    let at = match action {
        Action::SetRegister { .. } => tokens.iter().position(|token| token.text == "=")?,
        Action::Prepare { .. } => tokens.iter().position(|token| is(token, "FROM"))?,
        Action::ExecuteImmediate => 1,
        _ => return None,
    };
    let first = tokens.get(at + 1)?;
    let from = usize::from(first.spot.column).checked_sub(1).filter(|_| first.spot.line == 1)?;
    Some(text.chars().skip(from).collect::<String>().trim_end_matches(';').to_owned())
}

fn is(token: &Token, word: &str) -> bool {
    token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_statements() {
        let register = Action::SetRegister { name: "SQLID".to_owned() };
        let prepare = Action::Prepare { name: "S".to_owned(), into: None, attributes: None };
        for (action, text, expected) in [
            (&register, "SET CURRENT SQLID = USER", Some("USER")),
            (&register, "SET SCHEMA MILL", None),
            (&prepare, "PREPARE S FROM :A || ' WITH UR';", Some(":A || ' WITH UR'")),
            (
                &Action::ExecuteImmediate,
                "EXECUTE IMMEDIATE 'DROP TABLE ' CONCAT :T",
                Some("'DROP TABLE ' CONCAT :T"),
            ),
        ] {
            assert_eq!(expression(action, text).as_deref(), expected, "{text}");
        }
    }
}
