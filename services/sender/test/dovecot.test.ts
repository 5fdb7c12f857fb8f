import { afterAll, expect, test } from '@jest/globals'
import { eventually, testDovecot } from '@posthorn/testkit'
import { senderFixture, serveCredentials } from './fixture.ts'

const fixture = await senderFixture()
const dovecot = await testDovecot()
const sender = await fixture.startSender()
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await dovecot.drop()
  await fixture[Symbol.asyncDispose]()
})

test('sender: Dovecot with STARTTLS and login, accepts a message once', async () => {
  const { user, pass, host, submissionPort } = dovecot.freshUser()
  await using _bridge = await serveCredentials(fixture.broker.url, () => ({ user, pass }))
  const account = await fixture.addAccount({ host, port: submissionPort }, { auth: { user } })
  const queueId = await fixture.submit({ account, to: ['someone@outside.test'] })
  await eventually(async () =>
    expect(await fixture.row(queueId)).toMatchObject({ state: 'sent', attempts: 1 }),
  )
  const [accepted, ...more] = await dovecot.accepted(`<${queueId}@example.com>`)
  expect(more).toEqual([])
  expect(accepted).toMatchObject({ from: 'me@example.com', to: ['someone@outside.test'] })
})
