
-- What made room and is not used goes; what is used computes as the one in its place.
DO $former$
DECLARE
    former record;
    is_changed boolean := true;
BEGIN
    WHILE is_changed LOOP
        is_changed := false;
        FOR former IN
            SELECT 'FUNCTION ' || oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'db2'::regnamespace AND proname ~ ' \(\d+\)$'
            UNION ALL
            SELECT 'VIEW ' || oid::regclass FROM pg_class WHERE relnamespace = 'sysibm'::regnamespace AND relname ~ ' \(\d+\)$'
        LOOP
            BEGIN
                EXECUTE 'DROP ' || former.name;
                is_changed := true;
            EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
            END;
        END LOOP;
    END LOOP;
    FOR former IN
        SELECT old.oid, old.proname AS old_name, new.proname AS new_name, pg_get_function_arguments(old.oid) AS parameters, old.provariadic <> 0 AS is_variadic,
            old.pronargs AS number, pg_get_function_result(old.oid) AS result, CASE old.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE '' END AS volatile
        FROM pg_proc old JOIN pg_proc new ON new.pronamespace = old.pronamespace AND new.proargtypes = old.proargtypes AND new.prorettype = old.prorettype
            AND new.proname = regexp_replace(old.proname, ' \(\d+\)$', '')
        WHERE old.pronamespace = 'db2'::regnamespace AND old.proname ~ ' \(\d+\)$'
    LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION db2.%I(%s) RETURNS %s LANGUAGE sql %s PARALLEL SAFE AS %L', former.old_name, former.parameters, former.result,
            former.volatile, format('SELECT db2.%I(%s)', former.new_name,
                (SELECT string_agg(CASE WHEN former.is_variadic AND n = former.number THEN 'VARIADIC ' ELSE '' END || '$' || n, ', ' ORDER BY n)
                 FROM generate_series(1, former.number::int) AS n)));
    END LOOP;
END$former$;
