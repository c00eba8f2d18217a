//! Pictures as tables. A table is made by asking the interpreter's own editing what becomes of numbers, and is used only where it
//! gives the same.

use std::collections::HashSet;

use cobol_data::{Category, Picture};

use super::Lowering;
use cobol_ir::program::{Editing, Form, Operation};
use cobol_run::edited;

/// Bytes that are there before, to find out what editing leaves alone.
const BEFORE: [u8; 2] = [b'?', b'!'];

impl Lowering<'_> {
    /// The tables of all pictures that numbers are edited by.
    pub(super) fn make_editings(&mut self) {
        let mut known = HashSet::new();
        let steps = self.out.blocks.iter().flat_map(|block| &block.steps);
        let receivers = steps.flat_map(|step| match &step.operation {
            Operation::Store { to, .. } => to.as_slice(),
            _ => &[],
        });
        let wanted: Vec<(u32, bool)> = receivers
            .filter_map(|receiver| match receiver.form {
                Form::Edited { picture, blank_when_zero } => Some((picture, blank_when_zero)),
                _ => None,
            })
            .filter(|one| known.insert(*one))
            .collect();
        for (index, blank_when_zero) in wanted {
            let picture = self.out.pictures[index as usize].clone();
            let maker = Maker { picture: &picture, blank_when_zero, decimal_comma: self.out.decimal_comma };
            if let Some((editing, table)) = maker.table(index) {
                let at = self.constant(&table);
                self.out.editings.push(Editing { at, ..editing });
            }
        }
    }
}

struct Maker<'p> {
    picture: &'p Picture,
    blank_when_zero: bool,
    decimal_comma: bool,
}

impl Maker<'_> {
    /// The table of a picture; `None` if it has too many digits, or shows them otherwise than a table can.
    fn table(&self, index: u32) -> Option<(Editing, Vec<u8>)> {
        let picture = self.picture;
        let fits = (1..=Editing::DIGITS_MAX).contains(&picture.digits)
            && (1..=Editing::SIZE_MAX).contains(&picture.size)
            && (0..=Editing::DIGITS_MAX as i32).contains(&picture.scale)
            && matches!(picture.category, Category::NumericEdited | Category::Numeric);
        if !fits {
            return None;
        }
        let editing = Editing {
            picture: index,
            blank_when_zero: self.blank_when_zero,
            at: 0,
            places: self.places()?,
            size: picture.size as u8,
            signed: picture.signed,
        };
        let mut table = vec![0; editing.length()];
        let signs = if picture.signed { &[false, true][..] } else { &[false] };
        for (row, part) in table.chunks_exact_mut(editing.stride()).enumerate() {
            let (zeros, negative) = (row % editing.rows(), signs[row / editing.rows()]);
            let (mask, other) = part.split_at_mut(editing.width());
            self.row(zeros, negative, mask, other)?;
        }
        self.is_right(&editing, &table, signs).then_some((editing, table))
    }

    /// Places of the digits of a number without zeros in front.
    fn places(&self) -> Option<Vec<u8>> {
        let digits = self.picture.digits;
        let ones = self.edited(&vec![1; digits], false)?;
        (0..digits)
            .map(|at| {
                let mut other = vec![1; digits];
                other[at] = 2;
                let found = self.edited(&other, false)?;
                let mut differing = (0..ones.len()).filter(|place| ones[*place] != found[*place]);
                differing.next().filter(|_| differing.next().is_none()).map(|place| place as u8)
            })
            .collect()
    }

    fn row(&self, zeros: usize, negative: bool, mask: &mut [u8], other: &mut [u8]) -> Option<()> {
        let with = |digit: u8| -> Vec<u8> {
            (0..self.picture.digits).map(|at| if at < zeros { 0 } else { digit }).collect()
        };
        let (ones, twos) = (self.edited(&with(1), negative)?, self.edited(&with(2), negative)?);
        for (place, (one, two)) in ones.into_iter().zip(twos).enumerate() {
            let shows_digit = one != two;
            mask[place] = if shows_digit { 0xFF } else { 0 };
            other[place] = if shows_digit { b'0' } else { one };
        }
        Some(())
    }

    /// Returns true if the table and the interpreter come to the same for numbers of all lengths.
    fn is_right(&self, editing: &Editing, table: &[u8], signs: &[bool]) -> bool {
        let digits = self.picture.digits;
        let mut seed = 7_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (seed >> 16) as u8 % 10
        };
        (0..=digits).all(|zeros| {
            let number: Vec<u8> = (0..digits)
                .map(|at| match at.cmp(&zeros) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => next().max(1),
                    std::cmp::Ordering::Greater => next(),
                })
                .collect();
            signs.iter().all(|negative| {
                self.edited(&number, *negative).as_deref()
                    == Some(&looked_up(editing, table, &number, *negative))
            })
        })
    }

    /// The interpreter's result for digits; `None` if it leaves anything alone.
    fn edited(&self, digits: &[u8], negative: bool) -> Option<Vec<u8>> {
        let magnitude = digits.iter().fold(0_i128, |sum, digit| sum * 10 + i128::from(*digit));
        let value = if negative { -magnitude } else { magnitude };
        let [one, two] = BEFORE.map(|before| {
            let mut out = vec![before; self.picture.size];
            edited(value, self.picture, self.blank_when_zero, self.decimal_comma, &mut out);
            out
        });
        (one == two).then_some(one)
    }
}

/// A table's result for digits.
fn looked_up(editing: &Editing, table: &[u8], digits: &[u8], negative: bool) -> Vec<u8> {
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let zeros = if zeros == digits.len() { editing.rows() - 1 } else { zeros };
    let row = zeros + if negative { editing.rows() } else { 0 };
    let (mask, other) = table[row * editing.stride()..][..editing.stride()].split_at(editing.width());
    let mut out = other[..usize::from(editing.size)].to_vec();
    for (place, digit) in editing.places.iter().zip(digits) {
        let place = usize::from(*place);
        out[place] |= digit & mask[place];
    }
    out
}

#[cfg(test)]
mod tests {
    use cobol_data::{Money, picture};

    use super::*;

    fn has_table(text: &str) -> bool {
        let picture = picture(text, &Money::default()).expect("a picture");
        [false, true].into_iter().all(|blank_when_zero| {
            Maker { picture: &picture, blank_when_zero, decimal_comma: false }.table(0).is_some()
        })
    }

    /// A picture without a table is edited slowly, and no other test would notice: these pictures have one.
    #[test]
    fn pictures_with_tables() {
        for text in [
            "ZZZ,ZZZ,ZZ9.99-",
            "ZZZ,ZZ9.99-",
            "Z(4)",
            "**,**9.99",
            "**,***.**",
            "$$,$$9.99",
            "$ZZ9",
            "+(5)9",
            "-(5)9",
            "+9(3)",
            "9(3)-",
            "Z9.99CR",
            "99/99/9999",
            "9B9",
            "ZZZ.ZZ",
            "$$$.99",
            "--9",
            "$ZZ,ZZ9.99DB",
            "+++,++9",
            "Z(13)9.99",
            "9",
            "ZZ9V99",
            "9(4).99CR",
            "-9(12).9(4)",
        ] {
            assert!(has_table(text), "{text}");
        }
    }

    #[test]
    fn pictures_without() {
        for text in ["9(15).99-", "Z(3)PP", "Z(2)B(31)9"] {
            assert!(!has_table(text), "{text}");
        }
    }
}
