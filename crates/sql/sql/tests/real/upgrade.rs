//! Schemas of an earlier version are brought up to date, whatever CREATE OR REPLACE refuses: an application's tables keep their
//! rows, and its views and indexes work on.

use sql::server::{Server, plain};
use sql::{Address, Session, Settings, schema};

use crate::place::{another, block_on, owner, private};
use crate::server::own;

/// Changes by which the owner of the schemas makes them those of an earlier version: functions with parameters of other names, with another result, a view with other
/// columns. The first one is an earlier version's as it was.
const EARLIER: &str = "
    DROP FUNCTION db2.total_type(int, int);
    CREATE FUNCTION db2.total_type(int, mode int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
        CASE WHEN $1 <= 0 THEN coalesce(db2.plain_type($1, $1), 0)
            ELSE CASE WHEN $2 / 10 = 31 OR $1 / 100 > 15 THEN least(31, $1 / 100 + 10) ELSE 15 END * 100 + $1 % 100 END;
    DROP FUNCTION db2.quotient(numeric, numeric, int, int);
    CREATE FUNCTION db2.quotient(numeric, numeric, type_of_second int, type_of_result int) RETURNS numeric LANGUAGE plpgsql IMMUTABLE
        AS $$BEGIN RETURN -1; END$$;
    DROP FUNCTION db2.locate_in_string(text, text);
    CREATE FUNCTION db2.locate_in_string(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 77;
    DROP FUNCTION db2.column_type(text, text[]);
    CREATE FUNCTION db2.column_type(name text, VARIADIC places text[]) RETURNS int LANGUAGE sql IMMUTABLE RETURN 77;
    DROP VIEW sysibm.syspackage;
    CREATE VIEW sysibm.syspackage AS SELECT 'X'::text AS owned_by, 1 AS first;
    GRANT SELECT ON sysibm.syspackage TO PUBLIC";

/// An application's own: a table, and what uses functions and views of the schemas.
const OWN: &str = "
    CREATE TABLE public.kept (a decimal(7, 2), t text);
    INSERT INTO public.kept VALUES (10, 'ABCB'), (20, 'B');
    CREATE INDEX kept_index ON public.kept (db2.locate_in_string(t, 'B'));
    CREATE VIEW public.shown AS SELECT db2.quotient(a, 4, 702, 1502) AS quarter, db2.total_type(702, 150) AS kind,
        db2.column_type('a', 'public.kept') AS column FROM public.kept;
    CREATE VIEW public.packages AS SELECT owned_by FROM sysibm.syspackage";

async fn texts(address: &Address, query: &str) -> Vec<String> {
    let mut session = Session::connect(address, &Settings::default()).await.unwrap();
    let answer = session.script(query.to_owned()).await.unwrap_or_else(|why| panic!("{query}: {why}"));
    let text = |value: Option<&[u8]>| {
        value.map_or("-".to_owned(), |value| String::from_utf8_lossy(value).into_owned())
    };
    let row = |at| answer.rows.row(at).map(text).collect::<Vec<_>>().join(" ");
    let rows = (0..answer.rows.len()).map(row).collect();
    session.close().await;
    rows
}

async fn change(address: &Address, text: &str) {
    let mut session = Session::connect(address, &plain()).await.unwrap();
    session.script(text.to_owned()).await.unwrap();
    session.close().await;
}

/// Query of those that made room and are still used.
const ASIDE: &str = "SELECT regexp_replace(proname, '\\d+', 'n') FROM pg_proc WHERE pronamespace = 'db2'::regnamespace AND proname ~ '\\(' \
    UNION ALL SELECT regexp_replace(relname, '\\d+', 'n') FROM pg_class WHERE relnamespace = 'sysibm'::regnamespace AND relname ~ '\\(' ORDER BY 1";

/// Checks that the schemas are those of this version, with the application's own still there.
async fn is_up_to_date(address: &Address, owner: &Address) {
    let shown = "SELECT * FROM public.shown ORDER BY 1";
    assert_eq!(
        texts(address, shown).await,
        ["2.50 1502 702", "5.00 1502 702"],
        "a view computes as its functions now do"
    );
    assert_eq!(texts(address, "SELECT a, t FROM public.kept ORDER BY 1").await, ["10.00 ABCB", "20.00 B"]);
    assert_eq!(texts(address, "SELECT owned_by FROM public.packages").await, ["X"]);
    let new = "SELECT db2.quotient(10.0, 4.0, 702, 1502), db2.locate_in_string('ABCB', 'B'), db2.column_type('t', 'public.kept')";
    assert_eq!(texts(address, new).await, ["2.50 2 0"]);
    assert_eq!(texts(address, "SELECT count(location) FROM sysibm.syspackage WHERE false").await, ["0"]);
    let aside =
        ["column_type (n)", "locate_in_string (n)", "quotient (n)", "syspackage (n)", "total_type (n)"];
    assert_eq!(texts(owner, ASIDE).await, aside);
}

#[test]
fn a_private_server_of_an_earlier_version_is_brought_up_to_date() {
    block_on(async {
        let folder = tokio::task::spawn_blocking(|| own("earlier")).await.unwrap();
        let private = private(&folder);
        let server = Server::start(&private).await.unwrap();
        change(&server.owner(), EARLIER).await;
        change(&server.address(), OWN).await;
        change(&server.owner(), "COMMENT ON SCHEMA db2 IS 'an earlier one'; COMMENT ON FUNCTION db2.cut_numeric(numeric, int) IS NULL").await;
        server.stop().await.unwrap();
        let server = Server::start(&private).await.unwrap();
        is_up_to_date(&server.address(), &server.owner()).await;

        // An item that nothing uses any more goes with the next version.
        change(
            &server.address(),
            "DROP VIEW public.shown; DROP VIEW public.packages; DROP INDEX public.kept_index",
        )
        .await;
        change(&server.owner(), "COMMENT ON SCHEMA db2 IS 'an earlier one'").await;
        server.stop().await.unwrap();
        let server = Server::start(&private).await.unwrap();
        assert!(texts(&server.owner(), ASIDE).await.is_empty());
        server.stop().await.unwrap();
    });
}

#[test]
fn a_script_for_an_administrator_runs_twice_and_on_an_earlier_version() {
    block_on(async {
        let mut session = Session::connect(&owner(), &plain()).await.unwrap();
        session.script("DROP DATABASE IF EXISTS managed").await.unwrap();
        session.script("CREATE DATABASE managed").await.unwrap();
        session.close().await;
        drop(another("public").await);
        let managed = Address { database: "managed".to_owned(), ..owner() };
        let script = schema::script("syncpoint");
        change(&managed, &script).await;
        change(&managed, &script).await;
        change(&managed, EARLIER).await;
        change(&managed, OWN).await;
        change(&managed, &script).await;
        is_up_to_date(&managed, &managed).await;
        change(&managed, &script).await;
        is_up_to_date(&managed, &managed).await;
    });
}
