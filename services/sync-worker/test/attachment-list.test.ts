import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { messageNew } from '@posthorn/contracts/events/message'
import { matches } from '@posthorn/contracts/validate'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await testWorld()
})
afterEach(() => world.close())

const attached = (name: string, content: string) =>
  [
    '--b',
    `Content-Type: text/x-a; name=${name}`,
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(content).toString('base64'),
  ].join('\r\n')

/**
 * Attachments in the `messageNew` of a message with two attachments, while these settings apply.
 */
async function notifiedAttachments(settings: Record<string, unknown>) {
  for (const [key, value] of Object.entries(settings))
    await world.db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
  await world.startWorker()
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']
  const body = [attached('small', '12345'), attached('large', '123456'), '--b--'].join('\r\n')
  await world.dovecot.deliver(user.user, mail({ headers, body }))
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(matches(messageNew.data, event?.data)).toBe(true)
  return event?.data['attachments']
}

const listed = (filename: string) => ({
  id: expect.any(String),
  contentType: 'text/x-a',
  encodedSize: expect.any(Number),
  filename,
  embedded: false,
  inline: false,
  encodedInMessage: true,
})

test('notifyAttachmentList: messageNew lists the attachments without contents', async () => {
  const attachments = await notifiedAttachments({ notifyAttachmentList: true })
  expect(attachments).toEqual([listed('small'), listed('large')])
})

test('notifyAttachmentList with notifyAttachments: lists the attachment above the size limit, too', async () => {
  const attachments = await notifiedAttachments({
    notifyAttachmentList: true,
    notifyAttachments: true,
    notifyAttachmentSize: 5,
  })
  const content = Buffer.from('12345').toString('base64')
  expect(attachments).toEqual([{ ...listed('small'), content }, listed('large')])
})
