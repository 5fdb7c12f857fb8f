import { afterAll, expect, test } from '@jest/globals'
import { freePort } from '@posthorn/local'
import { eventually } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'

const account = uniqueAccount('paused')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world

test('paused account: sends and admits mail clients, announces nothing until resumed', async () => {
  const user = await world.connectAccount(account)
  await posthorn.updateAccount({ account, body: { paused: true } })
  await eventually(async () =>
    expect(await posthorn.getAccount({ account })).toMatchObject({
      paused: true,
      state: 'other',
      stateDetail: 'paused',
    }),
  )
  expect((await posthorn.getStats()).connections.paused).toBeGreaterThan(0)
  const paused = { status: 503, code: 'NoAvailable' }
  const list = () => posthorn.listMessages({ account, path: 'INBOX' })
  await expect(list()).rejects.toMatchObject(paused)
  await expect(
    posthorn.reconnectAccount({ account, body: { reconnect: true } }),
  ).rejects.toMatchObject(paused)

  const { messageId } = await posthorn.submitMessage({
    account,
    body: { to: [{ address: user.address }], subject: 'To myself', text: 'Hello' },
  })
  await world.webhook(({ event, data }) => event === 'messageSent' && data.messageId === messageId)

  const port = await freePort()
  await posthorn.updateSettings({
    body: { imapProxyServerEnabled: true, imapProxyServerPort: port },
  })
  const { token } = await posthorn.createToken({
    body: { account, scopes: ['imap-proxy'], description: 'mail client' },
  })
  const subjects = await eventually(async () => {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      auth: { user: account, pass: token },
      logger: false,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.mailboxOpen('INBOX')
      const message = await client.fetchOne('1', { envelope: true })
      return message ? [message.envelope?.subject] : false
    } finally {
      client.close()
    }
  })
  expect(subjects).toEqual(['To myself'])

  const later = freshMessageId()
  await world.mail.deliver(user.user, plainMessage({ messageId: later }))
  const announced = () =>
    world.webhooks().filter((hook) => hook.event === 'messageNew' && hook.account === account)
  expect(announced()).toEqual([])
  await posthorn.updateAccount({ account, body: { paused: false } })
  // Messages that arrived during the pause are announced, because `notifyFrom` is unchanged.
  await world.webhook(({ event, data }) => event === 'messageNew' && data.messageId === later)
  expect(announced().map(({ data }) => data.messageId as unknown)).toContain(messageId)
  expect((await list()).messages).toHaveLength(2)
})
