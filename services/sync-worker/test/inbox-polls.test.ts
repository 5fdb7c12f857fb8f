import { afterAll, expect, test } from '@jest/globals'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import { apiRules, outcomeOf, passOptions } from '../src/drivers/api/api-rules.ts'
import { SyncRunner } from '../src/drivers/sync-runner.ts'
import { PassScene } from './feeds/pass-scene.ts'
import { graphScene } from './feeds/provider-scene.ts'

// Polls of the inbox while Microsoft Graph notifies, of whose notifications some get lost.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const config = { apiPollMs: 45_000, apiPollNotifiedMs: 600_000, apiPollInboxMs: 60_000 }
const watch = { isActive: true, isRefused: false }
const { signal } = new AbortController()

/** Synced mailbox of the fake of Graph whose watch is active, with the clock of the test. */
async function syncedMailbox() {
  const { graph, mailbox, scene } = await graphScene(stack)
  const feeds = scene.openFeeds()
  const sync = new SyncRunner({ now: () => scene.time, random: () => 1 })
  sync.start(() => apiRules(config, watch, apiAccountTypes.graph.notifications))
  /**
   * Moves the clock to the next sync pass and runs the pass. Returns the number of requests of the
   * pass.
   */
  const run = async () => {
    const { action, delayMs } = sync.next
    scene.time += delayMs
    graph.clock.advance(delayMs)
    const before = graph.server.requests().length
    const options = passOptions(sync.beginNow(action), watch)
    sync.end(outcomeOf(await feeds.sync(signal, options)))
    return graph.server.requests().length - before
  }
  await run()
  return { graph, mailbox, scene, run }
}

test('a message whose notification was lost is announced within a minute', async () => {
  const { mailbox, scene, run } = await syncedMailbox()
  await run()
  const at = scene.time
  mailbox.deliver({ raw: Buffer.from('Message-ID: <a@x>\r\nSubject: s\r\n\r\nx') })
  while (scene.idsOf('messageNew').length === 0) await run()
  expect(scene.time - at).toBeLessThanOrEqual(60_000)
})

test('polls of an idle inbox have one request, all folders are read every 10 minutes', async () => {
  const { graph, run } = await syncedMailbox()
  const requests: number[] = []
  for (let poll = 0; poll < 9; poll++) requests.push(await run())
  expect(requests).toEqual(Array.from({ length: 9 }, () => 1))
  const last = graph.server.requests().slice(-9)
  expect(new Set(last.map(({ operation }) => operation)).size).toBe(1)
  expect(await run()).toBeGreaterThan(5)
})

test('polls of an idle inbox store every second cursor', async () => {
  const { scene, run } = await syncedMailbox()
  const cursors = () => [...scene.tables.feeds.values()].map(({ cursor }) => cursor).join()
  await run()
  const before = scene.tables.commits
  const stored = new Set<string>()
  for (let poll = 0; poll < 6; poll++) {
    await run()
    stored.add(cursors())
  }
  expect(scene.tables.commits - before).toBe(3)
  expect(stored.size).toBe(3)
})

test.each([0, 1, 2, 3, 7])(
  'a crash after %i polls, the next worker announces each message once, without a full round',
  async (polls) => {
    const { graph, mailbox, scene, run } = await syncedMailbox()
    const deliver = (subject: string) =>
      mailbox.deliver({ raw: Buffer.from(`Message-ID: <${subject}@x>\r\nSubject: s\r\n\r\nx`) })
    const ids = [deliver('first').id]
    for (let poll = 0; poll <= polls; poll++) await run()
    ids.push(deliver('second').id)
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual(ids)
    await scene.sync()
    expect(scene.events).toHaveLength(2)
    expect(scene.lostCursors).toEqual([])
    expect(graph.server.requests().filter(({ status }) => status === 410)).toEqual([])
  },
)

test.each([
  ['Notified', false, []],
  ['Refused', true, ['one', 'two']],
])('%s account without the inbox: polls read %p all, %p', async (_name, otherwiseAll, expected) => {
  const run = new PassScene()
  run.paths = ['one', 'two']
  const worker = run.worker()
  await run.pass({}, worker)
  run.reads = []
  const parts = { messages: new Map(), specialUses: ['\\Inbox'] as const, otherwiseAll }
  await run.pass({ parts }, worker)
  expect(run.reads.map(({ feed }) => feed)).toEqual(expected)
})
