import { describe, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { DeliveryGate, providerFaults } from '@posthorn/testkit/providers'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

const header = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n'
const file =
  'Content-Type: text/csv\r\nContent-Disposition: attachment; filename=f.csv\r\n\r\n1,2\r\n'
const withFile = (subject: string) =>
  Buffer.from(`${mail(subject, header).replace(/hello .*\r\n$/, '')}--b\r\n${file}--b--\r\n`)
const withoutFile = (subject: string) =>
  Buffer.from(mail(subject, 'MIME-Version: 1.0\r\nContent-Type: text/plain\r\n'))
const getMessage = 'GET /messages/{message-id}'
const getFiles = `${getMessage}/attachments`
const options = { attachments: true, maxTextBytes: 1_000 }

describe('graph reads', () => {
  test('getMessage: the message and its list of files are requested at the same time', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { id } = fake.mailbox.deliver({ raw: withFile('a') })
    const gate = new DeliveryGate()
    for (const operation of [getMessage, getFiles])
      fake.server.on(operation, providerFaults.holds(gate))
    const read = api.getMessage(id, options, signal)
    await eventually(() => expect(gate.waiting).toBe(2))
    gate.open()
    expect((await read).attachments).toMatchObject([{ filename: 'f.csv' }])
    await api.getMessage(id, {}, signal)
    expect(fake.server.requests(getFiles)).toHaveLength(1)
  })

  test('getMessage: a missing message is message-missing', async () => {
    await using setup = await startGraph()
    await expect(setup.api.getMessage('A=', options, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
  })

  test('getMessages: lists of files are requested 3 at a time, and only of messages with files', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { mailbox } = fake
    const files = Array.from({ length: 8 }, (_, at) => mailbox.deliver({ raw: withFile(`f${at}`) }))
    const texts = Array.from({ length: 7 }, (_, at) =>
      mailbox.deliver({ raw: withoutFile(`t${at}`) }),
    )
    const ids = [...files, ...texts].map(({ id }) => id)
    const gate = new DeliveryGate()
    fake.server.on(getFiles, providerFaults.holds(gate))
    const read = api.getMessages(ids, options, signal)
    await eventually(() => expect(gate.waiting).toBe(3))
    gate.open()
    const messages = await read
    expect(messages.map(({ id }) => id)).toEqual(ids)
    expect(messages.map(({ attachments = [] }) => attachments.length)).toEqual(
      ids.map((_, at) => (at < files.length ? 1 : 0)),
    )
    expect(fake.concurrency.most.get(mailbox.address)).toBe(3)
    expect(fake.server.requests('POST /$batch')).toHaveLength(ids.length / 3)
    expect(fake.server.requests(getFiles)).toHaveLength(files.length)
  })

  test('getMessages: a message that is deleted before its files are listed is left out', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const [first, second] = ['a', 'b'].map((each) => fake.mailbox.deliver({ raw: withFile(each) }))
    fake.server.on(getFiles, ({ params }) =>
      params['message_id'] === first?.id
        ? { kind: 'reply', response: faultResponse(404, 'ErrorItemNotFound') }
        : undefined,
    )
    const ids = [first?.id ?? '', second?.id ?? '']
    const messages = await api.getMessages(ids, options, signal)
    expect(messages.map(({ id }) => id)).toEqual([second?.id])
  })
})
