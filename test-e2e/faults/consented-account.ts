import { expect } from '@jest/globals'
import { testOAuthDovecot, type TestDovecot, testOpenIdProvider } from '@posthorn/testkit'
import { createOpenIdApp } from '../openid-app.ts'
import { freshMessageId, plainMessage, untilConnected, type Webhook, type World } from '../world.ts'
import { submit } from './sending-job.ts'

/**
 * Account with an OAuth2 grant of an OpenID provider, at a mail server that accepts only tokens of
 * this provider.
 */
export interface ConsentedAccount {
  /**
   * Receives a message and sends a message of the account. Checks that each message is reported
   * exactly once.
   */
  receiveAndSend(): Promise<void>
}

const account = 'consented'
const address = `${account}@mail.test`
/**
 * Lifetime of access tokens in seconds. The lifetime is short, so that each release has to renew
 * expired access tokens.
 */
const accessTokenSeconds = 20

/**
 * Stores an OAuth2 application, and an account whose owner consents. The stack ends the OpenID
 * provider and the mail server.
 */
export async function connectByConsent(
  world: World,
  stack: AsyncDisposableStack,
): Promise<ConsentedAccount> {
  const redirectUrl = `${world.url}/oauth`
  const provider = stack.adopt(await testOpenIdProvider({ redirectUrls: [redirectUrl] }), (each) =>
    each.close(),
  )
  provider.accessTokenSeconds = accessTokenSeconds
  const dovecot = stack.adopt(await testOAuthDovecot(provider.introspectionUrl), (each) =>
    each.drop(),
  )
  await world.posthorn.updateSettings({ body: { ignoreMailCertErrors: true } })
  const app = await createOpenIdApp(world, { provider, dovecot, redirectUrl })
  const { redirect = '' } = await world.posthorn.createAccount({
    body: {
      account,
      name: account,
      email: address,
      oauth2: { provider: app, authorize: true, redirectUrl: 'http://127.0.0.1:1/done' },
    },
  })
  const opened = await fetch(redirect, { redirect: 'manual' })
  const cookie = opened.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const { callback } = await provider.consent(String(opened.headers.get('location')))
  const headers = { cookie: cookie.join('; ') }
  const returned = await fetch(callback, { redirect: 'manual', headers })
  expect(returned.status).toBe(303)
  await untilConnected(world, account)
  return { receiveAndSend: () => receiveAndSend(world, dovecot) }
}

async function receiveAndSend(world: World, dovecot: TestDovecot): Promise<void> {
  await untilConnected(world, account)
  const received = freshMessageId()
  await dovecot.deliver(account, plainMessage({ messageId: received, to: address }))
  const isNew = reportOf('messageNew', received)
  await world.webhook(isNew)
  const { messageId } = await submit(world, account)
  const isSent = reportOf('messageSent', messageId)
  await world.webhook(isSent)
  expect(world.webhooks().filter(isNew)).toHaveLength(1)
  expect(world.webhooks().filter(isSent)).toHaveLength(1)
}

function reportOf(name: string, messageId: string) {
  return ({ event, data }: Webhook) => event === name && data.messageId === messageId
}
