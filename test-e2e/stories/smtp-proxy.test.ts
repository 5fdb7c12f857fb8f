import { afterAll, expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/client'
import { freePort } from '@posthorn/local'
import { eventually } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'

const janeId = uniqueAccount('jane')
const johnId = uniqueAccount('john')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())

test('SMTP proxy: a client sends with a token until it is revoked, and the listener follows the settings', async () => {
  const [jane, john] = await Promise.all([
    world.connectAccount(janeId),
    world.connectAccount(johnId),
  ])
  const save = (body: Settings) => world.posthorn.updateSettings({ body })
  const port = await freePort()
  const password = 'for all'.padEnd(32, '!')
  await save({ smtpServerEnabled: true, smtpServerPort: port, smtpServerPassword: password })
  const { token } = await world.posthorn.createTokenAlias({
    body: { account: janeId, scopes: ['smtp'], description: 'mail client' },
  })
  const client = (to: number, pass = token) =>
    createTransport({
      host: '127.0.0.1',
      port: to,
      pool: true,
      maxConnections: 1,
      auth: { user: janeId, pass },
      ignoreTLS: true,
    })
  const mailOf = (subject: string) => ({
    from: jane.address,
    to: john.address,
    bcc: jane.address,
    subject,
    text: 'By the proxy',
    headers: { 'X-SVC-Idempotency-Key': subject },
  })

  /** Sends a message with its own SMTP connection, which is then closed. */
  const sendOnce = (by: ReturnType<typeof client>, subject: string) =>
    by.sendMail(mailOf(subject)).finally(() => by.close())

  const mail = client(port)
  const sent = await eventually(() => mail.sendMail(mailOf('First')))
  const queueId = /^250 Message queued for delivery as (\w+) /.exec(sent.response)?.[1]
  const sentEvent = await world.webhook(
    ({ event, data }) => event === 'messageSent' && data.queueId === queueId,
  )
  expect(sentEvent.data).toMatchObject({
    messageId: sent.messageId,
    envelope: { from: jane.address, to: [john.address, jane.address] },
  })
  const arrived = await world.webhook(
    ({ event, account, data }) =>
      event === 'messageNew' && account === johnId && data.messageId === sent.messageId,
  )
  const message = { account: johnId, message: arrived.data.id }
  const source = await (await world.posthorn.getMessageSource(message)).text()
  expect(source).toContain('By the proxy')
  expect(source).not.toMatch(/^(?:bcc|x-svc-[^:]*):/im)
  expect((await mail.sendMail(mailOf('First'))).response).toContain(String(queueId))

  const byPassword = await sendOnce(client(port, password), 'By password')
  expect(byPassword.response).toMatch(/^250 /)
  await expect(sendOnce(client(port, 'invalid'), 'x')).rejects.toMatchObject({
    response: '535 5.7.8 Authentication credentials invalid',
  })

  const moved = await freePort()
  await save({ smtpServerPort: moved })
  const atNewPort = client(moved)
  await eventually(async () =>
    expect((await atNewPort.sendMail(mailOf('Moved'))).response).toMatch(/^250 /),
  )
  await eventually(() =>
    expect(sendOnce(client(port), 'x')).rejects.toMatchObject({ code: 'ESOCKET' }),
  )

  await world.posthorn.deleteTokenAlias({ token })
  // The SMTP proxy replies with 421 if it ends the session first. The next session cannot log in.
  await eventually(() =>
    expect(atNewPort.sendMail(mailOf('Revoked'))).rejects.toMatchObject({ responseCode: 535 }),
  )
  atNewPort.close()
  mail.close()
})
