-- Pages of one account's submissions; also used to delete them with the account.
create index outbox_of_account on outbox (account, created_at, queue_id);
drop index outbox_by_account;
-- Held submissions: few rows, counted and listed without reading finished ones.
create index outbox_held on outbox (created_at, queue_id) where state = 'held';
