-- no transaction
-- Pages of the events of one account, latest first.
create index concurrently if not exists events_by_account on events (account, date, id);
