import { describe, expect, test } from '@jest/globals'
import type { GraphFake } from '@posthorn/testkit/graph-fake'
import { providerFaults } from '@posthorn/testkit/providers'
import type { MailApi } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

const session = 'POST /messages/{message-id}/attachments/createUploadSession'
const send = 'POST /messages/{message-id}/send'
const small = Buffer.from(mail('a'))

/** Source of a message with files of the sizes `sizes`. */
function withFiles(sizes: number[], header = ''): Buffer {
  const parts = sizes.map(
    (size, index) =>
      `--b\r\nContent-Type: application/octet-stream; name=f${index}\r\nContent-Disposition: attachment; filename=f${index}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(size, index + 1).toString('base64')}\r\n`,
  )
  const fields = `From: Ann <ann@mail.example>\r\nTo: bob@mail.example\r\nBcc: eve@mail.example\r\nSubject: large\r\nMessage-ID: <large@mail.example>\r\n${header}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`
  return Buffer.from(
    `${fields}--b\r\nContent-Type: text/html\r\n\r\n<p>text</p>\r\n${parts.join('')}--b--\r\n`,
  )
}

const operations = (fake: GraphFake) => fake.server.log.map(({ operation }) => operation)
const draftOf = (fake: GraphFake, id: string) => fake.mailbox.message(id, true).content

async function sentBy(fake: GraphFake, api: MailApi, content: Buffer) {
  const draft = await api.depositDraft(content, {}, signal)
  await api.releaseDraft(draft.id, signal)
  return fake.mailbox.sent.at(-1)?.toString() ?? ''
}

describe('graph sending', () => {
  test('depositDraft: small message, is one request with MIME', async () => {
    await using setup = await startGraph()
    expect(await sentBy(setup.fake, setup.api, small)).toBe(small.toString())
    expect(operations(setup.fake)).toEqual(['POST /messages', send])
  })

  test('depositDraft: above 2.2 MB, is one structured request with files up to 4 MB', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const draft = await api.depositDraft(withFiles([1_700_000, 900_000]), {}, signal)
    expect(operations(fake)).toEqual(['POST /messages'])
    expect(draftOf(fake, draft.id)).toMatchObject({
      internetMessageId: '<large@mail.example>',
      bcc: [{ emailAddress: { address: 'eve@mail.example' } }],
      body: { contentType: 'html' },
      attachments: [{ name: 'f0' }, { name: 'f1' }],
    })
  })

  test('depositDraft: files of several sizes, are added one by one and uploaded in slices without a token', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const sizes = [2_900_000, 9_000_001]
    const draft = await api.depositDraft(withFiles(sizes), {}, signal)
    expect(operations(fake)).toEqual([
      'POST /messages',
      'POST /messages/{message-id}/attachments',
      session,
      'upload',
      'upload',
      'upload',
      'PATCH /messages/{message-id}',
    ])
    const { attachments, internetMessageId } = draftOf(fake, draft.id)
    expect(attachments.map(({ bytes }) => bytes.length)).toEqual(sizes)
    expect(attachments[1]?.bytes.equals(Buffer.alloc(9_000_001, 2))).toBe(true)
    expect(internetMessageId).toBe('<large@mail.example>')
    for (const { headers, raw } of fake.server.requests('upload')) {
      expect(headers).not.toHaveProperty('authorization')
      expect(raw.length).toBeLessThan(4_000_000)
    }
  })

  test('depositDraft: upload fails in between, continues where the service is', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fake.server.on('upload', providerFaults.times(1, providerFaults.resets('after')))
    const unavailable = { status: 503, body: '' }
    fake.server.on(
      'upload',
      providerFaults.after(1, providerFaults.times(1, providerFaults.replies(unavailable))),
    )
    const draft = await api.depositDraft(withFiles([9_000_001]), {}, signal)
    expect(draftOf(fake, draft.id).attachments[0]?.bytes.length).toBe(9_000_001)
  })

  test('depositDraft: fails or stops before the last file, leaves nothing that is found by its Message-ID', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const messageIdHeader = '<large@mail.example>'
    fake.faults.delegatedShared = true
    await expect(api.depositDraft(withFiles([4_000_000]), {}, signal)).rejects.toMatchObject({
      failure: 'too-large',
    })
    expect(fake.mailbox.messages.size).toBe(0)
    // The process that creates the Graph draft ends: the draft remains, without its Message-ID.
    fake.server.on(
      'POST /messages/{message-id}/permanentDelete',
      providerFaults.replies({ status: 403 }),
    )
    await expect(api.depositDraft(withFiles([4_000_000]), {}, signal)).rejects.toThrow()
    expect(fake.mailbox.messages.size).toBe(1)
    expect(await api.findDrafts({ messageIdHeader }, signal)).toEqual([])
  })

  test.each([
    ['signed', 'Content-Type: multipart/signed; boundary=b\r\n'],
    ['encrypted', 'Content-Type: application/pkcs7-mime\r\n'],
    ['calendar', 'Content-Type: text/calendar; method=REQUEST\r\n'],
  ])('depositDraft: %s mail, is MIME or too large', async (_name, header) => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const content = (length: number) =>
      Buffer.from(`${mail('s', `MIME-Version: 1.0\r\n${header}`)}${'x'.repeat(length)}`)
    await api.depositDraft(content(100), { structured: true }, signal)
    expect(fake.server.log[0]?.headers['content-type']).toBe('text/plain')
    await expect(api.depositDraft(content(2_300_000), {}, signal)).rejects.toMatchObject({
      failure: 'too-large',
      kind: 'too-large',
      code: 'MessageTooLarge',
    })
    expect(fake.server.log).toHaveLength(1)
  })

  test.each([
    ['signed', 'application/pkcs7-signature; name=smime.p7s'],
    ['encrypted', 'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m'],
    ['OpenPGP', 'application/pgp-encrypted'],
  ])(
    'structured, with a nested %s part: small mail is MIME, large mail too large',
    async (...row) => {
      const [, type] = row
      await using setup = await startGraph()
      const { fake, api } = setup
      const content = (length: number) => {
        const head = mail('s', 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n')
        const text = `--b\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(length)}\r\n`
        return Buffer.from(`${head}${text}--b\r\nContent-Type: ${type}\r\n\r\nMIIB\r\n--b--\r\n`)
      }
      await api.depositDraft(content(100), { structured: true }, signal)
      await api.sendMessage(content(100), { structured: true }, signal)
      const types = fake.server.log.map(({ headers }) => headers['content-type'])
      expect(types).toEqual(['text/plain', 'text/plain'])
      await expect(
        api.depositDraft(content(2_300_000), { structured: true }, signal),
      ).rejects.toMatchObject({ failure: 'too-large', code: 'MessageTooLarge' })
    },
  )

  test('depositDraft: structured, keeps sender, reply headers and own fields', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const extra =
      'In-Reply-To: <1@x>\r\nReferences: <0@x> <1@x>\r\nX-Own: yes\r\nImportance: high\r\n'
    const content = Buffer.from(mail('s', extra).replace('Ann <ann@', 'Team <team@'))
    await api.depositDraft(content, { structured: true }, signal)
    expect(fake.server.log[0]?.body).toMatchObject({
      subject: 's',
      body: { contentType: 'text', content: expect.stringContaining('hello s') },
      from: { emailAddress: { name: 'Team', address: 'team@mail.example' } },
      internetMessageId: '<s@mail.example>',
      internetMessageHeaders: [{ name: 'X-Own', value: 'yes' }],
      importance: 'high',
      singleValueExtendedProperties: [
        { id: 'String 0x1042', value: '<1@x>' },
        { id: 'String 0x1039', value: '<0@x> <1@x>' },
      ],
    })
  })

  test('releaseDraft: sender that must not be used, is send-denied and stays a draft', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fake.faults.deniedSenders = ['ann@mail.example']
    const draft = await api.depositDraft(small, {}, signal)
    await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({
      failure: 'send-denied',
      code: 'SendAsDenied',
    })
    expect(await api.findDrafts({ draftId: draft.id }, signal)).toEqual([draft])
  })

  test.each([
    ['200', providerFaults.deviates({ status: 200 })],
    ['504', providerFaults.replies({ status: 504, body: '' })],
    ['no response', providerFaults.resets('after')],
  ])(
    'releaseDraft: %s, is not repeated; the draft tells whether it was sent',
    async (_name, fault) => {
      await using setup = await startGraph()
      const { fake, api } = setup
      const draft = await api.depositDraft(small, {}, signal)
      fake.server.on(send, providerFaults.times(1, fault))
      await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({
        failure: 'unavailable',
      })
      expect(fake.server.requests(send)).toHaveLength(1)
      const drafts = await api.findDrafts({ draftId: draft.id }, signal)
      expect(drafts).toHaveLength(1 - fake.mailbox.sent.length)
    },
  )

  test.each([
    ['another id', { draftIdChanges: true }],
    ['another id and Message-ID', { draftIdChanges: true, replacesMessageId: true }],
    ['another Message-ID', { replacesMessageId: true }],
    ['a late copy', { draftIdChanges: true, sentDelayMs: 30_000 }],
  ])('findSent: sent message with %s', async (_name, faults) => {
    await using setup = await startGraph()
    const { fake, api } = setup
    Object.assign(fake.faults, faults)
    const draft = await api.depositDraft(small, {}, signal)
    const query = { ...draft, messageIdHeader: '<a@mail.example>' }
    expect(await api.findSent(query, signal)).toBeUndefined()
    await api.releaseDraft(draft.id, signal)
    if (fake.faults.sentDelayMs > 0) {
      expect(await api.findSent(query, signal)).toBeUndefined()
      fake.clock.advance(30_000)
      await Promise.resolve()
    }
    const [copy] = fake.mailbox.list(fake.mailbox.folder('sentitems').id)
    expect(await api.findSent(query, signal)).toEqual({
      id: copy?.id,
      threadId: copy?.conversationId,
      messageIdHeader: copy?.content.internetMessageId,
    })
    expect(fake.mailbox.sent).toHaveLength(1)
  })

  test.each(['', '{}', '{"id":"x="}', '{"isDraft":true}'])(
    'findDrafts: response %j, does not decide that the draft was sent',
    async (body) => {
      await using setup = await startGraph()
      const { fake, api } = setup
      const draft = await api.depositDraft(small, {}, signal)
      fake.server.on('GET /messages/{message-id}', providerFaults.deviates({ status: 200, body }))
      await expect(api.findDrafts({ draftId: draft.id }, signal)).rejects.toMatchObject({
        failure: 'unavailable',
      })
    },
  )

  test('discardDraft: message that was sent, stays', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const draft = await api.depositDraft(small, {}, signal)
    await api.releaseDraft(draft.id, signal)
    await api.discardDraft(draft.id, signal)
    expect(fake.mailbox.list(fake.mailbox.folder('sentitems').id)).toHaveLength(1)
  })

  test('findSent: several messages with the Message-ID, the latest one; an old thread is another message', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const folderId = fake.mailbox.folder('sentitems').id
    const at = (minutes: number) => fake.clock.now - minutes * 60_000
    const old = fake.mailbox.deliver({ raw: small, folderId, receivedAt: at(60) })
    const gone = { id: 'gone=', messageId: 'gone=', threadId: old.conversationId }
    expect(await api.findSent(gone, signal)).toBeUndefined()
    const late = fake.mailbox.deliver({ raw: small, folderId, receivedAt: at(1) })
    const sent = await api.findSent({ ...gone, messageIdHeader: '<a@mail.example>' }, signal)
    expect(sent).toMatchObject({ id: late.id })
  })

  test('sendMessage: above 2.2 MB, is structured up to 4 MB, then too large', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    await api.sendMessage(withFiles([2_300_000]), {}, signal)
    expect(fake.mailbox.sent).toHaveLength(1)
    await expect(api.sendMessage(withFiles([3_100_000]), {}, signal)).rejects.toMatchObject({
      failure: 'too-large',
    })
    expect(fake.server.requests('POST /sendMail')).toHaveLength(1)
  })
})
