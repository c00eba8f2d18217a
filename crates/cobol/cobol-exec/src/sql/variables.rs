//! The host variables of one statement: what is passed, and how each value is stored.

use db2::package::{Array, Form, Indicator, Variable};
use db2::{Holds, Numbered, Role, Token};
use diagnostics::Diagnostic;

use super::records::Records;
use super::{Places, lookup};
use crate::messages::Messages;
use crate::origin::At;

/// The host variables that a statement names; those of structures by item.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// By their numbers, from 1.
    list: Vec<Host>,
}

/// A host variable with what is to be passed for it.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) name: String,
    /// Item in the CALL, and the place of the value in it.
    pub(crate) passed: Passed,
    /// None for a descriptor area.
    pub(crate) form: Option<Form>,
    pub(crate) indicator: Option<Passed>,
}

/// Bytes of an item that a CALL passes; of a table it passes all occurrences.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) item: usize,
    pub(crate) offset: usize,
    pub(crate) array: Option<Array>,
}

/// Finds host variables.
pub(crate) struct Finder<'a> {
    pub(crate) records: &'a Records,
    /// All descriptions of items were there, and could be read.
    pub(crate) whole: bool,
    pub(crate) places: &'a Places,
    pub(crate) messages: &'a mut Messages,
    pub(crate) otherwise: At,
    pub(crate) resolved: Resolved,
    pub(crate) failed: bool,
}

impl Resolved {
    /// The variable of a number; none of one that could not be found.
    pub(crate) fn get(&self, number: u32) -> Option<&Host> {
        self.list.get((number as usize).checked_sub(1)?)
    }
}

impl Finder<'_> {
    /// The numbers of the variables for one host variable of the text.
    pub(crate) fn numbers(&mut self, token: &Token, role: Role) -> Vec<Numbered> {
        let at = self.places.at(token.spot, self.otherwise);
        match self.hosts(token, role) {
            Ok(hosts) => {
                let first = self.resolved.list.len() as u32 + 1;
                let holds: Vec<Holds> =
                    hosts.iter().map(|host| host.form.map_or(Holds::Other, held)).collect();
                self.resolved.list.extend(hosts);
                (first..).zip(holds).map(|(number, holds)| Numbered { number, holds }).collect()
            }
            Err(message) => {
                self.failed = true;
                if self.whole || message.code != lookup::UNKNOWN {
                    self.messages.add(at, message);
                }
                Vec::new()
            }
        }
    }

    fn hosts(&self, token: &Token, role: Role) -> Result<Vec<Host>, Diagnostic> {
        let item = lookup::find(self.records, &token.text)?;
        if role == Role::Descriptor {
            let passed = self.passed(item, role, &token.text)?;
            return Ok(vec![Host { name: token.text.clone(), passed, form: None, indicator: None }]);
        }
        let mut values = Vec::new();
        self.values(item, &mut values);
        let structure = values.as_slice() != [item];
        if values.is_empty() {
            return Err(wrong_kind(&token.text, "a group without items that have a value in SQL"));
        }
        let mut hosts = Vec::with_capacity(values.len());
        for (place, value) in values.into_iter().enumerate() {
            let name = match (&self.records.items[value].name, structure) {
                (Some(part), true) => format!("{}.{part}", token.text),
                _ => token.text.clone(),
            };
            let Some(form) = self.records.form(value) else {
                return Err(wrong_kind(&name, self.records.what(value).unwrap_or("no value in SQL")));
            };
            let passed = self.passed(value, role, &name)?;
            let indicator = match &token.indicator {
                Some(indicator) => Some(self.indicator(indicator, role, structure.then_some(place))?),
                None => None,
            };
            // More items than elements: the others cannot be NULL.
            hosts.push(Host { name, passed, form: Some(form), indicator: indicator.flatten() });
        }
        Ok(hosts)
    }

    /// The items with a value of their own in one: itself, or those of a structure.
    fn values(&self, item: usize, values: &mut Vec<usize>) {
        let own = &self.records.items[item];
        let is_value = self.records.form(item).is_some() || self.records.what(item).is_some();
        if is_value || own.parts.is_empty() {
            return values.push(item);
        }
        for part in &own.parts {
            let described = &self.records.items[*part];
            if described.name.is_some() && !described.redefines {
                self.values(*part, values);
            }
        }
    }

    /// The item that is passed for one: itself, or the table in whose elements it is.
    fn passed(&self, item: usize, role: Role, name: &str) -> Result<Passed, Diagnostic> {
        let table = self.records.above(item).filter(|at| self.records.items[*at].occurs.is_some());
        let tables: Vec<usize> = table.collect();
        let own = &self.records.items[item];
        let (base, array) = match tables.as_slice() {
            [] => (item, None),
            [table] if role == Role::Rows => {
                let described = &self.records.items[*table];
                let array =
                    Array { count: described.occurs.unwrap_or(1) as u32, stride: described.stride as u32 };
                (*table, Some(array))
            }
            _ => {
                return Err(wrong_kind(name, "in a table")
                    .help("a host variable takes no subscript: move the element to an item of its own"));
            }
        };
        let around = &self.records.items[base];
        // Its place in the element is then another in each program's run.
        if own.moves_behind != around.moves_behind {
            return Err(wrong_kind(name, "behind a table of varying size in its element")
                .help("move the element to an item of its own"));
        }
        Ok(Passed { item: base, offset: own.offset - around.offset, array })
    }

    /// An indicator: of a variable by itself, or the element of an indicator structure.
    fn indicator(&self, name: &str, role: Role, place: Option<usize>) -> Result<Option<Passed>, Diagnostic> {
        let item = lookup::find(self.records, name)?;
        let own = &self.records.items[item];
        // A structure's indicators are a table, or the items of a group.
        let Some(place) = place else {
            self.halfword(item, name)?;
            return Ok(Some(self.passed(item, role, name)?));
        };
        if let Some(count) = own.occurs {
            self.halfword(item, name)?;
            if place >= count {
                return Ok(None);
            }
            let Passed { item, offset, .. } = self.passed(item, Role::Rows, name)?;
            return Ok(Some(Passed { item, offset: offset + place * own.stride, array: None }));
        }
        let mut parts = own.parts.clone();
        if let [table] = parts.as_slice()
            && let Some(count) = self.records.items[*table].occurs
        {
            self.halfword(*table, name)?;
            let stride = self.records.items[*table].stride;
            let Passed { item, offset, .. } = self.passed(*table, Role::Rows, name)?;
            let passed = Passed { item, offset: offset + place * stride, array: None };
            return Ok((place < count).then_some(passed));
        }
        if parts.is_empty() {
            parts = vec![item];
        }
        match parts.get(place) {
            Some(part) => {
                self.halfword(*part, name)?;
                Ok(Some(self.passed(*part, role, name)?))
            }
            None => Ok(None),
        }
    }

    /// Refuses an item that is no whole number of two bytes.
    fn halfword(&self, item: usize, name: &str) -> Result<(), Diagnostic> {
        match self.records.form(item) {
            Some(Form::Binary { bytes: 2, scale: 0, .. }) => Ok(()),
            _ => Err(no_indicator(name)),
        }
    }
}

/// A number's type in SQL.
fn held(form: Form) -> Holds {
    let decimal = |precision: u8, scale: i8| match u8::try_from(scale) {
        Ok(scale) => Holds::Decimal { precision: precision.max(scale), scale },
        Err(_) => Holds::Other,
    };
    match form {
        Form::Binary { bytes, scale: 0, .. } => Holds::Whole(match bytes {
            2 => 5,
            4 => 11,
            _ => 19,
        }),
        Form::Binary { digits, scale, .. }
        | Form::Packed { digits, scale, .. }
        | Form::Zoned { digits, scale, .. } => decimal(digits, scale),
        Form::Float { .. } => Holds::Float,
        _ => Holds::Other,
    }
}

fn wrong_kind(name: &str, what: &str) -> Diagnostic {
    Diagnostic::error("SPTR065", format!("{name} cannot be a host variable: it is {what}"))
}

fn no_indicator(name: &str) -> Diagnostic {
    let message = format!("{name} cannot be an indicator");
    Diagnostic::error("SPTR065", message)
        .help("an indicator is PIC S9(4) COMP; of a structure a table of them")
}

/// The parameters of one CALL, each item once.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) items: Vec<usize>,
}

impl Arguments {
    fn number(&mut self, item: usize) -> u16 {
        let known = self.items.iter().position(|own| *own == item);
        let number = known.unwrap_or_else(|| {
            self.items.push(item);
            self.items.len() - 1
        });
        number as u16
    }

    /// The number of a descriptor area.
    pub(crate) fn area(&mut self, host: &Host) -> u16 {
        self.number(host.passed.item)
    }

    /// A variable as the package has it.
    pub(crate) fn variable(&mut self, host: &Host) -> Option<Variable> {
        let form = host.form?;
        let argument = self.number(host.passed.item);
        let indicator = host.indicator.as_ref().map(|passed| Indicator {
            argument: self.number(passed.item),
            offset: passed.offset as u32,
            array: passed.array,
        });
        Some(Variable {
            name: host.name.clone(),
            argument,
            offset: host.passed.offset as u32,
            form,
            indicator,
            array: host.passed.array,
        })
    }
}
