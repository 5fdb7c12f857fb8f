import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { ConnectionRequest } from '../connections/connection-request.ts'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import type { ExportReadDeps } from './export-batch.ts'
import { ImapExports } from './imap-exports.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Exports of an account whose connections are all in use. */
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
