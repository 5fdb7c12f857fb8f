-- no transaction
create index concurrently if not exists deliveries_by_last_attempt
on deliveries (lane, last_ended_at) where last_ended_at is not null;
