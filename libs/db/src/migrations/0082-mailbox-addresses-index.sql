-- no transaction
create index concurrently if not exists account_states_by_mailbox_address
on account_states (lower(mailbox_address)) where mailbox_address is not null;
