-- A sent submission changes two unindexed columns before its state. With free space on the page
-- these are HOT updates, which write no index.
alter table outbox set (fillfactor = 50);
