import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { type ChatServer, eventually, startChatServer, type TestUser } from '@posthorn/testkit'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// generateEmailSummary: summaries of new messages by an endpoint, and failures of the endpoint.

let world: World
let model: ChatServer
let user: TestUser
let account: string
let client: ImapClient
const key = 'sk-test'
beforeAll(async () => {
  world = await testWorld()
  model = await startChatServer({ key, unsupported: ['response_format'] })
  world.secrets.openAiAPIKey = key
  await store({ notifyText: false, generateEmailSummary: true, openAiAPIUrl: model.url })
  await world.startWorker({
    summaries: { timeoutMs: 10_000, concurrency: 2, egressPolicy: 'link-local' },
    accountsSweepMs: 3_600_000, // only invalidations reveal the account that `set` registers
  })
  user = world.dovecot.freshUser()
  account = await world.register(user)
  await world.connected(account)
  client = await ImapClient.login(user)
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await world.close()
  await model[Symbol.asyncDispose]()
})
beforeEach(async () => {
  model.setReply()
  model.setModel(() => '{"summary":"A letter."}')
  await set({}) // changed settings close the circuit breaker
})

async function store(settings: object): Promise<void> {
  for (const [key, value] of Object.entries(settings)) {
    const text = JSON.stringify(value)
    await world.db
      .insertInto('settings')
      .values({ key, value: text })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
      .execute()
  }
}

/**
 * Changes settings and waits until the worker has invalidated its cache. The worker receives
 * invalidations in order, and finds a new account only by an invalidation that follows.
 */
async function set(settings: object): Promise<void> {
  await store(settings)
  await world.bus.invalidate({ topic: 'settings' })
  const next = await world.register(user, { imap: null })
  await eventually(async () => expect((await world.state(next))?.state).toBe('unset'))
}

let letters = 0
/** Appends messages to a mailbox. Returns the data of the messageNew events, in order. */
async function arrive(path: string, messages: { subject: string; message: string }[]) {
  for (const { message } of messages) await client.append(path, message)
  return eventually(async () => {
    const events = await world.events(account, 'messageNew')
    return messages.map(({ subject }) => {
      const event = events.find(({ data }) => data['subject'] === subject)
      if (!event) throw new Error(`no messageNew for ${subject}`)
      return event.data
    })
  })
}
function letter(body = 'Dear all, lunch on Friday?') {
  const subject = `letter ${letters++}`
  return { subject, message: mail({ subject, body }) }
}
const questionsAbout = ({ subject }: { subject: string }) =>
  model.requests.filter(({ messages }) => messages.at(-1)?.content.includes(`"${subject}"`))

test('messageNew: contains a summary in the inbox only, also without notifyText', async () => {
  const made = {
    summary: 'A colleague asks for lunch.',
    sentiment: 'positive',
    shouldReply: true,
    events: [{ description: 'Lunch', startTime: '2026-12-04' }],
  }
  model.setModel(() => `<think>hm</think>${JSON.stringify(made)}`)
  await set({ openAiModel: 'small', openAiPrompt: 'Be brief.', openAiMaxTokens: 500 })
  const [inbox, sent] = [letter(), letter()]
  await client.run('CREATE Elsewhere')
  const [events] = await arrive('INBOX', [inbox])
  const [other] = await arrive('Elsewhere', [sent])
  expect(events?.['summary']).toEqual({
    ...made,
    id: expect.stringMatching(/^chatcmpl-/),
    tokens: expect.any(Number),
    model: 'small',
  })
  expect(events?.['text']).not.toHaveProperty('plain')
  expect(other).not.toHaveProperty('summary')
  expect(questionsAbout(sent)).toEqual([])
  const [question] = questionsAbout(inbox)
  expect(question).toMatchObject({ model: 'small', max_tokens: 500 })
  expect(question?.messages[0]?.content).toMatch(/^Be brief\./)
  expect(JSON.parse(question?.messages[1]?.content ?? '')).toMatchObject({
    subject: inbox.subject,
    text: 'Dear all, lunch on Friday?',
  })
})

test('buildSummaryInput: limits the text and converts HTML', async () => {
  const subject = `letter ${letters++}`
  const html = `<style>p{}</style><p>Lunch &amp; more</p>${'<p>on and on</p>'.repeat(20_000)}`
  const headers = ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8']
  const body = html.replaceAll('</p>', '</p>\r\n')
  await arrive('INBOX', [{ subject, message: mail({ subject, headers, body }) }])
  const [question] = questionsAbout({ subject })
  const { text } = JSON.parse(question?.messages[1]?.content ?? '') as { text: string }
  expect(text).toMatch(/^Lunch & more\s+on and on/)
  expect(text.length).toBeLessThanOrEqual(20_000)
})

test.each([
  ['is unreachable', { instead: 'drop' as const }],
  ['never responds', { instead: 'hang' as const }],
  ['is overloaded', { status: 429, headers: { 'retry-after': '3600' } }],
  ['is broken', { status: 500, body: 'oops' }],
  ['rejects the model', { status: 404, body: '{"error":{"message":"no"}}' }],
  ['returns no JSON', { status: 200, body: '<html>' }],
  ['returns an oversized response', { status: 200, body: Buffer.alloc(20 * 1024 * 1024, '[') }],
])('messageNew: an endpoint that %s, omits the summary only', async (_how, answer) => {
  model.setReply(answer)
  const events = await arrive('INBOX', [letter()])
  expect(events[0]).not.toHaveProperty('summary')
})

test('messageNew: a hanging endpoint delays no command and no other account, events stay in order', async () => {
  const other = world.dovecot.freshUser()
  await using others = await ImapClient.login(other)
  await others.run('CREATE Elsewhere')
  const second = await world.register(other)
  await world.connected(second)
  model.setReply({ instead: 'hang' })
  const before = model.requests.length
  const many = Array.from({ length: 12 }, () => letter())
  for (const { message } of many) await client.append('INBOX', message)
  await eventually(() => expect(model.requests.length).toBeGreaterThan(before))
  const waiting = many.filter(({ subject }) => questionsAbout({ subject }).length > 0)
  expect(waiting.length).toBeLessThanOrEqual(2)
  await world.ask(listMailboxes, account, { counters: false })
  await others.append('Elsewhere', letter().message)
  await world.expectEvents(second, ['messageNew'], 1)
  const events = await eventually(async () => {
    const events = await world.events(account, 'messageNew')
    const subjects = events.map(({ data }) => String(data['subject']))
    const announced = subjects.filter((subject) => many.some((each) => each.subject === subject))
    expect(announced).toEqual(many.map(({ subject }) => subject))
    return events
  })
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length)
})

test('createSummaries: failures open the circuit breaker, a change of the settings closes it', async () => {
  model.setReply({ status: 500 })
  await arrive('INBOX', [letter(), letter(), letter(), letter()])
  const last = letter()
  await arrive('INBOX', [last])
  expect(questionsAbout(last)).toEqual([])
  model.setReply()
  await set({ openAiTopP: 0.9 })
  const [events] = await arrive('INBOX', [letter()])
  expect(events?.['summary']).toMatchObject({ summary: 'A letter.' })
})
