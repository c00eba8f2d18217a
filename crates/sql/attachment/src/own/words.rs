//! The words of a package's statement: structures become their items, and each host variable finds its place in the package.

use db2::package::Variable;
use db2::{Kind, Letters, Mistake, Token};

use crate::form;

/// The host variables of a statement: those that it reads, then those that it fills.
#[derive(Clone, Copy)]
pub(super) struct Hosts<'p> {
    pub(super) inputs: &'p [Variable],
    pub(super) targets: &'p [Variable],
}

impl Hosts<'_> {
    fn all(&self) -> impl Iterator<Item = &Variable> {
        self.inputs.iter().chain(self.targets)
    }

    /// The variable that a token names, by its place among all; `None` if it has a form that no value here has.
    pub(super) fn variable(&self, token: &Token) -> Option<db2_syntax::Variable> {
        let named = || self.all().enumerate().filter(|(_, variable)| variable.name == token.text);
        let alike = named().find(|(_, variable)| variable.indicator.is_some() == token.indicator.is_some());
        let (number, variable) = alike.or_else(|| named().next())?;
        let kind = form::field(variable.form)?.type_of_values();
        Some(db2_syntax::Variable { number: u32::try_from(number).ok()?, kind })
    }

    /// The items of a structure, in their order; none of a name that is no structure's.
    fn items(&self, structure: &str) -> Vec<&str> {
        let mut items: Vec<&str> = Vec::new();
        if self.all().any(|variable| variable.name == structure) {
            return items;
        }
        let is_item = |name: &str| name.strip_prefix(structure).is_some_and(|rest| rest.starts_with('.'));
        for variable in self.all().filter(|variable| is_item(&variable.name)) {
            if !items.contains(&variable.name.as_str()) {
                items.push(&variable.name);
            }
        }
        items
    }

    /// A statement's words with the items of structures in the place of their names.
    ///
    /// # Errors
    /// These are no words.
    pub(super) fn spelled(&self, text: &str) -> Result<String, Mistake> {
        let tokens = db2::lex(&Letters::plain(text))?;
        let chars: Vec<char> = text.chars().collect();
        let (mut spelled, mut behind) = (String::with_capacity(text.len()), 0);
        for token in tokens.iter().filter(|token| token.kind == Kind::Host) {
            let items = self.items(&token.text);
            let start = usize::from(token.spot.column).saturating_sub(1);
            if items.is_empty() || start < behind || token.spot.line != 1 {
                continue;
            }
            spelled.extend(&chars[behind..start.min(chars.len())]);
            let indicator = token.indicator.as_ref().map(|name| format!(":{name}")).unwrap_or_default();
            let named: Vec<_> = items.iter().map(|item| format!(":{item}{indicator}")).collect();
            spelled += &named.join(", ");
            behind = (start + usize::from(token.spot.width)).min(chars.len());
        }
        spelled.extend(&chars[behind..]);
        Ok(spelled)
    }
}

#[cfg(test)]
mod tests {
    use db2::package::Form;

    use super::*;

    fn variable(name: &str) -> Variable {
        Variable {
            name: name.to_owned(),
            argument: 0,
            offset: 0,
            form: Form::Char { length: 3 },
            indicator: None,
            array: None,
        }
    }

    #[test]
    fn a_structure_becomes_its_items() {
        let inputs = ["ROW.ID", "ROW.NAME", "KEY-OF", "ROWS"].map(variable);
        let hosts = Hosts { inputs: &inputs, targets: &[] };
        let spelled =
            hosts.spelled("INSERT INTO T VALUES (:ROW :IND, :KEY-OF, 'it''s :ROW', :rows)").unwrap();
        let expected = "INSERT INTO T VALUES (:ROW.ID:IND, :ROW.NAME:IND, :KEY-OF, 'it''s :ROW', :rows)";
        assert_eq!(spelled, expected);
    }

    #[test]
    fn a_variable_is_found_by_its_name() {
        let (inputs, targets) = (["A", "B"].map(variable), [variable("C")]);
        let hosts = Hosts { inputs: &inputs, targets: &targets };
        let number = |text: &str| {
            let tokens = db2::lex(&Letters::plain(text)).unwrap();
            hosts.variable(&tokens[0]).map(|variable| variable.number)
        };
        assert_eq!([number(":b"), number(":C"), number(":D")], [Some(1), Some(2), None]);
    }
}
