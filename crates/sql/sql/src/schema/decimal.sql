-- Decimal arithmetic as Db2 has it: precision and scale of a result follow from those of its operands, further digits are cut, and
-- what does not fit is an error. A type is a number: 702 is DECIMAL(7, 2); -5, -11, -19 and the like are whole numbers of so many
-- digits; -99 is floating point; 0 is not known, and then an operator does what PostgreSQL's does. A mode is 150 for DEC15, 310 for
-- DEC31, and has the least scale of a division as its last digit. The planner calls functions of types once for each plan, since
-- their arguments are constants. Behind operands stand the mode, of quotient the types of the second and of the result, of product
-- those of both and of the result.
CREATE OR REPLACE FUNCTION db2.column_type(wanted text, VARIADIC tables text[]) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE kind oid; modifier int;
BEGIN
    SELECT atttypid, atttypmod INTO kind, modifier
        FROM pg_catalog.unnest(tables) WITH ORDINALITY AS t (relation, place)
        JOIN pg_catalog.pg_attribute ON attrelid = to_regclass(t.relation) AND attname = wanted::name AND attnum > 0 AND NOT attisdropped
        ORDER BY place LIMIT 1;
    RETURN CASE WHEN kind IS NULL THEN 0
        WHEN kind = 'int2'::regtype THEN -5 WHEN kind = 'int4'::regtype THEN -11 WHEN kind = 'int8'::regtype THEN -19
        WHEN kind IN ('float4'::regtype, 'float8'::regtype) THEN -99
        WHEN kind = 'numeric'::regtype AND modifier >= 4 THEN ((modifier - 4) >> 16) * 100 + ((modifier - 4) & 2047)
        ELSE 0 END;
END$$;
-- As a decimal operand; of a whole number its copy.
CREATE OR REPLACE FUNCTION db2.as_decimal(int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN $1 BETWEEN -31 AND -1 THEN -$1 * 100 ELSE $1 END;
-- Of operands that need no rule of their own: unknown, floating point or whole numbers; else NULL.
CREATE OR REPLACE FUNCTION db2.plain_type(int, int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE WHEN $1 = -99 OR $2 = -99 THEN -99 WHEN $1 = 0 OR $2 = 0 THEN 0 WHEN $1 < 0 AND $2 < 0 THEN CASE WHEN least($1, $2) < -11 THEN -19 ELSE -11 END END;
-- The most digits of a result.
CREATE OR REPLACE FUNCTION db2.digits_max(int, int, int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE WHEN $3 / 10 = 31 OR $1 / 100 > 15 OR $2 / 100 > 15 THEN 31 ELSE 15 END;
-- An operand of more than 15 digits, as multiplication and division copy it.
CREATE OR REPLACE FUNCTION db2.copy_type(int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE WHEN $1 / 100 > 15 THEN 1500 + greatest(0, $1 % 100 - ($1 / 100 - 15)) ELSE $1 END;
CREATE OR REPLACE FUNCTION db2.sum_type(int, int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE a int := db2.as_decimal($1); b int := db2.as_decimal($2); scale int := greatest(a % 100, b % 100);
BEGIN
    RETURN coalesce(db2.plain_type($1, $2),
        least(db2.digits_max(a, b, $3), greatest(a / 100 - a % 100, b / 100 - b % 100) + scale + 1) * 100 + scale);
END$$;
CREATE OR REPLACE FUNCTION db2.product_type(int, int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE a int := db2.as_decimal($1); b int := db2.as_decimal($2); most int := db2.digits_max(a, b, $3);
BEGIN
    IF a / 100 > 15 AND b / 100 > 15 THEN
        IF b / 100 <= a / 100 THEN b := db2.copy_type(b); ELSE a := db2.copy_type(a); END IF;
    END IF;
    RETURN coalesce(db2.plain_type($1, $2), least(most, a / 100 + b / 100) * 100 + least(most, a % 100 + b % 100));
END$$;
CREATE OR REPLACE FUNCTION db2.quotient_type(int, int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    a int := db2.as_decimal($1); b int := db2.as_decimal($2); plain int := db2.plain_type($1, $2); most int := db2.digits_max(a, b, $3);
    whole int := a / 100 - a % 100; scale int;
BEGIN
    IF plain IS NOT NULL THEN RETURN plain; END IF;
    IF most = 15 THEN scale := 15 - (whole + b % 100);
    ELSIF b / 100 <= 15 THEN scale := CASE b / 100 % 2 WHEN 1 THEN 30 ELSE 29 END - b / 100 - (whole + b % 100);
    ELSE scale := 15 - (whole + db2.copy_type(b) % 100);
    END IF;
    scale := greatest(scale, CASE WHEN $3 % 10 > 0 THEN $3 % 10 ELSE scale END);
    IF scale < 0 THEN
        RAISE EXCEPTION USING ERRCODE = '42911', MESSAGE = format('a division of DECIMAL(%s,%s) by DECIMAL(%s,%s) has a negative scale', a / 100, a % 100, b / 100, b % 100);
    END IF;
    RETURN most * 100 + scale;
END$$;
CREATE OR REPLACE FUNCTION db2.alternative_type(int, int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE a int := db2.as_decimal($1); b int := db2.as_decimal($2); p int := a / 100 + b / 100; s int := a % 100 + b % 100;
BEGIN
    IF a <= 0 OR b <= 0 THEN RETURN 0; END IF;
    RETURN least(31, p) * 100 + CASE WHEN s = 0 THEN 0 WHEN p <= 31 THEN least(31, s) ELSE greatest(least(3, s), 31 - (p - s)) END;
END$$;
-- Of values that are one column: CASE, COALESCE and the like.
CREATE OR REPLACE FUNCTION db2.common_type(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE a int := db2.as_decimal($1); b int := db2.as_decimal($2); scale int := greatest(a % 100, b % 100);
BEGIN
    RETURN CASE WHEN $1 < 0 AND $2 < 0 AND least($1, $2) > -99 THEN least($1, $2)
        ELSE coalesce(db2.plain_type($1, $2), least(31, greatest(a / 100 - a % 100, b / 100 - b % 100) + scale) * 100 + scale) END;
END$$;
CREATE OR REPLACE FUNCTION db2.total_type(int, int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE WHEN $1 <= 0 THEN coalesce(db2.plain_type($1, $1), 0)
        ELSE CASE WHEN $2 / 10 = 31 OR $1 / 100 > 15 THEN least(31, $1 / 100 + 10) ELSE 15 END * 100 + $1 % 100 END;
CREATE OR REPLACE FUNCTION db2.average_type(int, int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    CASE WHEN $1 <= 0 THEN coalesce(db2.plain_type($1, $1), 0)
        WHEN $2 / 10 = 31 OR $1 / 100 > 15 THEN 3100 + greatest(0, 28 - $1 / 100 + $1 % 100) ELSE 1500 + 15 - $1 / 100 + $1 % 100 END;

-- A number as a result of a type: digits behind its scale are cut, and those in front of it have to fit.
CREATE OR REPLACE FUNCTION db2.fit(numeric, int) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN
    IF $2 <= 0 THEN RETURN $1; END IF;
    IF abs($1) >= ('1e' || ($2 / 100 - $2 % 100))::numeric THEN
        RAISE EXCEPTION USING ERRCODE = '22003', MESSAGE = format('a result does not fit DECIMAL(%s,%s)', $2 / 100, $2 % 100);
    END IF;
    RETURN trunc($1, $2 % 100);
END$$;
CREATE OR REPLACE FUNCTION db2.quotient(numeric, numeric, int, int) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE divisor numeric := $2;
BEGIN
    IF $4 <= 0 THEN RETURN $1 / $2; END IF;
    IF $3 / 100 > 15 THEN divisor := db2.fit($2, db2.copy_type($3)); END IF;
    RETURN db2.fit(div($1 * ('1e' || $4 % 100)::numeric, divisor) * ('1e-' || $4 % 100)::numeric, $4);
END$$;
CREATE OR REPLACE FUNCTION db2.product(numeric, numeric, int, int, int) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN
    IF $5 > 0 AND $3 / 100 > 15 AND $4 / 100 > 15 THEN
        IF $4 / 100 <= $3 / 100 THEN RETURN db2.fit($1 * db2.fit($2, db2.copy_type($4)), $5); END IF;
        RETURN db2.fit(db2.fit($1, db2.copy_type($3)) * $2, $5);
    END IF;
    RETURN db2.fit($1 * $2, $5);
END$$;
CREATE OR REPLACE FUNCTION db2.plus(numeric, numeric, int) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.fit($1 + $2, $3);
CREATE OR REPLACE FUNCTION db2.minus(numeric, numeric, int) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.fit($1 - $2, $3);
CREATE OR REPLACE FUNCTION db2.multiply_alt(numeric, numeric, int) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.fit($1 * $2, $3);
CREATE OR REPLACE FUNCTION db2.average(numeric, int) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE WHEN $2 = -19 THEN trunc($1) ELSE db2.fit($1, $2) END;
CREATE OR REPLACE FUNCTION db2.average(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
CREATE OR REPLACE FUNCTION db2.average(double precision, int) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
-- PostgreSQL's sum of INTEGER is a BIGINT, that of BIGINT a number of any length.
CREATE OR REPLACE FUNCTION db2.total(numeric, int) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE WHEN $2 = -19 THEN $1::bigint::numeric ELSE db2.fit($1, $2) END;
CREATE OR REPLACE FUNCTION db2.total(bigint, int) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN CASE WHEN $2 = -11 THEN $1::int::bigint ELSE $1 END;
CREATE OR REPLACE FUNCTION db2.total(double precision, int) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1;
-- Operands that are not decimal: PostgreSQL's own operators.
DO $$
DECLARE kind text; sign text; name text; more text;
BEGIN
    FOREACH kind IN ARRAY ARRAY['int', 'bigint', 'double precision'] LOOP
        FOR name, sign, more IN VALUES ('quotient', '/', 'int, int'), ('product', '*', 'int, int, int'), ('plus', '+', 'int'), ('minus', '-', 'int') LOOP
            EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(%s, %2$s, %s) RETURNS %2$s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 OPERATOR(pg_catalog.%4$s) $2', name, kind, more, sign);
            -- Two SMALLINT are no more alike to INTEGER than to DOUBLE: a function of their own decides.
            IF kind = 'int' THEN
                EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(smallint, smallint, %s) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1::int OPERATOR(pg_catalog.%s) $2::int', name, more, sign);
            END IF;
        END LOOP;
    END LOOP;
END$$;
-- LENGTH, DIGITS and CHAR with the type of their argument, which counts where it is decimal.
DO $$
DECLARE of_all record;
BEGIN
    FOR of_all IN SELECT proname, oidvectortypes(proargtypes) AS argument, prorettype::regtype AS result, provolatile
        FROM pg_proc WHERE pronamespace = 'db2'::regnamespace AND proname IN ('length', 'digits', 'char') AND pronargs = 1 LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(%s, int) RETURNS %s LANGUAGE sql %s STRICT PARALLEL SAFE RETURN db2.%I($1)',
            of_all.proname || '_of', of_all.argument, of_all.result, CASE of_all.provolatile WHEN 'i' THEN 'IMMUTABLE' ELSE 'STABLE' END, of_all.proname);
    END LOOP;
END$$;
CREATE OR REPLACE FUNCTION db2.length_of(numeric, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$BEGIN
    IF $2 <= 0 THEN
        RAISE EXCEPTION USING ERRCODE = '42883', MESSAGE = 'function db2.length(numeric) does not exist: the precision of its argument is not known';
    END IF;
    RETURN CASE WHEN $1 IS NOT NULL THEN $2 / 200 + 1 END;
END$$;
CREATE OR REPLACE FUNCTION db2.digits_of(numeric, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    CASE WHEN $2 > 0 THEN lpad(db2.digits(trunc($1, $2 % 100)), greatest($2 / 100, pg_catalog.length(db2.digits(trunc($1, $2 % 100)))), '0') ELSE db2.digits($1) END;
CREATE OR REPLACE FUNCTION db2.char_of(numeric, int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    CASE WHEN $2 > 0 THEN rpad($1::text, $2 / 100 + 2)::bpchar ELSE db2."char"($1) END;
