-- Delivery failures that reports stated for messages of an account; shown when the message is read.
-- Written by sync-worker in the transaction of the event.
create table bounces (
  account text not null references accounts on delete cascade,
  -- first 8 bytes of the SHA-256 of the Message-ID of the undelivered message
  message_hash bigint not null,
  bounce_message text not null, -- id of the report
  recipient text not null,
  action text not null,
  response text not null,
  status text,
  date timestamptz not null,
  primary key (account, message_hash, bounce_message, recipient)
);
create index bounces_by_age on bounces (date);
grant select, insert, update, delete on bounces to posthorn_sync_worker;
