//! Which code a program sees for what a server, or a session, says.

use super::sqlca::Sqlca;
use super::table::{Doing, Row, TABLE, Tokens, When};
use crate::wire::{CannotConnect, ServerFault};

/// Extent of the work that a deadlock or time-out takes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The whole unit of work (DROLLBACK(YES)): -911.
    #[default]
    Unit,
    /// The statement: -913.
    Statement,
}

/// SQLERRD(3) of a deadlock and of a time-out: the reasons 00C90088 and 00C9008E.
const DEADLOCK: i32 = 13_172_872;
const TIME_OUT: i32 = 13_172_878;

impl Sqlca {
    /// The SQLCA that a program sees for a server's error.
    pub fn of_fault(fault: &ServerFault, doing: Doing, scope: Scope) -> Self {
        if &fault.state == b"P0001" || is_of_user(fault.state()) {
            return of_user(fault);
        }
        let row = TABLE.iter().find(|row| fits(row, fault, doing));
        let (code, db2, tokens) =
            row.map_or((-904, b"57011", Tokens::Message), |row| (row.code, row.db2, row.tokens));
        let mut sqlca = Self::error(code, db2);
        sqlca.details[0] = i32::try_from(fault.line).unwrap_or(i32::MAX);
        if code == -443 {
            // A routine's own state.
            sqlca.state = fault.state;
        }
        if code == -104 {
            sqlca.details[4] = i32::try_from(fault.position).unwrap_or(i32::MAX);
        }
        if code == -911 {
            sqlca.details[2] = if matches!(tokens, Tokens::TimeOut) { TIME_OUT } else { DEADLOCK };
            if scope == Scope::Statement {
                (sqlca.code, sqlca.state) = (-913, *b"57033");
            }
        }
        sqlca.tokens = words(tokens, fault);
        sqlca
    }

    /// The SQLCA that a program sees if it gets no session.
    pub fn of_no_session(why: &CannotConnect) -> Self {
        Self::error(-923, b"57015").token(why.to_string())
    }
}

fn fits(row: &Row, fault: &ServerFault, doing: Doing) -> bool {
    fault.state().starts_with(row.state)
        && match row.when {
            When::Always => true,
            When::Says(prefix) => fault.message.starts_with(prefix),
            When::Mentions(part) => fault.message.contains(part),
            When::While(doings, prefix) => doings.contains(&doing) && fault.message.starts_with(prefix),
            When::Constraint(name) => fault.constraint == name,
        }
}

/// Returns true if a state is one that routines raise for their users.
fn is_of_user(state: &str) -> bool {
    matches!(state.as_bytes(), [b'7'..=b'9' | b'I'..=b'O' | b'Q'..=b'W' | b'Y' | b'Z', ..])
}

/// A trigger or function has raised an error of its own.
fn of_user(fault: &ServerFault) -> Sqlca {
    let state = if is_of_user(fault.state()) { fault.state } else { *b"75000" };
    Sqlca::error(-438, &state).token(fault.message.clone())
}

fn words(tokens: Tokens, fault: &ServerFault) -> Vec<String> {
    let upper = |name: &str| match name {
        "" => Vec::new(),
        name => vec![name.to_uppercase()],
    };
    match tokens {
        Tokens::None => Vec::new(),
        Tokens::Constraint => upper(&fault.constraint),
        Tokens::Column => upper(&fault.column),
        Tokens::Names => names(&fault.message).collect(),
        Tokens::First => names(&fault.message).take(1).collect(),
        Tokens::Message => vec![fault.message.clone()],
        Tokens::Deadlock => vec!["00C90088".to_owned()],
        Tokens::TimeOut => vec!["00C9008E".to_owned()],
    }
}

/// Texts in quotation marks.
fn names(message: &str) -> impl Iterator<Item = String> {
    message.split('"').skip(1).step_by(2).map(str::to_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(state: &str, message: &str) -> ServerFault {
        let state = state.as_bytes().try_into().unwrap();
        ServerFault { state, message: message.to_owned(), ..ServerFault::default() }
    }

    #[track_caller]
    fn expect(state: &str, message: &str, doing: Doing, code: i32, db2: &[u8; 5]) -> Sqlca {
        let sqlca = Sqlca::of_fault(&fault(state, message), doing, Scope::Unit);
        assert_eq!((sqlca.code, &sqlca.state), (code, db2), "{state} {message}");
        sqlca
    }

    #[test]
    fn one_state_can_have_several_codes() {
        use Doing::{Definition, Delete, Insert, Select, Update};
        expect("23503", "insert or update on table \"a\" violates", Insert, -530, b"23503");
        expect("23503", "update or delete on table \"a\" violates", Update, -531, b"23504");
        expect("23503", "update or delete on table \"a\" violates", Delete, -532, b"23504");
        expect("22003", "integer out of range", Select, -802, b"22003");
        expect("22003", "numeric field overflow", Insert, -406, b"22003");
        expect("22001", "value too long", Insert, -404, b"22001");
        expect("22001", "value too long", Select, -433, b"22001");
        expect("42501", "permission denied", Definition, -552, b"42502");
        expect("42501", "permission denied for table a", Select, -551, b"42501");
        expect("42703", "column a.b does not exist", Select, -205, b"42703");
        expect("42601", "INSERT has more expressions than target columns", Insert, -117, b"42802");
        expect("42883", "operator does not exist: text + text", Select, -401, b"42818");
        expect("42883", "function f() does not exist", Select, -440, b"42884");
    }

    #[test]
    fn tokens_are_names() {
        assert_eq!(
            expect("42P01", "relation \"app.no\" does not exist", Doing::Select, -204, b"42704").tokens,
            ["APP.NO"]
        );
        assert_eq!(
            expect("42703", "column \"x\" of relation \"a\" does not exist", Doing::Insert, -206, b"42703")
                .tokens,
            ["X", "A"]
        );
    }

    #[test]
    fn unforeseen_states_have_the_code_of_their_class() {
        expect("2203F", "cannot be converted", Doing::Select, -420, b"22018");
        expect("57P04", "database dropped", Doing::Select, -923, b"57015");
        expect("53400", "configuration limit exceeded", Doing::Select, -904, b"57011");
        expect("F0000", "configuration file", Doing::Select, -904, b"57011");
    }

    #[test]
    fn a_state_of_the_user_is_kept() {
        assert_eq!(expect("P0001", "no", Doing::Insert, -438, b"75000").tokens, ["no"]);
        expect("75001", "no", Doing::Insert, -438, b"75001");
        expect("U0001", "no", Doing::Insert, -438, b"U0001");
    }

    #[test]
    fn deadlock_and_time_out_take_the_unit_or_the_statement() {
        let of = |state, scope| {
            let sqlca = Sqlca::of_fault(&fault(state, ""), Doing::Update, scope);
            (sqlca.code, sqlca.state, sqlca.details[2])
        };
        assert_eq!(of("40P01", Scope::Unit), (-911, *b"40001", 13_172_872));
        assert_eq!(of("55P03", Scope::Unit), (-911, *b"40001", 13_172_878));
        assert_eq!(of("40P01", Scope::Statement), (-913, *b"57033", 13_172_872));
    }
}
