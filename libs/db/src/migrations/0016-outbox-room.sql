-- A message that is sent changes twice, in columns without an index, before its state does: where the page has room for the new version,
-- no index is touched for it.
alter table outbox set (fillfactor = 50);
