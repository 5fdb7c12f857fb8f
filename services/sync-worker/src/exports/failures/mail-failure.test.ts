import { expect, test } from '@jest/globals'
import { AppError, UnavailableError } from '@posthorn/errors'
import { fromDriver, mailCall, MailFailure } from './mail-failure.ts'

async function* failing(error: Error): AsyncGenerator<never> {
  throw error
}

test.each([new AppError('rejected', 'refused'), new TypeError('x')])(
  'mailCall, fromDriver: %s of a driver is a MailFailure',
  async (cause) => {
    const failure = { cause }
    await expect(mailCall(Promise.reject(cause))).rejects.toMatchObject(failure)
    await expect(Array.fromAsync(fromDriver(failing(cause)))).rejects.toMatchObject(failure)
  },
)

test('mailCall, fromDriver: error of Postgres in a driver is no MailFailure', async () => {
  const error = new UnavailableError('Postgres is unavailable')
  await expect(mailCall(Promise.reject(error))).rejects.not.toBeInstanceOf(MailFailure)
  await expect(Array.fromAsync(fromDriver(failing(error)))).rejects.toBe(error)
})
