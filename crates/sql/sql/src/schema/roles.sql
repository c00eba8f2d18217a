-- Programs are a role of their own, which may do what an application does: make, read and change its own tables. What the owner
-- of the server has is out of its reach: files, settings, other sessions, the catalogue, locks that no unit of work ends.
REVOKE ALL ON DATABASE syncpoint FROM PUBLIC;
REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;
GRANT CONNECT, CREATE, TEMPORARY ON DATABASE syncpoint TO syncpoint;

-- By which tables and records are known as a pair: its owner's alone.
CREATE TABLE IF NOT EXISTS syncpoint.pair (mark text NOT NULL);

-- Of these schemas programs use what is there. The names that units of work leave are written by the programs' own sessions.
REVOKE ALL ON SCHEMA db2, sysibm, syncpoint FROM PUBLIC, syncpoint;
GRANT USAGE ON SCHEMA db2, sysibm, syncpoint TO syncpoint;
REVOKE ALL ON ALL TABLES IN SCHEMA db2, syncpoint FROM PUBLIC, syncpoint;
GRANT SELECT, INSERT ON db2.scripts TO syncpoint;
GRANT SELECT, INSERT, DELETE ON syncpoint.ended TO syncpoint;
GRANT SELECT, INSERT, UPDATE ON syncpoint.packages TO syncpoint;

-- The catalogue is read through sysibm; through pg_settings everybody could change settings.
REVOKE ALL ON ALL TABLES IN SCHEMA pg_catalog, information_schema FROM PUBLIC;
-- Where a region notes which of its schemas are there, and finds how procedures and columns are.
GRANT SELECT ON pg_description, pg_proc, pg_namespace, pg_attribute, pg_type TO syncpoint;

-- What a function does beside computing, only a volatile one can do: none is left but those that give values. Functions that
-- the server calls itself have types that no statement has. Of the others, those that show settings, sessions, or whole schemas.
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT p.oid::regprocedure AS function FROM pg_proc p
        WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'
          AND (provolatile = 'v' AND proname NOT IN ('clock_timestamp', 'currval', 'gen_random_uuid', 'lastval', 'nextval', 'random', 'timeofday')
               OR proname ~ '_to_xml|^pg_stat_get_|^pg_show_|^pg_ls_|^pg_read_|^lo_|^inet_'
               OR proname IN ('pg_cursor', 'pg_prepared_statement', 'pg_prepared_xact', 'pg_config', 'pg_listening_channels', 'pg_relation_filepath',
                   'pg_get_replication_slots', 'pg_timezone_names', 'ts_stat', 'ts_debug'))
          AND NOT 'internal'::regtype = ANY (proargtypes::oid[])
          AND prorettype <> ALL (ARRAY['internal', 'trigger', 'event_trigger', 'language_handler', 'index_am_handler', 'table_am_handler']::regtype[])
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', made.function);
    END LOOP;
END$$;
-- By these a session finds out on whose data it works, what became of a transaction, and what waits for its end.
GRANT EXECUTE ON FUNCTION pg_control_system(), pg_xact_status(xid8), pg_prepared_xact() TO syncpoint;
GRANT SELECT ON pg_prepared_xacts TO syncpoint;
