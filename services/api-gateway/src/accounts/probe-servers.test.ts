import { expect, test } from '@jest/globals'
import type { Bus } from '@posthorn/bus'
import type { VerificationResult } from '@posthorn/contracts/schemas/verification'
import { AppError } from '@posthorn/errors'
import { probeWithoutDetails } from './probe-servers.ts'

const imap = { host: 'imap.example', port: 993, auth: { user: 'me', pass: 'x' } }

/**
 * Tests the login at a mail server with a fake worker that replies with `verdict`. Returns the
 * result of the test and the waits that were added to its duration.
 */
async function probe(verdict: Partial<VerificationResult> | AppError, timeoutMs = 60_000) {
  const waits: number[] = []
  const timeouts: (number | undefined)[] = []
  const request = async (_command: unknown, _request: unknown, options: { timeoutMs: number }) => {
    timeouts.push(options.timeoutMs)
    if (verdict instanceof AppError) throw verdict
    return { verdict: { success: false, ...verdict } }
  }
  const result = await probeWithoutDetails(
    {
      bus: { request } as unknown as Bus,
      timeoutMs,
      unusableMs: 10_000,
      signal: new AbortController().signal,
      wait: async (ms) => void waits.push(ms),
    },
    { imap },
  )
  return { ...result, waits, timeouts }
}

const unusable = { success: false, error: 'The mail server cannot be used', code: 'ECONNECTION' }

test.each<[string, Partial<VerificationResult> | AppError]>([
  ['closed port', { error: 'connect ECONNREFUSED 10.1.2.3:993', code: 'ECONNREFUSED' }],
  ['silent port', { error: 'timed out', code: 'ETIMEDOUT' }],
  ['forbidden port', { error: 'port 5432 is not allowed', code: 'EEGRESSBLOCKED' }],
  ['unknown name', { error: 'getaddrinfo ENOTFOUND', code: 'ENOTFOUND' }],
  ['other service', { error: 'x', code: 'EPROTOCOL', statusCode: 5, responseText: 'MariaDB' }],
  ['invalid certificate', { error: 'self-signed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
  ['BYE', { error: 'x', code: 'BYE', responseText: 'internal banner' }],
  ['unusable proxy', { error: 'The proxy is unreachable', code: 'EPROXY' }],
  ['no reply of the worker', new AppError('timeout', 'No reply in time')],
])(
  'probeWithoutDetails: %s, has the common error after the common time',
  async (...[, verdict]) => {
    const { imap: result, waits, timeouts } = await probe(verdict)
    expect(result).toEqual(unusable)
    expect(timeouts).toEqual([10_000])
    expect(waits).toEqual([expect.any(Number)])
    expect(Math.ceil((waits[0] ?? 0) / 10_000)).toBe(1)
    // For a caller with a timeout below the fixed duration of a test login, the wait ends with the
    // timeout.
    expect((await probe(verdict, 5)).timeouts).toEqual([5])
  },
)

test('probeWithoutDetails: rejected login, keeps the reply and does not wait', async () => {
  const rejected = { error: 'no', code: 'EAUTH', statusCode: 535, responseText: '535 no' }
  const { imap: result, waits } = await probe(rejected)
  expect([result, waits]).toEqual([{ success: false, ...rejected }, []])
})

test('probeWithoutDetails: successful login, does not wait', async () => {
  const { imap: result, waits } = await probe({ success: true })
  expect([result, waits]).toEqual([{ success: true }, []])
})

test('probeWithoutDetails: without workers, keeps WorkerNotAvailable and does not wait', async () => {
  const error = new AppError('unavailable', 'No worker', { code: 'WorkerNotAvailable' })
  const { imap: result, waits } = await probe(error)
  expect([result?.code, result?.statusCode, waits]).toEqual(['WorkerNotAvailable', 503, []])
})
