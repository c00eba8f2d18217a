//! Instructions of single statements of a program over the region's own tables, for `valgrind --tool=cachegrind`: run with a number of
//! rounds and with none, the difference counts.
//!
//! ```text
//! valgrind --tool=cachegrind target/release/examples/statement_costs KIND ROUNDS
//! ```
//!
//! Kinds: `select` a SELECT by key of four columns; `fetch` a FETCH of the same; `update` and `insert` one row, in units of a hundred.

use std::sync::Arc;

use attachment::{Arguments, Asked, OwnTables, OwnThread, Rules, Unreachable};
use db2::package::{
    Action, Change, Cursor, Form, Orientation, Package, Spot, Statement, Text, Using, Variable,
};
use db2_values::{Order, Timestamp};
use records::{Engine, Limits, Local, Wait};
use sql::codes::Scope;

/// Rows of the table.
const ROWS: u32 = 2_000;

/// Parameters of the CALL: each a field.
struct Storage(Vec<Vec<u8>>);

impl Arguments for Storage {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let bytes =
            self.0.get(usize::from(argument)).and_then(|field| field.get(offset..offset + into.len()));
        into.copy_from_slice(bytes.ok_or(Unreachable { argument, offset })?);
        Ok(())
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let field = self.0.get_mut(usize::from(argument));
        let place = field.and_then(|field| field.get_mut(offset..offset + bytes.len()));
        place.ok_or(Unreachable { argument, offset })?.copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, _: usize, _: &mut [u8]) -> bool {
        false
    }

    fn write_at(&mut self, _: usize, _: &[u8]) -> bool {
        false
    }
}

const FORMS: [Form; 5] = [
    Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true },
    Form::Char { length: 30 },
    Form::Char { length: 4 },
    Form::Packed { digits: 11, scale: 2, signed: true },
    Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true },
];

fn variable(at: usize) -> Variable {
    Variable {
        name: format!("V{at}"),
        argument: at as u16,
        offset: 0,
        form: FORMS[at],
        indicator: None,
        array: None,
    }
}

fn statement(action: Action, text: &str, inputs: &[usize], targets: &[usize]) -> Statement {
    let all = |numbers: &[usize]| numbers.iter().map(|at| variable(*at)).collect();
    Statement {
        action,
        sql: Text::default(),
        inputs: all(inputs),
        targets: all(targets),
        isolation: None,
        has_effects: true,
        at: Spot::default(),
        text: text.to_owned(),
    }
}

fn package() -> Package {
    let cursor = Cursor {
        name: "C".to_owned(),
        prepared: None,
        hold: false,
        read_only: true,
        for_update: false,
        rowset: false,
        scroll: false,
        with_return: false,
        query: "SELECT NAME, BRANCH, BALANCE, CHANGES FROM ACCOUNT WHERE ID >= :V0 ORDER BY ID".to_owned(),
        at: Spot::default(),
    };
    let fetch = Action::Fetch {
        cursor: 0,
        orientation: Orientation::Next,
        is_rowset: false,
        rows: None,
        into: Using::Variables,
    };
    let select = "SELECT NAME, BRANCH, BALANCE, CHANGES INTO :V1, :V2, :V3, :V4 FROM ACCOUNT WHERE ID = :V0";
    Package {
        program: "COSTS".to_owned(),
        cursors: vec![cursor],
        statements: vec![
            statement(Action::Row, select, &[0], &[1, 2, 3, 4]),
            statement(Action::Open { cursor: 0, using: Using::Nothing }, "OPEN C", &[0], &[]),
            statement(fetch, "FETCH C", &[], &[1, 2, 3, 4]),
            statement(Action::Close { cursor: 0 }, "CLOSE C", &[], &[]),
            statement(
                Action::Change(Change::Update),
                "UPDATE ACCOUNT SET CHANGES = CHANGES + 1 WHERE ID = :V0",
                &[0],
                &[],
            ),
            statement(
                Action::Change(Change::InsertValues),
                "INSERT INTO ACCOUNT VALUES (:V0, 'NEW', 'B002', 1, 0)",
                &[0],
                &[],
            ),
        ],
        ..Package::default()
    }
}

async fn measure(folder: &std::path::Path, kind: &str, rounds: u32) {
    let limits = Limits { base_bytes: 256 << 20, ..Limits::default() };
    let engine = Local::open(folder, limits).expect("an engine");
    let rules = Rules {
        order: Order::default(),
        schema: "BANK".to_owned(),
        further: Vec::new(),
        patience: Wait::Forever,
    };
    let tables = OwnTables::open(Arc::clone(&engine) as Arc<dyn Engine>, rules).await.expect("tables");
    let now = Timestamp::parse(b"2026-11-29-10.30.00").expect("a time");
    let rows: String = (0..ROWS)
        .map(|id| format!("INSERT INTO ACCOUNT VALUES ({id}, 'ACCOUNT {id:08}', 'B001', 1234.56, 0);\n"))
        .collect();
    let script = format!(
        "CREATE TABLE ACCOUNT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(30) NOT NULL, BRANCH CHAR(4) NOT NULL, \
         BALANCE DECIMAL(11, 2) NOT NULL, CHANGES INTEGER NOT NULL);\n{rows}"
    );
    tables.run_script("accounts", &script, now).await.expect("run");
    engine.checkpoint().expect("a checkpoint");
    let owner = engine.locks().new_owner();
    let (mut thread, mut unit) = (OwnThread::new(&tables, owner), engine.begin(owner));
    let package = package();
    let token = package.token();
    let mut storage = Storage(FORMS.iter().map(|form| vec![0; form.size()]).collect());
    for round in 0..rounds {
        let id = if kind == "insert" { ROWS + round } else { round * 7_919 % (ROWS - 100) };
        storage.0[0] = id.to_be_bytes().to_vec();
        let numbers: &[u16] = match (kind, round % 100) {
            ("fetch", 0) => &[2, 3],
            ("fetch", 99) => &[3, 4],
            ("fetch", _) => &[3],
            ("update", _) => &[5],
            ("insert", _) => &[6],
            _ => &[1],
        };
        for number in numbers {
            let asked =
                Asked { level: 1, token, package: &package, number: *number, scope: Scope::Unit, now };
            let done = thread.execute(asked, &mut *unit, &mut storage).await.expect("a statement");
            assert_eq!(done.sqlca.code, 0, "{kind} {round}");
        }
        if round % 100 == 99 && matches!(kind, "update" | "insert") {
            std::mem::replace(&mut unit, engine.begin(owner)).commit_unforced().await.expect("a commit");
            thread.committed();
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "select".into());
    let rounds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure(folder.path(), &kind, rounds));
}
