import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import type { SubmitMessageInput } from '@posthorn/client'
import { startSmtpScript } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'

const janeId = uniqueAccount('jane')
const johnId = uniqueAccount('john')
const retryId = uniqueAccount('retry')
const unbornId = uniqueAccount('unborn')
const muteId = uniqueAccount('mute')
const world = await useSharedWorld({ notifyAttachments: true })
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world

test('a submitted message arrives in the other mailbox and emits messageSent', async () => {
  const [jane, john] = await Promise.all([
    world.connectAccount(janeId),
    world.connectAccount(johnId),
  ])
  const answer = await posthorn.submitMessage({
    account: janeId,
    body: {
      to: [{ name: 'John Doe', address: john.address }],
      bcc: [{ address: jane.address }],
      subject: 'Übung',
      text: 'Hello John',
      html: '<p>Hello <b>John</b></p>',
      attachments: [
        {
          filename: 'note.txt',
          contentType: 'text/plain',
          content: Buffer.from('a note'),
        },
      ],
      headers: { 'X-Order': '42' },
    },
  })
  expect(answer).toMatchObject({
    response: 'Queued for delivery',
    queueId: expect.any(String),
    sendAt: expect.any(String),
  })
  const { queueId, messageId } = answer

  const sent = await world.webhook(
    ({ event, data }) => event === 'messageSent' && data.queueId === queueId,
  )
  expect(sent.data).toMatchObject({
    messageId,
    response: expect.stringMatching(/^250/),
    envelope: { from: jane.address, to: [john.address, jane.address] },
  })
  const arrived = await world.webhook(
    ({ event, account, data }) =>
      event === 'messageNew' && account === johnId && data.messageId === messageId,
  )
  expect(arrived.data).toMatchObject({
    subject: 'Übung',
    attachments: [{ filename: 'note.txt', contentType: 'text/plain' }],
  })
  const copy = await world.webhook(
    ({ event, account, data }) =>
      event === 'messageNew' && account === janeId && data.messageId === messageId,
  )
  const source = await posthorn.getMessageSource({ account: janeId, message: copy.data.id })
  const text = await source.text()
  expect(text).toContain('X-Order: 42')
  expect(text).not.toMatch(/^bcc:/im)
})

test('temporary rejections emit messageDeliveryError until success, a permanent rejection emits messageFailed', async () => {
  const server = await startSmtpScript()
  try {
    let refusals = 2
    server.behaviour.onRecipient = (address) => {
      if (address.startsWith('gone@')) return { code: 550, text: '5.1.1 no such user' }
      return refusals-- > 0 ? { code: 451, text: '4.7.1 try again later' } : undefined
    }
    const user = world.mail.freshUser()
    await world.register(retryId, user, {
      smtp: {
        host: server.host,
        port: server.port,
        secure: false,
        auth: { user: 'u', pass: 'p' },
        tls: { rejectUnauthorized: false },
      },
    })
    await world.webhook(
      ({ event, account }) => event === 'accountInitialized' && account === retryId,
    )
    const submit = (address: string) =>
      posthorn.submitMessage({
        account: retryId,
        body: { to: [{ address }], subject: 'x', text: 'y' },
      })

    const later = await submit('busy@example.test')
    const sent = await world.webhook(
      ({ event, data }) => event === 'messageSent' && data.queueId === later.queueId,
    )
    const errors = world
      .webhooks()
      .filter(
        ({ event, data }) => event === 'messageDeliveryError' && data.queueId === later.queueId,
      )
    expect(errors.map(({ data }) => data.job.attemptsMade)).toEqual([1, 2])
    expect(errors[0]?.data).toMatchObject({
      smtpResponseCode: 451,
      smtpCommand: expect.stringMatching(/^RCPT/),
      job: { attempts: 10, nextAttempt: expect.any(String) },
    })
    expect(sent.data.messageId).toBe(later.messageId)

    const never = await submit('gone@example.test')
    const failed = await world.webhook(
      ({ event, data }) => event === 'messageFailed' && data.queueId === never.queueId,
    )
    expect(failed.data).toMatchObject({
      messageId: never.messageId,
      error: expect.stringContaining('550'),
    })
    expect(server.accepted.map(({ messageId }) => messageId)).toEqual([later.messageId])
  } finally {
    await server.close()
  }
})

test('accounts that cannot send yet, or have no SMTP, are rejected', async () => {
  // The IMAP login of the account never ends, so the account stays in its first state.
  await using silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port: imapPort } = silent.address() as AddressInfo
  await world.register(unbornId, { ...world.mail.freshUser(), imapPort })
  const body = { to: [{ address: 'a@example.test' }], subject: 'x', text: 'y' }
  await expect(posthorn.submitMessage({ account: unbornId, body })).rejects.toMatchObject({
    status: 503,
    code: 'NotYetConnected',
    state: 'init',
  })
  await world.register(muteId, world.mail.freshUser(), { smtp: false })
  await expect(posthorn.submitMessage({ account: muteId, body })).rejects.toMatchObject({
    status: 404,
    code: 'SMTPUnavailable',
  })
})

test('invalid submissions are rejected with the fields named and not stored', async () => {
  const cases: [body: unknown, path: string][] = [
    [{ to: [{ address: 'not an address' }] }, 'to.0.address'],
    [{ to: [{ address: 'a@b.c' }], subject: 7 }, 'subject'],
    [{ to: [{ address: 'a@b.c' }], surprise: true }, 'surprise'],
    [{ subject: 'no recipient' }, 'to'],
  ]
  for (const [body, path] of cases) {
    const input = { account: janeId, body } as SubmitMessageInput
    await expect(posthorn.submitMessage(input)).rejects.toMatchObject({
      status: 400,
      code: undefined,
      fields: expect.arrayContaining([expect.objectContaining({ path })]),
    })
  }
})
