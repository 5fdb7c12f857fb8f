-- no transaction
-- Pages of all events, latest first.
create index concurrently if not exists events_by_date on events (date, id);
