-- Waiting submissions end with messageFailed when their account is deleted: api-gateway deletes them
-- in the transaction that records the events.
grant delete on outbox to posthorn_api_gateway;
