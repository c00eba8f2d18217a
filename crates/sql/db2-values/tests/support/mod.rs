//! Values as they are written in tables of cases: `DECIMAL(5,2) 1.50`, `CHAR(5) 'AB'`, `DATE 2024-02-29`, `INTEGER NULL`.

use db2_values::{Date, Decimal, Setting, Time, Timestamp, Type, Value, constant};

/// The setting of all cases.
pub fn setting() -> Setting {
    Setting::at(Timestamp::parse(b"2026-11-29-10.30.00.123456").expect("a timestamp"))
}

/// A type and what stands behind it.
pub fn typed(text: &str) -> (Type, &str) {
    let text = text.trim();
    let (name, mut rest) = text.split_at(text.find(['(', ' ']).unwrap_or(text.len()));
    let mut numbers = Vec::new();
    if let Some(inner) = rest.strip_prefix('(') {
        let (inner, behind) = inner.split_once(')').expect("a closing parenthesis");
        numbers = inner.split(',').map(|number| number.parse::<u32>().expect("a number")).collect();
        rest = behind;
    }
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    let kind = match name {
        "SMALLINT" => Type::SmallInt,
        "INTEGER" => Type::Integer,
        "BIGINT" => Type::BigInt,
        "DECIMAL" => Type::Decimal { precision: number(0) as u8, scale: number(1) as u8 },
        "REAL" => Type::Real,
        "DOUBLE" => Type::Double,
        "CHAR" => Type::Char(number(0)),
        "VARCHAR" => Type::VarChar(number(0)),
        "BITS" => Type::Bytes(number(0)),
        "VARBITS" => Type::VarBytes(number(0)),
        "BINARY" => Type::Binary(number(0)),
        "VARBINARY" => Type::VarBinary(number(0)),
        "DATE" => Type::Date,
        "TIME" => Type::Time,
        "TIMESTAMP" => Type::Timestamp(number(0) as u8),
        other => panic!("no type {other}"),
    };
    (kind, rest.trim_start())
}

/// A value with its type.
pub fn value(text: &str) -> (Type, Value) {
    let (kind, text) = typed(text);
    let value = match kind {
        _ if text == "NULL" => Value::Null,
        _ if kind.is_text() => {
            let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
            Value::text(inner.unwrap_or_else(|| panic!("no text: {text}")))
        }
        Type::Date => Value::Date(Date::parse(text.as_bytes()).expect(text)),
        Type::Time => Value::Time(Time::parse(text.as_bytes()).expect(text)),
        Type::Timestamp(_) => Value::Timestamp(Timestamp::parse(text.as_bytes()).expect(text)),
        Type::Decimal { scale, .. } => {
            let number = Decimal::parse(text.as_bytes()).expect(text);
            assert_eq!(number.scale, u32::from(scale), "{text} is not of this scale");
            Value::Decimal(number)
        }
        _ => constant(text, kind).unwrap_or_else(|| panic!("no number: {text}")),
    };
    (kind, value)
}

/// Values with `;` between them.
pub fn values(text: &str) -> (Vec<Type>, Vec<Value>) {
    text.split(';').filter(|value| !value.trim().is_empty()).map(value).unzip()
}

/// The result that a case expects: a value, or `!` and an SQLCODE, behind a type.
pub fn expected(text: &str) -> (Type, Result<Value, i32>) {
    let (kind, rest) = typed(text);
    match rest.strip_prefix('!') {
        Some(code) => (kind, Err(code.parse().expect("an SQLCODE"))),
        None => (kind, Ok(value(text).1)),
    }
}
