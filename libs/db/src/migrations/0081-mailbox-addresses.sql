-- Address of the mailbox at its provider, if it differs from the login name: an alias was registered,
-- or the user was renamed. Written by sync-worker. Notifications of Gmail name this address.
alter table account_states add column mailbox_address text;
