import { expect, test } from '@jest/globals'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

test('getMessages and getMessage: have the size of the message, without further requests', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const raws = ['a', 'b'].map((id) => Buffer.from(mail(id, `X-Pad: ${'x'.repeat(1_000)}\r\n`)))
  const ids = raws.map((raw) => fake.mailbox.deliver({ raw }).id)
  const sizes = raws.map(({ length }) => length)
  const messages = await api.getMessages(ids, { maxTextBytes: 1_000 }, signal)
  expect(messages.map(({ size }) => size)).toEqual(sizes)
  const [id = ''] = ids
  expect(await api.getMessage(id, {}, signal)).toMatchObject({ size: sizes[0] })
  expect(fake.server.log.map(({ operation }) => operation)).toEqual([
    'POST /$batch',
    'GET /messages/{message-id}',
    'GET /messages/{message-id}',
    'GET /messages/{message-id}',
  ])
})
