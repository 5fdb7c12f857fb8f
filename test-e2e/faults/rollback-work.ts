import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from '@jest/globals'
import { Posthorn } from '@posthorn/client'
import { freshMessageId, plainMessage, untilConnected, type Webhook, type World } from '../world.ts'
import { connectByConsent, type ConsentedAccount } from './consented-account.ts'
import { type RefusedNotification, refuseNotification } from './refused-notification.ts'
import { makeDue, type Submitted } from './sending-job.ts'

/** Objects and unfinished work that one release has stored and another release continues. */
export interface StoredWork {
  user: MailUser
  /** Account with an OAuth2 grant, whose access tokens expire within seconds. */
  consented: ConsentedAccount
  template: string
  /** Access token that is restricted to the account. */
  token: string
  /** Submission that is due tomorrow. */
  delayed: Submitted
  /** Sends the request of the delayed submission again, with the same idempotency key. */
  repeatDelayed: () => Promise<Submitted>
  /** Webhook request of a route that waits for its second attempt. */
  refused: RefusedNotification
}

/** User at the mail server. */
export interface MailUser {
  user: string
  address: string
}

const dayMs = 24 * 3_600_000
const account = 'written'
const header = { key: 'X-Rollback', value: 'sealed by the newer release' }

/**
 * Stores work through the API: settings, an account with sealed logins, sealed headers and an
 * index, an account with an OAuth2 grant, a token, a template and a delayed submission. A webhook
 * request waits for its second attempt. The stack ends the servers of the account with a grant.
 */
export async function storeWork(world: World, stack: AsyncDisposableStack): Promise<StoredWork> {
  const user = world.mail.freshUser()
  await world.register(account, user, { webhooksCustomHeaders: [header] })
  await untilConnected(world, account)
  const consented = await connectByConsent(world, stack)
  const template = await world.posthorn.createTemplate({
    body: { account, name: 'news', content: { subject: 'News', text: 'Hello' } },
  })
  const { token } = await world.posthorn.createTokenAlias({
    body: { account, scopes: ['api'], description: 'rollback' },
  })
  const repeatDelayed = submitDelayed(world)
  const delayed = await repeatDelayed()
  const report = () => untilReported(world, user)
  const refused = await refuseNotification(world, { account, report })
  return { user, consented, template: template.id, token, delayed, repeatDelayed, refused }
}

/**
 * Seals all stored secrets again, in the environment of auth-bridge. This includes secrets that the
 * previous release sealed. Fails if a secret could not be sealed again.
 */
export async function resealAll({ services }: World, bundle: string): Promise<void> {
  const text = readFileSync(`/proc/${services.pids['auth-bridge']}/environ`, 'utf8')
  const env = Object.fromEntries(text.split('\0').map((line) => line.split(/=(.*)/s, 2)))
  await promisify(execFile)(process.execPath, [join(bundle, 'posthorn.js'), 'reseal'], { env })
}

/**
 * Continues stored work: reads messages, reports and sends with stored logins and grants, delivers
 * the refused webhook request, sends the delayed submission, and deletes the account. Fails if a
 * message is submitted or reported twice.
 */
export async function continueWork(world: World, work: StoredWork): Promise<void> {
  await untilConnected(world, account)
  const messageId = await untilReported(world, work.user)
  const own = new Posthorn({ url: world.url, token: work.token, retryForMs: 0 })
  const { messages } = await own.listMessages({ account, path: 'INBOX' })
  const ids = messages.map((entry) => entry.messageId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining([messageId, work.refused.messageId]))
  const { content } = await world.posthorn.getTemplate({ template: work.template })
  expect(content.subject).toBe('News')
  await work.consented.receiveAndSend()
  await work.refused.untilAccepted()
  expect(await work.repeatDelayed()).toEqual(work.delayed)
  await makeDue(world, work.delayed)
  const isReport = ({ event, data }: Webhook) =>
    event === 'messageSent' && data.messageId === work.delayed.messageId
  await world.webhook(isReport)
  expect(world.webhooks().filter(isReport)).toHaveLength(1)
  await changeAndDelete(world)
}

/**
 * Changes and deletes the account through the API. Both operations use columns and tables of the
 * newer release.
 */
async function changeAndDelete(world: World): Promise<void> {
  const { posthorn } = world
  await posthorn.updateAccount({ account, body: { name: 'Changed' } })
  expect(await posthorn.getAccount({ account })).toMatchObject({ name: 'Changed' })
  await posthorn.deleteAccount({ account })
  await world.webhook(
    (webhook) => webhook.event === 'accountDeleted' && webhook.account === account,
  )
}

/**
 * Returns a function that submits a message for tomorrow. All calls together submit one message.
 */
function submitDelayed(world: World): () => Promise<Submitted> {
  const input = {
    account,
    idempotencyKey: freshMessageId(),
    body: {
      to: [{ address: 'you@elsewhere.example' }],
      subject: 'Tomorrow',
      text: 'Hello',
      copy: false,
      sendAt: new Date(Date.now() + dayMs).toISOString(),
    },
  }
  return async () => {
    const { queueId = '', messageId = '' } = await world.posthorn.submitMessage(input)
    return { queueId, messageId }
  }
}

/**
 * Delivers a message and waits for its webhook with the stored HTTP header. Returns the Message-ID.
 */
async function untilReported(world: World, { user, address }: MailUser): Promise<string> {
  const messageId = freshMessageId()
  await world.mail.deliver(user, plainMessage({ messageId, to: address }))
  const { request } = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  expect(request.headers[header.key.toLowerCase()]).toBe(header.value)
  return messageId
}
