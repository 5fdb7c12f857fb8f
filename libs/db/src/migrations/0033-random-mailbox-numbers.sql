-- Mailbox numbers are part of message ids. Those of new accounts start anywhere below 2^30, so that a
-- message id of one account is unknown in another instead of naming a message there.
alter table account_states
  alter column next_mailbox_number set default (1 + floor(random() * 1073741824))::integer;
