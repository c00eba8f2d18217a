//! Host variables go into columns of a table: the server's own text is what was meant, and the row comes back as it was,
//! or cut as Db2 cuts. Each row follows a seed. `SEED=n` runs one row, `COUNT=n` about so many values.

use std::rc::Rc;

use ebcdic::decimal::{ZonedSign, pack, write_zoned};
use fastrand::Rng;
use sql::codes::{Doing, Scope, Sqlca};
use sql::value::{Argument, DateStyle, Decimal, Field, FieldTarget, Kind, Styles, TimeStyle, take_row};
use sql::{Session, Statement};

use crate::place::{another, block_on, session};

/// Values of one run.
const VALUES: u64 = 6_000;
/// Digits of a decimal number at most.
const DIGITS: u8 = 31;
/// Rows that a table keeps before it is emptied.
const ROWS: u64 = 500;

/// The seeds of a run, each for a row of so many values.
fn seeds(values: u64) -> std::ops::Range<u64> {
    let asked = |name| std::env::var(name).ok().and_then(|number| number.parse().ok());
    match asked("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..asked("COUNT").unwrap_or(VALUES).div_ceil(2 * values),
    }
}

/// A value on its way: the field that it comes from, what the column shows of it, what comes back into which field.
struct Case {
    field: Field,
    bytes: Vec<u8>,
    indicator: Option<i16>,
    /// `None`: NULL.
    shown: Option<String>,
    into: Field,
    back: Vec<u8>,
    /// Value of the indicator behind the FETCH.
    noted: i16,
}

impl Case {
    /// Comes back into a field like its own.
    fn same(field: Field, bytes: Vec<u8>, shown: String) -> Self {
        Self { field, back: bytes.clone(), bytes, indicator: None, shown: Some(shown), into: field, noted: 0 }
    }

    /// The same field, but NULL: what it holds is not looked at.
    fn null(self, rng: &mut Rng) -> Self {
        let back = vec![0; self.into.bytes as usize];
        let bytes = (0..self.bytes.len()).map(|_| rng.u8(..)).collect();
        Self { bytes, indicator: Some(rng.i16(..0)), shown: None, back, noted: -1, ..self }
    }
}

/// A table, and the statements that put a row there and get it.
struct Table {
    name: String,
    insert_words: String,
    insert: Rc<Statement>,
    select: Rc<Statement>,
}

impl Table {
    async fn make(session: &mut Session, name: &str, types: &[String]) -> Self {
        let columns: Vec<String> = (0..types.len()).map(|at| format!("c{at}")).collect();
        let made: Vec<String> =
            columns.iter().zip(types).map(|(name, kind)| format!("{name} {kind}")).collect();
        session
            .script(format!("CREATE UNLOGGED TABLE {name} (id int PRIMARY KEY, {})", made.join(", ")))
            .await
            .unwrap();
        let markers: Vec<String> = (2..types.len() + 2).map(|at| format!("${at}")).collect();
        let texts: Vec<String> = columns.iter().map(|name| format!("{name}::text")).collect();
        let select = format!("SELECT {}, {} FROM {name} WHERE id = $1", texts.join(", "), columns.join(", "));
        let insert = format!("INSERT INTO {name} VALUES ($1, {})", markers.join(", "));
        Self {
            name: name.to_owned(),
            insert: Statement::new(&insert, &[]),
            insert_words: insert,
            select: Statement::new(select, &[]),
        }
    }

    /// Puts a row of cases there and looks at what came of it.
    async fn check(&self, session: &mut Session, seed: u64, cases: &[Case], styles: Styles) {
        let id = ((seed % ROWS) as i32).to_be_bytes();
        if seed.is_multiple_of(ROWS) {
            session.script(format!("TRUNCATE {}", self.name)).await.unwrap();
        }
        let key = Argument { field: Field::binary(4), bytes: &id, indicator: None };
        let mut arguments = vec![key];
        arguments.extend(cases.iter().map(|case| Argument {
            field: case.field,
            bytes: &case.bytes,
            indicator: case.indicator,
        }));
        // As an attachment does it, with the types that fields have; or with the columns'.
        let insert = match seed % 4 {
            0 => {
                let types: Vec<_> = arguments.iter().map(|one| one.field.type_of_parameter()).collect();
                &Statement::new(&self.insert_words, &types)
            }
            _ => &self.insert,
        };
        if let Err(failure) = session.run(insert, &arguments, 0).await {
            let fields: Vec<_> = cases.iter().map(|case| (case.field, &case.shown)).collect();
            let sqlca = Sqlca::of(&failure, Doing::Insert, Scope::Unit);
            panic!("SEED={seed} {}: {sqlca:?} {failure} {fields:?}", self.name);
        }
        let answer = session.run(&self.select, &[key], 2).await.unwrap();
        let described = self.select.described().unwrap();
        let mut texts = vec![vec![0; 402]; cases.len()];
        let mut backs: Vec<Vec<u8>> = cases.iter().map(|case| vec![0; case.into.bytes as usize]).collect();
        let mut text_nulls = vec![[0; 2]; cases.len()];
        let mut nulls = vec![[9; 2]; cases.len()];
        let shown = texts.iter_mut().zip(&mut text_nulls).map(|(bytes, indicator)| FieldTarget {
            field: Field::varchar(400),
            bytes,
            indicator: Some(indicator),
        });
        let back = cases.iter().zip(&mut backs).zip(&mut nulls).map(|((case, bytes), indicator)| {
            FieldTarget { field: case.into, bytes, indicator: Some(indicator) }
        });
        let mut targets: Vec<_> = shown.chain(back).collect();
        let sqlca = take_row(answer.rows.row(0), &described.columns, &mut targets, styles).unwrap();
        drop(targets);
        for (at, case) in cases.iter().enumerate() {
            let length = usize::from(u16::from_be_bytes([texts[at][0], texts[at][1]]));
            let text =
                (text_nulls[at] == [0; 2]).then(|| as_shown(&case.field, &latin(&texts[at][2..2 + length])));
            let at = format!("SEED={seed} {} c{at} {:?}", self.name, case.field);
            assert_eq!(text, case.shown, "{at}: the server's text");
        }
        for (at, case) in cases.iter().enumerate() {
            let place = format!("SEED={seed} {} c{at} {:?} {:?}", self.name, case.into, case.shown);
            assert_eq!(i16::from_be_bytes(nulls[at]), case.noted, "{place}: the indicator");
            assert_eq!(backs[at], case.back, "{place}: what came back");
        }
        let is_cut = cases.iter().any(|case| case.noted > 0);
        assert_eq!((sqlca.code, sqlca.warnings[1] == b'W'), (0, is_cut), "SEED={seed} {}", self.name);
    }
}

/// A float has more than one text: the one that is made here of the number that the server's stands for.
fn as_shown(field: &Field, text: &str) -> String {
    match (field.kind, field.bytes) {
        (Kind::Float, 4) => text.parse::<f32>().unwrap().to_string(),
        (Kind::Float, _) => text.parse::<f64>().unwrap().to_string(),
        _ => text.to_owned(),
    }
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// A number of up to so many digits, often a short one, often at an edge.
fn number(rng: &mut Rng, digits: u8) -> i128 {
    let most = 10i128.pow(digits.into()) - 1;
    let number = match rng.u8(0..8) {
        0 => most,
        1 => 0,
        2 => 10i128.pow(rng.u32(0..=digits.into())).min(most),
        _ => {
            let most = 10i128.pow(rng.u32(0..=digits.into())) - 1;
            rng.i128(0..=most)
        }
    };
    if rng.bool() { -number } else { number }
}

const SIGNS: [ZonedSign; 4] =
    [ZonedSign::Trailing, ZonedSign::Leading, ZonedSign::TrailingSeparate, ZonedSign::LeadingSeparate];

/// A field of so many digits, and a number in it. COMP has no more than 18.
fn decimal_field(rng: &mut Rng, digits: u8, scale: u8) -> Field {
    match rng.u8(0..4) {
        0 | 1 => Field::packed(digits, scale),
        2 if digits <= 18 => {
            let bytes = if digits <= 4 {
                2
            } else if digits <= 9 {
                4
            } else {
                8
            };
            Field { digits, scale, is_native: rng.bool(), ..Field::binary(bytes) }
        }
        _ => Field::zoned(digits, scale, SIGNS[rng.usize(0..4)]),
    }
}

fn stored(field: &Field, unscaled: i128) -> Vec<u8> {
    let mut bytes = vec![0; field.bytes as usize];
    match field.kind {
        Kind::Packed => pack(unscaled, field.is_signed, &mut bytes).unwrap(),
        Kind::Zoned(sign) => write_zoned(unscaled, sign, &mut bytes).unwrap(),
        _ => {
            let all = unscaled.to_be_bytes();
            bytes.copy_from_slice(&all[16 - field.bytes as usize..]);
            if field.is_native && cfg!(target_endian = "little") {
                bytes.reverse();
            }
        }
    }
    bytes
}

/// PostgreSQL has no zero below zero.
fn text(unscaled: i128, scale: u8) -> String {
    Decimal { unscaled, scale: scale.into() }.text()
}

/// The digits of a number with another scale: cut, as Db2 does where it stores.
fn cut(unscaled: i128, from: u8, to: u8) -> i128 {
    match to.checked_sub(from) {
        Some(more) => unscaled * 10i128.pow(more.into()),
        None => unscaled / 10i128.pow((from - to).into()),
    }
}

/// Every precision and every scale: a table for each precision, with a column for each scale.
#[test]
fn decimals_of_every_precision_and_scale() {
    block_on(async {
        let mut session = session("decimal_columns").await;
        let mut tables = Vec::new();
        for precision in 1..=DIGITS {
            let types: Vec<String> =
                (0..=precision).map(|scale| format!("decimal({precision},{scale})")).collect();
            tables.push(Table::make(&mut session, &format!("d{precision}"), &types).await);
        }
        // A precision has 17 columns on average.
        for seed in seeds(17) {
            let mut rng = Rng::with_seed(seed);
            let precision = (seed % u64::from(DIGITS)) as u8 + 1;
            let cases: Vec<Case> = (0..=precision).map(|scale| decimal(&mut rng, precision, scale)).collect();
            tables[usize::from(precision) - 1].check(&mut session, seed, &cases, Styles::default()).await;
        }
    });
}

/// A field like its column, or one with other digits whose value the column takes.
fn decimal(rng: &mut Rng, precision: u8, scale: u8) -> Case {
    if rng.bool() {
        let field = decimal_field(rng, precision, scale);
        let unscaled = number(rng, precision);
        let case = Case::same(field, stored(&field, unscaled), text(unscaled, scale));
        return if rng.u8(0..8) == 0 { case.null(rng) } else { case };
    }
    let digits = rng.u8(1..=DIGITS);
    let other = rng.u8(0..=digits);
    let field = decimal_field(rng, digits, other);
    // No more digits in front of the point than the column has.
    let front = (digits - other).min(precision - scale);
    let unscaled = number(rng, front + other);
    let held = cut(unscaled, other, scale);
    let back =
        if other >= scale { held * 10i128.pow((other - scale).into()) } else { cut(held, scale, other) };
    Case {
        back: stored(&field, back),
        noted: 0,
        ..Case::same(field, stored(&field, unscaled), text(held, scale))
    }
}

/// Whole columns take what stands in front of the point.
fn whole(rng: &mut Rng, digits: u8) -> Case {
    let scale = rng.u8(0..4) * rng.u8(0..2);
    let field = decimal_field(rng, digits + scale, scale);
    let unscaled = number(rng, digits + scale);
    let held = cut(unscaled, scale, 0);
    Case {
        back: stored(&field, cut(held, 0, scale)),
        ..Case::same(field, stored(&field, unscaled), held.to_string())
    }
}

fn binary(rng: &mut Rng, bytes: u32) -> Case {
    let field = Field { is_native: rng.bool(), ..Field::binary(bytes) };
    let number = match rng.u8(0..5) {
        0 => i64::MIN,
        1 => i64::MAX,
        _ => rng.i64(..) >> rng.u32(0..64),
    } >> (64 - 8 * bytes);
    Case::same(field, stored(&field, number.into()), number.to_string())
}

/// COMP-2 into a whole column: what stands behind the point is cut.
fn float_to_whole(rng: &mut Rng) -> Case {
    let number = rng.i32(..);
    let behind = f64::from(rng.u32(..1000)) / 1000.0 * if number < 0 { -1.0 } else { 1.0 };
    let field = Field::float(8);
    let bytes = (f64::from(number) + behind).to_ne_bytes().to_vec();
    Case { back: f64::from(number).to_ne_bytes().to_vec(), ..Case::same(field, bytes, number.to_string()) }
}

#[test]
fn numbers() {
    block_on(async {
        let mut session = session("number_columns").await;
        let types = "smallint smallint int int bigint bigint int real double@precision"
            .split(' ')
            .map(|kind| kind.replace('@', " "))
            .collect::<Vec<_>>();
        let table = Table::make(&mut session, "numbers", &types).await;
        for seed in seeds(9) {
            let mut rng = Rng::with_seed(seed);
            let rng = &mut rng;
            let mut cases = vec![
                binary(rng, 2),
                whole(rng, 4),
                binary(rng, 4),
                whole(rng, 9),
                binary(rng, 8),
                whole(rng, 18),
                float_to_whole(rng),
                short_float(rng),
                long_float(rng),
            ];
            with_nulls(&mut cases, rng);
            table.check(&mut session, seed, &cases, Styles::default()).await;
        }
    });
}

fn with_nulls(cases: &mut Vec<Case>, rng: &mut Rng) {
    let all = std::mem::take(cases);
    cases.extend(all.into_iter().map(|case| if rng.u8(0..8) == 0 { case.null(rng) } else { case }));
}

fn short_float(rng: &mut Rng) -> Case {
    let number = Some(f32::from_bits(rng.u32(..))).filter(|number| number.is_finite()).unwrap_or(0.5);
    Case::same(Field::float(4), number.to_ne_bytes().to_vec(), number.to_string())
}

fn long_float(rng: &mut Rng) -> Case {
    let number = Some(f64::from_bits(rng.u64(..))).filter(|number| number.is_finite()).unwrap_or(0.5);
    Case::same(Field::float(8), number.to_ne_bytes().to_vec(), number.to_string())
}

#[test]
fn texts() {
    block_on(async {
        let mut session = session("text_columns").await;
        session.script("SELECT db2.make_varchar(40)").await.unwrap();
        let types = [
            "char(20)",
            "char(20)",
            "char(20)",
            "db2.varchar_40",
            "db2.varchar_40",
            "db2.varchar_40",
            "char(20)",
        ];
        let table = Table::make(&mut session, "texts", &types.map(str::to_owned)).await;
        for seed in seeds(7) {
            let mut rng = Rng::with_seed(seed);
            let rng = &mut rng;
            let mut cases = vec![
                fixed(rng, 20, 20),
                fixed(rng, 30, 20),
                fixed(rng, 20, 7),
                varying(rng, 40),
                varying(rng, 11),
                varying_from_fixed(rng),
                wide(rng),
            ];
            with_nulls(&mut cases, rng);
            table.check(&mut session, seed, &cases, Styles::default()).await;
        }
    });
}

/// Characters of ISO 8859-1 but the zero; many blanks.
fn characters(rng: &mut Rng, most: usize) -> Vec<u8> {
    let length = rng.usize(0..=most);
    (0..length).map(|_| if rng.u8(0..4) == 0 { b' ' } else { rng.u8(1..) }).collect()
}

fn padded(mut text: Vec<u8>, length: usize) -> Vec<u8> {
    text.resize(length, b' ');
    text
}

/// Characters of a text that fit, and the indicator: zero if only blanks are gone.
fn shortened(text: &[u8], length: usize) -> (Vec<u8>, i16) {
    let kept = &text[..length.min(text.len())];
    let is_whole = text[kept.len()..].iter().all(|&byte| byte == b' ');
    (padded(kept.to_vec(), length), if is_whole { 0 } else { text.len() as i16 })
}

/// PIC X of one length into CHAR(20), and from there into PIC X of another.
fn fixed(rng: &mut Rng, from: usize, to: usize) -> Case {
    let text = padded(characters(rng, 20), from);
    let held = padded(text[..20].to_vec(), 20);
    let (back, noted) = shortened(&held, to);
    let shown = latin(held.trim_ascii_end_blanks());
    Case { into: Field::char(to as u32), back, noted, ..Case::same(Field::char(from as u32), text, shown) }
}

/// A VARCHAR group, and from there into one of another length.
fn varying(rng: &mut Rng, to: usize) -> Case {
    let text = characters(rng, 40);
    let is_native = rng.bool();
    let group = |text: &[u8], most: usize| {
        let length = text.len() as u16;
        let mut group = if is_native { length.to_ne_bytes() } else { length.to_be_bytes() }.to_vec();
        group.extend(text);
        group.resize(most + 2, 0);
        group
    };
    let noted = shortened(&text, to).1;
    let back = group(&text[..to.min(text.len())], to);
    let field = |most| Field { is_native, ..Field::varchar(most) };
    let case = Case::same(field(40), group(&text, 40), latin(text.trim_ascii_end_blanks()));
    Case { into: field(to as u32), back, noted, ..case }
}

/// PIC X into a VARCHAR: its blanks are kept.
fn varying_from_fixed(rng: &mut Rng) -> Case {
    let text = padded(characters(rng, 40), 40);
    let shown = latin(text.trim_ascii_end_blanks());
    Case::same(Field::char(40), text, shown)
}

fn wide(rng: &mut Rng) -> Case {
    let text = padded(characters(rng, 20), 20);
    let wide = text.iter().flat_map(|&byte| [0, byte]).collect();
    Case::same(Field::graphic(20), wide, latin(text.trim_ascii_end_blanks()))
}

trait Blanks {
    /// Without blanks at the end, and only without these: the server's text of bpchar has none.
    fn trim_ascii_end_blanks(&self) -> &[u8];
}

impl Blanks for [u8] {
    fn trim_ascii_end_blanks(&self) -> &[u8] {
        let length = self.iter().rposition(|&byte| byte != b' ').map_or(0, |at| at + 1);
        &self[..length]
    }
}

/// A day of Db2's calendar, as year, month and day, reckoned here by itself.
fn day(rng: &mut Rng) -> (u32, u32, u32) {
    let year = match rng.u8(0..6) {
        0 => 1,
        1 => 9999,
        2 => rng.u32(1..25) * 400 - rng.u32(0..4),
        _ => rng.u32(1..=9999),
    };
    let month = if rng.u8(0..4) == 0 { 2 } else { rng.u32(1..=12) };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = [31, 28 + u32::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1];
    (year, month, if rng.bool() { days } else { rng.u32(1..=days) })
}

fn date_text((year, month, day): (u32, u32, u32), style: DateStyle) -> String {
    match style {
        DateStyle::Iso | DateStyle::Jis => format!("{year:04}-{month:02}-{day:02}"),
        DateStyle::Usa => format!("{month:02}/{day:02}/{year:04}"),
        DateStyle::Eur => format!("{day:02}.{month:02}.{year:04}"),
    }
}

/// Hours, minutes and seconds; the last of all is 24:00:00.
fn time(rng: &mut Rng) -> (u32, u32, u32) {
    if rng.u8(0..30) == 0 { (24, 0, 0) } else { (rng.u32(0..24), rng.u32(0..60), rng.u32(0..60)) }
}

fn time_text((hour, minute, second): (u32, u32, u32), style: TimeStyle) -> String {
    match style {
        TimeStyle::Iso | TimeStyle::Eur => format!("{hour:02}.{minute:02}.{second:02}"),
        TimeStyle::Jis => format!("{hour:02}:{minute:02}:{second:02}"),
        TimeStyle::Usa => {
            let half = if hour % 24 < 12 { "AM" } else { "PM" };
            let shown = match (hour, minute, second) {
                (0, 0, 0) => 0,
                (hour, ..) if hour % 12 == 0 => 12,
                (hour, ..) => hour % 12,
            };
            format!("{shown:02}:{minute:02} {half}")
        }
    }
}

const DATE_STYLES: [DateStyle; 4] = [DateStyle::Iso, DateStyle::Usa, DateStyle::Eur, DateStyle::Jis];
const TIME_STYLES: [TimeStyle; 4] = [TimeStyle::Iso, TimeStyle::Usa, TimeStyle::Eur, TimeStyle::Jis];

/// A date goes in in any form, and comes back in the form of the run.
fn date(rng: &mut Rng, into: DateStyle) -> Case {
    let day = day(rng);
    let text = date_text(day, DATE_STYLES[rng.usize(0..4)]);
    let back = date_text(day, into).into_bytes();
    Case { back, ..Case::same(Field::char(10), text.into_bytes(), date_text(day, DateStyle::Iso)) }
}

fn of_day(rng: &mut Rng, into: TimeStyle) -> Case {
    let style = TIME_STYLES[rng.usize(0..4)];
    let mut time = time(rng);
    if style == TimeStyle::Usa {
        // That form has no seconds, and begins the first hour only on the minute.
        time.2 = 0;
    }
    let text = padded(time_text(time, style).into_bytes(), 8);
    let back = time_text(time, into).into_bytes();
    Case { back, ..Case::same(Field::char(8), text, time_text(time, TimeStyle::Jis)) }
}

/// Up to 12 places go in; 6 are kept, the others cut; so many characters come back.
fn stamp(rng: &mut Rng) -> Case {
    let (day, (hour, minute, second)) = (day(rng), time(rng));
    let (hour, minute, second) = if hour == 24 { (23, 59, 59) } else { (hour, minute, second) };
    let places = rng.usize(0..=12);
    let digits: String =
        (0..places).map(|_| if rng.u8(0..3) == 0 { '9' } else { char::from(rng.u8(b'0'..=b'9')) }).collect();
    let front = date_text(day, DateStyle::Iso);
    let of_day = time_text((hour, minute, second), TimeStyle::Iso);
    let (between, of_day_in) =
        [('-', of_day.clone()), (' ', of_day.replace('.', ":")), ('T', of_day.replace('.', ":"))]
            [rng.usize(0..3)]
        .clone();
    let point = if places == 0 { "" } else { "." };
    let text = padded(format!("{front}{between}{of_day_in}{point}{digits}").into_bytes(), 32);
    let micros = format!("{digits:0<6}")[..6].to_owned();
    let shown = format!("{front} {}.{micros}", of_day.replace('.', ":"));
    let shown = shown.trim_end_matches('0').trim_end_matches('.').to_owned();
    let whole = format!("{front}-{of_day}.{micros}");
    let to = [19, 26, 32][rng.usize(0..3)];
    let (back, noted) = shortened(whole.as_bytes(), to);
    Case { into: Field::char(to as u32), back, noted, ..Case::same(Field::char(32), text, shown) }
}

#[test]
fn dates_and_times() {
    block_on(async {
        let mut session = session("date_columns").await;
        let types = ["date", "date", "time(0)", "time(0)", "timestamp", "timestamp(6)"];
        let table = Table::make(&mut session, "dates", &types.map(str::to_owned)).await;
        for seed in seeds(6) {
            let mut rng = Rng::with_seed(seed);
            let rng = &mut rng;
            let styles = Styles { date: DATE_STYLES[rng.usize(0..4)], time: TIME_STYLES[rng.usize(0..4)] };
            let mut cases = vec![
                date(rng, styles.date),
                date(rng, styles.date),
                of_day(rng, styles.time),
                of_day(rng, styles.time),
                stamp(rng),
                stamp(rng),
            ];
            with_nulls(&mut cases, rng);
            table.check(&mut session, seed, &cases, styles).await;
        }
    });
}

/// A value that a column cannot take is refused with its reason.
#[test]
fn too_large_for_the_column() {
    block_on(async {
        let mut session = session("too_large").await;
        session.script("CREATE TABLE t (d decimal(5,2), s smallint, i int)").await.unwrap();
        let mut other = another("too_large").await;
        for (column, field, number, expected) in [
            ("d", Field::packed(7, 2), 100_000, Err(-406)),
            ("d", Field::packed(7, 2), 99_999, Ok(())),
            // Cut, not rounded up to what does not fit.
            ("d", Field::packed(9, 4), 9_999_999, Ok(())),
            ("s", Field::packed(9, 1), 327_679, Ok(())),
            ("s", Field::packed(9, 1), 327_680, Err(-302)),
            ("i", Field::packed(18, 0), 2_147_483_648, Err(-302)),
        ] {
            let insert = Statement::new(format!("INSERT INTO t ({column}) VALUES ($1)"), &[]);
            let bytes = stored(&field, number);
            let argument = Argument { field, bytes: &bytes, indicator: None };
            let done = other.run(&insert, &[argument], 0).await.map(|_| ());
            let done = done.map_err(|failure| Sqlca::of(&failure, Doing::Insert, Scope::Unit).code);
            assert_eq!(done, expected, "{number} of {field:?} into {column}");
        }
    });
}
