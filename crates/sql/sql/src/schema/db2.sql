-- The schema db2: what Db2's SQL has and PostgreSQL's lacks, or means otherwise. It stands before pg_catalog in a session's
-- search path, so that its functions and operators come first. Whoever may make schemas in the database may make it: nothing
-- here wants a superuser. A private server has quicker functions in the place of some (internal.sql).
CREATE SCHEMA IF NOT EXISTS db2;
GRANT USAGE ON SCHEMA db2 TO PUBLIC;

-- What regions leave: the names of units of work that were committed here as a last resource, or never may be.
CREATE SCHEMA IF NOT EXISTS syncpoint;
CREATE TABLE IF NOT EXISTS syncpoint.ended (unit bytea PRIMARY KEY, is_committed boolean NOT NULL);
-- The packages whose statements have run here, and how each is bound.
CREATE TABLE IF NOT EXISTS syncpoint.packages (name text PRIMARY KEY, isolation char(1) NOT NULL, token bytea NOT NULL, bound timestamp NOT NULL);

-- Which scripts have run here.
CREATE TABLE IF NOT EXISTS db2.scripts (name text PRIMARY KEY, at timestamp NOT NULL DEFAULT now());

-- Texts. PostgreSQL drops blanks at the end of a CHAR that becomes a text: this one puts them back.
CREATE OR REPLACE FUNCTION db2.whole(bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    $1::text || pg_catalog.repeat(' ', octet_length($1) - octet_length($1::text));
CREATE OR REPLACE FUNCTION db2.length(bpchar) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    pg_catalog.length($1::text) + octet_length($1) - octet_length($1::text);
CREATE OR REPLACE FUNCTION db2.length(text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.length($1);
CREATE OR REPLACE FUNCTION db2.length(bytea) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN octet_length($1);
CREATE OR REPLACE FUNCTION db2.length(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.length($1);
CREATE OR REPLACE FUNCTION db2.length(smallint) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 2;
CREATE OR REPLACE FUNCTION db2.length(int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 4;
CREATE OR REPLACE FUNCTION db2.length(bigint) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 8;
CREATE OR REPLACE FUNCTION db2.length(date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 4;
CREATE OR REPLACE FUNCTION db2.length(time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 3;
CREATE OR REPLACE FUNCTION db2.length(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 10;
CREATE OR REPLACE FUNCTION db2.substr(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr(db2.whole($1), $2)::bpchar;
CREATE OR REPLACE FUNCTION db2.substr(bpchar, int, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr(db2.whole($1), $2, $3)::bpchar;
CREATE OR REPLACE FUNCTION db2.substr(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr($1, $2);
CREATE OR REPLACE FUNCTION db2.substr(text, int, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr($1, $2, $3);
CREATE OR REPLACE FUNCTION db2.concat(bpchar, bpchar) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (db2.whole($1) || db2.whole($2))::bpchar;
CREATE OR REPLACE FUNCTION db2.concat(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 || $2;
CREATE OR REPLACE FUNCTION db2.concat(bpchar, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.whole($1) || $2;
CREATE OR REPLACE FUNCTION db2.concat(text, bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 || db2.whole($2);
CREATE OR REPLACE FUNCTION db2."left"(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr($1, 1, $2);
CREATE OR REPLACE FUNCTION db2."left"(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.substr($1, 1, $2);
CREATE OR REPLACE FUNCTION db2."right"(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog."right"($1, $2);
CREATE OR REPLACE FUNCTION db2."right"(bpchar, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.substr($1, greatest(db2.length($1) - $2, 0) + 1);
-- A number of characters, which is not less than none: PostgreSQL takes a negative one for none, or counts from the end.
CREATE OR REPLACE FUNCTION db2.at_least_none(int) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'negative number of characters'; END$$;
CREATE OR REPLACE FUNCTION db2.repeat(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.repeat($1, CASE WHEN $2 < 0 THEN db2.at_least_none($2) ELSE $2 END);
CREATE OR REPLACE FUNCTION db2.replace(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.replace($1, $2, $3);
CREATE OR REPLACE FUNCTION db2.space(int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.repeat(' ', $1);
CREATE OR REPLACE FUNCTION db2.insert(text, int, int, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN overlay($1 PLACING $4 FROM $2 FOR $3);
CREATE OR REPLACE FUNCTION db2.posstr(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($1, $2);
CREATE OR REPLACE FUNCTION db2.locate(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($2, $1);
CREATE OR REPLACE FUNCTION db2.locate(text, text, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE strpos(pg_catalog.substr($2, $3), $1) WHEN 0 THEN 0 ELSE strpos(pg_catalog.substr($2, $3), $1) + $3 - 1 END;
-- With one argument it is upper case; with more the second text's characters take the place of the third's.
CREATE OR REPLACE FUNCTION db2.translate(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN upper($1);
CREATE OR REPLACE FUNCTION db2.translate(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.translate($1, $3, rpad($2, pg_catalog.length($3)));
CREATE OR REPLACE FUNCTION db2.translate(text, text, text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.translate($1, $3, rpad($2, pg_catalog.length($3), $4));
-- A text has the characters 1 and 57345 in the place of X'00' and X'01' (value/characters.rs).
CREATE OR REPLACE FUNCTION db2.hex(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    CASE WHEN strpos($1, chr(1)) = 0 AND strpos($1, chr(57345)) = 0 THEN upper(encode(convert_to($1, 'LATIN1'), 'hex'))
    ELSE (SELECT string_agg(CASE ascii(c) WHEN 1 THEN '00' WHEN 57345 THEN '01' ELSE upper(lpad(to_hex(ascii(c)), 2, '0')) END, '' ORDER BY n)
          FROM regexp_split_to_table($1, '') WITH ORDINALITY AS s (c, n)) END;
CREATE OR REPLACE FUNCTION db2.characters(bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    CASE WHEN position('\x00'::bytea IN $1) = 0 AND position('\x01'::bytea IN $1) = 0 THEN convert_from($1, 'LATIN1')
    ELSE (SELECT string_agg(chr(CASE get_byte($1, n) WHEN 0 THEN 1 WHEN 1 THEN 57345 ELSE get_byte($1, n) END), '' ORDER BY n)
          FROM generate_series(0, octet_length($1) - 1) AS s (n)) END;
CREATE OR REPLACE FUNCTION db2.hex(bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.hex(db2.concat($1, ''::text));
CREATE OR REPLACE FUNCTION db2.hex(bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN upper(encode($1, 'hex'));
CREATE OR REPLACE FUNCTION db2.hex(int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN upper(encode(int4send($1), 'hex'));
CREATE OR REPLACE FUNCTION db2.hex(smallint) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN upper(encode(int2send($1), 'hex'));
CREATE OR REPLACE FUNCTION db2.hex(bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN upper(encode(int8send($1), 'hex'));
-- Dates and times as Db2 keeps them: two digits a byte.
CREATE OR REPLACE FUNCTION db2.hex(date) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN to_char($1, 'YYYYMMDD');
CREATE OR REPLACE FUNCTION db2.hex(time) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN to_char($1, 'HH24MISS');
CREATE OR REPLACE FUNCTION db2.hex(timestamp) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN to_char($1, 'YYYYMMDDHH24MISSUS');
CREATE OR REPLACE FUNCTION db2.clob(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2.clob(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr($1, 1, $2);
CREATE OR REPLACE FUNCTION db2.blob(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN decode(db2.hex($1), 'hex');
CREATE OR REPLACE FUNCTION db2.blob(bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;

CREATE OR REPLACE FUNCTION db2.concat(bpchar, bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.whole($1) || db2.characters($2);
CREATE OR REPLACE FUNCTION db2.concat(text, bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 || db2.characters($2);
CREATE OR REPLACE FUNCTION db2.concat(bytea, bpchar) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.characters($1) || db2.whole($2);
CREATE OR REPLACE FUNCTION db2.concat(bytea, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.characters($1) || $2;
CREATE OR REPLACE FUNCTION db2.concat(bytea, bytea) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 || $2;

-- Numbers. Db2 cuts digits where PostgreSQL rounds.
CREATE OR REPLACE FUNCTION db2."integer"(numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::int;
CREATE OR REPLACE FUNCTION db2."integer"(double precision) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::int;
CREATE OR REPLACE FUNCTION db2."integer"(text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1::numeric)::int;
CREATE OR REPLACE FUNCTION db2."integer"(date) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN to_char($1, 'YYYYMMDD')::int;
CREATE OR REPLACE FUNCTION db2."smallint"(numeric) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::smallint;
CREATE OR REPLACE FUNCTION db2."smallint"(text) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1::numeric)::smallint;
CREATE OR REPLACE FUNCTION db2."bigint"(numeric) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::bigint;
CREATE OR REPLACE FUNCTION db2."bigint"(text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1::numeric)::bigint;
CREATE OR REPLACE FUNCTION db2."decimal"(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2."decimal"(double precision) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::numeric;
CREATE OR REPLACE FUNCTION db2."decimal"(text) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::numeric;
CREATE OR REPLACE FUNCTION db2."decimal"(date) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN to_char($1, 'YYYYMMDD')::numeric;
CREATE OR REPLACE FUNCTION db2.decfloat(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2.decfloat(text) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::numeric;
CREATE OR REPLACE FUNCTION db2.double(numeric) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::double precision;
CREATE OR REPLACE FUNCTION db2.double(double precision) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2.double(text) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::double precision;
CREATE OR REPLACE FUNCTION db2.multiply_alt(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 * $2;
CREATE OR REPLACE FUNCTION db2.digits(smallint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (lpad(abs($1::int)::text, 5, '0'))::char(5);
CREATE OR REPLACE FUNCTION db2.digits(int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (lpad(abs($1::bigint)::text, 10, '0'))::char(10);
CREATE OR REPLACE FUNCTION db2.digits(bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (lpad(abs($1::numeric)::text, 19, '0'))::char(19);
CREATE OR REPLACE FUNCTION db2.digits(numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.replace(abs($1)::text, '.', '');
-- The average of whole numbers is one.
CREATE OR REPLACE FUNCTION db2.whole_average(bigint[]) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE WHEN $1[1] > 0 THEN $1[2] / $1[1] END;
CREATE OR REPLACE AGGREGATE db2.avg(int) (SFUNC = int4_avg_accum, STYPE = bigint[], INITCOND = '{0,0}', FINALFUNC = db2.whole_average, COMBINEFUNC = int4_avg_combine, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE db2.avg(smallint) (SFUNC = int2_avg_accum, STYPE = bigint[], INITCOND = '{0,0}', FINALFUNC = db2.whole_average, COMBINEFUNC = int4_avg_combine, PARALLEL = SAFE);
-- NULL where the session has given no number: others' are forgotten when a task gets it.
CREATE OR REPLACE FUNCTION db2.identity_val_local() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$BEGIN
    RETURN lastval();
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RETURN NULL;
END$$;
CREATE OR REPLACE FUNCTION db2.generate_unique() RETURNS bytea LANGUAGE sql VOLATILE RETURN pg_catalog.substr(decode(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000000)::bigint), 16, '0') || md5(random()::text), 'hex'), 1, 13);
CREATE OR REPLACE FUNCTION db2.raise_error(text, text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$BEGIN
    IF $1 !~ '^[0-9A-Z]{5}$' OR $1 ~ '^0[012]' THEN
        RAISE EXCEPTION USING ERRCODE = '428B3', MESSAGE = format('invalid SQLSTATE "%s"', $1);
    END IF;
    RAISE EXCEPTION USING ERRCODE = $1, MESSAGE = $2;
END$$;

-- OLD TABLE (UPDATE ...): whether the rows that were read are those that were changed.
CREATE OR REPLACE FUNCTION db2.all_changed(bigint, bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$BEGIN
    IF $1 <> $2 THEN
        RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'another unit of work changed a row of OLD TABLE at the same time';
    END IF;
    RETURN true;
END$$;

-- Dates and times. A text may have any form that Db2 knows.
CREATE OR REPLACE FUNCTION db2."timestamp"(text) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN
    regexp_replace(regexp_replace(regexp_replace(pg_catalog.btrim($1),
        '^(\d{4}-\d{1,2}-\d{1,2})-(\d{1,2})\.(\d{1,2})\.(\d{1,2})', '\1 \2:\3:\4'),
        '^(\d{1,2})\.(\d{1,2})\.(\d{4})$', '\3-\2-\1'),
        '^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$', '\1-\2-\3 \4:\5:\6')::timestamp;
CREATE OR REPLACE FUNCTION db2."timestamp"(timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2."timestamp"(date, time) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 OPERATOR(pg_catalog.+) $2;
CREATE OR REPLACE FUNCTION db2."timestamp"(text, text) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2."timestamp"($1)::date OPERATOR(pg_catalog.+) pg_catalog.replace($2, '.', ':')::time;
-- Seven digits are a year and a day in it.
CREATE OR REPLACE FUNCTION db2.date(text) RETURNS date LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN CASE WHEN $1 ~ '^\s*\d{7}\s*$' THEN to_date($1, 'YYYYDDD') ELSE db2."timestamp"($1)::date END;
CREATE OR REPLACE FUNCTION db2.date(timestamp) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::date;
CREATE OR REPLACE FUNCTION db2.date(int) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN '0001-01-01'::date OPERATOR(pg_catalog.+) ($1 - 1);
CREATE OR REPLACE FUNCTION db2."time"(text) RETURNS time LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN CASE WHEN $1 ~ '^\s*\d{1,2}([.:]|\s+[AaPp])' THEN pg_catalog.replace($1, '.', ':')::time ELSE db2."timestamp"($1)::time END;
CREATE OR REPLACE FUNCTION db2."time"(timestamp) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN date_trunc('second', $1)::time;
CREATE OR REPLACE FUNCTION db2."time"(time) RETURNS time LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;

CREATE OR REPLACE FUNCTION db2.year(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(year FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.year(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.year(db2."timestamp"($1));
CREATE OR REPLACE FUNCTION db2.year(interval) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(year FROM justify_interval($1))::int;
CREATE OR REPLACE FUNCTION db2.quarter(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(quarter FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.month(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(month FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.month(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.month(db2."timestamp"($1));
CREATE OR REPLACE FUNCTION db2.month(interval) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(month FROM justify_interval($1))::int;
CREATE OR REPLACE FUNCTION db2.day(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(day FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.day(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.day(db2."timestamp"($1));
CREATE OR REPLACE FUNCTION db2.day(interval) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(day FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.dayofyear(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(doy FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.dayofweek(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(dow FROM $1)::int + 1;
CREATE OR REPLACE FUNCTION db2.dayofweek_iso(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(isodow FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.week_iso(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(week FROM $1)::int;
-- A week begins on Sunday, and the first has January 1.
CREATE OR REPLACE FUNCTION db2.week(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (extract(doy FROM $1)::int - 1 + extract(dow FROM date_trunc('year', $1))::int) / 7 + 1;
CREATE OR REPLACE FUNCTION db2.days(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ($1::date OPERATOR(pg_catalog.-) '0001-01-01'::date) + 1;
CREATE OR REPLACE FUNCTION db2.days(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.days(db2."timestamp"($1));
CREATE OR REPLACE FUNCTION db2.julian_day(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(julian FROM $1::date)::int;
CREATE OR REPLACE FUNCTION db2.hour(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(hour FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.hour(time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(hour FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.hour(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.hour(db2."time"($1));
CREATE OR REPLACE FUNCTION db2.minute(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(minute FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.minute(time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(minute FROM $1)::int;
CREATE OR REPLACE FUNCTION db2.minute(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.minute(db2."time"($1));
CREATE OR REPLACE FUNCTION db2.second(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc(extract(second FROM $1))::int;
CREATE OR REPLACE FUNCTION db2.second(time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc(extract(second FROM $1))::int;
CREATE OR REPLACE FUNCTION db2.second(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.second(db2."time"($1));
CREATE OR REPLACE FUNCTION db2.microsecond(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN extract(microseconds FROM $1)::int % 1000000;
CREATE OR REPLACE FUNCTION db2.microsecond(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.microsecond(db2."timestamp"($1));
CREATE OR REPLACE FUNCTION db2.midnight_seconds(timestamp) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc(extract(epoch FROM $1::time))::int;
CREATE OR REPLACE FUNCTION db2.midnight_seconds(time) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc(extract(epoch FROM $1))::int;
CREATE OR REPLACE FUNCTION db2.last_day(timestamp) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (date_trunc('month', $1) OPERATOR(pg_catalog.+) interval '1 month - 1 day')::date;
CREATE OR REPLACE FUNCTION db2.add_months(date, int) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE WHEN $1 = db2.last_day($1) THEN db2.last_day($1 OPERATOR(pg_catalog.+) make_interval(months => $2)) ELSE ($1 OPERATOR(pg_catalog.+) make_interval(months => $2))::date END;
CREATE OR REPLACE FUNCTION db2.add_months(timestamp, int) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.add_months($1::date, $2) OPERATOR(pg_catalog.+) $1::time;
-- Parts of months count 31 days; two last days, or two days of one number, are whole months apart.
CREATE OR REPLACE FUNCTION db2.months_between(timestamp, timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    (extract(year FROM $1) - extract(year FROM $2)) * 12 + extract(month FROM $1) - extract(month FROM $2)
    + CASE WHEN extract(day FROM $1) = extract(day FROM $2) OR ($1::date = db2.last_day($1) AND $2::date = db2.last_day($2)) THEN 0
      ELSE (extract(day FROM $1) - extract(day FROM $2) + (extract(epoch FROM $1::time) - extract(epoch FROM $2::time)) / 86400) / 31 END;
CREATE OR REPLACE FUNCTION db2.next_day(timestamp, text) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    $1::date OPERATOR(pg_catalog.+) (strpos('SUNMONTUEWEDTHUFRISAT', upper(pg_catalog."left"(pg_catalog.btrim($2), 3))) / 3 - extract(dow FROM $1)::int + 6) % 7 + 1;
CREATE OR REPLACE FUNCTION db2.current_timezone() RETURNS numeric LANGUAGE sql STABLE RETURN extract(timezone_hour FROM statement_timestamp()) * 10000 + extract(timezone_minute FROM statement_timestamp()) * 100;

-- Labelled durations. Years, months and days leave a date a date.
CREATE OR REPLACE FUNCTION db2.years(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN make_interval(years => trunc($1)::int);
CREATE OR REPLACE FUNCTION db2.months(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN make_interval(months => trunc($1)::int);
CREATE OR REPLACE FUNCTION db2.days_of(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN make_interval(days => trunc($1)::int);
CREATE OR REPLACE FUNCTION db2.hours(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN make_interval(hours => trunc($1)::int);
CREATE OR REPLACE FUNCTION db2.minutes(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN make_interval(mins => trunc($1)::int);
CREATE OR REPLACE FUNCTION db2.seconds(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN make_interval(secs => $1::double precision);
CREATE OR REPLACE FUNCTION db2.microseconds(numeric) RETURNS interval LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::double precision * interval '1 microsecond';

-- Values as texts.
CREATE OR REPLACE FUNCTION db2."char"(timestamp) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN (to_char($1, 'YYYY-MM-DD-HH24.MI.SS.US'))::char(26);
CREATE OR REPLACE FUNCTION db2."char"(date) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN (to_char($1, 'YYYY-MM-DD'))::char(10);
CREATE OR REPLACE FUNCTION db2."char"(date, text) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN (to_char($1, CASE lower($2) WHEN 'usa' THEN 'MM/DD/YYYY' WHEN 'eur' THEN 'DD.MM.YYYY' ELSE 'YYYY-MM-DD' END))::char(10);
CREATE OR REPLACE FUNCTION db2."char"(time) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN (to_char($1, 'HH24.MI.SS'))::char(8);
CREATE OR REPLACE FUNCTION db2."char"(time, text) RETURNS bpchar LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN (to_char($1, CASE lower($2) WHEN 'usa' THEN 'HH12:MI AM' WHEN 'jis' THEN 'HH24:MI:SS' ELSE 'HH24.MI.SS' END))::char(8);
CREATE OR REPLACE FUNCTION db2."char"(smallint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ($1::text)::char(6);
CREATE OR REPLACE FUNCTION db2."char"(int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ($1::text)::char(11);
CREATE OR REPLACE FUNCTION db2."char"(bigint) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ($1::text)::char(20);
CREATE OR REPLACE FUNCTION db2."char"(numeric) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::text;
CREATE OR REPLACE FUNCTION db2."char"(double precision) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::text;
CREATE OR REPLACE FUNCTION db2."char"(text) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2."char"(text, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN rpad($1, $2);
CREATE OR REPLACE FUNCTION db2."varchar"(timestamp) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN to_char($1, 'YYYY-MM-DD-HH24.MI.SS.US');
CREATE OR REPLACE FUNCTION db2."varchar"(date) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN to_char($1, 'YYYY-MM-DD');
CREATE OR REPLACE FUNCTION db2."varchar"(date, text) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2."char"($1, $2)::text;
CREATE OR REPLACE FUNCTION db2."varchar"(time) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN to_char($1, 'HH24.MI.SS');
CREATE OR REPLACE FUNCTION db2."varchar"(numeric) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::text;
CREATE OR REPLACE FUNCTION db2."varchar"(double precision) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::text;
CREATE OR REPLACE FUNCTION db2."varchar"(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2."varchar"(text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.substr($1, 1, $2);
-- Db2's formats are PostgreSQL's but for the letters of fractions.
CREATE OR REPLACE FUNCTION db2.format(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN regexp_replace(upper($1), 'N{6,12}|FF6?|NNNNNN', 'US');
CREATE OR REPLACE FUNCTION db2.timestamp_format(text, text) RETURNS timestamp LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$BEGIN
    IF regexp_replace(upper($2), 'YYYY|YY|RRRR|RR|MM|MON|MONTH|DDD|DD|HH24|HH12|HH|MI|SSSSS|SS|N{6,12}|FF[0-9]*|AM|PM|[ ./,:;-]', '', 'g') <> '' THEN
        RAISE EXCEPTION USING ERRCODE = '22018', MESSAGE = format('format string "%s" is not valid', $2);
    END IF;
    RETURN to_timestamp($1, db2.format($2))::timestamp;
EXCEPTION WHEN invalid_datetime_format OR datetime_field_overflow THEN
    RAISE EXCEPTION USING ERRCODE = '22018', MESSAGE = format('"%s" is not as "%s" says', $1, $2);
END$$;
CREATE OR REPLACE FUNCTION db2.timestamp_format(text, text, int) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.timestamp_format($1, $2);
CREATE OR REPLACE FUNCTION db2.varchar_format(timestamp, text) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN to_char($1, db2.format($2));
CREATE OR REPLACE FUNCTION db2.varchar_format(numeric, text) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN to_char($1, $2);

-- Operators, which cannot be replaced: each is made where it is not there yet.
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT * FROM (VALUES
        ('||', 'bpchar', 'bpchar', 'concat'), ('||', 'bpchar', 'text', 'concat'), ('||', 'text', 'bpchar', 'concat'),
        ('||', 'bpchar', 'bytea', 'concat'), ('||', 'text', 'bytea', 'concat'), ('||', 'bytea', 'bpchar', 'concat'),
        ('||', 'bytea', 'text', 'concat'), ('||', 'bytea', 'bytea', 'concat')) AS wanted (name, l, r, function)
    LOOP
        IF to_regoperator(format('db2.%s(%s,%s)', made.name, made.l, made.r)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = db2.%s)',
                made.name, made.l, made.r, made.function);
        END IF;
    END LOOP;
END$$;

-- VARCHAR(n): a type that compares as Db2 does, without regard to blanks at the end, and keeps them all the same. Makes
-- the type db2.varchar_n if it is not there, as its own maker: programs make nothing in this schema. Its name comes back.
CREATE OR REPLACE FUNCTION db2.make_varchar(size int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    name text := format('varchar_%s', size);
BEGIN
    IF to_regtype(format('db2.%I', name)) IS NULL THEN
        EXECUTE format('CREATE DOMAIN db2.%I AS bpchar CONSTRAINT db2_length CHECK (db2.length(VALUE) <= %s)', name, size);
    END IF;
    RETURN format('db2.%s', name);
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    -- Another session has made it just now.
    RETURN format('db2.%s', name);
END$$;
