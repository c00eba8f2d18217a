//! Intrinsic functions of floating point, statistics, moments and texts: what they give, and what they may not be given.

mod support;

use cobol_syntax::Texts;
use support::{check_shown, lowered, program, shown};

const DATA: &str = "01 A PIC S9(5)V99 VALUE 12.34.\n01 N PIC S9(4) COMP VALUE -3.\n01 R PIC S9(5)V9(9).\n01 E PIC -(5)9.9(9).\n\
     01 X PIC X(10) VALUE 'HELLO'.\n01 Y PIC X(30).\n01 L COMP-2 VALUE 0.25.\n01 I PIC 9 VALUE 2.\n\
     01 T.\n 05 K PIC 9(3) OCCURS 4.\n01 W.\n 05 C COMP-1 OCCURS 3.";

#[track_caller]
fn number(function: &str, expected: &str) {
    let statements =
        format!("MOVE '005001004002' TO T COMPUTE R ROUNDED = FUNCTION {function} MOVE R TO E DISPLAY E.");
    check_shown(DATA, &statements, &format!("{expected:>16}"));
}

#[track_caller]
fn text(function: &str, expected: &str) {
    check_shown(DATA, &format!("MOVE FUNCTION {function} TO Y DISPLAY Y."), expected);
}

#[track_caller]
fn abends(statement: &str) {
    let found = shown(DATA, &format!("{statement}."));
    assert!(found.starts_with("argument of a function at line"), "{statement}: {found}");
}

#[test]
fn floating_point() {
    number("SQRT(2)", "1.414213562");
    number("SQRT(A * A)", "12.340000000");
    number("PI", "3.141592654");
    number("E", "2.718281828");
    number("SIN(1)", "0.841470985");
    number("COS(0)", "1.000000000");
    number("TAN(L)", "0.255341921");
    number("ASIN(1)", "1.570796327");
    number("ACOS(L)", "1.318116072");
    number("ATAN(-1)", "-0.785398163");
    number("EXP(2)", "7.389056099");
    number("EXP10(N)", "0.001000000");
    number("LOG(10)", "2.302585093");
    number("LOG10(1000)", "3.000000000");
    number("ANNUITY(0.1 2)", "0.576190476");
    number("ANNUITY(0 4)", "0.250000000");
    number("PRESENT-VALUE(0.1 110 121)", "200.000000000");
    number("VARIANCE(K(ALL))", "2.500000000");
    number("STANDARD-DEVIATION(2 4)", "1.000000000");
    number("NUMVAL-F(' -1.25E2 ')", "-125.000000000");
    number("EXP(1 / 2)", "1.648721271");
    abends("COMPUTE R = FUNCTION SQRT(N)");
    abends("COMPUTE R = FUNCTION LOG(0)");
    abends("COMPUTE R = FUNCTION ACOS(2)");
    abends("COMPUTE R = FUNCTION ANNUITY(-1 2)");
    abends("COMPUTE R = FUNCTION NUMVAL-F('1,5')");
    check_shown(DATA, "COMPUTE R = FUNCTION EXP(999999999) ON SIZE ERROR DISPLAY 'S'.", "S");
}

#[test]
fn statistics() {
    number("MEAN(1 2 2)", "1.666666667");
    number("MEAN(K(ALL))", "3.000000000");
    number("MEDIAN(K(ALL))", "3.000000000");
    number("MEDIAN(7 N A)", "7.000000000");
    number("MIDRANGE(N A)", "4.670000000");
    number("RANGE(L 1 -1)", "2.000000000");
    number("MAX(L A 3)", "12.340000000");
    number("MIN(L N)", "-3.000000000");
    number("SUM(L L A)", "12.840000000");
    number("ABS(L - 1)", "0.750000000");
    number("INTEGER(L - 1)", "-1.000000000");
    number("INTEGER-PART(L - 2)", "-1.000000000");
    number("SIGN(L)", "1.000000000");
    number("MEAN(L 1)", "0.625000000");
    number("MEDIAN(L 1 3 2)", "1.500000000");
    number("MIDRANGE(L 1 3)", "1.625000000");
    number("FACTORIAL(5)", "120.000000000");
    number("MAX(A / 3 1.5)", "4.110000000");
    number("MOD(A 5)", "2.000000000");
    check_shown(
        DATA,
        "MOVE 1.5 TO C(1) C(2) MOVE 3 TO C(3) COMPUTE R = FUNCTION MEAN(C(ALL)) MOVE R TO E DISPLAY E.",
        "     2.000000000",
    );
    abends("COMPUTE R = FUNCTION FACTORIAL(29)");
    abends("COMPUTE R = FUNCTION FACTORIAL(N)");
}

#[test]
fn random_numbers() {
    let drawn = shown(
        DATA,
        "COMPUTE R = FUNCTION RANDOM(7) DISPLAY R COMPUTE R = FUNCTION RANDOM DISPLAY R\n\
         COMPUTE R = FUNCTION RANDOM(7) DISPLAY R COMPUTE R = FUNCTION RANDOM DISPLAY R.",
    );
    let lines: Vec<&str> = drawn.lines().collect();
    let [first, second, again, behind] = lines[..] else { panic!("{drawn}") };
    assert_eq!((first, second), (again, behind), "a seed begins the same sequence");
    assert_ne!(first, second);
}

/// A seed is any whole number from zero on, as long as it may be; greater ones than 2,147,483,645 need not be distinct.
#[test]
fn seeds_of_random_numbers() {
    for seed in
        ["0", "2147483645", "2147483646", "2147483647", "4294967296", "20261127203000", "999999999999999999"]
    {
        let drawn = shown(
            DATA,
            &format!(
                "COMPUTE R = FUNCTION RANDOM({seed}) IF R >= 0 AND R < 1 DISPLAY 'FITS' END-IF.\n\
                 COMPUTE R = FUNCTION RANDOM IF R >= 0 AND R < 1 DISPLAY 'FITS' END-IF."
            ),
        );
        assert_eq!(drawn.lines().collect::<Vec<_>>(), ["FITS", "FITS"], "{seed}: {drawn}");
    }
    abends("COMPUTE R = FUNCTION RANDOM(N)");
}

/// Each function at the edges of its published arguments.
#[test]
fn edges_of_arguments() {
    let whole = |function: &str, expected: &str| {
        let data = "01 D PIC S9(18).\n01 E PIC -(18)9.\n01 X PIC X(10) VALUE 'HELLO'.";
        let statements = format!("COMPUTE D = FUNCTION {function} MOVE D TO E DISPLAY E.");
        check_shown(data, &statements, &format!("{expected:>19}"));
    };
    whole("INTEGER-OF-DATE(16010101)", "1");
    whole("INTEGER-OF-DATE(99991231)", "3067671");
    whole("INTEGER-OF-DATE(20240229)", "154557");
    whole("INTEGER-OF-DATE(20000229)", "145791");
    whole("DATE-OF-INTEGER(1)", "16010101");
    whole("DATE-OF-INTEGER(3067671)", "99991231");
    whole("DATE-OF-INTEGER(154557)", "20240229");
    whole("INTEGER-OF-DAY(1601001)", "1");
    whole("INTEGER-OF-DAY(2024366)", "154863");
    whole("DAY-OF-INTEGER(3067671)", "9999365");
    whole("TEST-DATE-YYYYMMDD(20230229)", "3");
    whole("TEST-DATE-YYYYMMDD(19000229)", "3");
    whole("TEST-DATE-YYYYMMDD(20240229)", "0");
    whole("TEST-DATE-YYYYMMDD(20241301)", "2");
    whole("TEST-DATE-YYYYMMDD(16001231)", "1");
    whole("TEST-DAY-YYYYDDD(2023366)", "2");
    whole("TEST-DAY-YYYYDDD(2024366)", "0");
    for date in ["16001231", "20230229", "0", "-20240229", "100000101"] {
        abends(&format!("COMPUTE R = FUNCTION INTEGER-OF-DATE({date})"));
    }
    for day in ["2023366", "2024000", "1600366"] {
        abends(&format!("COMPUTE R = FUNCTION INTEGER-OF-DAY({day})"));
    }
    for day in ["0", "-1", "3067672"] {
        abends(&format!("COMPUTE R = FUNCTION DATE-OF-INTEGER({day})"));
        abends(&format!("COMPUTE R = FUNCTION DAY-OF-INTEGER({day})"));
    }
    whole("YEAR-TO-YYYY(0 -120)", "1900");
    abends("COMPUTE R = FUNCTION YEAR-TO-YYYY(100)");
    abends("COMPUTE R = FUNCTION YEAR-TO-YYYY(-1)");
    abends("COMPUTE R = FUNCTION YEAR-TO-YYYY(0 9999)");
    whole("FACTORIAL(0)", "1");
    whole("FACTORIAL(19)", "121645100408832000");
    abends("COMPUTE R = FUNCTION FACTORIAL(-1)");
    abends("COMPUTE R = FUNCTION FACTORIAL(29)");
    whole("MOD(-11 5)", "4");
    whole("MOD(11 -5)", "-4");
    whole("REM(-11 5)", "-1");
    whole("INTEGER(-1.5)", "-2");
    whole("INTEGER-PART(-1.5)", "-1");
    whole("SIGN(-0.5)", "-1");
    whole("SIGN(0)", "0");
    whole("ABS(-999999999999999999)", "999999999999999999");
    whole("ORD(FUNCTION CHAR(1))", "1");
    whole("ORD(FUNCTION CHAR(256))", "256");
    abends("DISPLAY FUNCTION CHAR(0)");
    abends("DISPLAY FUNCTION CHAR(257)");
    whole("LENGTH(FUNCTION TRIM(X))", "5");
    whole("ORD-MAX(3 7 7)", "2");
    whole("ORD-MIN(7 3 3)", "2");
    whole("NUMVAL(' - 123 ')", "-123");
    whole("NUMVAL('123CR')", "-123");
    whole("NUMVAL('          ')", "0");
    whole("TEST-NUMVAL('12X')", "3");
    abends("COMPUTE R = FUNCTION NUMVAL('1 2')");
    number("SQRT(0)", "0.000000000");
    number("LOG(1)", "0.000000000");
    number("ACOS(1)", "0.000000000");
    number("ASIN(-1)", "-1.570796327");
    abends("COMPUTE R = FUNCTION LOG10(-1)");
    abends("COMPUTE R = FUNCTION ASIN(1.0001)");
    abends("COMPUTE R = FUNCTION ANNUITY(0.1 0)");
    abends("COMPUTE R = FUNCTION PRESENT-VALUE(-1 1)");
    number("VARIANCE(5)", "0.000000000");
    number("MEDIAN(1 2)", "1.500000000");
    number("MIDRANGE(-1 2)", "0.500000000");
    number("RANGE(-1 2)", "3.000000000");
}

#[test]
fn numbers_as_characters() {
    text("LENGTH(X)", "10");
    text("MOD(-7 3)", "2");
    check_shown(
        DATA,
        "DISPLAY FUNCTION ABS(N) ' ' FUNCTION MAX(A 1) ' ' FUNCTION INTEGER(-1.5) '|'.",
        "3 12.34 -2|",
    );
    check_shown(DATA, "DISPLAY FUNCTION SQRT(4).", " .20000000000000000E 01");
    check_shown(
        DATA,
        "MOVE SPACES TO Y STRING FUNCTION LENGTH(X) '!' DELIMITED BY SIZE INTO Y DISPLAY Y.",
        "10!",
    );
}

#[test]
fn texts() {
    text("CONCATENATE(X(1:5) '-' 'AB')", "HELLO-AB");
    text("SUBSTITUTE(X 'L' 'ZZ' 'O' '0')", "HEZZZZ0");
    text("MAX('AB' X 'C')", "HELLO");
    text("MIN('AB' X FUNCTION LOWER-CASE('AA'))", "AB");
    text("HEX-OF(N)", "FFFD");
    text("HEX-OF('A1')", "4131");
    text("BIT-OF('A')", "01000001");
    text("HEX-TO-CHAR('4a4B')", "JK");
    text("BIT-TO-CHAR('0100001001000011')", "BC");
    number("ORD-MAX('A' 'C' 'B')", "2.000000000");
    number("ORD-MIN(X 'C' 'B')", "3.000000000");
    abends("MOVE FUNCTION HEX-TO-CHAR('4') TO Y");
    abends("MOVE FUNCTION BIT-TO-CHAR('00000002') TO Y");
    let identifier = shown(DATA, "MOVE FUNCTION UUID4 TO Y DISPLAY Y.");
    assert_eq!((identifier.as_bytes()[8], identifier.as_bytes()[14]), (b'-', b'4'), "{identifier}");
}

#[test]
fn moments() {
    // Now is 2026-11-23 14:05:09.12, an hour ahead.
    text("WHEN-COMPILED", "2026112314050912+0100");
    check_shown(DATA, "MOVE FUNCTION WHEN-COMPILED(I:4) TO Y DISPLAY Y.", "0261");
    text("FORMATTED-CURRENT-DATE('YYYY-MM-DDThh:mm:ss.ss+hh:mm')", "2026-11-23T14:05:09.12+01:00");
    text("FORMATTED-DATE('YYYYMMDD' 155555)", "20261123");
    text("FORMATTED-TIME('hh:mm:ss.s' 3661.55)", "01:01:01.5");
    text("FORMATTED-TIME('hhmmssZ' 3661 60)", "000101Z");
    text("FORMATTED-DATETIME('YYYY-DDDThh:mm:ss' 155555 0)", "2026-327T00:00:00");
    number("SECONDS-PAST-MIDNIGHT", "50709.000000000");
    number("COMBINED-DATETIME(1234 50000)", "1234.500000000");
    number("SECONDS-FROM-FORMATTED-TIME('hh:mm:ss.s' '01:00:01.5')", "3601.500000000");
    number("TEST-FORMATTED-DATETIME('YYYYMMDD' '20261323')", "6.000000000");
    number("TEST-FORMATTED-DATETIME('YYYYMMDD' '20261123')", "0.000000000");
    number("TEST-NUMVAL-F('1E')", "3.000000000");
    check_shown(
        DATA,
        "COMPUTE R = FUNCTION INTEGER-OF-FORMATTED-DATE('YYYY-MM-DD' '1601-01-02') MOVE R TO E DISPLAY E.",
        "     2.000000000",
    );
    abends("MOVE FUNCTION FORMATTED-DATE('YYYYMMDD' 0) TO Y");
    abends("MOVE FUNCTION FORMATTED-TIME('hhmmss' 86400) TO Y");
}

#[test]
fn what_is_refused() {
    let refused = |statements: &str, what: &str| {
        let message = lowered(&program(DATA, statements)).unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    refused("MOVE FUNCTION FORMATTED-DATE('DD.MM.YYYY' 1) TO Y.", "this format of FUNCTION FORMATTED-DATE");
    refused("MOVE FUNCTION FORMATTED-DATE(X 1) TO Y.", "this format of FUNCTION FORMATTED-DATE");
    refused("MOVE FUNCTION SQRT(2) TO Y.", "FUNCTION SQRT as characters");
    refused("MOVE FUNCTION CONTENT-OF(X 1) TO Y.", "FUNCTION CONTENT-OF");
    refused("DISPLAY FUNCTION CONTENT-OF(ADDRESS OF X).", "FUNCTION CONTENT-OF of an address");
    refused("COMPUTE R = FUNCTION SIN(1 2).", "FUNCTION SIN");
}

#[test]
fn numval_c_with_its_own_currency_sign() {
    let data = "01 N PIC S9(5)V99.\n01 E PIC -(5)9.99.\n01 A PIC X(13) VALUE ' -EUR 1,234.5'.";
    let check = |statement: &str, expected: &str| {
        check_shown(data, &format!("COMPUTE N = {statement} MOVE N TO E DISPLAY E."), expected);
    };
    check("FUNCTION NUMVAL-C (A, 'EUR')", " -1234.50");
    check("FUNCTION NUMVAL-C ('$7' '$')", "     7.00");
    check_shown(data, "IF FUNCTION TEST-NUMVAL-C (A) = 3 DISPLAY 'THIRD' END-IF.", "THIRD");
}

#[test]
fn characters_of_unicode() {
    let data = format!(
        "{DATA}\n01 U PIC X(6) VALUE X'4BC3A4666572'.\n01 V PIC N(4) VALUE NX'0061D83DDE000062'.\n01 D PIC 9(3)."
    );
    let number = |function: &str, expected: &str| {
        check_shown(&data, &format!("COMPUTE D = FUNCTION {function} DISPLAY D."), expected);
    };
    number("ULENGTH(U)", "005");
    number("ULENGTH(V)", "003");
    number("UPOS(U 3)", "004");
    number("UPOS(V 3)", "004");
    number("UPOS(U 9)", "000");
    number("UWIDTH(U 2)", "002");
    number("USUPPLEMENTARY(V)", "002");
    number("UVALID(U(1:2))", "002");
    number("UVALID(V)", "000");
    number("LENGTH(V)", "004");
    number("LENGTH(V(2:D + 1))", "001");
    number("BYTE-LENGTH(V)", "008");
    check_shown(&data, "IF FUNCTION USUBSTR(U 2 2) = X'C3A466' DISPLAY 'PART'.", "PART");
    check_shown(&data, "IF FUNCTION USUBSTR(V 3 1) = N'b' DISPLAY 'PART'.", "PART");
    abends("DISPLAY FUNCTION ULENGTH(U2)".replace("U2", "X'FF'").as_str());
    abends("DISPLAY FUNCTION USUBSTR(X 10 2)");
}

/// Without DATEPROC no item is a date.
#[test]
fn functions_of_dates_with_windows() {
    check_shown(
        DATA,
        "DISPLAY FUNCTION UNDATE(X) FUNCTION DATEVAL(I 'YYXXXX') FUNCTION YEARWINDOW.",
        "HELLO     20",
    );
    number("UNDATE(FUNCTION DATEVAL(A 'YY'))", "12.340000000");
    let refused = lowered(&format!("CBL DATEPROC\n{}", program(DATA, "DISPLAY FUNCTION UNDATE(X).")));
    assert!(refused.expect_err("it is refused").contains("FUNCTION UNDATE with DATEPROC"));
}

/// Items of the records' examples.
const OF_RECORDS: &str =
    "01 X PIC X(5) VALUE 'HELLO'.\n01 Z PIC N(5) VALUE N'HELLO'.\n01 U PIC U(5) VALUE 'HELLO'.";

/// A record is right about its function: its example gives what is shown, as code as by the interpreter, and every function has one.
#[test]
fn every_record_is_tried() {
    let mut wrong = Vec::new();
    for record in cobol_syntax::functions() {
        let found = shown(OF_RECORDS, &format!("DISPLAY {}.", record.example));
        if found.trim_end_matches('\n') != record.shown {
            wrong.push(format!("{} shows {found}", record.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Another number of arguments than the record says is refused by the function's name, and so are characters that it does not take.
#[test]
fn every_record_refuses_what_it_does_not_name() {
    let mut wrong = Vec::new();
    for record in cobol_syntax::functions() {
        let call = |count: usize| {
            let arguments = vec!["1"; count].join(" ");
            let arguments = if count == 0 { String::new() } else { format!("({arguments})") };
            lowered(&program(OF_RECORDS, &format!("DISPLAY FUNCTION {}{arguments}.", record.name)))
        };
        let few = record.arguments.least.checked_sub(1);
        // What takes no arguments has no parentheses, either.
        let many = record.arguments.most.filter(|most| *most > 0).map(|most| most + 1);
        for count in few.into_iter().chain(many) {
            let told = call(count).expect_err("it has another number of arguments");
            assert!(told.contains(&format!("FUNCTION {} has", record.name)), "{told}");
        }
        if record.example.contains("(X") {
            let all = matches!(record.texts, Texts::Same | Texts::All);
            for (other, all) in [("(Z", all), ("(U", all || record.texts == Texts::Utf8)] {
                let text = format!("DISPLAY {}.", record.example.replace("(X", other));
                if lowered(&program(OF_RECORDS, &text)).is_ok() != all {
                    wrong.push(text);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// It is its argument, and of its category: user-defined functions take it BY CONTENT.
#[test]
fn content_of_is_its_argument() {
    let data = "01 X PIC X(3) VALUE 'abc'.\n01 N PIC S9(3)V9 COMP-3 VALUE -1.5.\n01 K PIC N(2) VALUE NX'20AC0041'.\n01 U PIC U(2) VALUE U'\\u00e9'.\n01 R PIC S9(3)V9.";
    let statements = "DISPLAY FUNCTION CONTENT-OF(X) FUNCTION UPPER-CASE(FUNCTION CONTENT-OF(X)) \
        COMPUTE R = FUNCTION CONTENT-OF(N) * 2 IF R = -3 DISPLAY 'NUMBER' END-IF \
        IF FUNCTION CONTENT-OF(K) = K AND FUNCTION CONTENT-OF(U) = U DISPLAY FUNCTION CONTENT-OF(U) '|'.";
    check_shown(data, statements, "abcABC\nNUMBER\n\u{e9} |");
}
