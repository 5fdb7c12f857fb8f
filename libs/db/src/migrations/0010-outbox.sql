-- Pages of one account's messages; also what deleting an account looks its messages up by.
create index outbox_of_account on outbox (account, created_at, queue_id);
drop index outbox_by_account;
-- Held messages, few among many: to be counted and listed without looking at all that are done with.
create index outbox_held on outbox (created_at, queue_id) where state = 'held';
