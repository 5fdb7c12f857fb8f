-- Messages of unfinished exports: runs of entries that are sorted by date, in parts of up to 4,096 entries. Written by
-- sync-worker, which merges the runs, and deleted at the end of the export.
create table export_index (
  export_id text not null references exports on delete cascade,
  run integer not null,
  part integer not null,
  entries bytea not null,
  primary key (export_id, run, part)
);
grant select, insert, delete on export_index to posthorn_sync_worker;
