) AS f (signature, result, names)
    LOOP
        SELECT oid, proname, prorettype, proargnames INTO former FROM pg_proc WHERE oid = to_regprocedure(coming.signature);
        CONTINUE WHEN former.oid IS NULL
            OR former.prorettype = coming.result::regtype AND (former.proargnames IS NULL OR former.proargnames = coming.names);
        BEGIN
            EXECUTE format('DROP FUNCTION %s', former.oid::regprocedure);
        EXCEPTION WHEN dependent_objects_still_exist THEN
            EXECUTE format('ALTER FUNCTION %s RENAME TO %I', former.oid::regprocedure, format('%s (%s)', former.proname, former.oid));
        END;
    END LOOP;
END$former$;
