import { randomBytes } from 'node:crypto'
import type { ImapFlow } from 'imapflow'
import { freshMessageId, plainMessage } from '../world.ts'

const appended = 240
const folders = 12
/** Paths of the mailboxes of an export. */
export const exportPaths = ['INBOX', ...Array.from({ length: folders - 1 }, (_, at) => `Box ${at}`)]

/** Fills twelve mailboxes with copies of 240 messages. Returns the number of messages. */
export async function fillFolders(
  client: ImapFlow,
  { copies, withAttachments }: { copies: number; withAttachments: boolean },
): Promise<number> {
  for (const path of exportPaths.slice(1)) await client.mailboxCreate(path)
  for (let n = 0; n < appended; n++) {
    const message = plainMessage({ messageId: freshMessageId(), subject: `Message ${n}` })
    const source = withAttachments ? attach(message) : message
    const date = new Date(Date.UTC(2024, 0, 1) + n * 1_000)
    await client.append(exportPaths[n % folders] ?? '', source, [], date)
  }
  for (const path of exportPaths) {
    const { exists } = await client.mailboxOpen(path)
    for (let copy = 1; copy < copies; copy++) await client.messageCopy(`1:${exists}`, path)
  }
  await client.mailboxClose()
  return appended * copies
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
