//! Values go to the server and come back as they were, and the server's own text says the same. Each case follows a seed;
//! `SQL_SEED=n` runs one.

use ebcdic::decimal::ZonedSign;
use fastrand::Rng;
use sql::value::{Argument, Decimal, Field, FieldTarget, Kind, Styles, take_row};
use sql::{Session, Statement};

use crate::place::{another, block_on};

/// Number of values of each kind.
const CASES: u64 = 300;

fn seeds() -> Vec<u64> {
    match std::env::var("SQL_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..CASES).collect(),
    }
}

/// Sends a field as a parameter of a type; the value in the server's own text, and as the same field takes it back.
async fn through(session: &mut Session, echo: &Statement, field: Field, bytes: &[u8]) -> (String, Vec<u8>) {
    let argument = Argument { field, bytes, indicator: None };
    let answer = session.run(echo, &[argument], 2).await.unwrap();
    let described = echo.described().unwrap();
    let text_field = Field::varchar(200);
    let (mut text, mut back) = (vec![0; 202], vec![0; bytes.len()]);
    let mut targets = [
        FieldTarget { field: text_field, bytes: &mut text, indicator: None },
        FieldTarget { field, bytes: &mut back, indicator: None },
    ];
    take_row(answer.rows.row(0), &described.columns, &mut targets, Styles::default()).unwrap();
    let length = usize::from(u16::from_be_bytes([text[0], text[1]]));
    (String::from_utf8_lossy(&text[2..2 + length]).into_owned(), back)
}

fn echo(kind: &str) -> std::rc::Rc<Statement> {
    Statement::new(format!("SELECT ($1::{kind})::text, $1::{kind}"), &[])
}

/// A number of up to so many digits, often a short one.
fn number(rng: &mut Rng, digits: u32) -> i128 {
    let most = 10i128.pow(rng.u32(0..=digits)) - 1;
    rng.i128(-most..=most)
}

#[test]
fn decimals() {
    block_on(async {
        let mut session = another("public").await;
        let numeric = echo("numeric");
        for seed in seeds() {
            let mut rng = Rng::with_seed(seed);
            let digits = rng.u8(1..=31);
            let scale = rng.u8(0..=digits);
            let unscaled = number(&mut rng, digits.into());
            let sign = [
                ZonedSign::Trailing,
                ZonedSign::Leading,
                ZonedSign::TrailingSeparate,
                ZonedSign::LeadingSeparate,
            ][rng.usize(0..4)];
            let fields = [Field::packed(digits, scale), Field::zoned(digits, scale, sign)];
            for field in fields {
                let mut bytes = vec![0; field.bytes as usize];
                match field.kind {
                    Kind::Packed => ebcdic::decimal::pack(unscaled, true, &mut bytes).unwrap(),
                    _ => ebcdic::decimal::write_zoned(unscaled, sign, &mut bytes).unwrap(),
                }
                let (text, back) = through(&mut session, &numeric, field, &bytes).await;
                let expected = Decimal { unscaled, scale: scale.into() }.text();
                assert_eq!(
                    (text.trim_start_matches('-'), back),
                    (expected.trim_start_matches('-'), bytes),
                    "SQL_SEED={seed} {field:?}"
                );
                assert_eq!(text.starts_with('-'), unscaled < 0, "SQL_SEED={seed}");
            }
        }
    });
}

#[test]
fn whole_numbers() {
    block_on(async {
        let mut session = another("public").await;
        for (kind, bytes) in [("int2", 2), ("int4", 4), ("int8", 8), ("numeric", 8)] {
            let echo = echo(kind);
            for seed in seeds() {
                let mut rng = Rng::with_seed(seed);
                let number = match bytes {
                    2 => rng.i16(..).into(),
                    4 => rng.i32(..).into(),
                    _ => rng.i64(..) >> rng.u32(0..64),
                };
                for is_native in [false, true] {
                    let field = Field { is_native, ..Field::binary(bytes) };
                    let mut value = number.to_be_bytes()[8 - bytes as usize..].to_vec();
                    if is_native && cfg!(target_endian = "little") {
                        value.reverse();
                    }
                    let (text, back) = through(&mut session, &echo, field, &value).await;
                    assert_eq!((text, back), (number.to_string(), value), "SQL_SEED={seed} {kind}");
                }
            }
        }
    });
}

/// The server shows what it takes; of these columns the one text is built here, the other there.
#[test]
fn dates_and_times() {
    block_on(async {
        let mut session = another("public").await;
        let (date, time, stamp) = (echo("date"), echo("time"), echo("timestamp"));
        for seed in seeds() {
            let mut rng = Rng::with_seed(seed);
            let days = rng.i32(-730_119..=2_921_939);
            let (hour, minute, second, micros) =
                (rng.u8(0..24), rng.u8(0..60), rng.u8(0..60), rng.u32(0..1_000_000));
            let day = session.script(format!("SELECT '2000-01-01'::date + {days}")).await.unwrap();
            let day = String::from_utf8(day.rows.row(0).next().unwrap().unwrap().to_vec()).unwrap();
            let (text, back) = through(&mut session, &date, Field::char(10), day.as_bytes()).await;
            assert_eq!((text.as_bytes(), &back[..]), (day.as_bytes(), day.as_bytes()), "SQL_SEED={seed}");

            let of_day = format!("{hour:02}.{minute:02}.{second:02}");
            let (text, back) = through(&mut session, &time, Field::char(8), of_day.as_bytes()).await;
            assert_eq!(
                (text, back),
                (of_day.replace('.', ":"), of_day.clone().into_bytes()),
                "SQL_SEED={seed}"
            );

            let whole = format!("{day}-{of_day}.{micros:06}");
            let (text, back) = through(&mut session, &stamp, Field::char(26), whole.as_bytes()).await;
            let shown = format!("{day} {}.{micros:06}", of_day.replace('.', ":"));
            let shown = shown.trim_end_matches('0').trim_end_matches('.');
            assert_eq!((text.as_str(), back), (shown, whole.into_bytes()), "SQL_SEED={seed}");
        }
    });
}

#[test]
fn texts() {
    block_on(async {
        let mut session = another("public").await;
        let (fixed, varying) = (echo("bpchar"), echo("text"));
        for seed in seeds() {
            let mut rng = Rng::with_seed(seed);
            let length = rng.usize(0..60);
            // All characters of ISO 8859-1 but the zero.
            let value: Vec<u8> = (0..length).map(|_| rng.u8(1..)).collect();
            let mut padded = value.clone();
            padded.resize(60, b' ');
            let (_, back) = through(&mut session, &fixed, Field::char(60), &padded).await;
            assert_eq!(back, padded, "SQL_SEED={seed}");
            let mut group = (length as u16).to_be_bytes().to_vec();
            group.extend(&value);
            group.resize(62, 0);
            let (text, back) = through(&mut session, &varying, Field::varchar(60), &group).await;
            assert_eq!(back, group, "SQL_SEED={seed}");
            assert_eq!(text, String::from_utf8_lossy(&value), "SQL_SEED={seed}");
            let wide: Vec<u8> = padded.iter().flat_map(|&byte| [0, byte]).collect();
            let (_, back) = through(&mut session, &fixed, Field::graphic(60), &wide).await;
            assert_eq!(back, wide, "SQL_SEED={seed}");
        }
    });
}

#[test]
fn floats() {
    block_on(async {
        let mut session = another("public").await;
        let (short, long) = (echo("float4"), echo("float8"));
        for seed in seeds() {
            let mut rng = Rng::with_seed(seed);
            let value = f64::from_bits(rng.u64(..));
            if !value.is_finite() {
                continue;
            }
            let (text, back) = through(&mut session, &long, Field::float(8), &value.to_ne_bytes()).await;
            assert_eq!((text.parse(), back), (Ok(value), value.to_ne_bytes().to_vec()), "SQL_SEED={seed}");
            let value = f32::from_bits(rng.u32(..));
            if !value.is_finite() {
                continue;
            }
            let (text, back) = through(&mut session, &short, Field::float(4), &value.to_ne_bytes()).await;
            assert_eq!((text.parse(), back), (Ok(value), value.to_ne_bytes().to_vec()), "SQL_SEED={seed}");
        }
    });
}

#[test]
fn bits() {
    block_on(async {
        let mut session = another("public").await;
        let bytes = Statement::new("SELECT encode($1::bytea, 'hex'), $1::bytea", &[]);
        for seed in seeds() {
            let mut rng = Rng::with_seed(seed);
            let value: Vec<u8> = (0..40).map(|_| rng.u8(..)).collect();
            let (text, back) = through(&mut session, &bytes, Field::char(40), &value).await;
            let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((text, back), (hex, value), "SQL_SEED={seed}");
        }
    });
}
