-- Accounts at a mail API (Gmail, Microsoft Graph) ---------------------------------------------------

-- Index of an account. Written by sync-worker under the lease, like the three tables below.
create table api_mailboxes (
  account text primary key references accounts on delete cascade,
  -- Number of the last commit: part of event ids, and a fence against a second session. Starts at
  -- the time of creation in milliseconds, so that a lost row repeats no number.
  epoch bigint not null,
  messages integer not null default 0, -- in the index; another number of stored ones means a lost index
  announce_from timestamptz, -- arrivals since are announced while the index is filled; null: `notify_from`
  filled_at timestamptz, -- end of the first round of all feeds; null: the index is being filled
  -- Names of folders and labels in events, also of deleted ones. json keeps the order of members.
  folders json not null default '[]'
);

-- Position in each feed. A full round is collected in leaves of its own and then applied.
create table api_feeds (
  account text not null references api_mailboxes on delete cascade,
  feed text collate "C" not null,
  folder text, -- null: the feed covers the mailbox
  stage text not null check (stage in ('follow', 'collect', 'recent', 'apply')),
  cursor text, -- after the last committed page; null: a full round is due
  applied text collate "C", -- the collected round is applied to all ids below
  completed_at timestamptz, -- end of the last full round
  dirty_since timestamptz, -- first notification since the last read
  primary key (account, feed)
);

-- Messages in leaves of at most 256 sorted ids. `part` is empty for the index, or the feed whose full
-- round is collected. A leaf covers the ids from `low` up to the `low` of the next leaf.
create table api_leaves (
  account text not null references api_mailboxes on delete cascade,
  part text collate "C" not null,
  low text collate "C" not null,
  messages smallint not null,
  content bytea not null, -- ids, thread ids, and one bit row per folder, flag and label
  primary key (account, part, low)
) with (fillfactor = 80);
-- The content is packed: compressing it would cost time and save nothing.
alter table api_leaves alter column content set storage external;

-- Messages that a feed named and the provider did not return.
create table api_pending (
  account text not null references api_mailboxes on delete cascade,
  message text not null,
  folder text, -- folder that the feed named
  tries smallint not null default 0,
  next_at timestamptz not null,
  primary key (account, message)
);

grant select, insert, update, delete on api_mailboxes, api_feeds, api_leaves, api_pending to posthorn_sync_worker;

-- Registrations for notifications. The migration of the code that uses these tables grants privileges.
create table api_watches (
  account text not null references accounts on delete cascade,
  remote_id text not null,
  client_state_hash bytea, -- SHA-256 of the secret in each notification; null: the provider sends none
  expires_at timestamptz not null,
  renew_at timestamptz not null,
  state text not null check (state in ('active', 'failed')),
  last_notified_at timestamptz,
  last_error jsonb,
  primary key (account, remote_id)
);
create index api_watches_by_renewal on api_watches (renew_at);
