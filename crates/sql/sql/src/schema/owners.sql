-- What earlier versions, or an administrator, made as the server's owner is the programs'. It runs at each start: what a unit of
-- work in doubt has locked gets its owner when that has ended.
DO $$
DECLARE
    change text;
BEGIN
    SET LOCAL lock_timeout = '200ms';
    FOR change IN
        WITH own AS (SELECT oid, nspname, nspowner FROM pg_namespace
                     WHERE nspname !~ '^pg_' AND nspname <> ALL (ARRAY['information_schema', 'db2', 'sysibm', 'syncpoint'])),
             owner AS (SELECT oid FROM pg_roles WHERE rolname = current_user)
        SELECT format('SCHEMA %I', nspname) FROM own WHERE nspowner = (SELECT oid FROM owner)
           -- This one is the database's owner's, by a role that no user is.
           OR nspname = 'public' AND nspowner = to_regrole('pg_database_owner')
        UNION ALL
        SELECT format('%s %I.%I', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                      nspname, relname)
        FROM pg_class c JOIN own ON own.oid = relnamespace
        WHERE relowner = (SELECT oid FROM owner) AND relkind IN ('r', 'p', 'v', 'm', 'S')
          -- A column's sequence goes with its table.
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
                            AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0)
        UNION ALL
        SELECT format('ROUTINE %s', p.oid::regprocedure) FROM pg_proc p JOIN own ON own.oid = pronamespace
        WHERE proowner = (SELECT oid FROM owner)
        UNION ALL
        SELECT format('TYPE %I.%I', nspname, typname) FROM pg_type JOIN own ON own.oid = typnamespace
        WHERE typowner = (SELECT oid FROM owner) AND typtype IN ('d', 'e', 'r')
    LOOP
        BEGIN
            EXECUTE format('ALTER %s OWNER TO syncpoint', change);
        EXCEPTION WHEN lock_not_available THEN
            RAISE WARNING '% is locked, and gets its owner later', change;
        END;
    END LOOP;
END$$
