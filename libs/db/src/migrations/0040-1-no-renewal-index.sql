-- no transaction
-- Registrations are found by account, and renewals are scheduled in memory: nothing reads this index.
drop index concurrently if exists api_watches_by_renewal;
