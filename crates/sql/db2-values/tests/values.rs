//! Arithmetic, comparison and assignment: a case a line, with the value or the SQLCODE (`!`) that the published rules give it.

mod support;

use std::cmp::Ordering;

use db2::Arithmetic;
use db2_values::Operator::{Add, Divide, Multiply, Subtract};
use db2_values::{Operator, Order, Type, Unfit, Value, assign, calculate, compare, digits, negative};
use ebcdic::CodePage;

use support::{expected, setting, typed, value, values};

#[test]
fn two_numbers() {
    let short = Arithmetic::default();
    let long = Arithmetic { is_long: true, least_scale: 0 };
    let third = Arithmetic { is_long: false, least_scale: 3 };
    for (operator, operands, rules, result) in [
        (Add, "INTEGER 2147483647; SMALLINT 1", short, "INTEGER !-802"),
        (Add, "INTEGER 2147483647; BIGINT 1", short, "BIGINT 2147483648"),
        (Subtract, "BIGINT -9223372036854775808; BIGINT 1", short, "BIGINT !-802"),
        (Divide, "INTEGER -7; INTEGER 2", short, "INTEGER -3"),
        (Divide, "INTEGER 7; INTEGER 0", short, "INTEGER !-802"),
        (Divide, "BIGINT -9223372036854775808; BIGINT -1", short, "BIGINT !-802"),
        (Add, "DECIMAL(5,2) 1.50; INTEGER 1", short, "DECIMAL(14,2) 2.50"),
        (Add, "DECIMAL(15,2) 9999999999999.99; DECIMAL(3,2) 0.01", short, "DECIMAL(15,2) !-802"),
        (Add, "DECIMAL(15,2) 9999999999999.99; DECIMAL(3,2) 0.01", long, "DECIMAL(16,2) 10000000000000.00"),
        (Multiply, "DECIMAL(11,2) 10.05; DECIMAL(3,2) 1.10", short, "DECIMAL(14,4) 11.0550"),
        (Multiply, "DECIMAL(11,2) 1.23; DECIMAL(15,4) 0.0001", short, "DECIMAL(15,6) 0.000123"),
        (Multiply, "DECIMAL(20,2) 3.00; DECIMAL(18,2) 2.50", short, "DECIMAL(31,2) 6.00"),
        (Divide, "DECIMAL(11,2) 10.00; INTEGER 3", short, "DECIMAL(15,6) 3.333333"),
        (Divide, "DECIMAL(7,2) 10.00; DECIMAL(5,2) -3.00", long, "DECIMAL(31,18) -3.333333333333333333"),
        (Divide, "DECIMAL(5,2) 1.00; DECIMAL(5,2) 0.00", short, "DECIMAL(15,10) !-802"),
        (Divide, "DECIMAL(15,0) 10; DECIMAL(5,0) 4", third, "DECIMAL(15,3) 2.500"),
        (Divide, "DOUBLE 1; INTEGER 4", short, "DOUBLE 0.25"),
        (Multiply, "DOUBLE 1e200; DOUBLE 1e200", short, "DOUBLE !-802"),
        (Add, "DECIMAL(5,2) NULL; INTEGER 1", short, "DECIMAL(14,2) NULL"),
    ] {
        let (kinds, numbers) = values(operands);
        let (kind, wanted) = expected(result);
        assert_eq!(digits::result(operator, kinds[0], kinds[1], rules), Ok(kind), "{operator:?} {operands}");
        assert_eq!(calculated(operator, &numbers, &kinds, kind), wanted, "{operator:?} {operands}");
    }
    assert_eq!(negative(&Value::Whole(-32768), Type::Integer), Ok(Value::Whole(32768)));
    assert_eq!(negative(&Value::Whole(i64::MIN), Type::BigInt), Err(Unfit::OVERFLOW));
}

fn calculated(operator: Operator, numbers: &[Value], kinds: &[Type], kind: Type) -> Result<Value, i32> {
    calculate(operator, [&numbers[0], &numbers[1]], [kinds[0], kinds[1]], kind).map_err(|unfit| unfit.code)
}

#[test]
fn two_values_in_their_order() {
    use Ordering::{Equal, Greater, Less};
    let program = Order::default();
    let host = Order::of(CodePage::Ibm037);
    for (operands, order, wanted) in [
        ("CHAR(5) 'AB   '; VARCHAR(9) 'AB'", program, Some(Equal)),
        ("VARCHAR(5) 'A1'; VARCHAR(5) 'AB'", program, Some(Less)),
        ("VARCHAR(5) 'A1'; VARCHAR(5) 'AB'", host, Some(Greater)),
        ("VARBITS(5) 'A1'; VARBITS(5) 'AB'", host, Some(Less)),
        ("VARBINARY(5) 'AB'; VARBINARY(5) 'AB '", program, Some(Less)),
        ("VARBITS(5) 'AB'; VARBITS(5) 'AB '", program, Some(Equal)),
        ("INTEGER 2; DECIMAL(3,1) 2.0", program, Some(Equal)),
        ("BIGINT 9007199254740993; DECIMAL(31,1) 9007199254740992.9", program, Some(Greater)),
        ("DOUBLE 0.5; DECIMAL(3,1) 0.5", program, Some(Equal)),
        ("TIME 24.00.00; TIME 00.00.00", program, Some(Greater)),
        ("DATE 2024-02-29; DATE NULL", program, None),
        ("VARCHAR(5) ''; CHAR(3) '   '", program, Some(Equal)),
    ] {
        let (kinds, both) = values(operands);
        let kind = kinds[0].common(kinds[1]).unwrap();
        assert_eq!(compare(&both[0], &both[1], kind, order), wanted, "{operands} by {order:?}");
    }
}

#[test]
fn columns_take_what_suits() {
    for (given, column) in [
        ("VARCHAR(9) 'AB'", "CHAR(4) 'AB  '"),
        ("VARCHAR(9) 'ABCD   '", "CHAR(4) 'ABCD'"),
        ("VARCHAR(9) 'ABCDE'", "CHAR(4) !-404"),
        ("VARCHAR(9) 'AB   '", "VARCHAR(4) 'AB  '"),
        ("VARBINARY(9) 'AB  '", "VARBINARY(3) !-404"),
        ("INTEGER 32768", "SMALLINT !-406"),
        ("DECIMAL(7,3) 999.999", "DECIMAL(5,2) 999.99"),
        ("DECIMAL(7,3) 1000.000", "DECIMAL(5,2) !-406"),
        ("DOUBLE 1e39", "REAL !-406"),
        ("INTEGER 12", "VARCHAR(5) '12'"),
        ("INTEGER 123456", "CHAR(5) !-404"),
        ("VARCHAR(9) '12'", "INTEGER 12"),
        ("VARCHAR(9) 'x'", "INTEGER !-420"),
        ("VARCHAR(10) '29.02.2024'", "DATE 2024-02-29"),
        ("VARCHAR(10) '29.02.2023'", "DATE !-181"),
        ("VARCHAR(10) 'x'", "TIME !-180"),
        ("INTEGER 1", "DATE !-408"),
        ("DATE 2024-02-29", "INTEGER !-408"),
        ("TIMESTAMP(12) 2024-02-29-10.30.00.123456789", "TIMESTAMP(3) 2024-02-29-10.30.00.123"),
        ("TIMESTAMP(6) 2024-02-29-10.30.00", "TIME 10.30.00"),
        ("DATE 2024-02-29", "CHAR(9) !-404"),
        ("INTEGER NULL", "INTEGER NULL"),
    ] {
        let (kind, wanted) = expected(column);
        let found = assign(value(given).1, kind, true, &setting()).map_err(|unfit| unfit.code);
        assert_eq!(found, wanted, "{given} for {column}");
    }
    let (kind, _) = typed("INTEGER");
    assert_eq!(assign(Value::Null, kind, false, &setting()), Err(Unfit::COLUMN_NULL));
}
