import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { getMessage, listMessages, searchMessages } from '@posthorn/contracts/commands/messages'
import { eventually, imapFaults, type ImapScript } from '@posthorn/testkit'
import { paths, place, startGmail, userOf } from './gmail-server.ts'
import { testWorld, type World } from './world.ts'

// resolveGmailCategories: categories of Gmail's inbox, which only searches reveal.

let world: World
let server: ImapScript
let account: string
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterAll(() => world.close())
beforeEach(async () => {
  server = await startGmail()
})
afterEach(() => server[Symbol.asyncDispose]())

async function connect(resolveGmailCategories: boolean): Promise<void> {
  const value = JSON.stringify(resolveGmailCategories)
  await world.db
    .insertInto('settings')
    .values({ key: 'resolveGmailCategories', value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
  await world.bus.invalidate({ topic: 'settings' })
  account = await world.register(userOf(server), { imap: { resyncDelay: 3_600 } })
  await world.connected(account)
  await eventually(() => server.sessions.some(({ idling }) => idling))
}

const tabs = ['social', 'primary', 'forums', 'updates', 'promotions']
/**
 * Places one message per Gmail category, a message without a category and a sent message. All
 * messages are announced in one batch after a reconnect.
 */
async function arrive(): Promise<Record<string, unknown>[]> {
  server.sessions.forEach((session) => session.reset())
  for (const category of tabs)
    place(server, paths.all, { subject: category, labels: ['\\Inbox'], category })
  place(server, paths.all, { subject: 'none', labels: ['\\Inbox'] })
  place(server, paths.all, { subject: 'sent', labels: ['\\Sent'], category: 'primary' })
  const events = await world.expectEvents(account, ['messageNew'], tabs.length + 2)
  return events.map(({ data }) => data)
}
const searches = () => server.received.filter((line) => /X-GM-RAW/.test(line))

test('addCategories: sets the category in events, lists, searches and messages, one search per category', async () => {
  await connect(true)
  const events = await arrive()
  const shown = (list: readonly object[]) =>
    list.map((each) => {
      const { subject, category } = each as Record<string, unknown>
      return `${String(subject)} ${String(category)}`
    })
  const expected = [...tabs.map((tab) => `${tab} ${tab}`), 'none undefined', 'sent undefined']
  expect(shown(events)).toEqual(expected)
  expect(searches()).toHaveLength(5)
  const page = { path: paths.all, page: 0, pageSize: 20 }
  const list = await world.ask(listMessages, account, page)
  expect(shown(list.messages)).toEqual(expected.toReversed())
  const result = await world.ask(searchMessages, account, {
    ...page,
    search: { subject: 'social' },
  })
  expect(shown(result.messages)).toEqual(['social social'])
  const before = searches().length
  const message = String(events.find(({ subject }) => subject === 'primary')?.['id'])
  expect(await world.ask(getMessage, account, { message })).toMatchObject({ category: 'primary' })
  // The first search finds the category of the message, so no search for another category follows.
  expect(searches()).toHaveLength(before + 1)
})

test('addCategories: rejected searches leave categories unset', async () => {
  await connect(true)
  const refuses = imapFaults.rejects('NO [CANNOT] no')
  server.on('UID SEARCH', (command) =>
    command.rest.includes('X-GM-RAW') ? refuses(command) : undefined,
  )
  const events = await arrive()
  expect(events.some((data) => 'category' in data)).toBe(false)
  expect(searches().length).toBeGreaterThan(0)
})

test('addCategories: without resolveGmailCategories, sends no search', async () => {
  await connect(false)
  const events = await arrive()
  expect(events.some((data) => 'category' in data)).toBe(false)
  expect(searches()).toEqual([])
})
