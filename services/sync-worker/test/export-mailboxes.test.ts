import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import { eventually, faultSize, type TestUser } from '@posthorn/testkit'
import { createExport, exportEnd, getExport, readLines, runToEnd } from './export-scene.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Mailboxes that change between the list of an export and its reads, and very large messages.

let world: World
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterEach(() => {
  world.exportKeys.areAvailable = true
})
afterAll(() => world.close())

const day = (number: number) => new Date(Date.UTC(2024, 0, number, 12))

/** Account with messages of January 1 and 2 in INBOX, and of January 3 and 4 in `Work`. */
async function register(): Promise<{ user: TestUser; account: string }> {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Work')
  for (const number of [1, 2, 3, 4]) {
    const path = number < 3 ? 'INBOX' : 'Work'
    await client.append(path, mail({ subject: `${number}` }), { date: day(number) })
  }
  const account = await world.register(user)
  await world.connected(account)
  return { user, account }
}

/**
 * Lists the messages of an export, changes the mailbox, and completes the export. The key of the
 * file is unavailable until then.
 */
async function exportDuring(
  { user, account }: { user: TestUser; account: string },
  change: (client: ImapClient) => Promise<unknown>,
) {
  world.exportKeys.areAvailable = false
  const exportId = await createExport(world.db, account)
  await eventually(async () => {
    expect((await getExport(world.db, exportId)).phase).toBe('exporting')
  })
  await using client = await ImapClient.login(user)
  await change(client)
  world.exportKeys.areAvailable = true
  const row = await exportEnd(world.db, exportId)
  const lines = await readLines(world.db, exportId)
  expect(await world.events(account, exportCompleted.name)).toHaveLength(1)
  return { row, subjects: lines.map(({ subject }) => subject) }
}

test('export: folder renamed after it was listed, its messages are exported', async () => {
  const account = await register()
  const { row, subjects } = await exportDuring(account, (client) =>
    client.run('RENAME Work Renamed'),
  )
  expect(row).toMatchObject({ status: 'completed', messagesExported: 4, messagesSkipped: 0 })
  expect(subjects).toEqual(['1', '2', '3', '4'])
})

test('export: UIDVALIDITY changes after the list, skips the messages of the old one', async () => {
  const account = await register()
  const { row, subjects } = await exportDuring(account, async (client) => {
    await client.deleteMailbox('Work')
    await client.run('CREATE Work')
    for (const subject of ['other', 'another'])
      await client.append('Work', mail({ subject }), { date: day(5) })
  })
  expect(row).toMatchObject({ status: 'completed', messagesExported: 2, messagesSkipped: 2 })
  expect(subjects).toEqual(['1', '2'])
})

const attachmentMb = faultSize({ small: 14, full: 44 })

test(`export: message with an attachment of ${attachmentMb} MB, is exported with it`, async () => {
  const { user, account } = await register()
  const content = randomBytes(attachmentMb * 1024 * 1024)
  const source = mail({
    subject: 'large',
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    body: [
      '--b',
      'Content-Type: application/octet-stream; name=large.bin',
      'Content-Transfer-Encoding: base64',
      '',
      content.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      '--b--',
    ].join('\r\n'),
  })
  await using client = await ImapClient.login(user)
  await client.append('INBOX', source, { date: day(3) })
  const range = { startDate: day(3), endDate: day(4) }
  const { lines, row } = await runToEnd(world.db, account, { ...range, includeAttachments: true })
  expect(row).toMatchObject({ messagesExported: 2, messagesSkipped: 0 })
  const large = lines.find(({ subject }) => subject === 'large')
  const [attachment] = large?.attachments ?? []
  expect(attachment?.content === content.toString('base64')).toBe(true)
})

const textMb = faultSize({ small: 36, full: 60 })

test(`export: text of ${textMb} MB, is cut and the other messages follow`, async () => {
  const { user, account } = await register()
  await using client = await ImapClient.login(user)
  const body = `${'x'.repeat(78)}\r\n`.repeat(textMb * 12_500)
  await client.append('INBOX', mail({ subject: 'large', body }), { date: day(1) })
  const { lines, row } = await runToEnd(world.db, account, { maxBytes: 1_000_000 })
  expect(row).toMatchObject({ messagesExported: 5, messagesSkipped: 0 })
  const large = lines.find(({ subject }) => subject === 'large')
  expect(large?.['text']).toMatchObject({ hasMore: true })
})

test('export: message with 60 attachments of 100 KB, is exported with all of them', async () => {
  const { user, account } = await register()
  const contents = Array.from({ length: 60 }, () => randomBytes(75_000))
  const source = mail({
    subject: 'many',
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    body: [
      ...contents.flatMap((content, at) => [
        '--b',
        `Content-Type: application/octet-stream; name=${at}.bin`,
        'Content-Transfer-Encoding: base64',
        '',
        content.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      ]),
      '--b--',
    ].join('\r\n'),
  })
  await using client = await ImapClient.login(user)
  for (const number of [1, 2]) await client.append('INBOX', source, { date: day(number) })
  const { lines, row } = await runToEnd(world.db, account, { includeAttachments: true })
  expect(row).toMatchObject({ messagesExported: 6, messagesSkipped: 0 })
  const expected = contents.map((content) => content.toString('base64'))
  for (const { attachments } of lines.filter(({ subject }) => subject === 'many'))
    expect(attachments?.map(({ content }) => content)).toEqual(expected)
})
