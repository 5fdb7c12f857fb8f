-- Time before which a token endpoint must not be called again for an account: `Retry-After`, or the
-- delay of a second try. The previous release ignores it and uses its own delays.
alter table oauth2_tokens add column retry_at timestamptz;
