#!/bin/sh
# Creates the cluster with the superuser posthorn and its database, then serves it. Needs PASSWORD.
set -eu
bin=$(echo /usr/lib/postgresql/*/bin)
data=/var/lib/postgresql/data
umask 077
printf %s "$PASSWORD" > /tmp/password
"$bin/initdb" -D $data -U posthorn --pwfile=/tmp/password -A scram-sha-256 -E UTF8 --no-locale --no-sync > /dev/null
rm /tmp/password
echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
echo 'create database posthorn' | "$bin/postgres" --single -D $data postgres > /dev/null
exec "$bin/postgres" -D $data -c listen_addresses='*' -c unix_socket_directories= -c max_connections=300 -c fsync=off
