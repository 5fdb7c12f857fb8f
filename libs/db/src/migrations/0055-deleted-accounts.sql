-- no transaction
-- Targets of deleted accounts, for events that were recorded before the deletion. Few rows: one per
-- deletion.
create index concurrently if not exists events_of_deletions on events (account, id) where event = 'accountDeleted';
