import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts'
import { type ChatServer, eventually, startChatServer, type TestUser } from '@posthorn/testkit'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// generateEmailSummary: what an endpoint of language models makes of new mail, and what happens where it makes nothing of it.

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
  await set({ notifyText: false, generateEmailSummary: true, openAiAPIUrl: model.url })
  await world.startWorker({
    summaries: { timeoutMs: 5_000, concurrency: 2, egressPolicy: 'link-local' },
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
  await set({}) // a change of the settings has it try again at once
})

async function set(settings: object): Promise<void> {
  for (const [key, value] of Object.entries(settings)) {
    const text = JSON.stringify(value)
    await world.db
      .insertInto('settings')
      .values({ key, value: text })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
      .execute()
  }
  await world.bus.invalidate({ topic: 'settings' })
}

let letters = 0
/** Puts messages into a mailbox; resolves with what was told of them, in their order. */
async function arrive(path: string, messages: { subject: string; message: string }[]) {
  for (const { message } of messages) await client.append(path, message)
  return eventually(async () => {
    const told = await world.events(account, 'messageNew')
    return messages.map(({ subject }) => {
      const found = told.find(({ data }) => data['subject'] === subject)
      if (!found) throw new Error(`nothing is told of ${subject}`)
      return found.data
    })
  })
}
function letter(body = 'Dear all, lunch on Friday?') {
  const subject = `letter ${letters++}`
  return { subject, message: mail({ subject, body }) }
}
const questionsAbout = ({ subject }: { subject: string }) =>
  model.requests.filter(({ messages }) => messages.at(-1)?.content.includes(`"${subject}"`))

test('mail of the Inbox carries a summary, whatever else is told of its text; other mail does not', async () => {
  const made = {
    summary: 'Somebody asks for lunch.',
    sentiment: 'positive',
    shouldReply: true,
    events: [{ description: 'Lunch', startTime: '2026-12-04' }],
  }
  model.setModel(() => `<think>hm</think>${JSON.stringify(made)}`)
  await set({ openAiModel: 'small', openAiPrompt: 'Be brief.', openAiMaxTokens: 500 })
  const [inbox, sent] = [letter(), letter()]
  await client.run('CREATE Elsewhere')
  const [told] = await arrive('INBOX', [inbox])
  const [other] = await arrive('Elsewhere', [sent])
  expect(told?.['summary']).toEqual({
    ...made,
    id: expect.stringMatching(/^chatcmpl-/),
    tokens: expect.any(Number),
    model: 'small',
  })
  expect(told?.['text']).not.toHaveProperty('plain')
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

test('what is sent is bounded, and of HTML it is the text', async () => {
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
  ['is down', { instead: 'drop' as const }],
  ['never answers', { instead: 'hang' as const }],
  ['is overloaded', { status: 429, headers: { 'retry-after': '3600' } }],
  ['is broken', { status: 500, body: 'oops' }],
  ['knows no such model', { status: 404, body: '{"error":{"message":"no"}}' }],
  ['answers nonsense', { status: 200, body: '<html>' }],
  ['answers without end', { status: 200, body: Buffer.alloc(20 * 1024 * 1024, '[') }],
])('an endpoint that %s costs the summary and nothing else', async (_how, answer) => {
  model.setReply(answer)
  const told = await arrive('INBOX', [letter()])
  expect(told[0]).not.toHaveProperty('summary')
})

test('while one waits, commands are answered, other accounts are told of theirs, and in the end everything is told once, in order', async () => {
  const other = world.dovecot.freshUser()
  await using others = await ImapClient.login(other)
  await others.run('CREATE Elsewhere')
  const second = await world.register(other)
  await world.connected(second)
  model.setReply({ instead: 'hang' })
  const asked = model.requests.length
  const many = Array.from({ length: 12 }, () => letter())
  for (const { message } of many) await client.append('INBOX', message)
  await eventually(() => expect(model.requests.length).toBeGreaterThan(asked))
  const waiting = many.filter(({ subject }) => questionsAbout({ subject }).length > 0)
  expect(waiting.length).toBeLessThanOrEqual(2)
  await world.ask(listMailboxes, account, { counters: false })
  await others.append('Elsewhere', letter().message)
  await world.expectEvents(second, ['messageNew'], 1)
  const events = await eventually(async () => {
    const told = await world.events(account, 'messageNew')
    const subjects = told.map(({ data }) => String(data['subject']))
    const found = subjects.filter((subject) => many.some((each) => each.subject === subject))
    expect(found).toEqual(many.map(({ subject }) => subject))
    return told
  })
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length)
})

test('after failures the endpoint is left alone for a while; a change of the settings has it asked again', async () => {
  model.setReply({ status: 500 })
  await arrive('INBOX', [letter(), letter(), letter(), letter()])
  const last = letter()
  await arrive('INBOX', [last])
  expect(questionsAbout(last)).toEqual([])
  model.setReply()
  await set({ openAiTopP: 0.9 })
  const [told] = await arrive('INBOX', [letter()])
  expect(told?.['summary']).toMatchObject({ summary: 'A letter.' })
})
