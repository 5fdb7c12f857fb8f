import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { getMessage } from '@posthorn/contracts/commands/messages'
import { eventually } from '@posthorn/testkit'
import { type ApiMailbox, type ApiWorld, apiWorld, mime } from './api-world.ts'
import { createExport, exportEnd, getExport, runToEnd } from './export-scene.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await apiWorld()
  await world.startApiWorker()
})
afterAll(() => world.close())

const file = randomBytes(2 * 1024 * 1024)
const small = Buffer.from('a,b')
const attachmentsMail = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'see attachments',
  ...[small, file].flatMap((content, at) => [
    '--b',
    `Content-Type: application/octet-stream; name="${at}.bin"`,
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
  ]),
  '--b--',
  '',
]

describe.each(['labels', 'folder'] as const)('exports with placement %s', (placement) => {
  let mailbox: ApiMailbox
  beforeAll(async () => {
    mailbox = await world.registerApi(placement, { maxListPage: 4 })
    await world.connected(mailbox.account)
  })
  beforeEach(() => {
    for (const id of mailbox.model.store.messages.keys()) mailbox.model.remove(id)
  })

  const day = (number: number) => new Date(Date.UTC(2024, 0, number))
  const folderId = (use: string) => mailbox.model.folder(use).id
  const deliver = (
    date: Date,
    subject: string,
    { use = '\\Inbox', further = [] }: { use?: string; further?: string[] } = {},
  ) => mailbox.model.deliver(mime(subject, further), { receivedAt: date, folderId: folderId(use) })
  const run = (options = {}) => runToEnd(world.db, mailbox.account, options)
  const subjects = (lines: readonly { subject: string }[]) => lines.map(({ subject }) => subject)

  test('default folders: lines in date order, equal to the messages of getMessage', async () => {
    const days = [3, 1, 5, 2, 4, 9, 7, 8, 6]
    // A mail API with labels lists messages in the order of their dates, but the model mailbox
    // lists them in the order of arrival.
    if (placement === 'labels') days.sort((one, other) => one - other)
    for (const number of days) deliver(day(number), `${number}`)
    for (const use of ['\\Junk', '\\Trash']) deliver(day(1), use, { use })
    deliver(day(10), '10', { use: '\\Sent' })
    const { lines, row } = await run()
    expect(subjects(lines)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
    expect(row).toMatchObject({ messagesQueued: 10, messagesExported: 10, messagesSkipped: 0 })
    for (const line of lines) {
      const request = { message: line.id, textType: '*' as const }
      expect(line).toEqual(await world.ask(getMessage, mailbox.account, request))
    }
  })

  test('named folders: only their messages, each once', async () => {
    deliver(day(2), 'inbox')
    deliver(day(1), 'sent', { use: '\\Sent' })
    deliver(day(3), 'trash', { use: '\\Trash' })
    if (placement === 'labels')
      mailbox.model.deliver(mime('both'), {
        receivedAt: day(4),
        folderId: folderId('\\Inbox'),
        labels: [folderId('\\Sent')],
      })
    const both = placement === 'labels' ? ['both'] : []
    const exported = async (folders: string[]) => subjects((await run({ folders })).lines)
    expect(await exported(['\\Sent', '\\Inbox', 'Unknown'])).toEqual(['sent', 'inbox', ...both])
    expect(await exported(['\\Trash'])).toEqual(['trash'])
  })

  test('range of dates: start is inclusive, end exclusive', async () => {
    for (const number of [1, 2, 3, 4]) deliver(day(number), `${number}`)
    const { lines } = await run({ startDate: day(2), endDate: day(4) })
    expect(subjects(lines)).toEqual(['2', '3'])
  })

  test('attachments of any size: contents are base64', async () => {
    deliver(day(1), 'attachments', { further: attachmentsMail })
    deliver(day(2), 'after')
    const { lines } = await run({ includeAttachments: true })
    expect(subjects(lines)).toEqual(['attachments', 'after'])
    const contents = lines[0]?.attachments?.map(({ content }) => content)
    expect(contents).toEqual([small.toString('base64'), file.toString('base64')])
  })

  test('long text: complete, or cut at the maximum', async () => {
    const text = 'x'.repeat(99).concat('\r\n').repeat(5_000)
    const { id } = deliver(day(1), 'long', { further: ['', text] })
    for (const maxBytes of [0, 1_000, 300_000]) {
      const { lines } = await run({ maxBytes })
      const request = { message: id, textType: '*' as const, ...(maxBytes > 0 && { maxBytes }) }
      expect(lines).toEqual([await world.ask(getMessage, mailbox.account, request)])
    }
  })

  test('messages that disappear, are skipped and counted', async () => {
    const ids = [1, 2, 3].map((number) => deliver(day(number), `${number}`).id)
    world.exportKeys.areAvailable = false
    const exportId = await createExport(world.db, mailbox.account)
    await eventually(async () => {
      expect((await getExport(world.db, exportId)).phase).toBe('exporting')
    })
    mailbox.model.remove(ids[1] ?? '')
    world.exportKeys.areAvailable = true
    const row = await exportEnd(world.db, exportId)
    expect(row).toMatchObject({ messagesExported: 2, messagesSkipped: 1 })
  })
})
