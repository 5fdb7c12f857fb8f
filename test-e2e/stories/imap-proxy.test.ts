import { afterAll, expect, test } from '@jest/globals'
import { freePort } from '@posthorn/local'
import { eventually } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'

const janeId = uniqueAccount('jane')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())

test('IMAP proxy: a client logs in with a token, reads, and is disconnected when the token is revoked', async () => {
  const jane = await world.connectAccount(janeId)
  const messageId = freshMessageId()
  await world.mail.deliver(jane.user, plainMessage({ messageId, subject: 'Through the proxy' }))
  await world.webhook(({ event, data }) => event === 'messageNew' && data.messageId === messageId)

  const port = await freePort()
  const saved = await world.posthorn.updateSettings({
    body: { imapProxyServerEnabled: true, imapProxyServerPort: port },
  })
  expect(saved.updated).toEqual(
    expect.arrayContaining(['imapProxyServerEnabled', 'imapProxyServerPort']),
  )
  const { token } = await world.posthorn.createTokenAlias({
    body: { account: janeId, scopes: ['imap-proxy'], description: 'mail client' },
  })

  const connect = async (pass: string) => {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      auth: { user: janeId, pass },
      logger: false,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
    } catch (error) {
      client.close() // after a failed login the connection is still open
      throw error
    }
    return client
  }
  const client = await eventually(() => connect(token))
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  const box = await client.mailboxOpen('INBOX')
  expect(box.exists).toBe(1)
  const message = await client.fetchOne('1', { envelope: true })
  expect(message && message.envelope?.subject).toBe('Through the proxy')
  await expect(connect('0'.repeat(64))).rejects.toMatchObject({ authenticationFailed: true })

  expect(await world.posthorn.deleteTokenAlias({ token })).toEqual({ deleted: true })
  await closed
})
