-- no transaction
-- Notifications of Gmail name the mailbox that is read: that of another user with delegated access,
-- and the address of the account if no user is registered.
create index concurrently if not exists accounts_by_gmail_user on accounts (
  (oauth2 ->> 'provider'),
  lower(coalesce(oauth2 -> 'auth' ->> 'delegatedUser', oauth2 -> 'auth' ->> 'user', email))
) where backend = 'gmail';
