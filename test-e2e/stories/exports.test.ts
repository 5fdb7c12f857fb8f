import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'

const account = uniqueAccount('exported')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world

test('export: from the request to the file, all messages of the account', async () => {
  const user = await world.connectAccount(account)
  const subjects = ['The offer', 'The answer', 'Ünïcode']
  for (const subject of subjects) {
    const messageId = freshMessageId()
    await world.mail.deliver(user.user, plainMessage({ messageId, subject }))
    await world.webhook(({ event, data }) => event === 'messageNew' && data.messageId === messageId)
  }
  const { exportId, status } = await posthorn.createExport({
    account,
    body: { startDate: '2020-01-01T00:00:00.000Z', endDate: '2100-01-01T00:00:00.000Z' },
  })
  expect(status).toBe('queued')
  const { data } = await world.webhook(
    (hook) => hook.event === 'exportCompleted' && hook.data.exportId === exportId,
  )
  expect(data).toMatchObject({ messagesExported: subjects.length, messagesSkipped: 0 })
  const shown = await posthorn.getExport({ account, exportId })
  expect(shown).toMatchObject({ status: 'completed', phase: 'complete', truncated: false })

  const response = await posthorn.downloadExport({ account, exportId })
  const file = Buffer.from(await response.arrayBuffer())
  expect(file).toHaveLength(data.bytesWritten)
  const lines = gunzipSync(file).toString().trimEnd().split('\n')
  const messages = lines.map((line) => JSON.parse(line) as { id: string; subject: string })
  expect(messages.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted())
  for (const message of messages) {
    const read = await posthorn.getMessage({ account, message: message.id, textType: '*' })
    expect(message).toEqual(read)
  }
})
