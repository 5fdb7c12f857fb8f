import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { getMessage } from '@posthorn/contracts/commands/messages'
import { mime } from './api-world.ts'
import { runToEnd } from './export-scene.ts'
import { gmailWorld } from './gmail-world.ts'

let world: Awaited<ReturnType<typeof gmailWorld>>
beforeAll(async () => {
  world = await gmailWorld()
  await world.startGmailWorker()
})
afterAll(() => world.close())

const start = Date.UTC(2024, 0, 1)
const minute = (number: number) => start + number * 60_000

test('export of Gmail: messages in the order of their dates, also imported ones', async () => {
  const { account } = await world.register((mailbox) => {
    for (const number of [7, 3, 25, 11, 2, 19, 5, 23, 13, 17, 29, 31])
      mailbox.deliver(mime(`${number}`), { internalDate: minute(number), labels: ['INBOX'] })
    mailbox.deliver(mime('spam'), { internalDate: minute(8), labels: ['SPAM'] })
    mailbox.deliver(mime('sent'), { internalDate: minute(4), labels: ['SENT'] })
  })
  await world.connected(account)
  const range = { startDate: new Date(minute(3)), endDate: new Date(minute(31)) }
  const { lines } = await runToEnd(world.db, account, range)
  const subjects = lines.map(({ subject }) => subject)
  expect(subjects).toEqual(['3', 'sent', '5', '7', '11', '13', '17', '19', '23', '25', '29'])
  for (const { id, ...line } of lines.slice(0, 3)) {
    const request = { message: id, textType: '*' as const }
    expect({ id, ...line }).toEqual(await world.ask(getMessage, account, request))
  }
  const named = { ...range, folders: ['\\Sent', '\\Junk'] }
  const { lines: labelled } = await runToEnd(world.db, account, named)
  expect(labelled.map(({ subject }) => subject)).toEqual(['sent', 'spam'])
})
