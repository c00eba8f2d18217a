//! The schemas db2 and sysibm: each line is an expression and what Db2 makes of it.

use sql::server::plain;
use sql::{Session, schema};

use crate::place::{another, block_on, owner, session};

async fn shown(session: &mut Session, expression: &str) -> String {
    match session.script(format!("SELECT {expression}")).await {
        Ok(answer) => {
            let value = answer.rows.row(0).next().flatten();
            value.map_or("NULL".to_owned(), |value| String::from_utf8_lossy(value).into_owned())
        }
        Err(failure) => failure.to_string(),
    }
}

const EXPRESSIONS: &[(&str, &str)] = &[
    // Texts keep their blanks.
    ("'[' || 'A'::char(3) || 'B'::char(2) || ']'", "[A  B ]"),
    ("db2.concat('A'::char(3), 'B')", "A  B"),
    ("db2.length('A'::char(3))", "3"),
    ("db2.length('ABC ')", "4"),
    ("db2.length(5)", "4"),
    ("db2.length(NULL::text)", "NULL"),
    ("'[' || db2.substr('AB  '::char(4), 2, 3) || ']'", "[B  ]"),
    ("db2.substr('ABCDE', 3)", "CDE"),
    ("db2.\"left\"('ABC'::char(5), 4) || ']'", "ABC ]"),
    ("'[' || db2.\"right\"('ABC'::char(5), 3)", "[C  "),
    ("db2.insert('ABCDE', 2, 3, 'xy')", "AxyE"),
    ("db2.posstr('ABCABC', 'C')", "3"),
    ("db2.locate('C', 'ABCABC')", "3"),
    ("db2.locate('C', 'ABCABC', 4)", "6"),
    ("db2.locate('X', 'ABCABC', 4)", "0"),
    ("db2.translate('abc')", "ABC"),
    ("db2.translate('a-b', 'x', '-')", "axb"),
    ("'[' || db2.translate('a-b', '', '-') || ']'", "[a b]"),
    ("db2.hex('AB '::char(3))", "414220"),
    ("db2.hex(255)", "000000FF"),
    ("'[' || db2.space(3) || ']'", "[   ]"),
    // Numbers are cut.
    ("db2.\"integer\"(2.9)", "2"),
    ("db2.\"integer\"('-2.9')", "-2"),
    ("db2.\"smallint\"(2.9)", "2"),
    ("db2.\"bigint\"('12')", "12"),
    ("db2.digits(-42)", "0000000042"),
    ("db2.digits(-42::smallint)", "00042"),
    ("db2.digits(12.30)", "1230"),
    ("trunc(db2.\"decimal\"('12.999'), 2)", "12.99"),
    ("db2.double('1.5')", "1.5"),
    // So they are where they are stored or cast, in a private server.
    ("1.239::decimal(5,2)", "1.23"),
    ("(-1.239)::decimal(5,2)", "-1.23"),
    ("999.999::decimal(5,2)", "999.99"),
    ("2.9::int", "2"),
    ("(-2.9)::smallint", "-2"),
    ("2.9::float8::bigint", "2"),
    ("2.9::float4::int", "2"),
    ("40000.5::smallint", "22003 smallint out of range"),
    ("'infinity'::timestamp::timestamp(3)", "infinity"),
    ("NULL::timestamp::timestamp(3)", "NULL"),
    ("(timestamp '1999-12-31 23:59:59.9996' + interval '0')::timestamp(3)", "1999-12-31 23:59:59.999"),
    ("(time '23:59:59.9' + interval '0')::time(0)", "23:59:59"),
    ("(time '24:00:00')::time(0)", "24:00:00"),
    // Dates and times.
    ("db2.date('2026-01-31')", "2026-01-31"),
    ("db2.date('01/31/2026')", "2026-01-31"),
    ("db2.date('31.01.2026')", "2026-01-31"),
    ("db2.date(1)", "0001-01-01"),
    ("db2.date(739647)", "2026-01-31"),
    ("db2.\"timestamp\"('2026-01-31-10.30.00.123456')", "2026-01-31 10:30:00.123456"),
    ("db2.\"timestamp\"('2026-01-31', '10.30.00')", "2026-01-31 10:30:00"),
    ("db2.\"time\"('10.30.05')", "10:30:05"),
    ("db2.\"time\"('2026-01-31-10.30.05.9')", "10:30:05.9"),
    ("db2.year('2026-01-31'), db2.month(date '2026-01-31')", "2026"),
    ("db2.month(date '2026-01-31') * 100 + db2.day(timestamp '2026-01-31 00:00:00')", "131"),
    ("db2.hour(time '10:30:05') * 10000 + db2.minute('10.30.05') * 100 + db2.second('10.30.05')", "103005"),
    ("db2.microsecond('2026-01-31-10.30.00.000007')", "7"),
    ("db2.midnight_seconds(time '01:00:01')", "3601"),
    ("db2.days('2026-01-31')", "739647"),
    ("db2.dayofweek(date '2026-02-01'), 1", "1"),
    ("db2.dayofweek_iso(date '2026-02-01')", "7"),
    ("db2.dayofyear(date '2026-02-01')", "32"),
    ("db2.week(date '2026-01-03')", "1"),
    ("db2.week(date '2026-01-04')", "2"),
    ("db2.week_iso(date '2026-01-04')", "1"),
    ("db2.quarter(date '2026-05-04')", "2"),
    ("db2.julian_day(date '2000-01-01')", "2451545"),
    ("db2.last_day(date '2024-02-10')", "2024-02-29"),
    ("db2.add_months(date '2026-02-28', 1)", "2026-03-31"),
    ("db2.add_months(date '2026-01-30', 1)", "2026-02-28"),
    ("db2.months_between(date '2026-03-31', date '2026-02-28')", "1"),
    ("db2.next_day(date '2026-01-31', 'MONDAY')", "2026-02-02"),
    ("db2.next_day(date '2026-01-31', 'SAT')", "2026-02-07"),
    // Labelled durations leave a date a date.
    ("date '2026-01-31' + db2.months(1)", "2026-02-28"),
    ("date '2026-01-31' - db2.days_of(31)", "2025-12-31"),
    ("date '2024-02-29' + db2.years(1)", "2025-02-28"),
    ("timestamp '2026-01-31 10:00:00' + db2.hours(15)", "2026-02-01 01:00:00"),
    ("time '10:00:00' + db2.minutes(90)", "11:30:00"),
    ("timestamp '2026-01-31 10:00:00' + db2.microseconds(5)", "2026-01-31 10:00:00.000005"),
    // As texts.
    ("db2.\"char\"(timestamp '2026-01-31 10:30:00.5')", "2026-01-31-10.30.00.500000"),
    ("db2.\"char\"(date '2026-01-31', 'usa')", "01/31/2026"),
    ("db2.\"char\"(date '2026-01-31', 'eur')", "31.01.2026"),
    ("db2.\"char\"(time '13:05:00', 'usa')", "01:05 PM"),
    ("db2.\"char\"(time '13:05:00')", "13.05.00"),
    ("db2.\"char\"(42) || ']'", "42         ]"),
    ("db2.\"char\"('AB', 4) || ']'", "AB  ]"),
    (
        "db2.timestamp_format('26-01-31 10.30.00123456', 'YY-MM-DD HH24.MI.SSNNNNNN')",
        "2026-01-31 10:30:00.123456",
    ),
    ("db2.varchar_format(timestamp '2026-01-31 10:30:00', 'YYYY-MM-DD HH24:MI:SS')", "2026-01-31 10:30:00"),
    ("db2.length(db2.generate_unique())", "13"),
    // A VARCHAR compares without regard to blanks at its end, and keeps them.
    ("'AB'::db2.varchar_9 = 'AB  '", "t"),
    ("'AB'::db2.varchar_9 = 'AB  '::char(7)", "t"),
    ("db2.length('AB  '::db2.varchar_9)", "4"),
    ("'AB  '::db2.varchar_9 || 'C'", "AB  C"),
    // The catalogue.
    ("ibmreqd FROM sysibm.sysdummy1", "Y"),
];

#[test]
fn expressions_have_db2s_values() {
    block_on(async {
        let mut session = another("public").await;
        session.script("SELECT db2.make_varchar(9)").await.unwrap();
        let mut wrong = Vec::new();
        for (expression, expected) in EXPRESSIONS {
            let found = shown(&mut session, expression).await;
            if found != *expected {
                wrong.push(format!("{expression}: {found}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    });
}

#[test]
fn the_catalogue_shows_tables_as_db2_does() {
    block_on(async {
        let mut session = session("catalogue").await;
        session.script("SELECT db2.make_varchar(20)").await.unwrap();
        let made = "CREATE TABLE acct (id int PRIMARY KEY, name db2.varchar_20 NOT NULL, sum decimal(9,2), day date DEFAULT '2026-01-31');
                    CREATE INDEX acct_x ON acct (day DESC, name); CREATE VIEW acct_v AS SELECT id FROM acct";
        session.script(made).await.unwrap();
        let rows = |answer: &sql::Answer| -> Vec<String> {
            let text = |row| {
                answer
                    .rows
                    .row(row)
                    .map(|value| String::from_utf8_lossy(value.unwrap_or(b"-")).trim().to_owned())
            };
            (0..answer.rows.len()).map(|row| text(row).collect::<Vec<_>>().join(" ")).collect()
        };
        let tables = session
            .script(
                "SELECT name, type, colcount FROM sysibm.systables WHERE creator = 'CATALOGUE' ORDER BY name",
            )
            .await;
        assert_eq!(rows(&tables.unwrap()), ["ACCT T 4", "ACCT_V V 1"]);
        let columns = "SELECT name, coltype, length, scale, nulls, \"default\", keyseq FROM sysibm.syscolumns \
                       WHERE tbcreator = 'CATALOGUE  ' AND tbname = 'ACCT' ORDER BY colno";
        let columns = rows(&session.script(columns).await.unwrap());
        assert_eq!(
            columns,
            [
                "ID INTEGER 4 0 N N 1",
                "NAME VARCHAR 20 0 N N 0",
                "SUM DECIMAL 9 2 Y N 0",
                "DAY DATE 4 0 Y Y 0"
            ]
        );
        let indexes = "SELECT name, uniquerule, colcount FROM sysibm.sysindexes WHERE tbname = 'ACCT' AND creator = 'CATALOGUE' ORDER BY name";
        assert_eq!(rows(&session.script(indexes).await.unwrap()), ["ACCT_PKEY P 1", "ACCT_X D 2"]);
        let keys = "SELECT colname, colseq, ordering FROM sysibm.syskeys WHERE ixname = 'ACCT_X' AND ixcreator = 'CATALOGUE' ORDER BY colseq";
        assert_eq!(rows(&session.script(keys).await.unwrap()), ["DAY 1 D", "NAME 2 A"]);
    });
}

/// Their bodies stand in the plan: no function is called for each value.
#[test]
fn cuts_cost_no_call() {
    block_on(async {
        let mut session = session("cuts").await;
        session.script("CREATE TABLE t (d decimal(5,2), i int)").await.unwrap();
        let answer = session
            .script("EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO t SELECT d * 1.5, d FROM t")
            .await
            .unwrap();
        let line = |at| String::from_utf8_lossy(answer.rows.row(at).next().flatten().unwrap()).into_owned();
        let plan = (0..answer.rows.len()).map(line).collect::<Vec<_>>().join("\n");
        assert!(plan.contains("trunc(") && !plan.contains("cut_"), "{plan}");
    });
}

#[test]
fn schemas_are_installed_once_and_brought_up_to_date() {
    block_on(async {
        let mut session = Session::connect(&owner(), &plain()).await.unwrap();
        schema::install(&mut session).await.unwrap();
        session.script("COMMENT ON SCHEMA db2 IS 'an older one'").await.unwrap();
        schema::install(&mut session).await.unwrap();
        assert!(
            shown(&mut session, "obj_description(to_regnamespace('db2'), 'pg_namespace')")
                .await
                .starts_with("Syncpoint")
        );
    });
}
