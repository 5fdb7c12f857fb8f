-- Deliveries that no target has answered or refused yet, by the account and the target they are for: the first attempts of those follow
-- each other, whichever process makes them. One that failed is not here any more: it is in nobody's way.
create index deliveries_unanswered on deliveries (account, lane, event_row) where state = 'due' and last_outcome is null;
