import { expect } from '@jest/globals'
import { eventually, RawClient, type TestDovecot } from '@posthorn/testkit'
import { freshMessageId, plainMessage, type WorldAccess } from '../world.ts'

export interface TokenAccount {
  account: string
  /** Mail server with a user whose name is the id of the account. */
  dovecot: TestDovecot
  /** Port of the IMAP proxy. */
  proxyPort: number
}

/**
 * Receives and sends a message of a connected account, and reads the message through the IMAP
 * proxy.
 */
export async function useByToken(
  world: WorldAccess,
  { account, dovecot, proxyPort }: TokenAccount,
): Promise<void> {
  const { posthorn } = world
  const messageId = freshMessageId()
  await dovecot.deliver(account, plainMessage({ messageId }))
  await world.webhook(({ event, data }) => event === 'messageNew' && data.messageId === messageId)
  await posthorn.submitMessage({
    account,
    body: { to: [{ address: `${account}@mail.test` }], subject: 'Out', text: 'By token' },
  })
  await world.webhook((webhook) => webhook.event === 'messageSent' && webhook.account === account)

  const { token } = await posthorn.createTokenAlias({
    body: { account, scopes: ['imap-proxy'], description: 'mail client' },
  })
  const mailClient = await eventually(() => RawClient.open(proxyPort))
  await mailClient.until(/\r\n/)
  mailClient.send(`a LOGIN ${account} ${token}\r\nb STATUS INBOX (MESSAGES)\r\n`)
  expect(await mailClient.until(/^b .*\r\n/m)).toMatch(/MESSAGES [12]\)/)
  mailClient.close()
}
