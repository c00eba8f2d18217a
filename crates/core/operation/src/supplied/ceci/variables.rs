//! The variables of a session: values with names, which commands take and fill. They end with the session.

use kernel::exec::Content;
use kernel::exec::parcel::is_variable;

use super::value::Value;

/// Variables that a session may have.
const VARIABLES_MAX: usize = 100;

/// The variables, in the order in which they were made.
pub(super) struct Variables(Vec<(String, Value)>);

impl Variables {
    /// The published ones of a new session: a text, and commands that write and read it.
    pub fn of_terminal(terminal: &str) -> Self {
        let text = |text: String| Value::Text(text.into_bytes());
        Self(vec![
            ("&DFHC".to_owned(), text("THIS IS A SAMPLE".to_owned())),
            ("&DFHW".to_owned(), text(format!("WRITEQ TS QUEUE('CI{terminal}') FROM(&DFHC)"))),
            ("&DFHR".to_owned(), text(format!("READQ TS QUEUE('CI{terminal}') INTO(&DFHC)"))),
        ])
    }

    /// All of them with their names.
    pub fn all(&self) -> &[(String, Value)] {
        &self.0
    }

    /// The one of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Makes one, in place of another of its name.
    pub fn make(&mut self, name: &str, value: Value) -> Result<(), String> {
        if !is_variable(name) {
            return Err(format!("{name} IS NO NAME: & AND UP TO 9 LETTERS, DIGITS, @ AND #"));
        }
        if let Some(own) = self.get_mut(name) {
            *own = value;
        } else if self.0.len() < VARIABLES_MAX {
            self.0.push((name.to_owned(), value));
        } else {
            return Err(format!("{name}: THERE ARE {VARIABLES_MAX} VARIABLES ALREADY"));
        }
        Ok(())
    }

    /// Gives one another name.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), String> {
        if let Some(value) = self.get(from).cloned() {
            self.make(to, value)?;
            self.remove(from);
        }
        Ok(())
    }

    /// Takes one away.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name);
    }

    /// Gives one what a command has given; a variable that does not exist yet begins with it.
    pub fn fill(&mut self, name: &str, content: &Content) -> Result<(), String> {
        match (self.get_mut(name), content) {
            (_, Content::Nothing | Content::Pointer(_)) => {}
            (Some(value), content) => value.fill(content),
            (None, content) => self.make(name, Value::of_content(content))?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_does_not_exist_begins_with_what_comes() {
        let mut variables = Variables::of_terminal("T001");
        variables.fill("&USER", &Content::text("ANNA    ")).expect("a name");
        variables.fill("&USER", &Content::text("BO")).expect("a name");
        assert_eq!(variables.get("&USER"), Some(&Value::Text(b"BONA    ".to_vec())));
        variables.fill("&N", &Content::Number(5)).expect("a name");
        assert_eq!(variables.get("&N").map(Value::length), Some("F".to_owned()));
        variables.fill("&NONE", &Content::Nothing).expect("a name");
        assert_eq!(variables.get("&NONE"), None);
    }

    #[test]
    fn names_and_numbers_of_variables_have_limits() {
        let mut variables = Variables(Vec::new());
        assert!(variables.make("NAME", Value::Text(Vec::new())).is_err());
        assert!(variables.make("&TOO-LONG", Value::Text(Vec::new())).is_err());
        for number in 0..VARIABLES_MAX {
            variables.make(&format!("&V{number}"), Value::Text(Vec::new())).expect("there is room");
        }
        assert!(variables.make("&ONEMORE", Value::Text(Vec::new())).is_err());
        variables.rename("&V0", "&V1").expect("a name that is there is taken");
        assert_eq!(variables.all().len(), VARIABLES_MAX - 1);
        variables.remove("&V1");
        assert_eq!(variables.all().len(), VARIABLES_MAX - 2);
    }
}
