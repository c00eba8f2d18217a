//! The storage form of a host variable: the data division's words as those of `sql`.

use db2::package::{Form, Sign};
use ebcdic::decimal::ZonedSign;
use sql::value::{Field, Kind};

/// Returns the field of a form; `None` if more zeros than it can have lie between its digits and the point (PIC 9P).
pub(crate) fn field(form: Form) -> Option<Field> {
    let bytes = u32::try_from(form.size()).ok()?;
    let text = |kind| Field { kind, digits: 0, scale: 0, is_signed: false, bytes, is_native: false };
    let number = |kind, digits, scale: i8, is_signed| {
        let scale = u8::try_from(scale).ok()?;
        Some(Field { kind, digits, scale, is_signed, bytes, is_native: false })
    };
    match form {
        Form::Char { .. } => Some(text(Kind::Char)),
        Form::Varchar { .. } => Some(text(Kind::Varchar)),
        Form::Graphic { .. } => Some(text(Kind::Graphic)),
        Form::Vargraphic { .. } => Some(text(Kind::Vargraphic)),
        Form::Utf8 { characters, .. } => Some(text(Kind::Utf8(characters))),
        Form::Lob { .. } => Some(text(Kind::Large)),
        Form::Binary { digits, scale, signed, .. } => number(Kind::Binary, digits, scale, signed),
        Form::Packed { digits, scale, signed } => number(Kind::Packed, digits, scale, signed),
        Form::Zoned { digits, scale, sign } => {
            number(Kind::Zoned(zoned(sign)), digits, scale, sign != Sign::None)
        }
        Form::Float { .. } => number(Kind::Float, 0, 0, true),
    }
}

fn zoned(sign: Sign) -> ZonedSign {
    match sign {
        Sign::None => ZonedSign::None,
        Sign::Leading => ZonedSign::Leading,
        Sign::Trailing => ZonedSign::Trailing,
        Sign::SeparateLeading => ZonedSign::LeadingSeparate,
        Sign::SeparateTrailing => ZonedSign::TrailingSeparate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_keep_their_length_and_digits() {
        let packed = field(Form::Packed { digits: 9, scale: 2, signed: true }).unwrap();
        assert_eq!(packed, Field::packed(9, 2));
        assert_eq!(field(Form::Varchar { length: 20 }).unwrap(), Field::varchar(20));
        let separate = Form::Zoned { digits: 5, scale: 0, sign: Sign::SeparateLeading };
        assert_eq!(field(separate).unwrap(), Field::zoned(5, 0, ZonedSign::LeadingSeparate));
        assert_eq!(field(Form::Packed { digits: 5, scale: -2, signed: true }), None);
    }
}
