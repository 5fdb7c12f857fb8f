import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually, rejectTimes, startSmtpScript } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'

const server = await startSmtpScript()
afterAll(() => server.close())
afterEach(() => void (server.behaviour = {}))

function send(to: string | string[] = 'b@x.example', options: object = {}) {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    tls: { rejectUnauthorized: false },
    ...options,
  })
  return transport
    .sendMail({ from: 'a@x.example', to, text: 'hello' })
    .finally(() => transport.close())
}

test('SmtpScript.accepted: has the message with its user', async () => {
  const { messageId } = await send('b@x.example', { auth: { user: 'u', pass: 'p' } })
  expect(server.accepted.at(-1)).toMatchObject({
    messageId,
    from: 'a@x.example',
    to: ['b@x.example'],
    user: 'u',
  })
})

test('SmtpBehaviour: rejects a login, a recipient or the message with the given code', async () => {
  server.behaviour = {
    onLogin: ({ password }) => (password === 'right' ? undefined : { code: 535, text: '5.7.8 no' }),
    onRecipient: (address) =>
      address.startsWith('bad') ? { code: 550, text: '5.1.1 unknown user' } : undefined,
    onData: rejectTimes(2, { code: 451, text: '4.7.1 greylisted' }),
  }
  await expect(send('b@x.example', { auth: { user: 'u', pass: 'wrong' } })).rejects.toMatchObject({
    responseCode: 535,
  })
  await expect(send('bad@x.example')).rejects.toMatchObject({ responseCode: 550 })
  await expect(send()).rejects.toMatchObject({ responseCode: 451 })
  await expect(send()).rejects.toMatchObject({ responseCode: 451 })
  await expect(send(['b@x.example', 'bad@x.example'])).resolves.toMatchObject({
    accepted: ['b@x.example'],
  })
})

test('SmtpBehaviour.onData: closes after the end of data, with or without the message stored', async () => {
  const before = server.accepted.length
  server.behaviour.onData = () => 'drop'
  await expect(send()).rejects.toThrow()
  expect(server.accepted).toHaveLength(before + 1)
  server.behaviour.onData = () => 'drop-unkept'
  await expect(send()).rejects.toThrow()
  expect(server.accepted).toHaveLength(before + 1)
  server.behaviour.onData = () => 'hang'
  const hanging = expect(send()).rejects.toThrow()
  await eventually(() => expect(server.accepted).toHaveLength(before + 2))
  for (const session of server.sessions) session.destroy()
  await hanging
})

test('SmtpScript.close: refuses connections until open', async () => {
  const { port } = server
  await server.close()
  await expect(send()).rejects.toMatchObject({ code: 'ESOCKET' })
  await server.open()
  expect(server.port).toBe(port)
  await send()
})
