import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { faultSize, type TestUser } from '@posthorn/testkit'
import { runToEnd } from './export-scene.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Many messages in many folders, in `make test-faults` 20,000 messages.

let world: World
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterAll(() => world.close())

const perFolder = faultSize({ small: 25, full: 1_667 })
const paths = ['INBOX', ...Array.from({ length: 11 }, (_, at) => `Project ${at}`)]
/** Prime number that is no divisor of the numbers of messages, used to shuffle the messages. */
const prime = 7_919

/**
 * Appends messages, whose dates have another order than their arrival, to INBOX. Copies them to all
 * other folders, where they arrive in different orders, so that each date occurs in all folders.
 */
async function fill(user: TestUser): Promise<void> {
  await using client = await ImapClient.login(user)
  for (let number = 1; number <= perFolder; number++) {
    const date = new Date(Date.UTC(2024, 0, 1) + ((number * prime) % perFolder) * 60_000)
    await client.append('INBOX', mail({ subject: `${number}`, body: textOf(number) }), { date })
  }
  await client.run('SELECT INBOX')
  for (const [at, path] of paths.entries()) {
    if (path === 'INBOX') continue
    await client.run(`CREATE "${path}"`)
    const first = 1 + Math.floor((perFolder * at) / paths.length)
    await client.run(`COPY ${first}:${perFolder} "${path}"`)
    await client.run(`COPY 1:${first - 1} "${path}"`)
  }
}

const textOf = (subject: number | string) => `Text of message ${subject}`

/** Arrival times in the mailbox by path, UID and subject of a message. */
async function readMailbox(user: TestUser): Promise<Map<string, number>> {
  await using client = await ImapClient.login(user)
  const times = new Map<string, number>()
  for (const path of paths) {
    await client.run(`EXAMINE "${path}"`)
    for (const line of await client.run('FETCH 1:* (UID INTERNALDATE ENVELOPE)')) {
      const pattern = /UID (\d+) INTERNALDATE "([^"]+)" ENVELOPE \("[^"]*" "([^"]*)"/
      const [, uid, date = '', subject] = pattern.exec(line) ?? []
      if (uid) times.set(`${path} ${uid} ${subject}`, Date.parse(date))
    }
  }
  return times
}

test('export of 12 folders: lines equal the mailbox, each message once, in date order', async () => {
  const user = world.dovecot.freshUser()
  await fill(user)
  const times = await readMailbox(user)
  expect(times.size).toBe(perFolder * paths.length)
  const account = await world.register(user)
  await world.connected(account)
  const { lines, row } = await runToEnd(world.db, account)
  expect(row).toMatchObject({ messagesExported: times.size, messagesSkipped: 0 })
  const exported = lines.map(({ path, uid, subject }) => `${path} ${String(uid)} ${subject}`)
  expect(exported.toSorted()).toEqual([...times.keys()].toSorted())
  const order = exported.map((key) => times.get(key) ?? 0)
  expect(order).toEqual(order.toSorted((one, other) => one - other))
  const texts = lines.map(({ text }) => (text as { plain: string }).plain.trim())
  expect(texts).toEqual(lines.map(({ subject }) => textOf(subject)))
}, 600_000)
