-- List of a submission. The sender checks it before each attempt, so that a recipient who
-- unsubscribes after the submission gets no message.
alter table outbox
  add column list_id text, -- both as in list_blocks
  add column list_recipient text;
grant select on list_blocks to posthorn_sender;
