-- Maximum number of rows that the filter of a bulk job may select; null: no maximum. A job whose
-- filter selects more rows at its start is cancelled, so that it acts on no more rows than its
-- creator has confirmed.
alter table bulk_jobs add column max_entries integer;
