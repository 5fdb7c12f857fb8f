-- True for lines after the reply to a login, which only a mail server sends. Tokens that are bound to an account
-- read no others. Lines of older releases count as earlier ones.
alter table account_logs add column if not exists after_login boolean not null default false;
