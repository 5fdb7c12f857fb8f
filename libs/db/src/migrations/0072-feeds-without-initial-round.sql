-- A folder that the provider refuses must not delay the end of the initial sync. The first full round of its feed is
-- then still an initial round: messages from before the account are indexed without an event.
alter table api_feeds add column is_initial boolean not null default false;
