-- Sending through a mail API --------------------------------------------------------------------------

grant update (provider_draft) on outbox to posthorn_sender;

-- Accounts at a mail API for which a sender works: one sender at a time. Written by sender, which takes
-- the lock of an account with the lease of one of its submissions, or of a cleanup of its drafts.
create table sending_locks (
  account text primary key references accounts on delete cascade,
  queue_id text not null, -- submission or cleanup for which the lock was taken last
  worker uuid not null,
  lease_until timestamptz not null,
  paused_until timestamptz -- the provider asked for no request before, for all senders
);
grant select, insert, update, delete on sending_locks to posthorn_sender;

-- Submissions of which drafts may be left at a provider. Written by sender: inserted before a draft is
-- deposited, deleted when its id is committed. Outlives the submission.
create table draft_cleanups (
  queue_id text primary key,
  account text not null references accounts on delete cascade,
  message_id text not null, -- Message-ID of the submission, by which its drafts are found
  draft_id text, -- committed draft of a submission that was not sent
  created_at timestamptz not null default now(),
  check_at timestamptz not null,
  checks smallint not null default 0, -- successful ones
  lease_until timestamptz
);
create index draft_cleanups_by_time on draft_cleanups (check_at);
create index draft_cleanups_of_account on draft_cleanups (account);
grant select, insert, update, delete on draft_cleanups to posthorn_sender;
-- A sender gets the login of an account while it holds a submission or a cleanup.
grant select (queue_id, account, lease_until) on draft_cleanups to posthorn_auth_bridge;
-- Drafts of senders are not announced.
grant select (account, message_id) on draft_cleanups to posthorn_sync_worker;

-- Sender processes, which share the limits of an OAuth2 application. Written by sender.
create table senders (
  id uuid primary key,
  heartbeat_at timestamptz not null default now()
);
grant select, insert, update, delete on senders to posthorn_sender;
