import { afterAll, expect, test } from '@jest/globals'
import type { Submission } from '@posthorn/client'
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

const { posthorn } = world
const submit = (account: string, body: Submission) => posthorn.submitMessage({ account, body })

/** Waits for the webhook of a message in a mailbox of an account. */
const arrived = (account: string, messageId: string | undefined, specialUse = '\\Inbox') =>
  world.webhook(
    ({ event, account: owner, data }) =>
      event === 'messageNew' &&
      owner === account &&
      data.messageId === messageId &&
      data.messageSpecialUse === specialUse,
  )
const sourceOf = async (account: string, message: string) => {
  const source = await posthorn.getMessageSource({ account, message })
  return (await source.text()).replaceAll('=\r\n', '').replaceAll(/\r\n[ \t]/g, ' ')
}

const question = await submit(johnId, {
  to: [{ address: jane.address }],
  subject: 'Lunch',
  text: 'At noon?',
  attachments: [{ filename: 'menu.txt', content: Buffer.from('soup') }],
})
const questionEvent = await arrived(janeId, question.messageId)

test('submit with reference: the reply is in the thread, and the original is marked as answered', async () => {
  const answer = await submit(janeId, {
    text: 'Yes',
    reference: { message: questionEvent.data.id, inline: true },
  })
  expect(answer).toMatchObject({
    reference: { message: questionEvent.data.id, success: true },
  })
  const reply = await arrived(johnId, answer.messageId)
  expect(reply.data).toMatchObject({ subject: 'Re: Lunch', inReplyTo: question.messageId })
  expect(await sourceOf(johnId, reply.data.id)).toContain('> At noon?')
  await eventually(async () => {
    const message = { account: janeId, message: questionEvent.data.id }
    expect((await posthorn.getMessage(message)).flags).toContain('\\Answered')
  })
})

test('submit with action forward: includes the attachment, and an idempotency key prevents duplicates', async () => {
  const body: Submission = {
    to: [{ address: john.address }],
    text: 'see below',
    reference: { message: questionEvent.data.id, action: 'forward', forwardAttachments: true },
  }
  const input = { account: janeId, body, idempotencyKey: 'forward' }
  const answers = await Promise.all([1, 2, 3].map(() => posthorn.submitMessage(input)))
  expect(new Set(answers.map(({ queueId }) => queueId)).size).toBe(1)
  const forwarded = await arrived(johnId, answers[0]?.messageId)
  expect(forwarded.data).toMatchObject({
    subject: 'Fwd: Lunch',
    attachments: [{ filename: 'menu.txt' }],
  })
})

test('submit with template and mailMerge: each recipient gets tracked links and an unsubscribe link', async () => {
  const template = await posthorn.createTemplate({
    body: {
      account: janeId,
      name: 'news',
      content: {
        subject: 'News for {{params.name}}',
        html: '<p>Dear {{params.name}}, <a href="https://shop.example/">look</a></p>',
      },
    },
  })
  const { mailMerge = [] } = await submit(janeId, {
    template: template.id,
    listId: 'news',
    trackClicks: true,
    mailMerge: [
      { to: { address: john.address }, params: { name: 'John' } },
      { to: { address: jane.address }, params: { name: '<Jane>' } },
    ],
  })
  const [toJohn, toJane] = mailMerge
  const johns = await arrived(johnId, toJohn?.messageId)
  expect(johns.data.subject).toBe('News for John')
  const source = await sourceOf(johnId, johns.data.id)
  expect(source).toMatch(/^List-Unsubscribe: <https:\/\/post\.example\/unsubscribe/m)
  expect(source).toContain('https://post.example/redirect?')
  const janes = await arrived(janeId, toJane?.messageId)
  expect(await sourceOf(janeId, janes.data.id)).toContain('Dear &lt;Jane&gt;')
})

test('submitDraft: sends the stored draft, files it in Sent and removes it from Drafts', async () => {
  const draft = await posthorn.uploadMessage({
    account: janeId,
    body: {
      path: '\\Drafts',
      flags: ['\\Draft'],
      to: [{ address: john.address }],
      bcc: [{ address: jane.address }],
      subject: 'At last',
      text: 'finished',
    },
  })
  const { id = '', messageId } = draft
  const stored = { account: janeId, message: id }
  expect(await posthorn.submitDraft(stored)).toMatchObject({ messageId })
  const received = await arrived(johnId, messageId)
  expect(await sourceOf(johnId, received.data.id)).not.toMatch(/^bcc:/im)
  await arrived(janeId, messageId)
  await arrived(janeId, messageId, '\\Sent')
  await eventually(() => expect(posthorn.getMessage(stored)).rejects.toMatchObject({ status: 404 }))
})
