import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts'
import { freePort } from '@posthorn/local'
import { eventually } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'

const janeId = uniqueAccount('jane')
const johnId = uniqueAccount('john')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())

test('a mail client sends by the door with a token, until the token is revoked; the door moves when the settings say so', async () => {
  const [jane, john] = await Promise.all([
    world.connectAccount(janeId),
    world.connectAccount(johnId),
  ])
  const save = async (body: Record<string, unknown>) =>
    expect(await world.client.call(operations.updateSettings, { body })).toMatchObject({
      status: 200,
    })
  const port = await freePort()
  await save({ smtpServerEnabled: true, smtpServerPort: port, smtpServerPassword: 'for all' })
  const { body: made } = await world.client.call(operations.createTokenAlias, {
    body: { account: janeId, scopes: ['smtp'], description: 'mail client' },
  })
  const client = (to: number, pass = made.token) =>
    createTransport({
      host: '127.0.0.1',
      port: to,
      pool: true,
      maxConnections: 1,
      auth: { user: janeId, pass },
      ignoreTLS: true,
    })
  const letter = (subject: string) => ({
    from: jane.address,
    to: john.address,
    bcc: jane.address,
    subject,
    text: 'By the door',
    headers: { 'X-SVC-Idempotency-Key': subject },
  })

  const mail = client(port)
  const sent = await eventually(() => mail.sendMail(letter('First')))
  const queueId = /^250 Message queued for delivery as (\w+) /.exec(sent.response)?.[1]
  const told = await world.webhook(
    ({ event, data }) => event === 'messageSent' && data.queueId === queueId,
  )
  expect(told.data).toMatchObject({
    messageId: sent.messageId,
    envelope: { from: jane.address, to: [john.address, jane.address] },
  })
  const arrived = await world.webhook(
    ({ event, account, data }) =>
      event === 'messageNew' && account === johnId && data.messageId === sent.messageId,
  )
  const source = await world.client.call(operations.getMessageSource, {
    params: { account: johnId, message: arrived.data.id },
  })
  expect(source.body).toContain('By the door')
  expect(source.body).not.toMatch(/^(?:bcc|x-svc-[^:]*):/im)
  expect((await mail.sendMail(letter('First'))).response).toContain(String(queueId))

  const byPassword = client(port, 'for all')
  expect((await byPassword.sendMail(letter('By password'))).response).toMatch(/^250 /)
  byPassword.close()
  await expect(client(port, 'for nobody').sendMail(letter('x'))).rejects.toMatchObject({
    response: '535 5.7.8 Authentication credentials invalid',
  })

  const moved = await freePort()
  await save({ smtpServerPort: moved })
  const atNewPlace = client(moved)
  await eventually(async () =>
    expect((await atNewPlace.sendMail(letter('Moved'))).response).toMatch(/^250 /),
  )
  await eventually(() =>
    expect(client(port).sendMail(letter('x'))).rejects.toMatchObject({ code: 'ESOCKET' }),
  )

  await world.client.call(operations.deleteTokenAlias, { params: { token: made.token } })
  await expect(atNewPlace.sendMail(letter('Revoked'))).rejects.toMatchObject({ responseCode: 535 })
  atNewPlace.close()
  mail.close()
})
