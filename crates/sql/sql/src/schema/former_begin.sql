-- What cannot be replaced makes room.
DO $former$
DECLARE
    coming record;
    former record;
BEGIN
    FOR coming IN SELECT * FROM (VALUES
        