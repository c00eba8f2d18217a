-- The schema sysibm: the catalogue as programs ask Db2 for it. Names are in upper case there; one column for each that
-- programs are known to read. A program has no right to PostgreSQL's catalogue but through these views, so they call no function
-- that reads it.
CREATE SCHEMA IF NOT EXISTS sysibm;
GRANT USAGE ON SCHEMA sysibm TO PUBLIC;

CREATE OR REPLACE VIEW sysibm.sysdummy1 AS SELECT 'Y'::char(1) AS ibmreqd;

CREATE OR REPLACE VIEW sysibm.systables AS
SELECT upper(c.relname)::bpchar AS name,
       upper(n.nspname)::bpchar AS creator,
       (CASE c.relkind WHEN 'v' THEN 'V' WHEN 'm' THEN 'M' ELSE 'T' END)::char(1) AS type,
       upper(current_database())::bpchar AS dbname,
       upper(c.relname)::bpchar AS tsname,
       (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::smallint AS colcount,
       greatest(c.reltuples, -1)::double precision AS cardf,
       (SELECT count(*) FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = c.oid)::smallint AS parents,
       (SELECT count(*) FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = c.oid)::smallint AS children,
       coalesce((SELECT d.description FROM pg_description d WHERE d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0), '')::bpchar AS remarks,
       upper(pg_get_userbyid(c.relowner))::bpchar AS owner
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'db2', 'syncpoint');

-- A domain counts as the type that it stands for.
CREATE OR REPLACE VIEW sysibm.syscolumns AS
SELECT upper(a.attname)::bpchar AS name,
       upper(c.relname)::bpchar AS tbname,
       upper(n.nspname)::bpchar AS tbcreator,
       a.attnum::smallint AS colno,
       (CASE
            WHEN t.typname LIKE 'varchar\_%' AND tn.nspname = 'db2' THEN 'VARCHAR'
            WHEN t.typname = 'int2' THEN 'SMALLINT'
            WHEN t.typname = 'int4' THEN 'INTEGER'
            WHEN t.typname = 'int8' THEN 'BIGINT'
            WHEN t.typname = 'numeric' THEN 'DECIMAL'
            WHEN t.typname IN ('float4', 'float8') THEN 'FLOAT'
            WHEN t.typname = 'bpchar' THEN 'CHAR'
            WHEN t.typname = 'varchar' THEN 'VARCHAR'
            WHEN t.typname = 'text' THEN 'CLOB'
            WHEN t.typname = 'bytea' THEN 'BLOB'
            WHEN t.typname = 'timestamp' THEN 'TIMESTMP'
            WHEN t.typname = 'timestamptz' THEN 'TIMESTZ'
            ELSE upper(t.typname)
        END)::char(8) AS coltype,
       (CASE
            WHEN t.typname LIKE 'varchar\_%' AND tn.nspname = 'db2' THEN substr(t.typname, 9)::int
            WHEN t.typname IN ('bpchar', 'varchar') AND a.atttypmod > 4 THEN a.atttypmod - 4
            WHEN t.typname = 'numeric' AND a.atttypmod > 4 THEN (a.atttypmod - 4) >> 16
            WHEN t.typname = 'date' THEN 4
            WHEN t.typname = 'time' THEN 3
            WHEN t.typname IN ('timestamp', 'timestamptz') THEN 10
            WHEN t.typlen > 0 THEN t.typlen
            ELSE 0
        END)::smallint AS length,
       (CASE WHEN t.typname = 'numeric' AND a.atttypmod > 4 THEN (a.atttypmod - 4) & 2047 ELSE 0 END)::smallint AS scale,
       (CASE WHEN a.attnotnull OR t.typnotnull THEN 'N' ELSE 'Y' END)::char(1) AS nulls,
       (CASE WHEN a.attidentity = 'a' THEN 'I' WHEN a.attidentity = 'd' THEN 'J' WHEN a.atthasdef THEN 'Y' ELSE 'N' END)::char(1) AS "default",
       coalesce((SELECT array_position(i.indkey::int[], a.attnum::int) + 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary), 0)::smallint AS keyseq,
       coalesce((SELECT d.description FROM pg_description d WHERE d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum), '')::bpchar AS remarks
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_namespace tn ON tn.oid = t.typnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm')
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'db2', 'syncpoint');

CREATE OR REPLACE VIEW sysibm.sysindexes AS
SELECT upper(x.relname)::bpchar AS name,
       upper(n.nspname)::bpchar AS creator,
       upper(c.relname)::bpchar AS tbname,
       upper(n.nspname)::bpchar AS tbcreator,
       (CASE WHEN i.indisprimary THEN 'P' WHEN i.indisunique THEN 'U' ELSE 'D' END)::char(1) AS uniquerule,
       i.indnkeyatts AS colcount,
       (CASE WHEN i.indisclustered THEN 'Y' ELSE 'N' END)::char(1) AS clustering
FROM pg_index i
JOIN pg_class x ON x.oid = i.indexrelid
JOIN pg_class c ON c.oid = i.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema', 'syncpoint');

CREATE OR REPLACE VIEW sysibm.syskeys AS
SELECT upper(x.relname)::bpchar AS ixname,
       upper(n.nspname)::bpchar AS ixcreator,
       upper(a.attname)::bpchar AS colname,
       a.attnum::smallint AS colno,
       k.place::smallint AS colseq,
       (CASE WHEN i.indoption[k.place - 1] & 1 = 1 THEN 'D' ELSE 'A' END)::char(1) AS ordering
FROM pg_index i
JOIN pg_class x ON x.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = x.relnamespace
CROSS JOIN LATERAL unnest(i.indkey::int[]) WITH ORDINALITY AS k (column_number, place)
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.column_number
WHERE k.place <= i.indnkeyatts AND n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema', 'syncpoint');

-- A package has no collection here; it is bound when its program is first used.
CREATE OR REPLACE VIEW sysibm.syspackage AS
SELECT ''::bpchar AS location,
       ''::bpchar AS collid,
       upper(name)::bpchar AS name,
       token AS contoken,
       upper(current_user)::bpchar AS owner,
       upper(current_user)::bpchar AS creator,
       bound AS bindtime,
       isolation,
       'Y'::char(1) AS valid,
       'Y'::char(1) AS operative
FROM syncpoint.packages;

GRANT SELECT ON ALL TABLES IN SCHEMA sysibm TO PUBLIC;
