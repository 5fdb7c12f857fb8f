-- no transaction
-- Pages of the events with one name, latest first.
create index concurrently if not exists events_by_name on events (event, date, id);
