import { afterAll, afterEach, expect, test } from '@jest/globals'
import { hostileMessages } from '@posthorn/testkit'
import { sendingWorld } from './sending-world.ts'

// Quotes of referenced messages that take more time to read than the limit of the message reader.

const world = await sendingWorld({ SVC_READER_TIMEOUT: '10ms' })
const { call, mailbox, queued, rows, submit, url } = world
const letter = mailbox.original
afterAll(world.stop)
afterEach(() => {
  mailbox.original = letter
})

const hostile = hostileMessages.find(({ name }) => name === 'html: 29,000 line breaks')
const referToHostile = () => {
  const text = { id: 'x', encodedSize: {}, plain: '', html: hostile?.html?.() ?? '' }
  mailbox.original = { ...letter, text }
}
const reference = { message: 'letter', inline: true }

test('submitMessage: a quote beyond the limits responds 422 and stores nothing', async () => {
  referToHostile()
  const answer = await submit({ text: 'yes', reference })
  expect(answer).toMatchObject({
    status: 422,
    body: { message: 'The referenced message takes too long to read' },
  })
  expect(await rows()).toEqual([])
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(
    /^posthorn_message_reading_overruns_total\{part="quote",reason="timeout".*\} [1-9]\d*$/m,
  )
})

test('submitMessage: without a quote, the same message can be referred to', async () => {
  referToHostile()
  await submit({ text: 'yes', reference: { message: 'letter' } })
  expect(await queued()).toMatchObject({ envelope: { to: ['answers@elsewhere.example'] } })
})

test('uploadMessage: a quote beyond the limits responds 422', async () => {
  referToHostile()
  const body = { path: 'Drafts', text: 'yes', reference }
  expect((await call('POST', '/v1/account/me/message', { body })).status).toBe(422)
})
