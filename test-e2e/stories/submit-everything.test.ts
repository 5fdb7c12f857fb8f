import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { eventually } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'

const janeId = uniqueAccount('jane')
const johnId = uniqueAccount('john')
const world = await useSharedWorld({
  serviceUrl: 'https://post.example',
  notifyAttachments: true,
})
afterAll(() => world[Symbol.asyncDispose]())
const [jane, john] = await Promise.all([world.connectAccount(janeId), world.connectAccount(johnId)])

const submit = (account: string, body: object, headers: Record<string, string> = {}) =>
  world.client.call(operations.submitMessage, { params: { account }, body, headers })

/** Waits for a message in a mailbox of an account. */
const arrived = (account: string, messageId: string, specialUse = '\\Inbox') =>
  world.webhook(
    ({ event, account: owner, data }) =>
      event === 'messageNew' &&
      owner === account &&
      data.messageId === messageId &&
      data.messageSpecialUse === specialUse,
  )
const sourceOf = async (account: string, message: string) => {
  const { body } = await world.client.call(operations.getMessageSource, {
    params: { account, message },
  })
  return String(body)
    .replaceAll('=\r\n', '')
    .replaceAll(/\r\n[ \t]/g, ' ')
}

const question = await submit(johnId, {
  to: [{ address: jane.address }],
  subject: 'Lunch',
  text: 'At noon?',
  attachments: [{ filename: 'menu.txt', content: Buffer.from('soup').toString('base64') }],
})
const questionEvent = await arrived(janeId, question.body.messageId)

test('submit with reference: the reply is in the thread, and the original is marked as answered', async () => {
  const answer = await submit(janeId, {
    text: 'Yes',
    reference: { message: questionEvent.data.id, inline: true },
  })
  expect(answer).toMatchObject({
    status: 200,
    body: { reference: { message: questionEvent.data.id, success: true } },
  })
  const reply = await arrived(johnId, answer.body.messageId)
  expect(reply.data).toMatchObject({ subject: 'Re: Lunch', inReplyTo: question.body.messageId })
  expect(await sourceOf(johnId, reply.data.id)).toContain('> At noon?')
  await eventually(async () => {
    const { body } = await world.client.call(operations.getMessage, {
      params: { account: janeId, message: questionEvent.data.id },
    })
    expect(body.flags).toContain('\\Answered')
  })
})

test('submit with action forward: includes the attachment, and an idempotency key prevents duplicates', async () => {
  const body = {
    to: [{ address: john.address }],
    text: 'see below',
    reference: { message: questionEvent.data.id, action: 'forward', forwardAttachments: true },
  }
  const answers = await Promise.all(
    [1, 2, 3].map(() => submit(janeId, body, { 'idempotency-key': 'forward' })),
  )
  expect(new Set(answers.map(({ body }) => body.queueId)).size).toBe(1)
  const [first] = answers
  const forwarded = await arrived(johnId, first?.body.messageId)
  expect(forwarded.data).toMatchObject({
    subject: 'Fwd: Lunch',
    attachments: [{ filename: 'menu.txt' }],
  })
})

test('submit with template and mailMerge: each recipient gets tracked links and an unsubscribe link', async () => {
  const template = await world.client.call(operations.createTemplate, {
    body: {
      account: janeId,
      name: 'news',
      content: {
        subject: 'News for {{params.name}}',
        html: '<p>Dear {{params.name}}, <a href="https://shop.example/">look</a></p>',
      },
    },
  })
  expect(template.status).toBe(200)
  const { body } = await submit(janeId, {
    template: template.body.id,
    listId: 'news',
    trackClicks: true,
    mailMerge: [
      { to: { address: john.address }, params: { name: 'John' } },
      { to: { address: jane.address }, params: { name: '<Jane>' } },
    ],
  })
  const [toJohn, toJane] = body.mailMerge
  const johns = await arrived(johnId, toJohn.messageId)
  expect(johns.data.subject).toBe('News for John')
  const source = await sourceOf(johnId, johns.data.id)
  expect(source).toMatch(/^List-Unsubscribe: <https:\/\/post\.example\/unsubscribe/m)
  expect(source).toContain('https://post.example/redirect?')
  const janes = await arrived(janeId, toJane.messageId)
  expect(await sourceOf(janeId, janes.data.id)).toContain('Dear &lt;Jane&gt;')
})

test('submitDraft: sends the stored draft, files it in Sent and removes it from Drafts', async () => {
  const draft = await world.client.call(operations.uploadMessage, {
    params: { account: janeId },
    body: {
      path: '\\Drafts',
      flags: ['\\Draft'],
      to: [{ address: john.address }],
      bcc: [{ address: jane.address }],
      subject: 'At last',
      text: 'finished',
    },
  })
  expect(draft.status).toBe(200)
  const params = { account: janeId, message: draft.body.id }
  const answer = await world.client.call(operations.submitDraft, { params })
  expect(answer).toMatchObject({ status: 200, body: { messageId: draft.body.messageId } })
  const received = await arrived(johnId, draft.body.messageId)
  expect(await sourceOf(johnId, received.data.id)).not.toMatch(/^bcc:/im)
  await arrived(janeId, draft.body.messageId)
  await arrived(janeId, draft.body.messageId, '\\Sent')
  await eventually(async () => {
    const { status } = await world.client.call(operations.getMessage, { params })
    expect(status).toBe(404)
  })
})
