-- What rewritten statements rely on: Db2's functions, operators and catalogue views that PostgreSQL lacks or has
-- otherwise. Sessions have schema db2 before pg_catalog in their search path. It may be run again, by any user who may
-- create schemas.

SET client_min_messages = warning;
CREATE SCHEMA IF NOT EXISTS db2;
CREATE SCHEMA IF NOT EXISTS sysibm;

-- Characters. The text of a char with all its blanks: a cast would drop them.

CREATE OR REPLACE FUNCTION db2.blanks_kept(bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT textin(bpcharout($1))$$;
CREATE OR REPLACE FUNCTION db2.concat(bpchar, bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT (db2.blanks_kept($1) OPERATOR(pg_catalog.||) db2.blanks_kept($2))::bpchar$$;
CREATE OR REPLACE FUNCTION db2.concat(bpchar, text) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT (db2.blanks_kept($1) OPERATOR(pg_catalog.||) $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2.concat(text, bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT ($1 OPERATOR(pg_catalog.||) db2.blanks_kept($2))::bpchar$$;
CREATE OR REPLACE FUNCTION db2.concat(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1 OPERATOR(pg_catalog.||) $2$$;
CREATE OR REPLACE FUNCTION db2.length(bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT char_length(db2.blanks_kept($1))$$;
CREATE OR REPLACE FUNCTION db2.length(text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT char_length($1)$$;
CREATE OR REPLACE FUNCTION db2.length(bytea) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT octet_length($1)$$;
CREATE OR REPLACE FUNCTION db2.length(bpchar, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT char_length(db2.blanks_kept($1))$$;
CREATE OR REPLACE FUNCTION db2.length(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT char_length($1)$$;
CREATE OR REPLACE FUNCTION db2.substr(bpchar, int, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.substr(db2.blanks_kept($1), $2, $3)::bpchar$$;
CREATE OR REPLACE FUNCTION db2.substr(text, int, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.substr($1, $2, $3)$$;
CREATE OR REPLACE FUNCTION db2.substr(bytea, int, int) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.substr($1, $2, $3)$$;
CREATE OR REPLACE FUNCTION db2.substr(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.substr(db2.blanks_kept($1), $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2.substr(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.substr($1, $2)$$;
CREATE OR REPLACE FUNCTION db2."left"(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog."left"(db2.blanks_kept($1), $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2."left"(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog."left"($1, $2)$$;
CREATE OR REPLACE FUNCTION db2."right"(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog."right"(db2.blanks_kept($1), $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2."right"(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog."right"($1, $2)$$;
CREATE OR REPLACE FUNCTION db2.repeat(bpchar, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.repeat(db2.blanks_kept($1), $2)$$;
CREATE OR REPLACE FUNCTION db2.repeat(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.repeat($1, $2)$$;
CREATE OR REPLACE FUNCTION db2.replace(bpchar, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.replace(db2.blanks_kept($1), $2, $3)$$;
CREATE OR REPLACE FUNCTION db2.replace(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.replace($1, $2, $3)$$;
CREATE OR REPLACE FUNCTION db2.space(int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.repeat(' ', $1)$$;
CREATE OR REPLACE FUNCTION db2.insert(text, int, int, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT overlay($1 PLACING $4 FROM $2 FOR $3)$$;
CREATE OR REPLACE FUNCTION db2.posstr(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT strpos($1, $2)$$;
CREATE OR REPLACE FUNCTION db2.locate(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT strpos($2, $1)$$;
CREATE OR REPLACE FUNCTION db2.locate(text, text, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT CASE strpos(pg_catalog.substr($2, $3), $1) WHEN 0 THEN 0
        ELSE strpos(pg_catalog.substr($2, $3), $1) + $3 - 1 END$$;
CREATE OR REPLACE FUNCTION db2.translate(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT upper($1)$$;
CREATE OR REPLACE FUNCTION db2.translate(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.translate($1, $3, rpad($2, char_length($3)))$$;
CREATE OR REPLACE FUNCTION db2.translate(text, text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.translate($1, $3, rpad($2, char_length($3), $4))$$;
CREATE OR REPLACE FUNCTION db2.hex(bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT upper(encode($1, 'hex'))$$;
CREATE OR REPLACE FUNCTION db2.hex(bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT upper(encode(convert_to(db2.blanks_kept($1), 'LATIN1'), 'hex'))$$;
CREATE OR REPLACE FUNCTION db2.hex(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT upper(encode(convert_to($1, 'LATIN1'), 'hex'))$$;
CREATE OR REPLACE FUNCTION db2.hex(int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT upper(lpad(to_hex($1), 8, '0'))$$;
CREATE OR REPLACE FUNCTION db2.hex(bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT upper(lpad(to_hex($1), 16, '0'))$$;
CREATE OR REPLACE FUNCTION db2.clob(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$SELECT $1$$;
CREATE OR REPLACE FUNCTION db2.blob(bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$SELECT $1$$;
CREATE OR REPLACE FUNCTION db2.blob(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT convert_to($1, 'LATIN1')$$;

DO $$
DECLARE l text; r text;
BEGIN
    FOR l, r IN VALUES ('bpchar', 'bpchar'), ('bpchar', 'text'), ('text', 'bpchar') LOOP
        IF to_regoperator(format('db2.||(%s,%s)', l, r)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.|| (LEFTARG = %s, RIGHTARG = %s, FUNCTION = db2.concat)', l, r);
        END IF;
    END LOOP;
END $$;

-- VARCHAR(n): blanks at the end are kept, and do not count where values are compared.

CREATE OR REPLACE FUNCTION db2.varchar_domain(int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regtype(format('db2.varchar_%s', $1)) IS NULL THEN
        EXECUTE format('CREATE DOMAIN db2.varchar_%s AS bpchar CONSTRAINT db2_length CHECK (db2.length(VALUE) <= %s)', $1, $1);
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$;

-- Dates and times.

CREATE OR REPLACE FUNCTION db2.date(date) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$SELECT $1$$;
CREATE OR REPLACE FUNCTION db2.date(timestamp) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1::date$$;
CREATE OR REPLACE FUNCTION db2.date(numeric) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT date '0001-01-01' OPERATOR(pg_catalog.+) ($1::int - 1)$$;
CREATE OR REPLACE FUNCTION db2.date(text) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE
        WHEN $1 ~ '^\d{4}-\d{1,2}-\d{1,2}' THEN
            make_date(split_part($1, '-', 1)::int, split_part($1, '-', 2)::int, rtrim(pg_catalog.substr(split_part($1, '-', 3), 1, 2))::int)
        WHEN $1 ~ '^\d{1,2}/\d{1,2}/\d{4}' THEN
            make_date(pg_catalog.substr(split_part($1, '/', 3), 1, 4)::int, split_part($1, '/', 1)::int, split_part($1, '/', 2)::int)
        WHEN $1 ~ '^\d{1,2}\.\d{1,2}\.\d{4}' THEN
            make_date(pg_catalog.substr(split_part($1, '.', 3), 1, 4)::int, split_part($1, '.', 2)::int, split_part($1, '.', 1)::int)
        WHEN $1 ~ '^\d{7} *$' THEN
            make_date(pg_catalog.substr($1, 1, 4)::int, 1, 1) OPERATOR(pg_catalog.+) (pg_catalog.substr($1, 5, 3)::int - 1)
        ELSE $1::date
    END$$;
CREATE OR REPLACE FUNCTION db2."time"(time) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$SELECT $1$$;
CREATE OR REPLACE FUNCTION db2."time"(timestamp) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT date_trunc('second', $1)::time$$;
CREATE OR REPLACE FUNCTION db2."time"(text) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 ~ '^\d{4}-' THEN pg_catalog.replace(pg_catalog.substr($1, 12, 8), '.', ':')::time
        ELSE pg_catalog.replace($1, '.', ':')::time END$$;
CREATE OR REPLACE FUNCTION db2."timestamp"(timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1$$;
CREATE OR REPLACE FUNCTION db2."timestamp"(date) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1::timestamp$$;
CREATE OR REPLACE FUNCTION db2."timestamp"(text) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE
        WHEN $1 ~ '^\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d' THEN
            (pg_catalog.substr($1, 1, 10) || ' ' || pg_catalog.replace(pg_catalog.substr($1, 12, 8), '.', ':') || pg_catalog.substr($1, 20))::timestamp
        WHEN $1 ~ '^\d{14} *$' THEN
            make_timestamp(pg_catalog.substr($1, 1, 4)::int, pg_catalog.substr($1, 5, 2)::int, pg_catalog.substr($1, 7, 2)::int,
                pg_catalog.substr($1, 9, 2)::int, pg_catalog.substr($1, 11, 2)::int, pg_catalog.substr($1, 13, 2)::int)
        ELSE $1::timestamp
    END$$;
CREATE OR REPLACE FUNCTION db2."timestamp"(date, time) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1 OPERATOR(pg_catalog.+) $2$$;
CREATE OR REPLACE FUNCTION db2."timestamp"(text, text) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT db2.date($1) OPERATOR(pg_catalog.+) db2."time"($2)$$;
CREATE OR REPLACE FUNCTION db2."timestamp"(timestamp, int) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1$$;

CREATE OR REPLACE FUNCTION db2.format_for(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT regexp_replace(pg_catalog.replace($1, 'RRRR', 'YYYY'), 'N{6}|FF6|FF', 'US')$$;
CREATE OR REPLACE FUNCTION db2.timestamp_format(text, text) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE
    AS $$SELECT to_timestamp($1, db2.format_for($2))::timestamp$$;
CREATE OR REPLACE FUNCTION db2.timestamp_format(text, text, int) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE
    AS $$SELECT to_timestamp($1, db2.format_for($2))::timestamp$$;
CREATE OR REPLACE FUNCTION db2.varchar_format(timestamp, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT to_char($1, db2.format_for($2))$$;
CREATE OR REPLACE FUNCTION db2.varchar_format(numeric, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT to_char($1, $2)$$;

CREATE OR REPLACE FUNCTION db2.days(date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT ($1 OPERATOR(pg_catalog.-) date '0001-01-01') + 1$$;
CREATE OR REPLACE FUNCTION db2.days(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT db2.days($1::date)$$;
CREATE OR REPLACE FUNCTION db2.days(text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT db2.days(db2.date($1))$$;

-- Parts of dates and times, and of durations (yyyymmdd, hhmmss).
DO $$
DECLARE part text; divisor int; modulus int; kind text;
BEGIN
    FOR part, divisor, modulus, kind IN VALUES
        ('year', 10000, 100000, 'date'), ('month', 100, 100, 'date'), ('day', 1, 100, 'date'),
        ('hour', 10000, 100, 'time'), ('minute', 100, 100, 'time'), ('second', 1, 100, 'time') LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
            ''SELECT trunc(extract(%s from $1))::int''', part, part);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(%s) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
            ''SELECT trunc(extract(%s from $1))::int''', part, kind, part);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
            ''SELECT trunc(extract(%s from db2.%I($1)))::int''', part, part, kind);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
            ''SELECT (trunc($1 / %s) %% %s)::int''', part, divisor, modulus);
    END LOOP;
END $$;
CREATE OR REPLACE FUNCTION db2.microsecond(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(microseconds from $1)::int % 1000000$$;
CREATE OR REPLACE FUNCTION db2.dayofweek(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(dow from $1)::int + 1$$;
CREATE OR REPLACE FUNCTION db2.dayofweek_iso(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(isodow from $1)::int$$;
CREATE OR REPLACE FUNCTION db2.dayofyear(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(doy from $1)::int$$;
CREATE OR REPLACE FUNCTION db2.quarter(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(quarter from $1)::int$$;
CREATE OR REPLACE FUNCTION db2.week_iso(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(week from $1)::int$$;
CREATE OR REPLACE FUNCTION db2.week(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT (extract(doy from $1)::int + extract(dow from date_trunc('year', $1))::int - 1) / 7 + 1$$;
CREATE OR REPLACE FUNCTION db2.julian_day(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT extract(julian from $1::date)::int$$;
CREATE OR REPLACE FUNCTION db2.midnight_seconds(time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT trunc(extract(epoch from $1))::int$$;
CREATE OR REPLACE FUNCTION db2.midnight_seconds(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT trunc(extract(epoch from $1::time))::int$$;
CREATE OR REPLACE FUNCTION db2.last_day(timestamp) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT (date_trunc('month', $1) + interval '1 month' - interval '1 day')::date$$;
CREATE OR REPLACE FUNCTION db2.add_months(date, int) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT ($1 OPERATOR(pg_catalog.+) make_interval(months => $2))::date$$;
CREATE OR REPLACE FUNCTION db2.add_months(timestamp, int) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1 + make_interval(months => $2)$$;
CREATE OR REPLACE FUNCTION db2.months_between(timestamp, timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT round((extract(year from $1) - extract(year from $2)) * 12 + extract(month from $1) - extract(month from $2)
        + CASE WHEN extract(day from $1) = extract(day from $2) THEN 0
            ELSE (extract(day from $1) - extract(day from $2)) / 31 END, 15)$$;
CREATE OR REPLACE FUNCTION db2.next_day(timestamp, text) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT $1 + make_interval(days => 1 + (6 + array_position(ARRAY['SUN','MON','TUE','WED','THU','FRI','SAT'], upper(pg_catalog.substr($2, 1, 3)))
        - 1 - extract(dow from $1)::int) % 7)$$;
CREATE OR REPLACE FUNCTION db2.current_timezone() RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (sign(s) * (trunc(abs(s) / 3600) * 10000 + trunc(abs(s) / 60) % 60 * 100))::numeric(6)
    FROM (SELECT extract(timezone from statement_timestamp()) AS s) AS zone$$;

-- Labelled durations.
CREATE OR REPLACE FUNCTION db2.years(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(years => $1::int)$$;
CREATE OR REPLACE FUNCTION db2.months(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(months => $1::int)$$;
CREATE OR REPLACE FUNCTION db2.days_of(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(days => $1::int)$$;
CREATE OR REPLACE FUNCTION db2.hours(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(hours => $1::int)$$;
CREATE OR REPLACE FUNCTION db2.minutes(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(mins => $1::int)$$;
CREATE OR REPLACE FUNCTION db2.seconds(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(secs => $1::double precision)$$;
CREATE OR REPLACE FUNCTION db2.microseconds(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT make_interval(secs => $1::double precision / 1000000)$$;

-- Arithmetic: a date and a duration are a date, two dates are the digits of a duration.
CREATE OR REPLACE FUNCTION db2.plus(date, interval) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT ($1 OPERATOR(pg_catalog.+) $2)::date$$;
CREATE OR REPLACE FUNCTION db2.minus(date, interval) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT ($1 OPERATOR(pg_catalog.-) $2)::date$$;
CREATE OR REPLACE FUNCTION db2.minus(date, date) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (sign($1 OPERATOR(pg_catalog.-) $2) * (extract(year from d) * 10000 + extract(month from d) * 100 + extract(day from d)))::numeric(8)
    FROM (SELECT age(greatest($1, $2)::timestamp, least($1, $2)::timestamp) AS d) AS between_them$$;
CREATE OR REPLACE FUNCTION db2.minus(time, time) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (sign(s) * (trunc(abs(s) / 3600) * 10000 + trunc(abs(s) / 60) % 60 * 100 + trunc(abs(s)) % 60))::numeric(6)
    FROM (SELECT extract(epoch from $1 OPERATOR(pg_catalog.-) $2) AS s) AS between_them$$;
CREATE OR REPLACE FUNCTION db2.minus(timestamp, timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (CASE WHEN $1 < $2 THEN -1 ELSE 1 END * (extract(year from d) * 10000000000 + extract(month from d) * 100000000
        + extract(day from d) * 1000000 + extract(hour from d) * 10000 + extract(minute from d) * 100 + extract(second from d)))::numeric(20,6)
    FROM (SELECT age(greatest($1, $2), least($1, $2)) AS d) AS between_them$$;
CREATE OR REPLACE FUNCTION db2.plus(timestamp, numeric) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT $1 + make_interval(hours => trunc($2 / 10000)::int, mins => (trunc($2 / 100) % 100)::int, secs => ($2 % 100)::double precision)$$;
CREATE OR REPLACE FUNCTION db2.minus(timestamp, numeric) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT db2.plus($1, -$2)$$;
DO $$
DECLARE o text; l text; r text;
BEGIN
    FOR o, l, r IN VALUES ('+', 'timestamp', 'numeric'), ('-', 'timestamp', 'numeric'), ('+', 'date', 'interval'), ('-', 'date', 'interval'), ('-', 'date', 'date'),
        ('-', 'time', 'time'), ('-', 'timestamp', 'timestamp') LOOP
        IF to_regoperator(format('db2.%s(%s,%s)', o, l, r)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = db2.%s)', o, l, r,
                CASE o WHEN '+' THEN 'plus' ELSE 'minus' END);
        END IF;
    END LOOP;
END $$;

-- Numbers and characters to each other.

DO $$
DECLARE kind text; target text;
BEGIN
    FOR kind, target IN VALUES ('integer', 'int'), ('smallint', 'smallint'), ('bigint', 'bigint') LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(numeric) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT trunc($1)::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(bigint) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(int) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(double precision) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT trunc($1)::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(text) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT trunc($1::numeric)::%s''', kind, target, target);
    END LOOP;
    FOR kind, target IN VALUES ('decimal', 'numeric'), ('decfloat', 'numeric'), ('double', 'double precision') LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(numeric) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(bigint) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(int) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(double precision) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(text) RETURNS %s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::%s''', kind, target, target);
    END LOOP;
    -- CHAR and VARCHAR of numbers, dates and times.
    FOREACH kind IN ARRAY ARRAY['char', 'varchar'] LOOP
        FOREACH target IN ARRAY ARRAY['smallint', 'int', 'bigint', 'numeric', 'double precision'] LOOP
            EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(%s) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1::text''', kind, target);
        END LOOP;
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(date) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT to_char($1, ''''YYYY-MM-DD'''')''', kind);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(time) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT to_char($1, ''''HH24.MI.SS'''')''', kind);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(timestamp) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT to_char($1, ''''YYYY-MM-DD-HH24.MI.SS.US'''')''', kind);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1''', kind);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS ''SELECT $1''', kind);
    END LOOP;
END $$;
CREATE OR REPLACE FUNCTION db2."char"(text, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT rpad(pg_catalog."left"($1, $2), $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2."char"(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT rpad(pg_catalog."left"(db2.blanks_kept($1), $2), $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2."varchar"(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog."left"($1, $2)$$;
CREATE OR REPLACE FUNCTION db2."varchar"(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog."left"(db2.blanks_kept($1), $2)::bpchar$$;
CREATE OR REPLACE FUNCTION db2."char"(date, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT to_char($1, CASE $2 WHEN 'usa' THEN 'MM/DD/YYYY' WHEN 'eur' THEN 'DD.MM.YYYY' ELSE 'YYYY-MM-DD' END)$$;
CREATE OR REPLACE FUNCTION db2."char"(time, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT to_char($1, CASE $2 WHEN 'usa' THEN 'HH:MI AM' WHEN 'jis' THEN 'HH24:MI:SS' ELSE 'HH24.MI.SS' END)$$;
CREATE OR REPLACE FUNCTION db2.digits(smallint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT lpad(abs($1)::text, 5, '0')::bpchar$$;
CREATE OR REPLACE FUNCTION db2.digits(int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT lpad(abs($1)::text, 10, '0')::bpchar$$;
CREATE OR REPLACE FUNCTION db2.digits(bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT lpad(abs($1)::text, 19, '0')::bpchar$$;
CREATE OR REPLACE FUNCTION db2.digits(numeric) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT pg_catalog.replace(abs($1)::text, '.', '')::bpchar$$;
CREATE OR REPLACE FUNCTION db2.multiply_alt(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$SELECT $1 * $2$$;

-- Others.

CREATE OR REPLACE FUNCTION db2.identity_val_local() RETURNS bigint LANGUAGE sql AS $$SELECT lastval()$$;
CREATE OR REPLACE FUNCTION db2.generate_unique() RETURNS bytea LANGUAGE sql VOLATILE AS $$
    SELECT pg_catalog.substr(int8send((extract(epoch from clock_timestamp()) * 1000000)::bigint)
        OPERATOR(pg_catalog.||) uuid_send(gen_random_uuid()), 1, 13)$$;
CREATE OR REPLACE FUNCTION db2.raise_error(text, text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = $1, MESSAGE = $2;
END $$;

-- The catalogue.

CREATE OR REPLACE VIEW sysibm.sysdummy1 AS SELECT 'Y'::char(1) AS ibmreqd;
CREATE OR REPLACE VIEW sysibm.systables AS
    SELECT upper(c.relname::text) AS name, upper(n.nspname::text) AS creator,
        CASE c.relkind WHEN 'v' THEN 'V' ELSE 'T' END::char(1) AS type,
        upper(pg_get_userbyid(c.relowner)::text) AS createdby, upper(pg_get_userbyid(c.relowner)::text) AS owner,
        'DSNDB04'::text AS dbname, 'SYSTS'::text AS tsname, c.relnatts AS colcount,
        c.reltuples::bigint AS card, coalesce(obj_description(c.oid, 'pg_class'), '') AS remarks
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast');
CREATE OR REPLACE VIEW sysibm.syscolumns AS
    SELECT upper(a.attname::text) AS name, upper(c.relname::text) AS tbname, upper(n.nspname::text) AS tbcreator,
        a.attnum AS colno,
        CASE WHEN t.typname ~ '^varchar_\d+$' OR t.typname = 'varchar' THEN 'VARCHAR'
            ELSE CASE t.typname WHEN 'bpchar' THEN 'CHAR' WHEN 'int2' THEN 'SMALLINT' WHEN 'int4' THEN 'INTEGER'
                WHEN 'int8' THEN 'BIGINT' WHEN 'numeric' THEN 'DECIMAL' WHEN 'timestamp' THEN 'TIMESTMP'
                WHEN 'float8' THEN 'FLOAT' WHEN 'float4' THEN 'FLOAT' WHEN 'text' THEN 'CLOB' WHEN 'bytea' THEN 'VARBIN'
                ELSE upper(t.typname::text) END END AS coltype,
        CASE WHEN t.typname ~ '^varchar_\d+$' THEN pg_catalog.substr(t.typname::text, 9)::int
            WHEN t.typname IN ('bpchar', 'varchar') THEN a.atttypmod - 4
            WHEN t.typname = 'numeric' THEN ((a.atttypmod - 4) >> 16) & 65535
            WHEN t.typname = 'date' THEN 4 WHEN t.typname = 'time' THEN 3 WHEN t.typname = 'timestamp' THEN 10
            ELSE a.attlen END::int AS length,
        CASE WHEN t.typname = 'numeric' AND a.atttypmod >= 0 THEN (a.atttypmod - 4) & 65535 ELSE 0 END::int AS scale,
        CASE WHEN a.attnotnull THEN 'N' ELSE 'Y' END::char(1) AS nulls,
        coalesce(array_position(k.conkey, a.attnum), 0) AS keyseq,
        coalesce(col_description(c.oid, a.attnum), '') AS remarks
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v')
        AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast');
CREATE OR REPLACE VIEW sysibm.sysindexes AS
    SELECT upper(i.relname::text) AS name, upper(n.nspname::text) AS creator, upper(c.relname::text) AS tbname,
        upper(n.nspname::text) AS tbcreator,
        CASE WHEN x.indisprimary THEN 'P' WHEN x.indisunique THEN 'U' ELSE 'D' END::char(1) AS uniquerule,
        x.indnkeyatts AS colcount, CASE WHEN x.indisclustered THEN 'Y' ELSE 'N' END::char(1) AS clustering
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast');
CREATE OR REPLACE VIEW sysibm.syskeys AS
    SELECT upper(i.relname::text) AS ixname, upper(n.nspname::text) AS ixcreator, upper(a.attname::text) AS colname,
        a.attnum AS colno, k.seq::int AS colseq,
        CASE WHEN x.indoption[k.seq - 1] & 1 = 1 THEN 'D' ELSE 'A' END::char(1) AS ordering
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = i.relnamespace
        CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k(attnum, seq)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast');
