-- Uploads of which an incomplete draft may be left at a provider. Written by sync-worker: inserted
-- before a draft is created that takes several requests, deleted when it is complete, or when the
-- draft of a crashed worker was looked for.
create table upload_drafts (
  upload uuid primary key,
  account text not null references accounts on delete cascade,
  message_id text not null, -- by which the incomplete draft is found, of this upload only
  created_at timestamptz not null default now(),
  check_at timestamptz not null, -- after the end of the upload
  checks smallint not null default 0 -- successful ones
);
create index upload_drafts_by_time on upload_drafts (check_at);
create index upload_drafts_of_account on upload_drafts (account);
grant select, insert, update, delete on upload_drafts to posthorn_sync_worker;
