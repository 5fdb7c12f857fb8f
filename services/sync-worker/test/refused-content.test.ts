import { afterEach, expect, test } from '@jest/globals'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { type ProviderRequest, providerFaults } from '@posthorn/testkit/providers'
import { gmailError, gmailFailures } from '@posthorn/testkit/providers/gmail'
import { mime } from './api-world.ts'
import { gmailScene, graphScene } from './feeds/provider-scene.ts'

// Contents and messages that a provider refuses while it returns other contents and messages.

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const { replies, times, truncatesAfter } = providerFaults
const content = Buffer.from('content '.repeat(200))

const withFile = (subject: string) =>
  mime(subject, [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Hello',
    '--b',
    'Content-Type: application/pdf; name="file.pdf"',
    'Content-Disposition: attachment; filename="file.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64'),
    '--b--',
    '',
  ])

const bounce = mime('Undelivered Mail Returned to Sender', [
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'Not delivered.',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.com',
  '',
  'Final-Recipient: rfc822; bob@example.com',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 unknown',
  '--b--',
  '',
])

/** Limits a fault of the fake provider to the requests for one message. */
const ofMessage = (id: string, fault: ReturnType<typeof replies>) => (request: ProviderRequest) =>
  Object.values(request.params).includes(id) ? fault(request) : undefined

const getMessage = 'GET /messages/{message-id}'
const listAttachments = `${getMessage}/attachments`
const getAttachment = `${listAttachments}/{attachment-id}`
const serverError = faultResponse(500, 'ErrorInternalServerError')
const outage = replies(faultResponse(503, 'ServiceUnavailable'))

/** Attachment contents of the events of new messages. */
const contentsOf = (events: readonly { event: string; data: Record<string, unknown> }[]) =>
  events.flatMap(({ event, data }) =>
    event === 'messageNew'
      ? ((data['attachments'] ?? []) as { content?: string }[]).map((each) => each.content)
      : [],
  )

test.each([
  [400, gmailError(400, 'invalidArgument', 'Invalid attachment token')],
  [403, gmailError(403, 'forbidden', 'Forbidden')],
  [503, gmailFailures.unavailable()],
])('Gmail: an attachment that gets %i is left out of messageNew', async (_status, response) => {
  const { gmail, mailbox, scene } = await gmailScene(stack)
  scene.settings = { notifyAttachments: true }
  await scene.sync()
  gmail.on('messages.attachments.get', replies(response))
  const { id } = mailbox.deliver(withFile('refused'))
  await scene.sync()
  const next = mailbox.deliver(mime('next'))
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual([id, next.id])
  expect(contentsOf(scene.events)).toEqual([undefined])
  expect(scene.refusals).toMatchObject([{ id, part: 'attachment' }])
})

test.each([
  [400, faultResponse(400, 'ErrorCorruptData')],
  [403, faultResponse(403, 'ErrorAccessDenied')],
  [500, serverError],
])('Graph: an attachment that gets %i is left out of messageNew', async (_status, response) => {
  const { graph, mailbox, scene } = await graphScene(stack)
  scene.settings = { notifyAttachments: true }
  await scene.sync()
  graph.server.on(getAttachment, replies(response))
  const { id } = mailbox.deliver({ raw: Buffer.from(withFile('refused')) })
  await scene.sync()
  const next = mailbox.deliver({ raw: Buffer.from(mime('next')) })
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual([id, next.id])
  expect(contentsOf(scene.events)).toEqual([undefined])
  expect(scene.refusals).toMatchObject([{ id, part: 'attachment' }])
})

test.each([400, 500])('Graph: a report whose source gets %i is a message', async (status) => {
  const { graph, mailbox, scene } = await graphScene(stack)
  await scene.sync()
  const fault = graph.server.on(`${getMessage}/$value`, replies(faultResponse(status, 'ErrorX')))
  const { id } = mailbox.deliver({ raw: Buffer.from(bounce) })
  await scene.sync()
  fault()
  const next = mailbox.deliver({ raw: Buffer.from(bounce) })
  await scene.sync()
  expect(scene.events.map(({ data }) => [data['id'], data['isBounce']])).toEqual([
    [id, undefined],
    [next.id, true],
  ])
  expect(scene.refusals).toMatchObject([{ id, part: 'source' }])
})

test('Gmail: a report whose source is refused is a message', async () => {
  const { gmail, mailbox, scene } = await gmailScene(stack)
  await scene.sync()
  const refusal = replies(gmailError(400, 'failedPrecondition', 'Precondition check failed.'))
  const { id } = mailbox.deliver(bounce)
  gmail.on('messages.get', (request) =>
    request.query.get('format') === 'raw' ? refusal(request) : undefined,
  )
  await scene.sync()
  expect(scene.events).toMatchObject([{ event: 'messageNew', data: { id } }])
  expect(scene.refusals).toMatchObject([{ id, part: 'source' }])
})

test('an outage while an attachment is read: the pass fails, a later one has the content', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  scene.settings = { notifyAttachments: true }
  await scene.sync()
  const { id } = mailbox.deliver({ raw: Buffer.from(withFile('late')) })
  const ends: (() => void)[] = []
  graph.server.on(getAttachment, (request) => {
    if (ends.length === 0) ends.push(graph.server.on('*', outage))
    return ends.length < 2 ? outage(request) : undefined
  })
  await expect(scene.sync()).rejects.toMatchObject({ failure: 'unavailable' })
  await expect(scene.sync()).rejects.toMatchObject({ failure: 'unavailable' })
  expect(scene.events).toEqual([])
  ends.push(() => undefined)
  ends[0]?.()
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual([id])
  expect(contentsOf(scene.events)).toEqual([content.toString('base64')])
  expect(scene.refusals).toEqual([])
})

test('a download that ends early is repeated', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  scene.settings = { notifyAttachments: true }
  await scene.sync()
  graph.server.on(`${getAttachment}/$value`, times(2, truncatesAfter(100)))
  mailbox.deliver({ raw: Buffer.from(withFile('cut')) })
  await scene.sync()
  expect(contentsOf(scene.events)).toEqual([content.toString('base64')])
})

test.each(['access-denied', 'rate-limited', 'token-rejected'] as const)(
  'failures of the whole mailbox fail the pass: %s',
  async (failure) => {
    const { graph, mailbox, scene } = await graphScene(stack)
    scene.settings = { notifyAttachments: true }
    mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
    await scene.sync()
    mailbox.deliver({ raw: Buffer.from(withFile('refused')) })
    const responses = {
      'access-denied': faultResponse(403, 'ErrorAccessDenied'),
      'rate-limited': {
        ...faultResponse(429, 'ApplicationThrottled'),
        headers: { 'retry-after': '3600' },
      },
      'token-rejected': faultResponse(401, 'InvalidAuthenticationToken'),
    }
    graph.server.on(getMessage, replies(responses[failure]))
    graph.server.on(getAttachment, replies(responses[failure]))
    await expect(scene.sync()).rejects.toMatchObject({ failure })
    expect(scene.events).toEqual([])
  },
)

test('Graph: a corrupt message is read again, then reported; others are announced', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
  await scene.sync()
  const delivered = ['one', 'corrupt', 'two'].map((subject) =>
    mailbox.deliver({ raw: Buffer.from(mime(subject)) }),
  )
  const [one, corrupt, two] = delivered.map(({ id }) => id)
  graph.server.on(getMessage, ofMessage(corrupt ?? '', replies(serverError)))
  await scene.sync()
  expect(scene.idsOf('messageNew').toSorted()).toEqual([String(one), String(two)].toSorted())
  const { id: later } = mailbox.deliver({ raw: Buffer.from(mime('later')) })
  await scene.syncUntilSettled()
  expect(scene.idsOf('messageNew')).toContain(later)
  expect(scene.idsOf('messageMissing')).toEqual([corrupt])
  expect(scene.refusals).toContainEqual({
    id: corrupt,
    part: 'message',
    err: expect.objectContaining({ failure: 'unavailable' }),
  })
})

test('Graph: a corrupt message that becomes readable is announced once', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  await scene.sync()
  const { id } = mailbox.deliver({ raw: Buffer.from(mime('corrupt')) })
  const end = graph.server.on(getMessage, ofMessage(id, replies(serverError)))
  const dueAt = await scene.sync()
  end()
  scene.time = dueAt?.getTime() ?? 0
  await scene.sync()
  await scene.sync()
  expect(scene.events).toMatchObject([{ event: 'messageNew', data: { id, missingRetries: 1 } }])
})

test('Graph: a message whose attachments cannot be listed has its text', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  scene.settings = { notifyText: true, notifyAttachments: true }
  mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
  await scene.sync()
  const { id } = mailbox.deliver({ raw: Buffer.from(withFile('refused')) })
  const next = mailbox.deliver({ raw: Buffer.from(withFile('next')) })
  graph.server.on(listAttachments, ofMessage(id, replies(serverError)))
  await scene.sync()
  const bySubject = Object.fromEntries(
    scene.events.map(({ data }) => [String(data['subject']), data]),
  )
  expect(bySubject['refused']).toMatchObject({
    id,
    text: { plain: expect.stringMatching(/Hello/) },
  })
  expect(bySubject['refused']).not.toHaveProperty('attachments')
  expect(bySubject['next']).toMatchObject({ id: next.id, attachments: [{ filename: 'file.pdf' }] })
  expect(scene.refusals).toMatchObject([{ id, part: 'attachment-list' }])
})

test('Graph: a moved message that is refused stays indexed, and moves once it is readable', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
  await scene.sync()
  const message = mailbox.deliver({ raw: Buffer.from(mime('moved')) })
  await scene.sync()
  const end = graph.server.on(getMessage, ofMessage(message.id, replies(serverError)))
  mailbox.move(message, mailbox.folder('junkemail').id)
  const dueAt = await scene.sync()
  expect(scene.events.map(({ event }) => event)).toEqual(['messageNew'])
  end()
  scene.time = dueAt?.getTime() ?? 0
  await scene.sync()
  expect(scene.events.map(({ event }) => event)).toEqual([
    'messageNew',
    'messageDeleted',
    'messageNew',
  ])
})

test('Graph: a deletion is announced once the message is known to be missing', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
  await scene.sync()
  const message = mailbox.deliver({ raw: Buffer.from(mime('deleted')) })
  await scene.sync()
  const end = graph.server.on(getMessage, ofMessage(message.id, replies(serverError)))
  mailbox.remove(message)
  const dueAt = await scene.sync()
  expect(scene.events.map(({ event }) => event)).toEqual(['messageNew'])
  end()
  scene.time = dueAt?.getTime() ?? 0
  await scene.sync()
  expect(scene.events.map(({ event }) => event)).toEqual(['messageNew', 'messageDeleted'])
})

test('Graph: a moved message that stays refused is neither deleted nor missing', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
  await scene.sync()
  const message = mailbox.deliver({ raw: Buffer.from(mime('moved')) })
  await scene.sync()
  graph.server.on(getMessage, ofMessage(message.id, replies(serverError)))
  mailbox.move(message, mailbox.folder('junkemail').id)
  await scene.syncUntilSettled()
  expect(scene.events.map(({ event }) => event)).toEqual(['messageNew'])
})

test('Gmail: a batch that always fails is read message by message', async () => {
  const { gmail, mailbox, scene } = await gmailScene(stack)
  await scene.sync()
  const failing = replies(gmailFailures.unavailable())
  // Batches of several messages fail, as if the response exceeded the size limit.
  gmail.on('batch', (request) =>
    request.raw.toString().split('Content-ID').length > 2 ? failing(request) : undefined,
  )
  const ids = ['one', 'two', 'three'].map((subject) => mailbox.deliver(mime(subject)).id)
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual(ids)
  expect(scene.refusals).toEqual([])
})

test('an outage while messages are read: none becomes pending, all are announced later', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  mailbox.deliver({ raw: Buffer.from(mime('old')), receivedAt: 0 })
  await scene.sync()
  const ids = ['one', 'two'].map((each) => mailbox.deliver({ raw: Buffer.from(mime(each)) }).id)
  const end = graph.server.on(getMessage, replies(serverError))
  for (let pass = 0; pass < 8; pass++) {
    await expect(scene.sync()).rejects.toMatchObject({ failure: 'unavailable' })
    scene.time += 60_000
  }
  expect(scene.tables.pending.size).toBe(0)
  end()
  await scene.sync()
  expect(scene.idsOf('messageNew').toSorted()).toEqual(ids.toSorted())
  expect(scene.idsOf('messageMissing')).toEqual([])
})
