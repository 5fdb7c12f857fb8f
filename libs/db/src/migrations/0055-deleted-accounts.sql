-- Targets of deleted accounts, for events that were recorded before the deletion. Few rows: one per
-- deletion.
create index events_of_deletions on events (account, id) where event = 'accountDeleted';

-- Waiting submissions end with messageFailed when their account is deleted: api-gateway deletes them
-- in the transaction that records the events.
grant delete on outbox to posthorn_api_gateway;
