-- Units of mailboxes at mail providers that senders use while no sync-worker lends units: one token
-- bucket per mailbox, shared by all senders. Written by sender; deleted after an hour without use.
create table sending_reserves (
  account text primary key references accounts on delete cascade,
  units double precision not null, -- at `updated_at`
  updated_at timestamptz not null
);
grant select, insert, update, delete on sending_reserves to posthorn_sender;
