-- Durations as digits: what two dates, times or timestamps are apart is yyyymmdd, hhmmss or both, and so is the zone.

CREATE OR REPLACE FUNCTION db2.apart(date, date) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    (SELECT (sign($1 OPERATOR(pg_catalog.-) $2) * (extract(year FROM d) * 10000 + extract(month FROM d) * 100 + extract(day FROM d)))::numeric(8)
     FROM (SELECT age(greatest($1, $2)::timestamp, least($1, $2)::timestamp) AS d) AS between_them);
CREATE OR REPLACE FUNCTION db2.apart(time, time) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    (SELECT (sign(s) * (trunc(abs(s) / 3600) * 10000 + trunc(abs(s) / 60) % 60 * 100 + trunc(abs(s)) % 60))::numeric(6)
     FROM (SELECT extract(epoch FROM $1 OPERATOR(pg_catalog.-) $2) AS s) AS between_them);
CREATE OR REPLACE FUNCTION db2.apart(timestamp, timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    (SELECT (CASE WHEN $1 < $2 THEN -1 ELSE 1 END * (extract(year FROM d) * 10000000000 + extract(month FROM d) * 100000000
        + extract(day FROM d) * 1000000 + extract(hour FROM d) * 10000 + extract(minute FROM d) * 100 + extract(second FROM d)))::numeric(20,6)
     FROM (SELECT age(greatest($1, $2), least($1, $2)) AS d) AS between_them);
CREATE OR REPLACE FUNCTION db2.later(timestamp, numeric) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    $1 OPERATOR(pg_catalog.+) make_interval(hours => trunc($2 / 10000)::int, mins => (trunc($2 / 100) % 100)::int, secs => ($2 % 100)::double precision);
CREATE OR REPLACE FUNCTION db2.earlier(timestamp, numeric) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.later($1, -$2);

-- Their parts.
DO $$
DECLARE part text; divisor int; modulus int;
BEGIN
    FOR part, divisor, modulus IN VALUES ('year', 10000, 100000), ('month', 100, 100), ('day', 1, 100),
        ('hour', 10000, 100), ('minute', 100, 100), ('second', 1, 100) LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN (trunc($1 / %s) %% %s)::int', part, divisor, modulus);
    END LOOP;
END $$;

DO $$
DECLARE made record;
BEGIN
    FOR made IN SELECT * FROM (VALUES ('-', 'date', 'date', 'apart'), ('-', 'time', 'time', 'apart'),
        ('-', 'timestamp', 'timestamp', 'apart'), ('+', 'timestamp', 'numeric', 'later'),
        ('-', 'timestamp', 'numeric', 'earlier')) AS wanted (name, l, r, function)
    LOOP
        IF to_regoperator(format('db2.%s(%s,%s)', made.name, made.l, made.r)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = db2.%s)',
                made.name, made.l, made.r, made.function);
        END IF;
    END LOOP;
END $$;
