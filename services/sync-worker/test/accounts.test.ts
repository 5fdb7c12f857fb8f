import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, startImapScript } from '@posthorn/testkit'
import { sql } from 'kysely'
import { ImapClient, mail } from './imap-client.ts'
import { Relay } from './relay.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await testWorld()
  await failTwice()
  await world.startWorker()
})
afterAll(() => world.close())

const stateIs = (account: string, state: string) =>
  eventually(async () => {
    expect((await world.state(account))?.state).toBe(state)
  })

test('AccountSession: one authenticationError and one authenticationSuccess for rejected credentials', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  world.credentials.set(account, { user: user.user, pass: 'wrong' })
  await world.touch(account)
  await stateIs(account, 'authenticationError')
  await eventually(async () => {
    expect((await world.state(account))?.errorCount).toBeGreaterThan(1)
  })
  expect(await world.state(account)).toMatchObject({
    lastError: {
      serverResponseCode: 'AUTHENTICATIONFAILED',
      response: expect.stringMatching(/failed/i),
    },
  })
  world.credentials.set(account, { user: user.user, pass: user.pass })
  await world.touch(account)
  await world.connected(account)
  const events = await world.events(
    account,
    'authenticationError',
    'authenticationSuccess',
    'connectError',
  )
  expect(events.map(({ event }) => event)).toEqual([
    'authenticationSuccess',
    'authenticationError',
    'authenticationSuccess',
  ])
  expect(events[1]?.data).toMatchObject({ serverResponseCode: 'AUTHENTICATIONFAILED' })
  expect(await world.state(account)).toMatchObject({ lastError: null, authFailingSince: null })
})

test('AccountSession: a server without a mechanism for the token, authenticationError without a code', async () => {
  // The server supports no login with a password either. Otherwise a login with the first
  // credentials, a password, would fail for another reason.
  await using server = await startImapScript({ capabilities: ['IMAP4rev1', 'LOGINDISABLED'] })
  const { host, port } = server
  const user = { ...world.dovecot.freshUser(), host, imapPort: port }
  const account = await world.register(user, { imap: { tls: { requireStartTls: false } } })
  world.credentials.set(account, { user: user.user, accessToken: 'token' })
  await world.touch(account)
  await stateIs(account, 'authenticationError')
  const [event] = await world.events(account, 'authenticationError')
  expect(event?.data).toEqual({
    response: 'The mail server supports no login with these credentials',
  })
})

test('AccountSession: a server with LOGINDISABLED, connectError without a code', async () => {
  await using server = await startImapScript({ capabilities: ['IMAP4rev1', 'LOGINDISABLED'] })
  const { host, port } = server
  const user = { ...world.dovecot.freshUser(), host, imapPort: port }
  const account = await world.register(user, { imap: { tls: { requireStartTls: false } } })
  await stateIs(account, 'connectError')
  const [event] = await world.events(account, 'connectError')
  expect(event?.data).toEqual({
    response: 'The mail server supports no login with these credentials',
  })
})

test('AccountSession: credentials rejected for maxAuthFailureMs disable syncing', async () => {
  const other = await testWorld()
  try {
    await other.startWorker({ maxAuthFailureMs: 1_000 })
    const account = await other.register(other.dovecot.freshUser(), { pass: 'wrong' })
    await eventually(async () => {
      expect(await other.state(account)).toMatchObject({
        state: 'unset',
        authFailureDisabledAt: expect.any(Date),
      })
    })
    expect((await other.events(account)).map(({ event }) => event)).toEqual([
      'authenticationError',
      'authenticationError',
    ])
  } finally {
    await other.close()
  }
})

test('AccountSession: one connectError for an outage; changes meanwhile are synced', async () => {
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  await using client = await ImapClient.login(user)
  await client.append('INBOX', mail())
  await client.append('INBOX', mail())
  await client.append('INBOX', mail())
  await world.expectEvents(account, ['messageNew'], 3)
  await relay.down()
  await stateIs(account, 'connectError')
  await client.run('SELECT INBOX')
  await client.run('UID STORE 1 +FLAGS (\\Flagged)')
  await client.run('UID STORE 2 +FLAGS (\\Deleted)')
  await client.run('UID EXPUNGE 2')
  await client.append('INBOX', mail({ subject: 'late' }))
  await eventually(async () => {
    expect((await world.state(account))?.errorCount).toBeGreaterThan(1)
  })
  await relay.up()
  await world.connected(account)
  const events = (await world.events(account)).slice(-4)
  expect(events).toMatchObject([
    { event: 'connectError', data: { serverResponseCode: 'ECONNREFUSED' } },
    { event: 'messageDeleted', data: { uid: 2 } },
    { event: 'messageUpdated', data: { uid: 1, changes: { flags: { added: ['\\Flagged'] } } } },
    { event: 'messageNew', data: { subject: 'late' } },
  ])
})

test('AccountSession: a lost connection that reconnects has no event', async () => {
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  const before = relay.connections
  relay.cut()
  await eventually(() => relay.connections > before)
  await world.dovecot.deliver(user.user, mail({ subject: 'after the cut' }))
  await world.expectEvents(account, ['messageNew'], 1)
  expect(await world.events(account, 'connectError', 'authenticationError')).toEqual([])
})

test('AccountSession: unset without a server, connects when it gets one', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user, { imap: null })
  await stateIs(account, 'unset')
  const imap = { host: user.host, port: user.imapPort, tls: { rejectUnauthorized: false } }
  await world.db
    .updateTable('accounts')
    .set({ imap: JSON.stringify(imap) })
    .where('account', '=', account)
    .execute()
  await world.touch(account)
  await world.connected(account)
})

test('AccountSession: stops when the account is deleted', async () => {
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  const storedRows = (await world.events(account)).length
  await world.db.deleteFrom('accounts').where('account', '=', account).execute()
  await world.bus.invalidate({ topic: 'accounts', id: account })
  await eventually(async () => {
    const { rows } = await sql`select 1 from mailboxes where account = ${account}`.execute(world.db)
    expect(rows).toEqual([])
    expect(relay.open).toBe(0)
  })
  await world.dovecot.deliver(user.user, mail())
  const connections = relay.connections
  // A wrong event would be recorded before another account, registered later, is connected.
  await world.connected(await world.register(world.dovecot.freshUser()))
  expect(await world.events(account)).toHaveLength(storedRows)
  expect(relay.connections).toBe(connections)
})

test('AccountSession: syncs only the mailboxes of path', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Aside')
  const account = await world.register(user, { path: ['INBOX'] })
  await world.connected(account)
  await client.append('Aside', mail())
  await client.append('INBOX', mail())
  await world.expectEvents(account, ['messageNew'], 1)
  expect((await world.events(account, 'mailboxNew', 'messageNew')).map(({ path }) => path)).toEqual(
    ['INBOX', 'INBOX'],
  )
})

/**
 * Makes the first two inserts of a `messageNew` of the account `failing` fail. Must be called
 * before the first insert into the events table.
 */
async function failTwice(): Promise<void> {
  await sql
    .raw(`
    create sequence failures;
    create table failing (account text);
    create function fail_twice() returns trigger language plpgsql security definer as $$
    begin
      if exists (select 1 from failing f where f.account = new.account) and nextval('failures') <= 2 then
        raise exception 'as if the process had died';
      end if;
      return new;
    end $$;
    create trigger fail_twice before insert on events for each row
    when (new.event = 'messageNew') execute function fail_twice();
  `)
    .execute(world.db)
}

test('commit: a failed transaction leaves nothing, its work is done once', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await sql`insert into failing values (${account})`.execute(world.db)
  await world.dovecot.deliver(user.user, mail({ subject: 'hard to store' }))
  await world.expectEvents(account, ['messageNew'], 1)
  const { rows } = await sql<{
    tries: number
  }>`select last_value::int as tries from failures`.execute(world.db)
  expect(rows[0]?.tries).toBeGreaterThan(2)
  await world.dovecot.deliver(user.user, mail({ subject: 'next' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events.map(({ data }) => [data['subject'], data['seemsLikeNew']])).toEqual([
    ['hard to store', true],
    ['next', true],
  ])
})

test('sync: a lost index resets all mailboxes and announces nothing', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail())
  await world.expectEvents(account, ['messageNew'], 1)
  const folders = (await world.events(account, 'mailboxNew')).length
  await world.db.deleteFrom('mailboxes').where('account', '=', account).execute()
  await world.touch(account)
  const resets = await world.expectEvents(account, ['mailboxReset'], folders)
  expect(
    resets.every(
      ({ data }) => data['reason'] === 'syncStateLost' && data['prevUidValidity'] === undefined,
    ),
  ).toBe(true)
  await world.dovecot.deliver(user.user, mail({ subject: 'after' }))
  const messages = await world.expectEvents(account, ['messageNew'], 2)
  expect(messages[1]?.data).toMatchObject({ subject: 'after' })
  expect(await world.events(account, 'mailboxNew')).toHaveLength(folders)
})

test('sync: lost chunks reset their mailbox', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail())
  await world.expectEvents(account, ['messageNew'], 1)
  await world.db
    .deleteFrom('mailboxChunks')
    .where('mailbox', 'in', (from) =>
      from.selectFrom('mailboxes').select('id').where('account', '=', account),
    )
    .execute()
  await world.dovecot.deliver(user.user, mail({ subject: 'second' }))
  const [reset] = await world.expectEvents(account, ['mailboxReset'], 1)
  expect(reset).toMatchObject({
    path: 'INBOX',
    data: { reason: 'syncStateLost' },
  })
  expect(reset?.data).not.toHaveProperty('prevUidValidity')
  await world.dovecot.deliver(user.user, mail({ subject: 'third' }))
  const messages = await world.expectEvents(account, ['messageNew'], 2)
  expect(messages[1]?.data).toMatchObject({ subject: 'third' })
})
