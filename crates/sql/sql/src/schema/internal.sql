-- What only a superuser may make, so that only a private server has it.
--
-- Functions of PostgreSQL's core under other names, in the place of those of db2.sql: they keep blanks at the end of a CHAR, and
-- cost no call of SQL.
CREATE OR REPLACE FUNCTION db2.length(bpchar) RETURNS int LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textlen';
CREATE OR REPLACE FUNCTION db2.length(text) RETURNS int LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textlen';
CREATE OR REPLACE FUNCTION db2.length(bytea) RETURNS int LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaoctetlen';
CREATE OR REPLACE FUNCTION db2.substr(bpchar, int) RETURNS bpchar LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'text_substr_no_len';
CREATE OR REPLACE FUNCTION db2.substr(bpchar, int, int) RETURNS bpchar LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'text_substr';
CREATE OR REPLACE FUNCTION db2.substr(text, int) RETURNS text LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'text_substr_no_len';
CREATE OR REPLACE FUNCTION db2.substr(text, int, int) RETURNS text LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'text_substr';
CREATE OR REPLACE FUNCTION db2.concat(bpchar, bpchar) RETURNS bpchar LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textcat';
CREATE OR REPLACE FUNCTION db2.concat(text, text) RETURNS text LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textcat';
CREATE OR REPLACE FUNCTION db2.concat(bpchar, text) RETURNS text LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textcat';
CREATE OR REPLACE FUNCTION db2.concat(text, bpchar) RETURNS text LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textcat';

-- A constant in hexadecimal digits is a text wherever one is wanted.
CREATE OR REPLACE FUNCTION db2.characters_of_char(bytea) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.characters($1)::bpchar;
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_cast WHERE castsource = 'bytea'::regtype AND casttarget = 'text'::regtype) THEN
        CREATE CAST (bytea AS text) WITH FUNCTION db2.characters(bytea) AS IMPLICIT;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_cast WHERE castsource = 'bytea'::regtype AND casttarget = 'bpchar'::regtype) THEN
        CREATE CAST (bytea AS bpchar) WITH FUNCTION db2.characters_of_char(bytea) AS IMPLICIT;
    END IF;
END$$;
