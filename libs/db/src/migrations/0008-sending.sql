-- Options of a submission ---------------------------------------------------------------------------------------------

alter table outbox
  drop constraint outbox_state_check,
  add constraint outbox_state_check check (state in ('queued', 'held', 'sent', 'failed')),
  add column gateway text, -- gateway that sends it instead of the account's server
  add column proxy text, -- SOCKS or HTTP; may contain credentials: masked in every output
  add column local_address text,
  add column dsn jsonb, -- {id?, return, notify?[], recipient?}
  add column idempotency_key text, -- for lookups only; `idempotency_keys` enforces uniqueness
  add column use_structured_format boolean not null default false,
  add column original_message_id text, -- submitted Message-ID, if the server replaced it
  add column network_routing jsonb, -- network path of the last attempt
  -- Pending mailbox work after sending: the Sent copy, the flag on the replied message, the removal
  -- of the draft.
  -- {copy?, sentMailPath?, reference?: {message, action}, draft?}; null: none
  add column filing jsonb,
  -- null before sending, and when all work is done or failed permanently
  add column filing_next_at timestamptz,
  add column filing_attempts integer not null default 0,
  add column filing_error text;
create index outbox_filing on outbox (filing_next_at) where filing_next_at is not null;
-- Pages of the outbox: waiting submissions by age.
create index outbox_waiting on outbox (created_at, queue_id) where state in ('queued', 'held');

-- Replies to submissions with an Idempotency-Key. Written by api-gateway in the transaction that
-- stores the submissions.
create table idempotency_keys (
  account text not null references accounts on delete cascade,
  key text not null,
  request_hash bytea not null, -- SHA-256 of the request
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Names of paused queues. Written by api-gateway.
create table paused_queues (
  queue text primary key,
  paused_at timestamptz not null default now()
);

-- Gateways -----------------------------------------------------------------------------------------------------------

-- Outgoing servers that do not belong to an account. Written by api-gateway.
create table gateways (
  gateway text primary key,
  name text not null,
  host text not null,
  port integer not null,
  secure boolean not null default false,
  username text,
  -- incremented by every change; a session compares it to detect that it is outdated
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Sealed gateway passwords. Written by api-gateway, which cannot unseal them; unsealed by
-- auth-bridge.
create table gateway_credentials (
  gateway text primary key references gateways on delete cascade,
  sealed text not null,
  updated_at timestamptz not null default now()
);

-- Current status of each gateway. Written by sender.
create table gateway_states (
  gateway text primary key references gateways on delete cascade,
  deliveries bigint not null default 0,
  last_use timestamptz,
  last_error jsonb -- null after a success
);

-- Templates and lists ------------------------------------------------------------------------------------------------

-- Message templates. Written by api-gateway.
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

-- Unsubscribed recipients per list. Written by api-gateway. Entries outlive the account that
-- created them, so an unsubscribe stays valid.
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
-- Number of times an address left or joined a list. Part of event ids: a repeated request adds no
-- event, a second unsubscribe adds one.
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
-- for the Sent copy
grant select (queue_id, account, shard, message_id, mime) on outbox to posthorn_sync_worker;
