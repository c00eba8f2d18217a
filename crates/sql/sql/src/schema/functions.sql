-- More of Db2's functions, and comparisons of texts with numbers.

-- Dates and times that are texts.
CREATE OR REPLACE FUNCTION db2.midnight_seconds(text) RETURNS int LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.midnight_seconds(db2."time"($1));
CREATE OR REPLACE FUNCTION db2.add_months(text, int) RETURNS date LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.add_months(db2.date($1), $2);

-- Lengths of numbers in bytes. A function does not see how many digits a decimal number may have: a constant's are counted by the
-- reader of the statement, others are refused.
CREATE OR REPLACE FUNCTION db2.length(real) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 4;
CREATE OR REPLACE FUNCTION db2.length(double precision) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 8;
CREATE OR REPLACE FUNCTION db2.length(numeric) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$BEGIN
    RAISE EXCEPTION USING ERRCODE = '42883', MESSAGE = 'LENGTH of a decimal number that is no constant';
END$$;

-- Where one text is in another. From a negative place it is looked for towards the beginning.
CREATE OR REPLACE FUNCTION db2.locate_in_string(source text, search text, start int, instance int) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    size int := pg_catalog.length(source);
    place int := CASE WHEN start < 0 THEN size + start + 1 ELSE start END;
    missing int := instance;
BEGIN
    IF start = 0 OR instance < 1 THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'the place or the instance of LOCATE_IN_STRING is out of range';
    END IF;
    IF search = '' THEN
        RETURN 1;
    END IF;
    WHILE place BETWEEN 1 AND size LOOP
        IF pg_catalog.substr(source, place, pg_catalog.length(search)) = search THEN
            missing := missing - 1;
            IF missing = 0 THEN
                RETURN place;
            END IF;
        END IF;
        place := place + sign(start)::int;
    END LOOP;
    RETURN 0;
END$$;
CREATE OR REPLACE FUNCTION db2.locate_in_string(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($1, $2);
CREATE OR REPLACE FUNCTION db2.locate_in_string(text, text, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.locate_in_string($1, $2, $3, 1);
CREATE OR REPLACE FUNCTION db2.locate_in_string(text, text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($1, $2);
CREATE OR REPLACE FUNCTION db2.locate_in_string(text, text, int, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.locate_in_string($1, $2, $3, 1);
CREATE OR REPLACE FUNCTION db2.locate_in_string(text, text, int, int, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.locate_in_string($1, $2, $3, $4);
CREATE OR REPLACE FUNCTION db2."position"(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($2, $1);
CREATE OR REPLACE FUNCTION db2."position"(text, text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN strpos($2, $1);

CREATE OR REPLACE FUNCTION db2."overlay"(source text, other text, start int, size int) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN
    IF start < 1 OR start > pg_catalog.length(source) + 1 OR size < 0 THEN
        RAISE EXCEPTION USING ERRCODE = '22011', MESSAGE = 'the place or the length of OVERLAY is out of range';
    END IF;
    RETURN overlay(source PLACING other FROM start FOR size);
END$$;
CREATE OR REPLACE FUNCTION db2."overlay"(text, text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"($1, $2, $3, pg_catalog.length($2));
CREATE OR REPLACE FUNCTION db2."overlay"(text, text, int, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"($1, $2, $3, pg_catalog.length($2));
CREATE OR REPLACE FUNCTION db2."overlay"(text, text, int, int, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"($1, $2, $3, $4);
-- The blanks at the end of a CHAR are part of it.
CREATE OR REPLACE FUNCTION db2."overlay"(bpchar, text, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"(db2.concat($1, ''::text), $2, $3);
CREATE OR REPLACE FUNCTION db2."overlay"(bpchar, text, int, int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"(db2.concat($1, ''::text), $2, $3, $4);
CREATE OR REPLACE FUNCTION db2."overlay"(bpchar, text, int, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"(db2.concat($1, ''::text), $2, $3);
CREATE OR REPLACE FUNCTION db2."overlay"(bpchar, text, int, int, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2."overlay"(db2.concat($1, ''::text), $2, $3, $4);

-- How a name sounds: its first letter, and digits of the consonants behind it. H and W do not part two of one digit, vowels do.
CREATE OR REPLACE FUNCTION db2.soundex(text) RETURNS bpchar LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    letters text := regexp_replace(upper($1), '[^A-Z]', '', 'g');
    digits text;
BEGIN
    IF letters = '' THEN
        RETURN '    '::char(4);
    END IF;
    digits := pg_catalog."left"(letters, 1) || regexp_replace(pg_catalog.substr(letters, 2), '[HW]', '', 'g');
    digits := pg_catalog.translate(digits, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '01230120022455012623010202');
    digits := pg_catalog.substr(regexp_replace(digits, '(.)\1+', '\1', 'g'), 2);
    RETURN (pg_catalog."left"(letters, 1) || pg_catalog."left"(pg_catalog.replace(digits, '0', '') || '000', 3))::char(4);
END$$;
CREATE OR REPLACE FUNCTION db2.difference(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN
    (SELECT count(*) FROM generate_series(1, 4) AS place WHERE pg_catalog.substr(db2.soundex($1)::text, place, 1) = pg_catalog.substr(db2.soundex($2)::text, place, 1))::int;

-- Units in a duration as digits, where a month has 30 days and a year 365.
CREATE OR REPLACE FUNCTION db2.timestampdiff(unit int, duration numeric) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    size numeric := abs(duration);
    months numeric := trunc(size / 10000000000) * 12 + trunc(size / 100000000) % 100;
    days numeric := trunc(size / 10000000000) * 365 + trunc(size / 100000000) % 100 * 30 + trunc(size / 1000000) % 100;
    seconds numeric := (days * 24 + trunc(size / 10000) % 100) * 3600 + trunc(size / 100) % 100 * 60 + size % 100;
    units numeric := CASE unit
        WHEN 1 THEN seconds * 1000000 WHEN 2 THEN seconds WHEN 4 THEN seconds / 60 WHEN 8 THEN seconds / 3600 WHEN 16 THEN days
        WHEN 32 THEN days / 7 WHEN 64 THEN months WHEN 128 THEN months / 3 WHEN 256 THEN months / 12 END;
BEGIN
    IF units IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('TIMESTAMPDIFF knows no unit %s', unit);
    END IF;
    RETURN (sign(duration) * trunc(units))::int;
END$$;
CREATE OR REPLACE FUNCTION db2.timestampdiff(int, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN db2.timestampdiff($1, $2::numeric);

-- The beginning of a unit of time.
CREATE OR REPLACE FUNCTION db2.trunc_timestamp(moment timestamp, unit text) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    midnight timestamp := date_trunc('day', moment);
    days int;
BEGIN
    CASE
        WHEN upper(unit) IN ('CC', 'SCC') THEN RETURN date_trunc('century', moment);
        WHEN upper(unit) IN ('SYYYY', 'YYYY', 'YEAR', 'SYEAR', 'YYY', 'YY', 'Y') THEN RETURN date_trunc('year', moment);
        WHEN upper(unit) IN ('IYYY', 'IYY', 'IY', 'I') THEN days := (extract(week FROM moment)::int - 1) * 7 + extract(isodow FROM moment)::int - 1;
        WHEN upper(unit) = 'Q' THEN RETURN date_trunc('quarter', moment);
        WHEN upper(unit) IN ('MONTH', 'MON', 'MM', 'RM') THEN RETURN date_trunc('month', moment);
        WHEN upper(unit) = 'WW' THEN days := (extract(doy FROM moment)::int - 1) % 7;
        WHEN upper(unit) = 'IW' THEN days := extract(isodow FROM moment)::int - 1;
        WHEN upper(unit) = 'W' THEN days := (extract(day FROM moment)::int - 1) % 7;
        WHEN upper(unit) IN ('DDD', 'DD', 'J') THEN days := 0;
        WHEN upper(unit) IN ('DAY', 'DY', 'D') THEN days := extract(dow FROM moment)::int;
        WHEN upper(unit) IN ('HH', 'HH12', 'HH24') THEN RETURN date_trunc('hour', moment);
        WHEN upper(unit) = 'MI' THEN RETURN date_trunc('minute', moment);
        WHEN upper(unit) = 'SS' THEN RETURN date_trunc('second', moment);
        ELSE RAISE EXCEPTION USING ERRCODE = '22018', MESSAGE = format('format string "%s" is not valid', unit);
    END CASE;
    RETURN midnight OPERATOR(pg_catalog.-) make_interval(days => days);
END$$;
CREATE OR REPLACE FUNCTION db2.trunc_timestamp(timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN date_trunc('day', $1);
CREATE OR REPLACE FUNCTION db2.trunc_timestamp(text) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN date_trunc('day', db2."timestamp"($1));
CREATE OR REPLACE FUNCTION db2.trunc_timestamp(text, text) RETURNS timestamp LANGUAGE sql STABLE STRICT PARALLEL SAFE RETURN db2.trunc_timestamp(db2."timestamp"($1), $2);

-- Bits of whole numbers, in two's complement.
CREATE OR REPLACE FUNCTION db2.bitand(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 & $2;
CREATE OR REPLACE FUNCTION db2.bitand(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 & $2;
CREATE OR REPLACE FUNCTION db2.bitand(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::bigint & trunc($2)::bigint;
CREATE OR REPLACE FUNCTION db2.bitandnot(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 & ~$2;
CREATE OR REPLACE FUNCTION db2.bitandnot(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 & ~$2;
CREATE OR REPLACE FUNCTION db2.bitandnot(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::bigint & ~trunc($2)::bigint;
CREATE OR REPLACE FUNCTION db2.bitor(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 | $2;
CREATE OR REPLACE FUNCTION db2.bitor(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 | $2;
CREATE OR REPLACE FUNCTION db2.bitor(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::bigint | trunc($2)::bigint;
CREATE OR REPLACE FUNCTION db2.bitxor(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 # $2;
CREATE OR REPLACE FUNCTION db2.bitxor(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN $1 # $2;
CREATE OR REPLACE FUNCTION db2.bitxor(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN trunc($1)::bigint # trunc($2)::bigint;
CREATE OR REPLACE FUNCTION db2.bitnot(int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ~$1;
CREATE OR REPLACE FUNCTION db2.bitnot(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ~$1;
CREATE OR REPLACE FUNCTION db2.bitnot(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ~trunc($1)::bigint;

-- Of which kind a coded character set is.
CREATE OR REPLACE FUNCTION db2.ccsid_encoding(int) RETURNS bpchar LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN (CASE
    WHEN $1 IN (1200, 1202, 1208, 13488, 17584) THEN 'UNICODE'
    WHEN $1 IN (37, 256, 273, 274, 277, 278, 280, 284, 285, 290, 297, 300, 420, 423, 424, 500, 803, 833, 834, 835, 836, 837, 838, 870, 871, 875, 880, 905,
        918, 924, 930, 931, 933, 935, 937, 939, 1025, 1026, 1027, 1047, 1097, 1112, 1122, 1123, 1130, 1132, 1137, 1364, 1371, 1388, 1390, 1399, 4396, 4930,
        4933, 5026, 5035, 8612, 9030, 13121, 13124, 16684, 28709) OR $1 BETWEEN 1140 AND 1149 OR $1 BETWEEN 1153 AND 1160 THEN 'EBCDIC'
    WHEN $1 IN (367, 437, 720, 737, 775, 813, 819, 850, 851, 852, 855, 856, 857, 858, 860, 861, 862, 863, 864, 865, 866, 867, 868, 869, 874, 878, 897, 903,
        904, 912, 913, 914, 915, 916, 920, 921, 922, 923, 932, 936, 938, 942, 943, 947, 948, 949, 950, 954, 964, 970, 1004, 1006, 1008, 1009, 1010, 1011,
        1012, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1041, 1043, 1046, 1051, 1088, 1089, 1098, 1100, 1101, 1102, 1103, 1104, 1105, 1106, 1107, 1114,
        1115, 1124, 1125, 1126, 1129, 1131, 1133, 1161, 1162, 1163, 1164, 1168, 1275, 1363, 1381, 1383, 1386, 5346, 5348)
        OR $1 BETWEEN 1250 AND 1258 THEN 'ASCII'
    ELSE 'UNKNOWN' END)::char(8);

-- A text beside a number is the number that it shows.
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT * FROM (VALUES ('=', 'is'), ('<>', 'is_not'), ('<', 'is_below'), ('>', 'is_above'), ('<=', 'is_at_most'), ('>=', 'is_at_least'))
        AS wanted (sign, function)
    LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%1$I(bpchar, numeric) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN ($1::text)::numeric OPERATOR(pg_catalog.%2$s) $2', made.function, made.sign);
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%1$I(numeric, bpchar) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
            RETURN $1 OPERATOR(pg_catalog.%2$s) ($2::text)::numeric', made.function, made.sign);
        IF to_regoperator(format('db2.%s(bpchar,numeric)', made.sign)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.%s (LEFTARG = bpchar, RIGHTARG = numeric, FUNCTION = db2.%I)', made.sign, made.function);
        END IF;
        IF to_regoperator(format('db2.%s(numeric,bpchar)', made.sign)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.%s (LEFTARG = numeric, RIGHTARG = bpchar, FUNCTION = db2.%I)', made.sign, made.function);
        END IF;
    END LOOP;
END$$;

-- A day that its month does not have is the month's last: a program hears of it (SQLWARN6), by a notice of this state.
CREATE OR REPLACE FUNCTION db2.adjusted(timestamp) RETURNS timestamp LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$BEGIN
    RAISE NOTICE USING ERRCODE = '01506', MESSAGE = 'a date was adjusted to the end of its month';
    RETURN $1;
END$$;
CREATE OR REPLACE FUNCTION db2.moved(timestamp, timestamp, interval) RETURNS timestamp LANGUAGE sql STABLE PARALLEL SAFE RETURN
    CASE WHEN extract(day FROM $1) > extract(day FROM $2) AND (extract(month FROM $3) <> 0 OR extract(year FROM $3) <> 0) THEN db2.adjusted($2) ELSE $2 END;
CREATE OR REPLACE FUNCTION db2.later(date, interval) RETURNS date LANGUAGE sql STABLE PARALLEL SAFE RETURN db2.moved($1::timestamp, $1 OPERATOR(pg_catalog.+) $2, $2)::date;
CREATE OR REPLACE FUNCTION db2.earlier(date, interval) RETURNS date LANGUAGE sql STABLE PARALLEL SAFE RETURN db2.moved($1::timestamp, $1 OPERATOR(pg_catalog.-) $2, $2)::date;
CREATE OR REPLACE FUNCTION db2.later(timestamp, interval) RETURNS timestamp LANGUAGE sql STABLE PARALLEL SAFE RETURN db2.moved($1, $1 OPERATOR(pg_catalog.+) $2, $2);
CREATE OR REPLACE FUNCTION db2.earlier(timestamp, interval) RETURNS timestamp LANGUAGE sql STABLE PARALLEL SAFE RETURN db2.moved($1, $1 OPERATOR(pg_catalog.-) $2, $2);
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT * FROM (VALUES ('+', 'date', 'later'), ('-', 'date', 'earlier'), ('+', 'timestamp', 'later'), ('-', 'timestamp', 'earlier'))
        AS wanted (sign, moved, function)
    LOOP
        IF to_regoperator(format('db2.%s(%s,interval)', made.sign, made.moved)) IS NULL THEN
            EXECUTE format('CREATE OPERATOR db2.%s (LEFTARG = %s, RIGHTARG = interval, FUNCTION = db2.%I)', made.sign, made.moved, made.function);
        END IF;
    END LOOP;
END$$;
