import { expect, test } from '@jest/globals'
import { AppError, UnavailableError } from '@posthorn/errors'
import { fromDriver, mailCall, MailFailure } from './mail-failure.ts'

const { signal } = new AbortController()

async function* failing(error: Error) {
  yield await Promise.reject<string>(error)
}

test.each([new AppError('rejected', 'refused'), new TypeError('x')])(
  'mailCall, fromDriver: %s of a driver is a MailFailure',
  async (cause) => {
    const failure = { cause }
    await expect(mailCall(Promise.reject(cause), signal)).rejects.toMatchObject(failure)
    await expect(Array.fromAsync(fromDriver(failing(cause), signal))).rejects.toMatchObject(failure)
  },
)

test('mailCall, fromDriver: error of Postgres in a driver is no MailFailure', async () => {
  const error = new UnavailableError('Postgres is unavailable')
  await expect(mailCall(Promise.reject(error), signal)).rejects.not.toBeInstanceOf(MailFailure)
  await expect(Array.fromAsync(fromDriver(failing(error), signal))).rejects.toBe(error)
})

test('mailCall, fromDriver: aborted while the driver waits, reject with the reason', async () => {
  const stop = new AbortController()
  const pending = new Promise<never>(() => {})
  async function* waiting() {
    yield await pending
  }
  const calls = [
    mailCall(pending, stop.signal),
    Array.fromAsync(fromDriver(waiting(), stop.signal)),
  ]
  const reason = new Error('cancelled')
  stop.abort(reason)
  for (const call of calls) await expect(call).rejects.toBe(reason)
})
