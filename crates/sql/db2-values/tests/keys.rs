//! Keys sort as their values do, rows come back as they were, and bytes that are no rows are refused.

use std::cmp::Ordering;

use db2_values::row::{column, decode, decode_into, encode};
use db2_values::{Date, Decimal, Order, Time, Timestamp, Type, Value, compare, key};
use ebcdic::CodePage;
use proptest::prelude::*;

const KINDS: [Type; 16] = [
    Type::SmallInt,
    Type::Integer,
    Type::BigInt,
    Type::Decimal { precision: 7, scale: 2 },
    Type::Decimal { precision: 31, scale: 31 },
    Type::Real,
    Type::Double,
    Type::Char(3),
    Type::VarChar(20),
    Type::Bytes(3),
    Type::VarBytes(20),
    Type::Binary(3),
    Type::VarBinary(20),
    Type::Date,
    Type::Time,
    Type::Timestamp(12),
];

/// Characters on both sides of a blank, so that padding matters.
fn text(length: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![Just(b' '), Just(0), Just(b'A'), Just(b'1'), any::<u8>()], length)
}

fn value(kind: Type) -> BoxedStrategy<Value> {
    let value = match kind {
        Type::SmallInt => any::<i16>().prop_map(|number| Value::Whole(number.into())).boxed(),
        Type::Integer => any::<i32>().prop_map(|number| Value::Whole(number.into())).boxed(),
        Type::BigInt => prop_oneof![-3i64..3, any::<i64>()].prop_map(Value::Whole).boxed(),
        Type::Decimal { precision, scale } => {
            let most = 10i128.pow(precision.into()) - 1;
            let unscaled = prop_oneof![-3i128..3, -most..=most];
            unscaled
                .prop_map(move |unscaled| Value::Decimal(Decimal { unscaled, scale: scale.into() }))
                .boxed()
        }
        Type::Real | Type::Double => {
            let number = prop_oneof![Just(0.0), Just(-0.0), -2.0f64..2.0, any::<f64>()];
            number.prop_filter("a number", |number| number.is_finite()).prop_map(Value::Double).boxed()
        }
        Type::Date => {
            (1..=3_652_059).prop_map(|days| Value::Date(Date::from_days(days).expect("a value"))).boxed()
        }
        Type::Time => {
            (0..=86_400u32).prop_map(|at| Value::Time(Time::from_seconds(at).expect("a value"))).boxed()
        }
        Type::Timestamp(_) => (1..=3i32, 0..Timestamp::DAY)
            .prop_map(|(days, at)| {
                Value::Timestamp(
                    Timestamp::new(Date::from_days(days).expect("a value"), at).expect("a value"),
                )
            })
            .boxed(),
        _ => {
            let longest = kind.length().expect("a value") as usize;
            text(if kind.is_fixed() { longest..=longest } else { 0..=longest }).prop_map(Value::Text).boxed()
        }
    };
    prop_oneof![9 => value, 1 => Just(Value::Null)].boxed()
}

/// Two values of a type. Texts often begin alike, so that their ends decide.
fn pair() -> impl Strategy<Value = (Type, Value, Value)> {
    let both = |kind: Type| (Just(kind), value(kind), value(kind), 0usize..20);
    prop::sample::select(&KINDS[..]).prop_flat_map(both).prop_map(|(kind, a, b, alike)| match (&a, b) {
        (Value::Text(first), Value::Text(mut second)) => {
            let alike = alike.min(first.len()).min(second.len());
            second[..alike].copy_from_slice(&first[..alike]);
            (kind, a, Value::Text(second))
        }
        (_, b) => (kind, a, b),
    })
}

fn key_of(value: &Value, kind: Type, is_descending: bool, order: Order) -> Vec<u8> {
    let mut key = Vec::new();
    key::append(&mut key, value, kind, is_descending, order);
    key
}

/// The order of an index: NULL is the highest.
fn order_of(a: &Value, b: &Value, kind: Type, order: Order) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare(a, b, kind, order).expect("a value"),
        (a, b) => a.cmp(&b),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn keys_sort_as_values_do((kind, a, b) in pair(), is_ebcdic: bool) {
        let order = if is_ebcdic { Order::of(CodePage::Ibm037) } else { Order::default() };
        let wanted = order_of(&a, &b, kind, order);
        let keys = [&a, &b].map(|value| key_of(value, kind, false, order));
        prop_assert_eq!(keys[0].cmp(&keys[1]), wanted);
        let keys = [&a, &b].map(|value| key_of(value, kind, true, order));
        prop_assert_eq!(keys[0].cmp(&keys[1]), wanted.reverse());
        prop_assert!(keys.iter().all(|key| key.len() <= key::longest(kind)), "{:?} has a longer key", kind);
    }

    #[test]
    fn no_key_is_the_beginning_of_another((kind, a, b) in pair()) {
        let keys = [&a, &b].map(|value| key_of(value, kind, false, Order::default()));
        prop_assert!(keys[0] == keys[1] || !keys[0].starts_with(&keys[1]));
    }

    #[test]
    fn rows_come_back(values in prop::collection::vec(Just(()), 16).prop_flat_map(|_| KINDS.map(value).to_vec()), at in 0usize..16) {
        let row = encode(&values, &KINDS);
        let mut back = Vec::new();
        prop_assert_eq!(decode(&row, &KINDS, &mut back), Ok(()));
        prop_assert_eq!(&back, &values);
        prop_assert_eq!(column(&row, &KINDS, at), Ok(Some(values[at].clone())));
        // Into what an earlier row has left, the columns that are wanted.
        let mut into = vec![Value::text("LEFT"); KINDS.len()];
        let wanted: Vec<bool> = (0..KINDS.len()).map(|column| column == at).collect();
        prop_assert_eq!(decode_into(&row, &KINDS, &wanted, &mut into), Ok(()));
        let only = |column: usize| if column == at { values[at].clone() } else { Value::Null };
        prop_assert_eq!(&into, &(0..KINDS.len()).map(only).collect::<Vec<_>>());
        prop_assert_eq!(decode_into(&row, &KINDS, &[], &mut into), Ok(()));
        prop_assert_eq!(&into, &values);
        // A row of before its table got more columns.
        let older = encode(&values[..at], &KINDS);
        prop_assert_eq!(column(&older, &KINDS, at), Ok(None));
        back.clear();
        prop_assert_eq!(decode(&older, &KINDS, &mut back), Ok(()));
        prop_assert_eq!(&back[..], &values[..at]);
        // One with bytes too few is none.
        prop_assert!(decode(&row[..row.len() - 1], &KINDS, &mut back).is_err());
    }

    #[test]
    fn garbled_rows_are_refused_or_read(mut row in prop::collection::vec(any::<u8>(), 0..120), columns in 0u16..20) {
        if let [format, high, low, ..] = row.as_mut_slice() {
            (*format, *high, *low) = (1, 0, columns as u8);
        }
        let mut back = Vec::new();
        let _ = decode(&row, &KINDS, &mut back);
        let _ = column(&row, &KINDS, 15);
    }
}
