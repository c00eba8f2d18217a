-- What does not fit behind the point is cut, as Db2 does: wherever a number, time or timestamp is stored in a column or cast
-- to a type, PostgreSQL calls a function, and its own ones round. These stand in their place, and call them with what is cut
-- already, so that the range is still theirs to check. The planner puts their bodies in place: STRICT only where that allows it. It holds for the whole database: so only for a private one.
CREATE OR REPLACE FUNCTION db2.cut_numeric(numeric, int) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    pg_catalog."numeric"(trunc($1, ((($2 - 4) & 2047) # 1024) - 1024), $2);
CREATE OR REPLACE FUNCTION db2.cut_int2(numeric) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int2(trunc($1));
CREATE OR REPLACE FUNCTION db2.cut_int4(numeric) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int4(trunc($1));
CREATE OR REPLACE FUNCTION db2.cut_int8(numeric) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int8(trunc($1));
CREATE OR REPLACE FUNCTION db2.cut_int2(double precision) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int2(trunc($1));
CREATE OR REPLACE FUNCTION db2.cut_int4(double precision) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int4(trunc($1));
CREATE OR REPLACE FUNCTION db2.cut_int8(double precision) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int8(trunc($1));
CREATE OR REPLACE FUNCTION db2.cut_int2(real) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int2(trunc($1::double precision));
CREATE OR REPLACE FUNCTION db2.cut_int4(real) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int4(trunc($1::double precision));
CREATE OR REPLACE FUNCTION db2.cut_int8(real) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.int8(trunc($1::double precision));
-- Microseconds beyond so many places, which a remainder tells exactly; infinity has none.
CREATE OR REPLACE FUNCTION db2.cut_timestamp(timestamp, int) RETURNS timestamp LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    $1 OPERATOR(pg_catalog.-) coalesce(extract(microseconds FROM $1)::bigint % (10 ^ (6 - $2))::bigint, 0) * interval '1 microsecond';
-- 24:00 is the end of a day: less nothing it would be its beginning.
CREATE OR REPLACE FUNCTION db2.cut_time(time, int) RETURNS time LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE $1 WHEN '24:00' THEN $1 ELSE $1 OPERATOR(pg_catalog.-) (extract(microseconds FROM $1)::bigint % (10 ^ (6 - $2))::bigint) * interval '1 microsecond' END;
UPDATE pg_cast SET castfunc = cut.function::regprocedure
FROM (VALUES
    ('numeric', 'numeric', 'db2.cut_numeric(numeric,int)'),
    ('numeric', 'int2', 'db2.cut_int2(numeric)'), ('numeric', 'int4', 'db2.cut_int4(numeric)'), ('numeric', 'int8', 'db2.cut_int8(numeric)'),
    ('float8', 'int2', 'db2.cut_int2(float8)'), ('float8', 'int4', 'db2.cut_int4(float8)'), ('float8', 'int8', 'db2.cut_int8(float8)'),
    ('float4', 'int2', 'db2.cut_int2(float4)'), ('float4', 'int4', 'db2.cut_int4(float4)'), ('float4', 'int8', 'db2.cut_int8(float4)'),
    ('timestamp', 'timestamp', 'db2.cut_timestamp(timestamp,int)'), ('time', 'time', 'db2.cut_time(time,int)')) AS cut (source, target, function)
WHERE castsource = cut.source::regtype AND casttarget = cut.target::regtype AND castfunc <> cut.function::regprocedure;
