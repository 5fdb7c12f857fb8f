-- True for senders that borrow units. Other senders use a fixed part of the units of mailboxes, which
-- sync-workers leave to them.
alter table senders add column lends boolean not null default false;
grant select (heartbeat_at, lends) on senders to posthorn_sync_worker;
