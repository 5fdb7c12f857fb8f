import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { testDatabase } from '@posthorn/testkit'
import { listRollbackExceptions } from './rollback-exceptions.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => void (database = await testDatabase()))
afterAll(() => database.drop())

const execute = (sql: string) => withClient(database.ownerUrl, (client) => client.query(sql))

test('query of deploy/README.md: lists what the release before 1.0.0-rc.1 cannot use, nothing else', async () => {
  await execute(`insert into accounts (account, shard, name, backend, imap, smtp) values
    ('plain', 1, 'A', 'imap', '{"auth": {"user": "a"}}', '{"auth": false}'),
    ('consented', 1, 'B', 'imap', '{"host": "b.test"}', null),
    ('sender', 1, 'C', 'imap', null, '{"auth": {"user": "c"}}')`)
  await execute(`insert into oauth2_apps (id, provider, name, config) values
    ('secret', 'outlookService', 'A', '{}'), ('key', 'gmailService', 'B', '{}'),
    ('certificate', 'outlookService', 'C', '{}'), ('federated', 'gmailService', 'D', '{}')`)
  await execute(`insert into oauth2_app_secrets (app, kind, sealed) values
    ('secret', 'clientSecret', 'x'), ('key', 'serviceKey', 'x')`)
  expect(await listRollbackExceptions(database.ownerUrl)).toEqual([])

  await execute(`insert into accounts (account, shard, name, backend, imap, smtp) values
    ('gmail', 1, 'D', 'gmail', null, null), ('graph', 1, 'E', 'graph', null, null),
    ('token', 1, 'F', 'imap', '{"auth": {"user": "f", "accessToken": true}}', null),
    ('smtp-token', 1, 'G', 'imap', null, '{"auth": {"user": "g", "accessToken": true}}')`)
  await execute(`insert into oauth2_app_secrets (app, kind, sealed) values
    ('certificate', 'serviceKey', 'x'), ('federated', 'externalAccount', 'x')`)
  const rows = await listRollbackExceptions(database.ownerUrl)
  expect(rows.map(({ stored, name }) => `${stored}: ${name}`)).toEqual([
    'access token as login: smtp-token',
    'access token as login: token',
    'account at a mail API: gmail',
    'account at a mail API: graph',
    'application without key or secret: certificate',
    'application without key or secret: federated',
  ])
})
