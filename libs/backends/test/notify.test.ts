import { expect, test } from '@jest/globals'
import { eventually, type Hook, type ScriptCommand } from '@posthorn/testkit'
import type { MailboxNotification, MailSession } from '../src/mail-session.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { defaultTimings } from '../src/imap/watch.ts'
import {
  backend,
  encodeUtf8,
  type Replies,
  session,
  shortTimeoutBackend,
  start,
} from './scripted-session.ts'

const done = '{tag} OK done'
const capable: Hook = () => ['* CAPABILITY IMAP4rev1 IDLE NOTIFY', done]

interface WatchedSession {
  one: MailSession & { received: string[] }
  notifications: MailboxNotification[]
  /** Sends lines of the IMAP server while the session is in IDLE. */
  sendLines: (...lines: string[]) => Promise<void>
  stop: () => Promise<void>
}

/** IMAP session that watches all mailboxes, on a scripted server with the responses `replies`. */
async function watch(replies: Replies, by = backend): Promise<WatchedSession> {
  let idle: ScriptCommand | undefined
  const all: Replies = {
    CAPABILITY: capable,
    NOTIFY: () => [done],
    IDLE: (command) => {
      idle = command
      return ['+ idling']
    },
    '': () => {
      const tag = idle?.tag
      idle = undefined
      return [`${tag} OK done`]
    },
    ...replies,
  }
  const one = await session(all, by)
  const notifications: MailboxNotification[] = []
  const abort = new AbortController()
  const ended = one.watch((notification) => notifications.push(notification), abort.signal, {
    everywhere: true,
  })
  return {
    one,
    notifications,
    async sendLines(...lines) {
      await eventually(() => expect(idle).toBeDefined())
      for (const line of lines) idle?.session.send(encodeUtf8(line))
    },
    async stop() {
      abort.abort()
      await ended
    },
  }
}

/** Starts another watch (wait for notifications) and waits until IDLE has started. */
async function watchAgain(one: WatchedSession['one']): Promise<void> {
  const idles = () => one.received.filter((line) => line === 'IDLE').length
  const before = idles()
  const abort = new AbortController()
  const ended = one.watch(() => {}, abort.signal, { everywhere: true })
  await eventually(() => expect(idles()).toBeGreaterThan(before))
  abort.abort()
  await ended
}

test('Notify: sent once per session, reports all mailboxes with their counters', async () => {
  const { one, notifications, sendLines, stop } = await watch({
    NOTIFY: () => ['* STATUS Work (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 7 UNSEEN 1)', done],
  })
  await sendLines(
    '* STATUS "Entw&APw-rfe" (HIGHESTMODSEQ 90071992547409931)',
    '* STATUS inbox (MESSAGES x UIDNEXT 0 UIDVALIDITY 0)',
    '* LIST (\\NonExistent) "/" Work',
  )
  await eventually(() =>
    expect(notifications).toEqual([
      {
        kind: 'mailbox',
        path: 'Work',
        status: { messages: 3, uidNext: 9, uidValidity: 7n, unseen: 1 },
      },
      { kind: 'mailbox', path: 'Entwürfe', status: { highestModseq: 90_071_992_547_409_931n } },
      { kind: 'mailbox', path: 'INBOX', status: { uidNext: 0 } },
      { kind: 'mailboxes' },
    ]),
  )
  await stop()
  await watchAgain(one)
  expect(one.received.filter((line) => line.startsWith('NOTIFY'))).toEqual([
    'NOTIFY SET STATUS (SELECTED-DELAYED (MessageNew MessageExpunge FlagChange)) (PERSONAL (MessageNew MessageExpunge FlagChange MailboxName SubscriptionChange))',
  ])
})

test.each(['NO [BADEVENT (MessageNew)] only that', 'BAD what?'])(
  'Notify: response %j, disables it and watches one mailbox',
  async (refusal) => {
    const { one, notifications, sendLines, stop } = await watch({
      NOTIFY: () => [`{tag} ${refusal}`],
    })
    await eventually(() => expect(notifications).toEqual([{ kind: 'overflow' }]))
    expect(one.capabilities.notify).toBe(false)
    await sendLines('* 9 EXISTS')
    await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 9 }))
    await stop()
    await watchAgain(one)
    expect(one.received.filter((line) => line.startsWith('NOTIFY'))).toHaveLength(1)
  },
)

test('Notify: NOTIFICATIONOVERFLOW, is reported and NOTIFY not sent again', async () => {
  const { one, notifications, sendLines, stop } = await watch({})
  await sendLines('* OK [NOTIFICATIONOVERFLOW] ...A comment can go here...')
  await eventually(() => expect(notifications).toEqual([{ kind: 'overflow' }]))
  expect(one.capabilities.notify).toBe(false)
  await stop()
  await watchAgain(one)
  expect(one.received.filter((line) => line.startsWith('NOTIFY'))).toHaveLength(1)
})

test('MailboxNames: UTF-8 in NOTIFY responses, keeps UTF-7 in commands', async () => {
  const { one, notifications, sendLines, stop } = await watch({
    LIST: ({ rest }) =>
      rest === '"" ""'
        ? ['* LIST (\\Noselect) "/" ""', done]
        : ['* LIST () "/" {9}\r\nEntwürfe', '* LIST () "/" "Entw&APw-rfe"', done],
    STATUS: () => ['* STATUS "Entw&APw-rfe" (MESSAGES 1 UIDVALIDITY 5)', done],
  })
  await sendLines('* STATUS {9}\r\nEntwürfe (MESSAGES 1)')
  await eventually(() =>
    expect(notifications).toEqual([{ kind: 'mailbox', path: 'Entwürfe', status: { messages: 1 } }]),
  )
  await stop()
  const statusCommands = () => one.received.filter((line) => line.startsWith('STATUS'))
  expect(await one.status('Entwürfe')).toMatchObject({ path: 'Entwürfe', messages: 1 })
  await one.listMailboxes()
  await one.status('Entwürfe')
  expect(statusCommands()).toEqual(
    statusCommands().map(() => expect.stringContaining('"Entw&APw-rfe"')),
  )
  expect(statusCommands()).toHaveLength(2)
})

test('Notify: server without NOTIFY, sends nothing', async () => {
  const { one, sendLines, notifications, stop } = await watch({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 IDLE', done],
  })
  // Unsolicited STATUS and LIST responses, which are not reported without NOTIFY.
  await sendLines('* STATUS Work (MESSAGES 3)', '* LIST () "/" Work', '* 7 EXISTS')
  await eventually(() => expect(notifications).toEqual([{ kind: 'exists', messages: 7 }]))
  await stop()
  expect(one.received.some((line) => line.startsWith('NOTIFY'))).toBe(false)
})

test('MailSession.watch: after every command, starts IDLE again', async () => {
  // The test uses the default timings of the IMAP client: with short timings, a silence of 200 ms
  // would restart IDLE as well.
  const { one, stop } = await watch({}, createImapBackend(defaultTimings))
  const idles = () => one.received.filter((line) => line === 'IDLE').length
  for (let n = 1; n <= 5; n++) {
    await eventually(() => expect(idles()).toBe(n))
    await one.ping()
    await eventually(() => expect(idles()).toBe(n + 1))
  }
  await stop()
})

test('MailSession.watch: server that never confirms IDLE, is polled from the third session on', async () => {
  const { options, received } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 IDLE', done],
    IDLE: () => undefined,
  })
  for (let n = 0; n < 2; n++) {
    await using one = await shortTimeoutBackend.connect(options)
    await one.select('INBOX')
    await expect(one.watch(() => {}, new AbortController().signal)).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    })
  }
  await using one = await shortTimeoutBackend.connect(options)
  await one.select('INBOX')
  const abort = new AbortController()
  const watching = one.watch(() => {}, abort.signal)
  const before = received.length
  await eventually(() => expect(received.slice(before)).toContain('NOOP'))
  abort.abort()
  await watching
  expect(received.filter((line) => line === 'IDLE')).toHaveLength(2)
})
