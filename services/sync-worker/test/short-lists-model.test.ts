import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type ImapScript, startImapScript } from '@posthorn/testkit'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import { mail } from './imap-client.ts'
import { flagsOf, replay } from './replay.ts'
import { searches } from './short-searches.ts'
import { testWorld, type World } from './world.ts'

// An IMAP server whose lists are short, empty or outdated at random. TEST_SEED selects the changes
// and faults, TEST_STEPS sets the number of changes.

const steps = Number(process.env['TEST_STEPS'] ?? 30)
const seeds = process.env['TEST_SEED'] ? [Number(process.env['TEST_SEED'])] : [1, 2, 3]

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterAll(() => world.close())

const plain = ['IMAP4rev1', 'SASL-IR', 'AUTH=PLAIN', 'IDLE', 'UNSELECT', 'UIDPLUS']
const servers = [plain, [...plain, 'ESEARCH'], [...plain, 'ESEARCH', 'ENABLE', 'CONDSTORE']]

/**
 * Breaks half of the UID lists that the scripted server returns, of all messages or of new
 * messages: the lists are short, empty or outdated.
 */
function breakLists(server: ImapScript, random: SeededRandom): () => void {
  return server.on('UID SEARCH', (command) => {
    const isList = /(?: ALL|UID \d+:\*)$/.test(` ${command.rest}`)
    if (!isList || random.below(2) === 0) return undefined
    const limit = server.mailbox('INBOX').uidNext - 1 - random.below(3)
    const faults = [() => false, () => random.below(2) === 0, (uid: number) => uid < limit]
    return searches(faults[random.below(faults.length)] ?? (() => true))(command)
  })
}

/** Changes the inbox at random. Returns the UID of a deleted message. */
function change(server: ImapScript, random: SeededRandom): number | undefined {
  const inbox = server.mailbox('INBOX')
  const message = inbox.messages[random.below(Math.max(1, inbox.messages.length))]
  const action = message ? random.below(4) : 0
  if (!message || action < 2) inbox.append(mail({ subject: 'new' }))
  else if (action === 2) inbox.changeFlags(message.uid, { set: random.below(2) ? ['\\Seen'] : [] })
  else inbox.expunge(message.uid)
  return message && action === 3 ? message.uid : undefined
}

const contentOf = (server: ImapScript) =>
  server.mailbox('INBOX').messages.map(({ uid, flags }) => [uid, flagsOf([...flags])])

test.each(
  seeds.flatMap((seed) => [
    { seed, gaps: 'short', shortListMs: 600_000 },
    { seed, gaps: 'lasting', shortListMs: 500 },
  ]),
)('seed $seed, $gaps gaps: no message is lost', async ({ seed, shortListMs }) => {
  const worker = await world.startWorker({ shortListMs })
  const random = new SeededRandom(seed)
  await using server = await startImapScript({ capabilities: servers[seed % 3] ?? plain })
  const { host, port: imapPort } = server
  const account = await world.register({ host, imapPort, user: 'jane', pass: 'secret' })
  await world.connected(account)
  const end = breakLists(server, new SeededRandom(seed + 1_000))
  const deleted = new Set<number>()
  for (let step = 0; step < steps; step++) {
    const uid = change(server, random)
    if (uid !== undefined) deleted.add(uid)
    if (random.below(8) === 0) server.drop()
    const before = server.received.length
    if (random.below(2) === 0)
      await eventually(() => expect(server.received.length).toBeGreaterThan(before + 2))
  }
  end()
  await eventually(async () => {
    const { content } = replay(await world.events(account))
    const messages = [...(content.get('INBOX') ?? [])].sort(([a], [b]) => a - b)
    expect(messages).toEqual(contentOf(server))
  })
  const reported = (await world.events(account, 'messageDeleted')).map(({ data }) => data['uid'])
  expect(reported.filter((uid) => !deleted.has(Number(uid)))).toEqual([])
  await world.stopWorker(worker)
  await world.reset()
})
