import { expect, test } from '@jest/globals'
import { eventually, imapFaults } from '@posthorn/testkit'
import type { MailboxNotification, MailSession } from '../../src/mail-session.ts'
import { shortTimeoutBackend, inbox, inTime, letter, start } from './fault-setup.ts'

const { adds, rejects, sendsRaw, times } = imapFaults

function watch(session: MailSession) {
  const notifications: MailboxNotification[] = []
  const abort = new AbortController()
  const ended = session.watch((notification) => notifications.push(notification), abort.signal)
  // This handler prevents an unhandled rejection of the watch (wait for notifications). Tests that
  // expect the rejection await `ended`.
  ended.catch(() => undefined)
  return {
    notifications,
    ended,
    stop: async () => {
      abort.abort()
      await ended
    },
  }
}

test('MailSession.watch: EXISTS before IDLE is confirmed, is reported', async () => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', ({ session: other }) => {
    other.send('* 5 EXISTS')
    return undefined
  })
  const { notifications, stop } = watch(session)
  await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 5 }))
  await stop()
})

test('MailSession.watch: notifications between DONE and its response, are reported', async () => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', adds('* 9 EXISTS'))
  const { notifications, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  await session.ping()
  await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 9 }))
  await stop()
})

test('MailSession.watch: FETCH with only a mod-sequence, reports an unknown change', async () => {
  const server = await start(1)
  const session = await inbox(server)
  const { notifications, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  server.sessions[0]?.send('* 1 FETCH (UID 1)')
  server.sessions[0]?.send('* 1 FETCH (UID 1 MODSEQ (77))')
  server.sessions[0]?.send('* 1 FETCH (MODSEQ (78) UID 1 FLAGS (\\Seen))')
  await eventually(() =>
    expect(notifications).toEqual([
      { kind: 'flags', flags: [] },
      { kind: 'flags', uid: 1, flags: ['\\Seen'], modseq: 78n },
    ]),
  )
  await stop()
})

test('MailSession.watch: OK "Still here", counts as activity without a notification', async () => {
  const server = await start()
  const session = await inbox(server)
  const { notifications, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  for (let n = 0; n < 20; n++) server.sessions[0]?.send('* OK Still here')
  server.mailbox('INBOX').append(letter('one'))
  await eventually(() => expect(notifications).toEqual([{ kind: 'exists', messages: 1 }]))
  await stop()
})

test('MailSession.watch: server silent in IDLE, closes the connection', async () => {
  const server = await start()
  const session = await inbox(server, shortTimeoutBackend)
  const { ended } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  server.sessions[0]?.freeze()
  await expect(inTime(ended)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'ETIMEDOUT',
  })
  expect(await session.closed).toMatchObject({ kind: 'unreachable' })
})

test.each([
  ['rejected with BAD', rejects('BAD IDLE not allowed')],
  ['rejected with NO', rejects('NO [CANNOT] not now')],
  ['ended immediately', rejects('OK that was it')],
])('MailSession.watch: IDLE is %s, falls back to polling', async (_, hook) => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', hook)
  const { notifications, stop } = watch(session)
  server.mailbox('INBOX').append(letter('one'))
  await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 1 }))
  await stop()
})

test('MailSession.watch: BYE or reset in IDLE, ends with the reason', async () => {
  const server = await start()
  const first = await inbox(server)
  const bye = watch(first)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  server.sessions[0]?.send('* BYE Idle timeout')
  server.sessions[0]?.close()
  await expect(bye.ended).rejects.toMatchObject({
    kind: 'unreachable',
    extras: { info: { response: 'Idle timeout' } },
  })
  const second = await inbox(server)
  const reset = watch(second)
  await eventually(() => expect(server.sessions.at(-1)?.idling).toBe(true))
  server.drop()
  await expect(reset.ended).rejects.toMatchObject({ kind: 'unreachable', code: 'ECONNRESET' })
})

test('MailSession.watch: 50,000 deletions, are reported without accumulating', async () => {
  const server = await start(3)
  server.capabilities.delete('QRESYNC')
  const session = await inbox(server)
  const lines = Array.from({ length: 50_000 }, () => '* 1 EXPUNGE')
  server.on('NOOP', times(1, adds('* 50003 EXISTS', ...lines)))
  await inTime(session.ping())
  const { notifications, stop } = watch(session)
  expect(notifications).toContainEqual({ kind: 'expunge' })
  expect(notifications.length).toBeLessThan(10)
  await stop()
})

test('MailSession.watch: VANISHED of all possible UIDs, is reported immediately', async () => {
  const server = await start(3)
  const session = await inbox(server)
  const { notifications, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  server.sessions[0]?.send('* VANISHED 1:4294967295')
  await eventually(() => expect(notifications).toContainEqual({ kind: 'expunge' }))
  await inTime(session.ping())
  await stop()
})

test('NotificationBuffer: 100,000 changed flags between two watches, are limited', async () => {
  const server = await start(1)
  const session = await inbox(server)
  const lines = Array.from({ length: 100_000 }, () => '* 1 FETCH (UID 1 FLAGS (\\Seen))')
  server.on('NOOP', times(1, adds(...lines)))
  await inTime(session.ping())
  const { notifications, stop } = watch(session)
  expect(notifications.length).toBeGreaterThan(0)
  expect(notifications.length).toBeLessThanOrEqual(1_001)
  await stop()
})

test('MailSession.watch: invalid response to IDLE, closes the connection', async () => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', sendsRaw('* OK\r\n+\r\n* \r\n* 99999999999 EXISTS\r\n* x EXPUNGE\r\n', 'close'))
  await expect(inTime(watch(session).ended)).rejects.toMatchObject({ kind: 'unreachable' })
})
