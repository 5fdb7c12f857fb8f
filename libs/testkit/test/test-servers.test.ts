import { afterAll, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import { eventually, testBus, testDatabase, testDovecot } from '@posthorn/testkit'

const [database, bus, dovecot] = await Promise.all([testDatabase(), testBus(), testDovecot()])
afterAll(() => Promise.all([database.drop(), bus.drop(), dovecot.drop()]))

test('testDatabase: has the schema, and roles with the granted privileges only', async () => {
  const { rows } = await withClient(database.url, (client) =>
    client.query('select count(*)::int from shards'),
  )
  expect(rows).toEqual([{ count: 256 }])
  const asSender = <T>(text: string) =>
    withClient(database.roleUrl('posthorn_sender'), (client) => client.query(text) as Promise<T>)
  await expect(asSender('select account from accounts')).resolves.toMatchObject({ rows: [] })
  await expect(asSender('select sealed from credentials')).rejects.toThrow('permission denied')
})

test('testDatabase: a role needs its password', async () => {
  const wrong = Object.assign(new URL(database.roleUrl('posthorn_sender')), {
    password: 'wrong',
  }).href
  await expect(withClient(wrong, (client) => client.query('select 1'))).rejects.toThrow(
    'password authentication failed',
  )
})

test('testDatabase: two databases are isolated from each other', async () => {
  const other = await testDatabase()
  await withClient(other.url, (client) =>
    client.query("insert into settings (key, value) values ('locale', '1')"),
  )
  const { rows } = await withClient(database.url, (client) =>
    client.query('select key from settings'),
  )
  expect(rows).toEqual([])
  await other.drop()
  await expect(withClient(other.url, (client) => client.query('select 1'))).rejects.toThrow(
    'does not exist',
  )
})

test('testDovecot: a new user receives delivered mail and mail submitted to its address', async () => {
  const user = dovecot.freshUser()
  await dovecot.deliver(user.user, 'From: a@mail.test\r\nSubject: first\r\n\r\nhello\r\n')
  const transport = createTransport({
    host: user.host,
    port: user.submissionPort,
    auth: user,
    tls: { rejectUnauthorized: false },
  })
  const { messageId } = await transport.sendMail({
    from: user.address,
    to: [user.address, 'b@elsewhere.example'],
    subject: 'second',
    text: 'x',
  })
  expect(await dovecot.accepted(messageId)).toMatchObject([
    { from: user.address, to: [user.address, 'b@elsewhere.example'] },
  ])
  await expect(
    transport.sendMail({ from: user.address, to: 'reject-550@elsewhere.example', text: 'x' }),
  ).rejects.toMatchObject({ responseCode: 550 })
  await expect(
    transport.sendMail({ from: user.address, to: 'defer-451@elsewhere.example', text: 'x' }),
  ).rejects.toMatchObject({ responseCode: 451 })
  transport.close()
  expect(await subjects(user)).toEqual(['first', 'second'])
})

test('eventually: the error has the last failure', async () => {
  await expect(eventually(() => expect(1).toBe(2), { timeoutMs: 20 })).rejects.toThrow(
    /timeout after 20 ms.*toBe/s,
  )
  let calls = 0
  expect(await eventually(() => (++calls < 3 ? null : calls))).toBe(3)
})

async function subjects({
  host,
  imapsPort: port,
  user,
  pass,
}: ReturnType<typeof dovecot.freshUser>) {
  const client = new ImapFlow({
    host,
    port,
    secure: true,
    auth: { user, pass },
    logger: false,
    tls: { rejectUnauthorized: false },
  })
  await client.connect()
  await client.mailboxOpen('INBOX')
  const subjectLines = (await client.fetchAll('1:*', { envelope: true })).map(
    (message) => message.envelope?.subject,
  )
  await client.logout()
  return subjectLines
}
