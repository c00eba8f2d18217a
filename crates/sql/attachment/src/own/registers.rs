//! Special registers of a task. To a statement each is a variable, whose number is above those of host variables.

use db2::{Arithmetic, Token};
use db2_syntax::Variable;
use db2_values::{Decimal, Type, Value};

/// Registers that a program may set or read, by their names without CURRENT. Two that mean the same have one value.
const NAMES: [&str; 16] = [
    "SCHEMA",
    "SQLID",
    "PATH",
    "DEGREE",
    "PACKAGESET",
    "PRECISION",
    "RULES",
    "OPTIMIZATION",
    "LOCALE",
    "MEMBER",
    "CLIENT_ACCTNG",
    "CLIENT_APPLNAME",
    "CLIENT_USERID",
    "USER",
    "SERVER",
    "TIMEZONE",
];
/// The number of the first.
const FIRST: u32 = u32::MAX - NAMES.len() as u32;
/// The longest value.
const TEXT: Type = Type::VarChar(128);
/// CURRENT SERVER, and USER where the task has set no SQLID.
const SERVER: &str = "SYNCPOINT";

/// The registers that a task has set.
#[derive(Default)]
pub(super) struct Registers(Vec<(usize, String)>);

/// The variable that stands for a register.
pub(super) fn variable(token: &Token) -> Option<Variable> {
    let name = if token.text == "SESSION_USER" { "USER" } else { &token.text };
    let at = NAMES.iter().position(|known| *known == name)?;
    let kind = if name == "TIMEZONE" { Type::Decimal { precision: 6, scale: 0 } } else { TEXT };
    Some(Variable { number: FIRST + at as u32, kind })
}

impl Registers {
    /// Sets a register. One that is not known has no effect.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let Some(at) = NAMES.iter().position(|known| *known == name) else { return };
        let value = value.trim_end().to_owned();
        match self.0.iter_mut().find(|(known, _)| *known == at) {
            Some((_, old)) => *old = value,
            None => self.0.push((at, value)),
        }
    }

    /// The value of a variable that stands for a register; `None` for a host variable. `schema` is the one of tables.
    pub(super) fn value(&self, number: u32, schema: &str) -> Option<Value> {
        let name = NAMES[number.checked_sub(FIRST).map(|at| at as usize).filter(|at| *at < NAMES.len())?];
        let text = match name {
            "SCHEMA" => self.schema().unwrap_or(schema),
            "SQLID" => self.get("SQLID").unwrap_or(SERVER),
            "USER" | "SERVER" => SERVER,
            "TIMEZONE" => return Some(Value::Decimal(Decimal { unscaled: 0, scale: 0 })),
            name => self.get(name).unwrap_or_default(),
        };
        Some(Value::text(text))
    }

    /// The schema in which prepared statements look for names without one; `None` as long as the task has set none.
    pub(super) fn schema(&self) -> Option<&str> {
        self.get("SCHEMA").or_else(|| self.get("SQLID"))
    }

    /// CURRENT PRECISION: the rules of decimal numbers in statements that are prepared from now on.
    pub(super) fn arithmetic(&self) -> Arithmetic {
        self.get("PRECISION").and_then(Arithmetic::read).unwrap_or_default()
    }

    fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(at, _)| NAMES[*at] == name).map(|(_, value)| value.trim());
        value.filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_has_its_last_value() {
        let mut registers = Registers::default();
        let value = |registers: &Registers, name: &str| {
            let at = NAMES.iter().position(|known| *known == name).unwrap();
            registers.value(FIRST + at as u32, "BANK").unwrap()
        };
        assert_eq!(value(&registers, "SCHEMA"), Value::text("BANK"));
        registers.set("SQLID", "MILL  ");
        assert_eq!(
            [value(&registers, "SCHEMA"), value(&registers, "SQLID")],
            ["MILL", "MILL"].map(Value::text)
        );
        registers.set("SCHEMA", "SHOP");
        assert_eq!(
            [value(&registers, "SCHEMA"), value(&registers, "SQLID")],
            ["SHOP", "MILL"].map(Value::text)
        );
        registers.set("UNHEARD OF", "X");
        assert_eq!([registers.value(0, "BANK"), registers.value(u32::MAX, "BANK")], [None, None]);
    }
}
