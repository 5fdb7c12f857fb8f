import { expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { MailboxNotification, MailSession } from '../../src/mail-session.ts'
import type { TestEnvironment, TestAccount } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

interface WatchedSession {
  notifications: MailboxNotification[]
  stop: () => Promise<void>
}

function watch(session: MailSession): WatchedSession {
  const notifications: MailboxNotification[] = []
  const abort = new AbortController()
  const options = { everywhere: true }
  const ended = session.watch(
    (notification) => notifications.push(notification),
    abort.signal,
    options,
  )
  ended.catch(() => {})
  return {
    notifications,
    async stop() {
      abort.abort()
      await ended
    },
  }
}

function mailboxNotification(path: string, status: object): object {
  return { kind: 'mailbox', path, status: expect.objectContaining(status) }
}

/**
 * Session that watches all mailboxes from the inbox, after the server has sent the initial
 * counters.
 */
async function everywhere(one: TestAccount, session: MailSession): Promise<WatchedSession> {
  await one.createMailbox('Work')
  await session.select('INBOX')
  const watched = watch(session)
  await eventually(() =>
    expect(watched.notifications).toContainEqual(
      mailboxNotification('Work', { messages: 0, uidNext: 1 }),
    ),
  )
  return watched
}

/** Conformance tests for IMAP servers with `capabilities.notify`. */
export function notifyCases({ backend, account }: TestEnvironment): void {
  test('MailSession.watch: everywhere, starts with all counters and reports mail in any mailbox', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    expect(session.capabilities.notify).toBe(true)
    const { notifications, stop } = await everywhere(one, session)
    const uid = await one.append(mail, { mailbox: 'Work' })
    await eventually(() =>
      expect(notifications).toContainEqual(
        mailboxNotification('Work', { messages: 1, uidNext: uid + 1, unseen: 1 }),
      ),
    )
    await one.append(mail)
    await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 1 }))
    await stop()
  })

  test('MailSession.watch: everywhere, flags changed in another mailbox, reports its mod-sequence', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { notifications, stop } = await everywhere(one, session)
    const uid = await one.append(mail, { mailbox: 'Work' })
    await eventually(() =>
      expect(notifications).toContainEqual(mailboxNotification('Work', { messages: 1 })),
    )
    const { highestModseq = 0n } = await session.status('Work')
    await one.changeFlags(uid, { mailbox: 'Work', add: ['\\Flagged'] })
    await eventually(() => {
      const last = notifications.findLast(
        (notification) => notification.kind === 'mailbox' && notification.path === 'Work',
      )
      expect(last).toEqual(mailboxNotification('Work', { highestModseq: highestModseq + 1n }))
    })
    await stop()
  })

  test('MailSession.watch: everywhere, reports created, renamed and deleted mailboxes', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { notifications, stop } = await everywhere(one, session)
    const listChanges = () => notifications.filter(({ kind }) => kind === 'mailboxes').length
    const changes: [string, () => Promise<void>][] = [
      ['Ärger', () => one.createMailbox('Ärger')],
      ['Freude', () => one.renameMailbox('Ärger', 'Freude')],
      ['', () => one.deleteMailbox('Freude')],
    ]
    for (const [left, change] of changes) {
      const before = listChanges()
      await change()
      await eventually(() => expect(listChanges()).toBeGreaterThan(before))
      const paths = (await session.listMailboxes()).map(({ path }) => path)
      expect(paths.filter((path) => ['Ärger', 'Freude'].includes(path)).join()).toBe(left)
    }
    await stop()
  })

  test('NotificationBuffer: notifications of other mailboxes between watches, are buffered', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const first = await everywhere(one, session)
    await first.stop()
    await one.append(mail, { mailbox: 'Work' })
    const here: MailboxNotification[] = []
    const abort = new AbortController()
    const ended = session.watch((notification) => here.push(notification), abort.signal)
    await one.append(mail)
    await eventually(() => expect(here).toContainEqual({ kind: 'exists', messages: 1 }))
    abort.abort()
    await ended
    expect(here.filter(({ kind }) => kind === 'mailbox' || kind === 'mailboxes')).toEqual([])
    const second = watch(session)
    await eventually(() =>
      expect(second.notifications).toContainEqual(mailboxNotification('Work', { messages: 1 })),
    )
    await second.stop()
  })

  test('MailSession.watch: everywhere, calls in between, get their own responses', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { notifications, stop } = await everywhere(one, session)
    for (let n = 1; n <= 10; n++) {
      await one.append(mail, { mailbox: 'Work' })
      expect((await session.status('INBOX')).messages).toBe(0)
      expect((await session.listMailboxes({ status: true })).length).toBeGreaterThan(6)
    }
    await eventually(() =>
      expect(notifications).toContainEqual(mailboxNotification('Work', { messages: 10 })),
    )
    await stop()
  })
}
