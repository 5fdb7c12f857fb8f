import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'

const account = uniqueAccount('exported')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { client, url: api, token } = world

test('export: from the request to the file, all messages of the account', async () => {
  const user = await world.connectAccount(account)
  const subjects = ['The offer', 'The answer', 'Ünïcode']
  for (const subject of subjects) {
    const messageId = freshMessageId()
    await world.mail.deliver(user.user, plainMessage({ messageId, subject }))
    await world.webhook(({ event, data }) => event === 'messageNew' && data.messageId === messageId)
  }
  const created = await client.call(operations.createExport, {
    params: { account },
    body: { startDate: '2020-01-01T00:00:00.000Z', endDate: '2100-01-01T00:00:00.000Z' },
  })
  expect(created).toMatchObject({ status: 200, body: { status: 'queued' } })
  const exportId = String(created.body.exportId)
  const { data } = await world.webhook(
    (hook) => hook.event === 'exportCompleted' && hook.data.exportId === exportId,
  )
  expect(data).toMatchObject({ messagesExported: subjects.length, messagesSkipped: 0 })
  const params = { account, exportId }
  const shown = await client.call(operations.getExport, { params })
  expect(shown.body).toMatchObject({ status: 'completed', phase: 'complete', truncated: false })

  const url = `${api}/v1/account/${account}/export/${exportId}/download`
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  const file = Buffer.from(await response.arrayBuffer())
  expect(file).toHaveLength(data.bytesWritten)
  const lines = gunzipSync(file).toString().trimEnd().split('\n')
  const messages = lines.map((line) => JSON.parse(line) as { id: string; subject: string })
  expect(messages.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted())
  for (const message of messages) {
    const read = await client.call(operations.getMessage, {
      params: { account, message: message.id },
      query: { textType: '*' },
    })
    expect(message).toEqual(read.body)
  }
})
