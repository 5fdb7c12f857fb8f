import { expect, test } from '@jest/globals'
import { eventually, imapFaults } from '@posthorn/testkit'
import type { MailboxNotification, MailSession } from '../../src/backend.ts'
import { hasty, inbox, inTime, letter, start } from './stage.ts'

const { adds, rejects: refuses, sendsRaw: spits, times } = imapFaults

function watch(session: MailSession) {
  const notices: MailboxNotification[] = []
  const abort = new AbortController()
  const ended = session.watch((notice) => notices.push(notice), abort.signal)
  ended.catch(() => undefined) // looked at by the tests that expect it
  return {
    notices,
    ended,
    stop: async () => {
      abort.abort()
      await ended
    },
  }
}

test('an EXISTS before the server lets us idle is told', async () => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', ({ session: other }) => {
    other.send('* 5 EXISTS')
    return undefined
  })
  const { notices, stop } = watch(session)
  await eventually(() => expect(notices).toContainEqual({ kind: 'exists', messages: 5 }))
  await stop()
})

test('what comes between DONE and the answer to it is told', async () => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', adds('* 9 EXISTS'))
  const { notices, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  await session.ping()
  await eventually(() => expect(notices).toContainEqual({ kind: 'exists', messages: 9 }))
  await stop()
})

test('a FETCH with a mod-sequence alone says that something changed, and not what', async () => {
  const server = await start(1)
  const session = await inbox(server)
  const { notices, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  server.sessions[0]?.send('* 1 FETCH (UID 1)')
  server.sessions[0]?.send('* 1 FETCH (UID 1 MODSEQ (77))')
  server.sessions[0]?.send('* 1 FETCH (MODSEQ (78) UID 1 FLAGS (\\Seen))')
  await eventually(() =>
    expect(notices).toEqual([
      { kind: 'flags', flags: [] },
      { kind: 'flags', uid: 1, flags: ['\\Seen'], modseq: 78n },
    ]),
  )
  await stop()
})

test('"Still here" is a sign of life, and no news', async () => {
  const server = await start()
  const session = await inbox(server)
  const { notices, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  for (let n = 0; n < 20; n++) server.sessions[0]?.send('* OK Still here')
  server.mailbox('INBOX').append(letter('one'))
  await eventually(() => expect(notices).toEqual([{ kind: 'exists', messages: 1 }]))
  await stop()
})

test('a server that falls silent in IDLE, and holds the connection, is noticed', async () => {
  const server = await start()
  const session = await inbox(server, hasty)
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
  ['refused with BAD', refuses('BAD IDLE not allowed')],
  ['refused with NO', refuses('NO [CANNOT] not now')],
  ['ended at once', refuses('OK that was it')],
])('IDLE that is %s is done without', async (_, hook) => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', hook)
  const { notices, stop } = watch(session)
  server.mailbox('INBOX').append(letter('one'))
  await eventually(() => expect(notices).toContainEqual({ kind: 'exists', messages: 1 }))
  await stop()
})

test('a BYE in IDLE, or a reset, ends the watch with the reason', async () => {
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

test('fifty thousand deletions are told, and do not pile up', async () => {
  const server = await start(3)
  server.capabilities.delete('QRESYNC')
  const session = await inbox(server)
  const lines = Array.from({ length: 50_000 }, () => '* 1 EXPUNGE')
  server.on('NOOP', times(1, adds('* 50003 EXISTS', ...lines)))
  await inTime(session.ping())
  const { notices, stop } = watch(session)
  expect(notices).toContainEqual({ kind: 'expunge' })
  expect(notices.length).toBeLessThan(10)
  await stop()
})

test('VANISHED of everything there could be is told at once', async () => {
  const server = await start(3)
  const session = await inbox(server)
  const { notices, stop } = watch(session)
  await eventually(() => expect(server.sessions[0]?.idling).toBe(true))
  server.sessions[0]?.send('* VANISHED 1:4294967295')
  await eventually(() => expect(notices).toContainEqual({ kind: 'expunge' }))
  await inTime(session.ping())
  await stop()
})

test('a hundred thousand changed flags between two watches are not all kept', async () => {
  const server = await start(1)
  const session = await inbox(server)
  const lines = Array.from({ length: 100_000 }, () => '* 1 FETCH (UID 1 FLAGS (\\Seen))')
  server.on('NOOP', times(1, adds(...lines)))
  await inTime(session.ping())
  const { notices, stop } = watch(session)
  expect(notices.length).toBeGreaterThan(0)
  expect(notices.length).toBeLessThanOrEqual(1_001)
  await stop()
})

test('a server that greets IDLE with nonsense is left', async () => {
  const server = await start()
  const session = await inbox(server)
  server.on('IDLE', spits('* OK\r\n+\r\n* \r\n* 99999999999 EXISTS\r\n* x EXPUNGE\r\n', 'close'))
  await expect(inTime(watch(session).ended)).rejects.toMatchObject({ kind: 'unreachable' })
})
