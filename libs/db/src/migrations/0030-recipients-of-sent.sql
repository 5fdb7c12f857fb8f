-- Recipient of a sent message that a complaint refers to, where the complaint names none.
grant select (envelope) on outbox to posthorn_sync_worker;
