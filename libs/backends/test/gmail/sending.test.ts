import { expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { gmailError, gmailFailures } from '@posthorn/testkit/providers/gmail'
import { mail, signal } from '../mail-api/environment.ts'
import { startGmail } from './gmail-setup.ts'

/** Message of a given number of bytes, with base64 lines as in attachments. */
function messageOf(bytes: number): Buffer {
  const head = mail('large')
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes - head.length, 'QUJDRA==\r\n')])
}

test('depositDraft: JSON up to 3.5 MB, one upload up to 8 MB, then a resumable one', async () => {
  await using setup = await startGmail()
  const { api, gmail, mailbox } = setup
  for (const [bytes, form] of [
    [3_400_000, null],
    [3_600_000, 'media'],
    [8_100_000, 'resumable'],
    [20_000_000, 'resumable'],
  ] as const) {
    const content = messageOf(bytes)
    const before = gmail.requests('drafts.create').length
    const draft = await api.depositDraft(content, {}, signal)
    expect(mailbox.getMessage(draft.messageId).raw.equals(content)).toBe(true)
    const [first] = gmail.requests('drafts.create').slice(before)
    expect(first?.query.get('uploadType')).toBe(form)
  }
})

test('depositDraft: upload in a thread, is multipart with the thread', async () => {
  await using setup = await startGmail()
  const { api, gmail, mailbox } = setup
  const { threadId } = mailbox.deliver(mail('first'))
  for (const bytes of [3_600_000, 9_000_000]) {
    const content = messageOf(bytes)
    const draft = await api.depositDraft(content, { threadId }, signal)
    expect(draft.threadId).toBe(threadId)
    expect(mailbox.getMessage(draft.messageId).raw.equals(content)).toBe(true)
  }
  const forms = gmail.requests('drafts.create').map(({ query }) => query.get('uploadType'))
  expect(new Set(forms)).toEqual(new Set(['multipart', 'resumable']))
})

test.each(['before', 'after'] as const)(
  'depositDraft: connection lost %s each chunk, the upload is resumed and stored once',
  async (phase) => {
    await using setup = await startGmail()
    const { api, gmail, mailbox } = setup
    let count = 0
    gmail.on('drafts.create#upload', ({ headers }) => {
      const isChunk = /^bytes \d/.test(String(headers['content-range'] ?? ''))
      return isChunk && count++ % 2 === 0 ? { kind: 'reset', phase } : undefined
    })
    const content = messageOf(20_000_000)
    const draft = await api.depositDraft(content, {}, signal)
    expect(mailbox.getMessage(draft.messageId).raw.equals(content)).toBe(true)
    expect(mailbox.messages.size).toBe(1)
  },
)

test('depositDraft: upload address at another origin, fails without sending the token there', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const headers = { location: 'https://attacker.example/upload?upload_id=1' }
  gmail.on('drafts.create#upload', providerFaults.replies({ status: 200, headers, body: '' }))
  await expect(api.depositDraft(messageOf(9_000_000), {}, signal)).rejects.toMatchObject({
    failure: 'unavailable',
  })
})

test('depositDraft: upload that never continues, fails after some attempts', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  gmail.on('drafts.create#upload', ({ method }) =>
    method === 'PUT' ? { kind: 'reply', response: { status: 308, body: '' } } : undefined,
  )
  await expect(api.depositDraft(messageOf(9_000_000), {}, signal)).rejects.toMatchObject({
    failure: 'unavailable',
  })
})

test.each([404, 410, 400])(
  'sendMessage: state of an interrupted upload refused with %i, is unavailable and not repeated',
  async (status) => {
    await using setup = await startGmail()
    const { api, gmail, mailbox } = setup
    const { threadId } = mailbox.deliver(mail('first'))
    gmail.on('messages.send#upload', ({ headers }) => {
      const range = String(headers['content-range'] ?? '')
      if (/^bytes \d/.test(range)) return { kind: 'reset', phase: 'after' }
      return range === '' ? undefined : { kind: 'reply', response: { status }, unchecked: true }
    })
    await expect(api.sendMessage(messageOf(9_000_000), { threadId }, signal)).rejects.toMatchObject(
      { failure: 'unavailable' },
    )
    const opened = gmail.requests('messages.send').filter(({ method }) => method === 'POST')
    expect(opened).toHaveLength(1)
  },
)

test('sendMessage: JSON refused as too large, is uploaded; a small message is refused', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  gmail.switches.maxJsonBytes = 1_048_576
  await api.sendMessage(messageOf(1_000_000), {}, signal)
  expect(gmail.sent).toHaveLength(1)
  gmail.on('messages.send', providerFaults.replies({ status: 413, body: '<html>' }))
  await expect(api.sendMessage(messageOf(1_000), {}, signal)).rejects.toMatchObject({
    failure: 'too-large',
  })
})

test('sendMessage: response lost, is not repeated; refused by a limit, is repeated', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const send = () => api.sendMessage(Buffer.from(mail('a')), {}, signal)
  gmail.on('messages.send', providerFaults.times(1, providerFaults.resets('after')))
  await expect(send()).rejects.toMatchObject({ failure: 'unavailable' })
  expect(gmail.sent).toHaveLength(1)
  const limited = providerFaults.replies(gmailFailures.tooManyConcurrent())
  gmail.on('messages.send', providerFaults.times(1, limited))
  await send()
  expect(gmail.sent).toHaveLength(2)
})

test('releaseDraft: Message-ID is replaced, the new one is reported; its read may fail', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const deposit = () => api.depositDraft(Buffer.from(mail('a')), {}, signal)
  const { id, threadId } = await deposit()
  const sent = await api.releaseDraft(id, signal)
  expect(sent).toMatchObject({ threadId, messageIdHeader: expect.stringMatching(/^<CA\+/) })
  gmail.switches.keepsMessageId = true
  const kept = await api.releaseDraft((await deposit()).id, signal)
  expect(kept.messageIdHeader).toBe('<a@mail.example>')
  const draft = await deposit()
  gmail.on('messages.get', providerFaults.replies(gmailFailures.insufficientScope()))
  const unread = await api.releaseDraft(draft.id, signal)
  expect(unread).toMatchObject({ id: expect.any(String) })
  expect(unread).not.toHaveProperty('messageIdHeader')
  expect(gmail.sent).toHaveLength(3)
})

test('releaseDraft: author that is no alias is replaced, and the new one is reported', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const release = async () =>
    api.releaseDraft((await api.depositDraft(Buffer.from(mail('a')), {}, signal)).id, signal)
  expect(await release()).toMatchObject({ from: ['ann@mail.example'] })
  gmail.switches.replacesFrom = true
  expect(await release()).toMatchObject({ from: [setup.mailbox.address] })
})

test('findSent: draft in a thread with sent messages, is the one that was sent later', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const first = await api.sendMessage(Buffer.from(mail('first')), {}, signal)
  const options = { threadId: first.threadId ?? '' }
  const draft = await api.depositDraft(Buffer.from(mail('reply')), options, signal)
  const query = { ...draft, messageIdHeader: '<reply@mail.example>' }
  expect(await api.findSent(query, signal)).toBeUndefined()
  gmail.on('drafts.send', providerFaults.times(1, providerFaults.resets('after')))
  await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({ failure: 'unavailable' })
  const other = await api.sendMessage(Buffer.from(mail('later')), options, signal)
  expect(await api.findDrafts({ draftId: draft.id }, signal)).toEqual([])
  const sent = await api.findSent(query, signal)
  expect([first.id, other.id, draft.messageId]).not.toContain(sent?.id)
  expect(gmail.sent).toHaveLength(3)
})

test('findDrafts and findSent: Message-ID that a query cannot contain, finds no draft', async () => {
  await using setup = await startGmail()
  const { api } = setup
  const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
  const messageIdHeader = '<a "b" (c)@mail.example>'
  expect(await api.findDrafts({ messageIdHeader }, signal)).toEqual([])
  await api.releaseDraft(draft.id, signal)
  expect(await api.findSent({ ...draft, messageIdHeader }, signal)).toMatchObject({
    messageIdHeader: expect.stringMatching(/^<CA/),
  })
})

test('findDrafts: by message with its Message-ID, is one request; without it in the index, lists', async () => {
  await using setup = await startGmail()
  const { api, gmail, mailbox } = setup
  const draftId = mailbox.saveDraft(Buffer.from(mail('a')))
  const messageId = mailbox.drafts.get(draftId) ?? ''
  const find = (header?: string) => api.findDrafts({ messageId, header }, signal)
  expect(await find('<a@mail.example>')).toMatchObject([{ id: draftId, messageId }])
  expect(gmail.requests('drafts.list')).toHaveLength(1)
  for (const header of ['<other@mail.example>', undefined])
    expect(await find(header)).toMatchObject([{ id: draftId, messageId }])
  mailbox.saveDraft(Buffer.from(mail('a')), { draftId })
  expect(await find('<a@mail.example>')).toEqual([])
})

test('findDrafts: response without a draft, does not decide that it was sent', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
  for (const body of ['', '{}', `{"id":"${draft.id}"}`]) {
    gmail.on('drafts.get', providerFaults.deviates({ status: 200, body }))
    await expect(api.findDrafts({ draftId: draft.id }, signal)).rejects.toMatchObject({
      failure: 'unavailable',
    })
  }
})

test('depositDraft: thread refused with 400 or 404, is left out', async () => {
  await using setup = await startGmail()
  const { api, gmail, mailbox } = setup
  const { threadId } = mailbox.deliver(mail('x'))
  for (const response of [
    gmailError(400, 'invalidArgument', 'Invalid thread_id value'),
    gmailError(404, 'notFound', 'Requested entity was not found.'),
  ]) {
    gmail.on('drafts.create', providerFaults.times(1, providerFaults.replies(response)))
    const draft = await api.depositDraft(Buffer.from(mail('a')), { threadId }, signal)
    expect(draft.threadId).not.toBe(threadId)
  }
})

test('releaseDraft: daily limit of sending, reports the requested time or an hour', async () => {
  await using setup = await startGmail({ priority: 'caller', timeoutMs: 5_000 })
  const { api, gmail } = setup
  const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
  const limited = gmailFailures.rateLimitedUntil(new Date('2026-11-02T12:00:00Z'))
  const headers = { ...limited.headers, date: 'Sun, 01 Nov 2026 12:00:00 GMT' }
  gmail.on('drafts.send', providerFaults.times(1, providerFaults.replies({ ...limited, headers })))
  await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({
    failure: 'rate-limited',
    retryAfterMs: 86_400_000,
  })
  gmail.on(
    'drafts.send',
    providerFaults.times(1, providerFaults.replies(gmailFailures.dailyLimit())),
  )
  await expect(api.releaseDraft(draft.id, signal)).rejects.toMatchObject({
    failure: 'rate-limited',
    retryAfterMs: 3_600_000,
  })
  expect(gmail.sent).toHaveLength(0)
})

test('sent message: arrives in another mailbox of the fake without Bcc', async () => {
  await using setup = await startGmail()
  const { api, gmail } = setup
  const other = gmail.addMailbox('bob@mail.example')
  await api.sendMessage(Buffer.from(mail('a', 'Bcc: eve@mail.example\r\n')), {}, signal)
  expect(other.list.map(({ raw }) => raw.toString())).toEqual([expect.not.stringContaining('Bcc')])
  expect(setup.mailbox.list[0]?.raw.toString()).toContain('Bcc')
})
