//! ORDERBY: the order of records.

use std::cmp::Ordering;

use crate::Record;
use crate::refusal::{Refusal, id};

/// Attributes by which records are in order, the first one first; true: the largest one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order(pub Vec<(String, bool)>);

impl Order {
    /// Reads `NAME,STATUS/D`.
    ///
    /// # Errors
    /// A word behind a slash that is neither A nor D; nothing before it.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let text = text.trim().trim_end_matches('.');
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let one = |part: &str| {
            let (name, way) = part.split_once('/').unwrap_or((part, "A"));
            let falls = match way.to_ascii_uppercase().as_str() {
                "A" => false,
                "D" => true,
                _ => return Err(Refusal::bad(id::OPTION, "ORDERBY has A or D behind a slash.", part)),
            };
            match name.is_empty() {
                true => Err(Refusal::bad(id::OPTION, "ORDERBY names no attribute.", part)),
                false => Ok((name.to_ascii_lowercase(), falls)),
            }
        };
        parts.map(one).collect::<Result<_, _>>().map(Self)
    }

    /// Puts records in order; those that are alike stay as they are.
    pub fn sort(&self, records: &mut [Record]) {
        records.sort_by(|one, two| self.compare(one, two));
    }

    fn compare(&self, one: &Record, two: &Record) -> Ordering {
        let by = |(name, falls): &(String, bool)| {
            let order = match (one.get(name), two.get(name)) {
                (Some(one), Some(two)) => one.order(two),
                (one, two) => one.is_some().cmp(&two.is_some()),
            };
            if *falls { order.reverse() } else { order }
        };
        self.0.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Datum;

    fn record(name: &str, uses: i64) -> Record {
        let attributes = vec![
            ("program".to_owned(), Datum::Text(name.to_owned())),
            ("usecount".to_owned(), Datum::Number(uses)),
        ];
        Record { name: name.into(), attributes }
    }

    #[test]
    fn numbers_are_in_order_by_size_and_several_attributes_count_one_after_the_other() {
        let mut records = vec![record("B", 10), record("A", 9), record("C", 10)];
        Order::read("USECOUNT/D,program").expect("an order").sort(&mut records);
        let names: Vec<&[u8]> = records.iter().map(|record| record.name.as_slice()).collect();
        assert_eq!(names, [b"B", b"C", b"A"]);
        assert!(Order::read("PROGRAM/X").is_err());
        assert!(Order::read("/D").is_err());
    }
}
