-- Draft of the owner that a submission through a mail API releases itself ({"messageId", "messageIdHeader",
-- "version"}), as it was when it was submitted. Written by api-gateway.
alter table outbox add column stored_draft jsonb;
