-- End and duration of the last attempt of a delivery, for the list of webhook targets. Null before the first attempt,
-- and for attempts of earlier releases. Written by webhook-dispatcher.
alter table deliveries
  add column last_ended_at timestamptz,
  add column last_duration_ms integer;
