-- Operators of the indexes for searches by a part of a text. A trusted extension: the owner of the
-- database may create it.
create extension if not exists pg_trgm with schema public;
