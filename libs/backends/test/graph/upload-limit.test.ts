import { expect, test } from '@jest/globals'
import { ProviderLimiter } from '../../src/provider-limits/provider-limiter.ts'
import { defaultProviderLimits } from '../../src/provider-limits/provider-limits.ts'
import { signal } from '../mail-api/environment.ts'
import { lendsAlways, startGraph } from './environment.ts'

const fileBytes = 4_000_000
const fileCount = 7
const windowMs = 600
/** Factor by which the Graph fake's clock runs faster: Graph's upload limit is per 300 s. */
const clockFactor = 300_000 / windowMs
/** Upload limit of a Graph mailbox in bytes, of which the sender may use two thirds. */
const uploadBytes = 18_000_000

const head = `From: ann@mail.example\r\nTo: bob@mail.example\r\nSubject: large\r\nMIME-Version: 1.0`
const fields = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment'
const file = Buffer.alloc(fileBytes, 'x').toString('base64')
const part = `--b\r\n${fields}; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}\r\n`
const content = Buffer.from(
  `${head}\r\nMessage-ID: <large@mail.example>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n` +
    `--b\r\n\r\ntext\r\n${part.repeat(fileCount)}--b--\r\n`,
)

/**
 * Upload limit of the Graph fake: the bytes of the sender and one more file, because an upload that
 * was delayed on its way counts in the time window of its arrival.
 */
const limits = { uploadBytes: (uploadBytes * 2) / 3 + fileBytes }

test('depositDraft: above the upload limit of a mailbox, waits and is never refused', async () => {
  await using setup = await startGraph({ limits })
  const { fake } = setup
  const startedAt = performance.now()
  let passedMs = 0
  fake.server.on('*', () => {
    const elapsedMs = (performance.now() - startedAt) * clockFactor
    fake.clock.advance(elapsedMs - passedMs)
    passedMs = elapsedMs
    return undefined
  })
  const graph = { ...defaultProviderLimits.graph, uploadBytes, uploadWindowMs: windowMs }
  const limiter = new ProviderLimiter({
    limits: { ...defaultProviderLimits, graph },
    service: 'sender',
    source: lendsAlways,
    replicas: () => 1,
  })
  await setup.create({ deps: { limiter } }).depositDraft(content, {}, signal)
  const [draft] = fake.mailbox.list(fake.mailbox.folder('drafts').id)
  expect(draft?.content.attachments).toHaveLength(fileCount)
  expect(fake.server.log.filter(({ status }) => status === 429)).toEqual([])
})

test('depositDraft: refused for minutes because others used up the limit, rate-limited, leaves no draft', async () => {
  await using setup = await startGraph({ limits })
  const { fake, api, pauses } = setup
  await expect(api.depositDraft(content, {}, signal)).rejects.toMatchObject({
    failure: 'rate-limited',
    retryAfterMs: 300_000,
    message: 'Application is over its IncomingBytes limit.',
  })
  expect(pauses).toEqual([300_000])
  expect(fake.mailbox.list(fake.mailbox.folder('drafts').id)).toEqual([])
})
