import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import { operations } from '@posthorn/contracts/operations'
import type { ImapFlow } from 'imapflow'
import { simpleParser } from 'mailparser'
import { logIn } from '../stories/imap-client.ts'
import { freshMessageId, plainMessage, untilConnected, type World } from '../world.ts'
import { perSecond, type Row } from './report.ts'

const copies = 20
const appended = 250

/**
 * Messages that an export writes per second, through the whole system, compared with a loop of
 * plain libraries: imapflow, mailparser and gzip. With text only, and with attachments.
 */
export async function benchExports(world: World): Promise<Row[]> {
  const rows: Row[] = []
  for (const includeAttachments of [false, true]) {
    const account = includeAttachments ? 'exporter-attachments' : 'exporter-text'
    const user = world.mail.freshUser(account)
    const client = await logIn(user)
    const count = await fill(client, includeAttachments)
    await world.register(account, user)
    await untilConnected(world.client, account)
    const measured = perSecond(count, await exportAll(world, account, includeAttachments))
    const reference = perSecond(count, await loopOf(client, includeAttachments))
    await client.logout()
    rows.push({
      what: `export of ${count} messages, ${includeAttachments ? 'attachments of 30 kB' : 'text only'}`,
      measured,
      reference,
      unit: '/s',
      referenceIs: 'loop of imapflow, mailparser and gzip',
    })
  }
  return rows
}

/** Fills three mailboxes. Returns the number of messages. */
async function fill(client: ImapFlow, withAttachments: boolean): Promise<number> {
  for (const path of ['A', 'B']) await client.mailboxCreate(path)
  for (let n = 0; n < appended; n++) {
    const message = plainMessage({ messageId: freshMessageId(), subject: `Message ${n}` })
    const source = withAttachments ? attach(message) : message
    const date = new Date(Date.UTC(2024, 0, 1) + n * 1_000)
    await client.append(['INBOX', 'A', 'B'][n % 3] ?? '', source, [], date)
  }
  let count = appended
  for (const path of ['INBOX', 'A', 'B']) {
    const { exists } = await client.mailboxOpen(path)
    for (let copy = 1; copy < copies; copy++) await client.messageCopy(`1:${exists}`, path)
    count += exists * (copies - 1)
  }
  await client.mailboxClose()
  return count
}

function attach(message: string): string {
  const [head = '', body = ''] = message.split(/\r\n\r\n(.*)/s)
  return [
    head,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    body,
    '--b',
    'Content-Type: application/octet-stream; name=file.bin',
    'Content-Transfer-Encoding: base64',
    '',
    randomBytes(30_000).toString('base64').replace(/.{76}/g, '$&\r\n'),
    '--b--',
  ].join('\r\n')
}

/** Time of an export in milliseconds, from the request to its end. */
async function exportAll(
  { client }: World,
  account: string,
  includeAttachments: boolean,
): Promise<number> {
  const from = performance.now()
  const created = await client.call(operations.createExport, {
    params: { account },
    body: {
      startDate: '2020-01-01T00:00:00Z',
      endDate: '2100-01-01T00:00:00Z',
      includeAttachments,
    },
  })
  if (created.status !== 200) throw new Error(`export: ${JSON.stringify(created.body)}`)
  const params = { account, exportId: String(created.body.exportId) }
  for (;;) {
    const { body } = await client.call(operations.getExport, { params })
    if (body.status === 'completed') return performance.now() - from
    if (body.status === 'failed') throw new Error(`export: ${JSON.stringify(body)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Time of the same work with plain libraries, in milliseconds. */
async function loopOf(client: ImapFlow, withAttachments: boolean): Promise<number> {
  const from = performance.now()
  const gzip = createGzip()
  gzip.resume()
  for (const path of ['INBOX', 'A', 'B']) {
    await client.mailboxOpen(path, { readOnly: true })
    for await (const { uid, flags, source } of client.fetch('1:*', {
      uid: true,
      flags: true,
      internalDate: true,
      source: true,
    })) {
      const { attachments, ...mail } = await simpleParser(source ?? '')
      const contents = withAttachments
        ? attachments.map(({ content }) => content.toString('base64'))
        : []
      const line = JSON.stringify({ uid, flags: [...(flags ?? [])], ...mail, contents })
      if (!gzip.write(`${line}\n`)) await once(gzip, 'drain')
    }
  }
  gzip.end()
  await once(gzip, 'end')
  return performance.now() - from
}
