-- First attempts of deliveries, by account and target. They run in order, whichever process makes
-- them. A delivery that failed once is not listed and delays no other.
create index deliveries_unanswered on deliveries (account, lane, event_row) where state = 'due' and last_outcome is null;
