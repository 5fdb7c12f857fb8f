import { describe, expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { toApiMessage } from '../../src/gmail/messages/message.ts'
import { readParts, textsOf } from '../../src/gmail/messages/parts.ts'
import type { GmailMessage, GmailMessagePart } from '../../src/provider-types/gmail.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { readFixture } from './fixtures.ts'
import { startGmail } from './gmail-setup.ts'

interface Expected {
  message: string
  subject: string
  from: string
  messageId: string
  preview: string
  texts: { mimeType: string; text: string }[]
  attachments: {
    partId: string
    filename: string
    mimeType: string
    size: number
    inline: boolean
    contentId?: string
  }[]
}

const { expected, messages, sources } = readFixture<{
  expected: Expected[]
  messages: Record<string, GmailMessage>
  sources: Record<string, string>
}>('messages')
const options = { headers: true, attachments: true }

/** Members of a Gmail message in the form of the expected summaries. */
function summaryOf(message: GmailMessage) {
  const read = toApiMessage(message, options)
  if (!read) throw new Error('message without an id')
  const { envelope, preview = '', attachments = [] } = read
  const { plain, html } = textsOf(readParts(message.payload ?? {}), 100_000)
  return {
    from: envelope.from.map(({ name, address }) => `${name} <${address}>`),
    subject: envelope.subject,
    messageId: envelope.messageId,
    preview,
    attachments: attachments.map(
      ({ partId, filename, contentType, size, embedded, contentId }) => ({
        partId,
        filename: filename ?? '',
        mimeType: contentType,
        size,
        inline: embedded,
        ...(contentId !== undefined && { contentId: `<${contentId}>` }),
      }),
    ),
    plain,
    html,
  }
}

describe('toApiMessage: messages as Gmail sends them', () => {
  const forms = expected.flatMap((each) =>
    Object.entries(messages)
      .filter(([name]) => name.split('.')[0] === each.message)
      .map(([name, message]) => [name, message, each] as const),
  )
  test.each(forms)('%s', (_name, message, each) => {
    const { texts, from, subject, messageId, preview, attachments } = each
    const joined = (type: string) => {
      const parts = texts.filter(({ mimeType }) => mimeType === type)
      return parts.length === 0 ? undefined : parts.map(({ text }) => text).join('\n')
    }
    expect(summaryOf(message)).toEqual({
      subject,
      messageId,
      preview,
      attachments,
      from: [from],
      plain: joined('text/plain'),
      html: joined('text/html'),
    })
  })
})

describe('GmailFake: responses have the form of the samples', () => {
  test.each(Object.entries(sources))('%s', async (name, source) => {
    await using setup = await startGmail()
    const raw = Buffer.from(source, 'base64')
    const { id } = setup.mailbox.deliver(raw, { labels: [] })
    const response = await fetch(
      `${setup.gmail.origin}/gmail/v1/users/me/messages/${id}?format=full`,
      { headers: { authorization: `Bearer ${[...setup.gmail.tokens.keys()][0]}` } },
    )
    const { payload } = (await response.json()) as GmailMessage
    expect(shapeOf(payload)).toEqual(shapeOf(messages[name]?.payload))
  })
})

/**
 * Payload of a Gmail message without attachment ids, decoded file names and padding, for
 * comparisons.
 */
function shapeOf({ body = {}, parts, headers = [], ...part }: GmailMessagePart = {}): object {
  const { attachmentId, data, ...rest } = body
  return {
    type: part.mimeType,
    partId: part.partId,
    hasName: part.filename !== '',
    headers: headers.map(({ name, value }) => [name, value?.replace(/\s+/g, ' ')]),
    body: { ...rest, isAttachment: attachmentId !== undefined, data: data?.replace(/=+$/, '') },
    parts: parts?.map(shapeOf) ?? [],
  }
}

const withFile = (type: string, content: string) =>
  mail('file', 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b b"\r\n').replace(
    'hello file\r\n',
    `--b b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b b\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--b b--\r\n`,
  )

async function contentOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString()
}

test('downloadAttachment: attachment id expires, it is looked up once more', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const { id } = mailbox.deliver(withFile('application/zip; name=a.zip', 'content'))
  const refuse = providerFaults.replies({ status: 404, body: notFoundBody })
  gmail.on('messages.attachments.get', providerFaults.times(1, refuse))
  const { content } = await api.downloadAttachment({ id, partId: '1' }, signal)
  expect(await contentOf(content)).toBe('content')
  expect(gmail.requests('messages.get')).toHaveLength(2)
  gmail.on('messages.attachments.get', providerFaults.always(refuse))
  const again = api.downloadAttachment({ id, partId: '1' }, signal)
  await expect(again).rejects.toMatchObject({ failure: 'part-missing' })
  expect(gmail.requests('messages.get')).toHaveLength(4)
})

const notFoundBody = {
  error: { code: 404, message: 'Not Found', errors: [{ reason: 'notFound' }], status: 'NOT_FOUND' },
}

test('downloadAttachment: message/rfc822 part, is read from the source', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const inner = 'Subject: inner\r\n\r\nThe inner text\r\n'
  const { id } = mailbox.deliver(withFile('message/rfc822', inner))
  const { attachments } = await api.getMessage(id, { attachments: true }, signal)
  expect(attachments).toMatchObject([{ partId: '1', contentType: 'message/rfc822' }])
  const { content } = await api.downloadAttachment({ id, partId: '1' }, signal)
  expect(await contentOf(content)).toBe(inner)
  expect(gmail.requests('messages.attachments.get')).toHaveLength(0)
})

test('getMessage: large text without its content, is read as an attachment and cut', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  gmail.switches.largeTextBytes = 10
  const { id } = mailbox.deliver(mail('a').replace('hello a', 'ä'.repeat(1_000)))
  const { texts } = await api.getMessage(id, { maxTextBytes: 101 }, signal)
  expect(texts).toEqual({ plain: 'ä'.repeat(50), hasMore: true })
})

test('downloadSource: cut response, fails; 20 MB, is passed through', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const raw = Buffer.concat([Buffer.from(mail('big')), Buffer.alloc(20_000_000, 'abcdefg\r\n')])
  const { id } = mailbox.deliver(raw)
  const { content } = await api.downloadSource(id, signal)
  expect(Buffer.concat(await Array.fromAsync(content)).equals(raw)).toBe(true)
  gmail.on('messages.get', providerFaults.times(1, providerFaults.truncatesAfter(100_000)))
  const cut = await api.downloadSource(id, signal)
  await expect(contentOf(cut.content)).rejects.toMatchObject({ failure: 'unavailable' })
})

test('getMessage: id that is out of range, is unreadable; others never reach Gmail', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  const unreadable = { failure: 'unreadable-id', kind: 'provider', status: 400 }
  await expect(api.getMessage('f'.repeat(16), {}, signal)).rejects.toMatchObject(unreadable)
  expect(await api.getMessages(['f'.repeat(16), 'abc123'], {}, signal)).toEqual([])
  const count = gmail.fake.log.length
  for (const id of ['xyz', '0'.repeat(17), '../labels'])
    await expect(api.getMessage(id, {}, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
  expect(gmail.fake.log).toHaveLength(count)
})

test('signatures: those of sendAs', async () => {
  await using setup = await startGmail()
  const { mailbox, api } = setup
  expect(await api.signatures?.(signal)).toEqual([])
  mailbox.signature = '<b>Jane</b>'
  expect(await api.signatures?.(signal)).toEqual([
    { address: mailbox.address, signature: '<b>Jane</b>' },
  ])
})
