-- What a submission may ask for, beyond its bytes ---------------------------------------------------------------------

alter table outbox
  drop constraint outbox_state_check,
  add constraint outbox_state_check check (state in ('queued', 'held', 'sent', 'failed')),
  add column gateway text, -- sent by it, and not by the account's own server
  add column proxy text, -- SOCKS or HTTP; may hold credentials: masked whenever it is shown
  add column local_address text,
  add column dsn jsonb, -- {id?, return, notify?[], recipient?}
  add column idempotency_key text, -- for looking up only; `idempotency_keys` decides
  add column use_structured_format boolean not null default false,
  add column original_message_id text, -- the one we had given, where the server wrote another
  add column network_routing jsonb, -- the way the last attempt went
  -- What is left to do in the mailbox once the message is sent: the copy in Sent, the flag on the message that is answered, the draft to remove.
  add column filing jsonb, -- {copy?, sentMailPath?, reference?: {message, action}, draft?}; null: nothing
  add column filing_next_at timestamptz, -- null while not sent, and when all is done or given up
  add column filing_attempts integer not null default 0,
  add column filing_error text;
create index outbox_filing on outbox (filing_next_at) where filing_next_at is not null;
-- Pages of the outbox: what waits, by age.
create index outbox_waiting on outbox (created_at, queue_id) where state in ('queued', 'held');

-- Answers to submissions that brought an Idempotency-Key. Written by api-gateway in the transaction that stores the messages.
create table idempotency_keys (
  account text not null references accounts on delete cascade,
  key text not null,
  request_hash bytea not null, -- SHA-256 of what was asked for
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Work that can be stopped: the names of queues that are paused. Written by api-gateway.
create table paused_queues (
  queue text primary key,
  paused_at timestamptz not null default now()
);

-- Gateways -----------------------------------------------------------------------------------------------------------

-- Outgoing servers that belong to no account. Written by api-gateway.
create table gateways (
  gateway text primary key,
  name text not null,
  host text not null,
  port integer not null,
  secure boolean not null default false,
  username text,
  version bigint not null default 1, -- raised by every change: a session knows by it that it is out of date
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Their passwords, sealed. Written by api-gateway, which cannot read them; opened by auth-bridge.
create table gateway_credentials (
  gateway text primary key references gateways on delete cascade,
  sealed text not null,
  updated_at timestamptz not null default now()
);

-- How they are doing. Written by sender.
create table gateway_states (
  gateway text primary key references gateways on delete cascade,
  deliveries bigint not null default 0,
  last_use timestamptz,
  last_error jsonb -- null since the last success
);

-- Templates and lists ------------------------------------------------------------------------------------------------

-- Texts to send. Written by api-gateway.
create table templates (
  id text primary key,
  account text references accounts on delete cascade, -- null: for all accounts
  name text not null,
  description text,
  format text not null default 'html' check (format in ('html', 'markdown')),
  content jsonb not null, -- {subject?, text?, html?, previewText?}
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index templates_by_account on templates (account, created_at);

-- Who gets nothing from a list any more. Written by api-gateway. Entries outlive the account that made them: whoever has unsubscribed stays so.
create table list_blocks (
  list_id text not null, -- lower case
  recipient text not null, -- lower case
  account text not null,
  message_id text,
  source text not null check (source in ('api', 'admin', 'form', 'one-click')),
  reason text not null default 'block',
  remote_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  primary key (list_id, recipient)
);
create index list_blocks_by_age on list_blocks (list_id, created_at);
-- How often an address has left or joined a list: the ids of its events are made of it, so that a repeat adds nothing and a second time is one.
create table list_turns (
  list_id text not null,
  recipient text not null,
  turn integer not null,
  primary key (list_id, recipient)
);

-- Grants -------------------------------------------------------------------------------------------------------------

grant select, insert, update, delete on idempotency_keys, paused_queues, gateways, templates, list_blocks, list_turns to posthorn_api_gateway;
grant select (gateway, updated_at), insert, update, delete on gateway_credentials to posthorn_api_gateway;
grant select on gateway_credentials to posthorn_auth_bridge;
grant select on gateways to posthorn_auth_bridge, posthorn_sender, posthorn_smtp_proxy;
grant select, insert, update on gateway_states to posthorn_sender;
grant select on gateway_states to posthorn_api_gateway;
grant select on paused_queues to posthorn_sender, posthorn_webhook_dispatcher;
grant select on list_blocks to posthorn_smtp_proxy;
grant select, insert, delete on idempotency_keys to posthorn_smtp_proxy;
grant select (queue_id, account, shard, message_id, mime) on outbox to posthorn_sync_worker; -- for the copy in Sent
