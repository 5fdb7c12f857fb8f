-- no transaction
create index concurrently if not exists deliveries_failed_by_target
on deliveries (lane) where state = 'failed' and replayed_at is null;
