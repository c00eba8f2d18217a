//! Tests of what is refused, and of what an application may write.

use crate::letters::Letters;
use crate::mistake::MistakeKind;
use crate::{definition, dynamic};

/// Returns the fault of a statement of a script, or of one that is made at run time; `None` if there is none.
fn fault(text: &str) -> Option<MistakeKind> {
    let letters = Letters::plain(text);
    let read = match definition(&letters) {
        Ok(Some(_)) => return None,
        Ok(None) => dynamic(&letters, crate::Arithmetic::default()).map(|_| ()),
        Err(mistake) => Err(mistake),
    };
    read.err().map(|mistake| mistake.fault)
}

#[test]
fn functions_and_names_of_postgresql_are_none_of_db2() {
    for text in [
        "SELECT PG_READ_FILE('k.key') FROM T",
        "SELECT pg_catalog.pg_read_file('k') FROM T",
        "SELECT \"pg_read_file\" ('k') FROM T",
        "SELECT \"pg_catalog\".\"lower\"('k') FROM T",
        "UPDATE T SET A = LO_EXPORT(1, 'f')",
        "INSERT INTO T VALUES (LO_FROM_BYTEA(0, X'00'))",
        "SELECT A FROM T WHERE EXISTS (SELECT 1 FROM PG_LS_DIR('.') AS X)",
        "WITH X AS (SELECT QUERY_TO_XML('ALTER SYSTEM', TRUE, TRUE, '') AS A FROM T) SELECT A FROM X",
        "VALUES (SET_CONFIG('a', 'b', FALSE))",
        "DELETE FROM T WHERE A = CASE WHEN PG_SLEEP(1) IS NULL THEN 1 END",
        "CREATE VIEW V AS SELECT CURRENT_SETTING('data_directory') AS A FROM T",
        "CREATE TABLE T (A CHAR(9) DEFAULT PG_READ_FILE('k'))",
        "CREATE INDEX X ON T (PG_SLEEP(A))",
        "ALTER TABLE T ADD COLUMN A INTEGER CHECK (PG_SLEEP(1) IS NULL)",
        "MERGE INTO T USING U ON T.A = U.A WHEN MATCHED THEN UPDATE SET A = TXID_CURRENT()",
        "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE SQL RETURN PG_BACKEND_PID()",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN DECLARE A INTEGER; SET A = PG_BACKEND_PID(); END",
        "SELECT NEXTVAL('S') FROM T",
    ] {
        assert_eq!(fault(text), Some(MistakeKind::NoFunction), "{text}");
    }
    for text in [
        "SELECT * FROM PG_CLASS",
        "SELECT * FROM T, PG_SHADOW",
        "DELETE FROM \"pg_class\"",
        "SELECT * FROM INFORMATION_SCHEMA.TABLES",
        "INSERT INTO SYNCPOINT.ENDED VALUES (X'00', 1)",
        "DROP TABLE DB2.SCRIPTS",
        "LOCK TABLE PG_AUTHID IN EXCLUSIVE MODE",
        "CREATE VIEW V AS SELECT * FROM PG_ROLES",
        "SELECT PG_CLASS.OID FROM T",
        "SELECT CAST(A AS PG_CATALOG.INT4) FROM T",
        "CREATE TABLE PG_TOAST.T (A INTEGER)",
    ] {
        assert_eq!(fault(text), Some(MistakeKind::NoName), "{text}");
    }
}

#[test]
fn statements_of_postgresql_are_none_of_db2() {
    for text in [
        "CREATE EXTENSION DBLINK",
        "ALTER SYSTEM SET WORK_MEM = '1MB'",
        "ALTER USER X SUPERUSER",
        "ALTER ROLE X SUPERUSER",
        "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC",
        "CREATE USER X SUPERUSER",
        "CREATE ROLE X SUPERUSER",
        "CREATE SERVER S FOREIGN DATA WRAPPER F",
        "CREATE SUBSCRIPTION S CONNECTION 'x' PUBLICATION P",
        "CREATE RULE R AS ON SELECT TO T DO INSTEAD NOTHING",
        "CREATE CAST (TEXT AS INTEGER) WITHOUT FUNCTION",
        "CREATE LANGUAGE PLPERLU",
        "CREATE EVENT TRIGGER E ON DDL_COMMAND_START EXECUTE FUNCTION F()",
        "DROP SCHEMA DB2 CASCADE",
        "DROP OWNED BY X",
        "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE PLPGSQL AS 'BEGIN RETURN 1; END'",
        "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE SQL AS 'SELECT 1'",
        "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE C AS 'f.so'",
        "CREATE PROCEDURE P (IN A CHAR(9)) LANGUAGE SQL BEGIN EXECUTE IMMEDIATE A; END",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN EXECUTE IMMEDIATE 'SET ROLE X'; END",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN EXECUTE IMMEDIATE 'SELECT PG_SLEEP(1) FROM T'; END",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN DISCARD ALL; END",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN IF 1 = 1 THEN LISTEN X; END IF; END",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN CREATE ROLE X SUPERUSER; END",
        "SET ROLE X",
        "SET SESSION AUTHORIZATION X",
        "SET SESSION_REPLICATION_ROLE = 'replica'",
        "SET SEARCH_PATH = 'X'",
        "SELECT A INTO COPY_OF FROM T",
        "SELECT 1 FROM T; DROP TABLE T",
        "UPDATE T SET A = 1; DELETE FROM T",
        "CREATE TABLE T (A INTEGER); DROP TABLE U",
        "SELECT U&\"\\0070g_class\" FROM T",
        "SELECT E'\\x00' FROM T",
        "ALTER SYSTEM SET X = 1; SELECT 1",
        "COPY T TO 'f'",
        "DO 'BEGIN END'",
        "VACUUM T",
        "LOAD 'x'",
        "RESET ALL",
        "SHOW ALL",
        "LISTEN X",
        "REASSIGN OWNED BY A TO B",
    ] {
        assert!(fault(text).is_some(), "{text}");
    }
}

#[test]
fn what_applications_write_is_theirs() {
    for text in [
        "SELECT UPPER(A), COUNT(*), SUBSTR(B, 1, 2), MYFUNC(A), OWN.LO_EXPORT(A) FROM T",
        "SELECT PG_NO, AGE, NAME FROM AREA WHERE PG_NO IN (1, 2)",
        "INSERT INTO AGE (A, B) VALUES (1, 2)",
        "CREATE TABLE PATH (AGE INTEGER, NAME CHAR(3), FOREIGN KEY (AGE) REFERENCES AREA (AGE))",
        "CREATE UNIQUE INDEX X ON AREA (AGE)",
        "WITH AREA (A) AS (SELECT 1 FROM T), PATH (B) AS (SELECT 2 FROM T) SELECT A, B FROM AREA, PATH",
        "SELECT X.A FROM (SELECT 1 FROM T) AS POINT (A), T X",
        "SELECT A FROM BANK.PG_CLASS",
        "SELECT A FROM FINAL TABLE (INSERT INTO T (A) VALUES (1))",
        "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE SQL RETURN 1",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN DECLARE A INTEGER; SELECT B INTO A FROM T; IF A > 1 THEN UPDATE T SET B = 1; END IF; END",
        "CREATE PROCEDURE P () LANGUAGE SQL BEGIN EXECUTE IMMEDIATE 'ALTER TABLE T ADD B INTEGER'; END",
        "CREATE ROLE X",
        "DROP TABLE T;",
        "SELECT X'C1', N'a', DATE'2020-01-01' FROM T",
        "SET CURRENT SQLID = 'X'",
        "SET CURRENT PACKAGE PATH = 'X'",
        "SET PATH = SYSIBM",
    ] {
        assert_eq!(fault(text), None, "{text}");
    }
}
