import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import type { ConnectionRequest } from '../connections/connection-request.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import { type ExportReadDeps, messagesPerFetch } from './export-batch.ts'
import { batchAt, ImapExports } from './imap-exports.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Exports of an IMAP account whose command connections are all in use. */
function busyExports(): ImapExports {
  const acquire = ({ signal }: ConnectionRequest) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  const session = {
    context: { state: 'connected' },
    account: { account: 'a' },
    commands: { acquire, run: acquire },
  } as unknown as ImapAccountSession
  return new ImapExports(session, {} as ExportReadDeps)
}

const { signal } = new AbortController()
const options = {
  textType: '*',
  maxBytes: undefined,
  includeAttachments: false,
  acceptsPartial: false,
} as const

test.each([
  ['read', (exports: ImapExports) => Array.fromAsync(exports.read(['1.1'], options, signal))],
  ['check', (exports: ImapExports) => exports.check(signal)],
])('ImapExports.%s: without a connection for 10 s, is rate-limited', async (_name, call) => {
  const failed = expect(call(busyExports())).rejects.toMatchObject({ kind: 'rate-limited' })
  await jest.advanceTimersByTimeAsync(10_000)
  await failed
})

test('batchAt: messages of one mailbox, ends after one FETCH', () => {
  const ids = Array.from({ length: 100 }, (_, uid) => `1.${uid}`)
  expect(batchAt(ids, 10, 250)).toEqual(ids.slice(10, 10 + messagesPerFetch))
  expect(batchAt(ids, 90, 250)).toEqual(ids.slice(90))
  expect(batchAt(ids, 0, 20)).toEqual(ids.slice(0, 20))
})

test('batchAt: messages of twelve mailboxes in turns, has the messages of one FETCH of each', () => {
  const ids = Array.from({ length: 1_000 }, (_, n) => `${n % 12}.${n}`)
  expect(batchAt(ids, 0, 1_000)).toHaveLength(12 * (messagesPerFetch - 1) + 1)
  expect(batchAt(ids, 0, 250)).toHaveLength(250)
})

/** Exports of an IMAP account whose only mailbox does not exist on the server. */
function exportsWithout(row: { listed: boolean }) {
  const requests: object[] = []
  const run = () => Promise.reject(new AppError('not-found', 'no such mailbox'))
  const session = {
    context: { state: 'connected', sync: { request: (all: object) => void requests.push(all) } },
    account: { account: 'a' },
    commands: { run },
  } as unknown as ImapAccountSession
  const query: object = new Proxy(
    {},
    {
      get: (_target, key) =>
        key === 'executeTakeFirst'
          ? async () => ({ number: 1, path: 'Work', ...row })
          : () => query,
    },
  )
  const exports = new ImapExports(session, { db: query } as ExportReadDeps)
  const range = { start: 0, end: 1 }
  return { requests, list: () => Array.fromAsync(exports.list({ id: '1' }, range, signal)) }
}

test('ImapExports.list: renamed mailbox, is unavailable until the list has been read', async () => {
  const { list, requests } = exportsWithout({ listed: true })
  await expect(list()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(requests).toEqual([{ all: true }])
})

test('ImapExports.list: deleted mailbox, does not exist', async () => {
  const { list, requests } = exportsWithout({ listed: false })
  await expect(list()).rejects.toMatchObject({ kind: 'not-found' })
  expect(requests).toEqual([])
})
