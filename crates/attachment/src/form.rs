//! The storage form of a host variable: the data division's words as those of `sql`.

use db2::package::{Form, Sign};
use ebcdic::decimal::ZonedSign;
use sql::value::{Field, Kind};

/// Returns the field of a form; `None` if more zeros than it can have lie between its digits and the point (PIC 9P).
pub(crate) fn field(form: Form) -> Option<Field> {
    let bytes = u32::try_from(form.size()).ok()?;
    let text = |kind, is_native| Field { kind, digits: 0, scale: 0, is_signed: false, bytes, is_native };
    let number = |kind, digits, scale: i8, is_signed, is_native| {
        let scale = u8::try_from(scale).ok()?;
        Some(Field { kind, digits, scale, is_signed, bytes, is_native })
    };
    match form {
        Form::Char { .. } => Some(text(Kind::Char, false)),
        Form::Varchar { native, .. } => Some(text(Kind::Varchar, native)),
        Form::Graphic { .. } => Some(text(Kind::Graphic, false)),
        Form::Vargraphic { native, .. } => Some(text(Kind::Vargraphic, native)),
        Form::Utf8 { characters, .. } => Some(text(Kind::Utf8(characters), false)),
        Form::Lob { native, .. } => Some(text(Kind::Large, native)),
        Form::Binary { digits, scale, signed, native, .. } => {
            number(Kind::Binary, digits, scale, signed, native)
        }
        Form::Packed { digits, scale, signed } => number(Kind::Packed, digits, scale, signed, false),
        Form::Zoned { digits, scale, sign } => {
            number(Kind::Zoned(zoned(sign)), digits, scale, sign != Sign::None, false)
        }
        Form::Float { native, .. } => number(Kind::Float, 0, 0, true, native),
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
        assert_eq!(field(Form::Varchar { length: 20, native: false }).unwrap(), Field::varchar(20));
        let separate = Form::Zoned { digits: 5, scale: 0, sign: Sign::SeparateLeading };
        assert_eq!(field(separate).unwrap(), Field::zoned(5, 0, ZonedSign::LeadingSeparate));
        assert_eq!(field(Form::Packed { digits: 5, scale: -2, signed: true }), None);
    }
}
