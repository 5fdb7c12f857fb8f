-- Checks the accounts that existed before `backend`, without blocking their readers and writers.
alter table accounts validate constraint accounts_backend_check;
