import { expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { MailboxNotification, MailSession } from '../../src/mail-session.ts'
import type { TestEnvironment } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

interface WatchedSession {
  notifications: MailboxNotification[]
  ended: Promise<void>
  stop: () => Promise<void>
}

function watch(session: MailSession): WatchedSession {
  const notifications: MailboxNotification[] = []
  const abort = new AbortController()
  const ended = session.watch((notification) => notifications.push(notification), abort.signal)
  // This handler prevents an unhandled rejection of the watch (wait for notifications). Tests that
  // expect the rejection await `ended`.
  ended.catch(() => {})
  return {
    notifications,
    ended,
    async stop() {
      abort.abort()
      await ended
    },
  }
}

export function watchCases({ backend, shortTimeoutBackend, account }: TestEnvironment): void {
  test('MailSession.watch: reports arrivals, changed flags and deletions', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const { notifications, stop } = watch(session)

    const uid = await one.append(mail)
    await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 1 }))
    await one.changeFlags(uid, { add: ['\\Flagged'] })
    await eventually(() =>
      expect(notifications).toContainEqual(
        expect.objectContaining({ kind: 'flags', flags: expect.arrayContaining(['\\Flagged']) }),
      ),
    )
    await one.expunge(uid)
    await eventually(() => expect(notifications).toContainEqual({ kind: 'expunge' }))
    await stop()
  })

  test('MailSession.watch: signal aborted, returns and the session stays usable', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    for (let n = 0; n < 3; n++) {
      const { stop } = watch(session)
      await stop()
      await one.append(mail)
      await session.ping()
      expect(await session.searchUids({ all: true })).toEqual([[1, n + 1]])
    }
    await session.watch(() => {}, AbortSignal.abort())
  })

  test('MailSession.watch: calls in between, succeed and the watch continues', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const { notifications, stop } = watch(session)
    for (let n = 1; n <= 5; n++) expect((await session.status('INBOX')).messages).toBe(0)
    await Promise.all([session.ping(), session.searchUids({ all: true }), session.ping()])
    await one.append(mail)
    await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 1 }))
    await stop()
  })

  test('MailSession.watch: notifications before it, are reported at its start', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const uid = await one.append(mail)
    await one.changeFlags(uid, { add: ['\\Seen'] })
    await eventually(async () => {
      await session.ping()
      expect(await session.searchUids({ flag: '\\Seen' })).toEqual([[1, 1]])
    })
    const { notifications, stop } = watch(session)
    expect(notifications).toContainEqual({ kind: 'exists', messages: 1 })
    await stop()
  })

  test('MailSession.watch: another mailbox selected, fails', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await expect(session.watch(() => {}, new AbortController().signal)).rejects.toMatchObject({
      message: 'No mailbox is selected',
    })
    await session.select('INBOX')
    const { ended } = watch(session)
    await session.select('Archive')
    await expect(ended).rejects.toMatchObject({ name: 'AppError', kind: 'unavailable' })
    expect(await session.searchUids({ all: true })).toEqual([])
  })

  test('MailSession.watch: connection reset, session and watch end with an error', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const { ended } = watch(session)
    one.cut()
    await expect(ended).rejects.toMatchObject({
      name: 'AppError',
      kind: 'unreachable',
      code: 'ECONNRESET',
    })
    expect(await session.closed).toMatchObject({ name: 'AppError', kind: 'unreachable' })
    await expect(session.ping()).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(session.watch(() => {}, new AbortController().signal)).rejects.toMatchObject({
      kind: 'unreachable',
    })
  })

  test('MailSession.watch: dead connection, is detected', async () => {
    await using one = await account()
    await using session = await shortTimeoutBackend.connect(one.options)
    await session.select('INBOX')
    const { ended } = watch(session)
    one.freeze()
    await expect(ended).rejects.toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
    expect(await session.closed).toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
  })
}
