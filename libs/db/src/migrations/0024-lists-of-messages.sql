-- Who leaves a list between submission and sending gets nothing from it: the sender looks as well, before each attempt.
alter table outbox
  add column list_id text, -- both as in list_blocks
  add column list_recipient text;
grant select on list_blocks to posthorn_sender;
