import { afterEach, expect, jest, test } from '@jest/globals'
import { timeoutsOnly } from '@posthorn/testkit'
import type { ApiDownload } from '../src/mail-api/index.ts'
import { startGmail } from './gmail/gmail-setup.ts'
import { startGraph } from './graph/environment.ts'
import { mail, signal } from './mail-api/environment.ts'

afterEach(() => void jest.useRealTimers())

const line = `${'x'.repeat(70)}\r\n`
const large = Buffer.from(`${mail('large')}${line.repeat(100_000)}`)

/**
 * Reads a message download slowly: the reader takes 10 s for each chunk, minutes for the whole
 * message.
 */
async function readSlowly({ content }: ApiDownload): Promise<number> {
  let [bytes, passedMs] = [0, 0]
  for await (const chunk of content) {
    bytes += chunk.length
    jest.advanceTimersByTime(10_000)
    passedMs += 10_000
  }
  expect(passedMs).toBeGreaterThan(120_000)
  return bytes
}

test('Graph downloadSource: reader that takes longer than the timeout of requests, gets all bytes', async () => {
  await using setup = await startGraph()
  const { id } = setup.fake.mailbox.deliver({ raw: large })
  jest.useFakeTimers({ doNotFake: [...timeoutsOnly] })
  expect(await readSlowly(await setup.api.downloadSource(id, signal))).toBe(large.length)
})

test('Gmail downloadSource: reader that takes longer than the timeout of requests, gets all bytes', async () => {
  await using setup = await startGmail()
  const { id } = setup.mailbox.deliver(large)
  jest.useFakeTimers({ doNotFake: [...timeoutsOnly] })
  expect(await readSlowly(await setup.api.downloadSource(id, signal))).toBe(large.length)
})
