-- Accounts that an operator paused: no session connects them, their state is `paused`.
alter table accounts add column paused boolean not null default false;
