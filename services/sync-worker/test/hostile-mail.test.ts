import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { getMessage } from '@posthorn/contracts/commands/messages'
import { eventually, hostileMessages } from '@posthorn/testkit'
import type { WorkerApp } from '../src/app.ts'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Messages that take more time to read than the limit of the message reader.

let world: World
let worker: WorkerApp
beforeEach(async () => {
  world = await testWorld()
  const settings = { notifyText: true, notifyWebSafeHtml: true, notifyCalendarEvents: true }
  for (const [key, value] of Object.entries(settings))
    await world.db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
  worker = await world.startWorker({ reader: { processes: 2, timeoutMs: 10 } })
})
afterEach(() => world.close())

async function createAccount() {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  return { user: user.user, account }
}

const contentOf = (name: string) => hostileMessages.find((message) => message.name === name)
const html = contentOf('html: 29,000 line breaks')?.html?.() ?? ''
const calendar = contentOf('calendar: zone of 20 observances in 100 years')?.calendar?.() ?? ''

/**
 * Message with a short plain text, and with HTML and an invitation that each take more time to read
 * than the limit.
 */
function hostile(subject: string): string {
  const parts = { 'text/plain': 'Hello', 'text/html': html, 'text/calendar': calendar }
  const body = Object.entries(parts).flatMap(([type, content]) => [
    '--b',
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(content).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
  ])
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']
  return mail({ subject, headers, body: [...body, '--b--'].join('\r\n') })
}

const degraded = { plain: 'Hello', html: '<p>Hello</p>', webSafe: true, hasMore: true }

/**
 * Number of reading attempts that exceeded the time limit, by part of the message, from the metrics
 * of the worker.
 */
async function overruns(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text()
  const lines = text.matchAll(
    /^posthorn_message_reading_overruns_total\{part="(\w+)",reason="timeout".*\} (\d+)$/gm,
  )
  return Object.fromEntries(Array.from(lines, ([, part, count]) => [part, Number(count)]))
}

const shards = async () =>
  world.db.selectFrom('shards').select(['shard', 'owner', 'epoch']).orderBy('shard').execute()

/** Counts the message reader processes that this process has started. */
async function readerProcesses(): Promise<number> {
  const task = `/proc/${process.pid}/task/${process.pid}/children`
  const pids = (await readFile(task, 'utf8')).trim().split(' ')
  const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
  return (await Promise.all(commands)).filter((text) => text.includes('reader-main')).length
}

test('messageNew: hostile messages have their text only, other accounts are not delayed', async () => {
  const [attacked, other] = [await createAccount(), await createAccount()]
  await eventually(async () => {
    expect((await shards()).every(({ owner }) => owner === worker.id)).toBe(true)
  })
  const before = await shards()
  const subjects = Array.from({ length: 5 }, (_, at) => `hostile ${at}`)
  for (const subject of subjects) await world.dovecot.deliver(attacked.user, hostile(subject))
  await world.dovecot.deliver(other.user, mail({ subject: 'usual', body: 'Hi' }))
  const [usual] = await world.expectEvents(other.account, ['messageNew'], 1)
  expect(usual?.data['text']).toMatchObject({ plain: expect.stringContaining('Hi') })
  const events = await world.expectEvents(attacked.account, ['messageNew'], 5)
  expect(events.map(({ data }) => data['subject'])).toEqual(subjects)
  for (const { data } of events) {
    expect(data['text']).toMatchObject(degraded)
    expect(data).not.toHaveProperty('calendarEvents')
  }
  expect(await overruns()).toEqual({ texts: 5, calendars: 5 })
  expect(await shards()).toEqual(before)
})

test('messageNew: a hostile message is read once, later messages are announced', async () => {
  const { user, account } = await createAccount()
  await world.dovecot.deliver(user, hostile('hostile'))
  await world.expectEvents(account, ['messageNew'], 1)
  await world.ask(syncAccount, account, {})
  await world.dovecot.deliver(user, mail({ subject: 'usual', body: 'Hi' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events.map(({ data }) => data['subject'])).toEqual(['hostile', 'usual'])
  expect(await overruns()).toEqual({ texts: 1, calendars: 1 })
})

test('getMessage: a hostile message has its text only', async () => {
  const { user, account } = await createAccount()
  await world.dovecot.deliver(user, hostile('hostile'))
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  const message = String(event?.data['id'])
  const detail = await world.ask(getMessage, account, { message, webSafeHtml: true })
  expect(detail.text).toMatchObject(degraded)
})

test('disposal of the service ends its reader processes', async () => {
  await world.stopWorker(worker)
  // If the time limit of reading a message was exceeded, the reader process would be ended and
  // replaced.
  const patient = await world.startWorker({ reader: { processes: 2, timeoutMs: 60_000 } })
  const before = await readerProcesses()
  const { user, account } = await createAccount()
  await world.dovecot.deliver(user, mail({ body: 'x'.repeat(10_000) }))
  await world.expectEvents(account, ['messageNew'], 1)
  expect(await readerProcesses()).toBeGreaterThan(before)
  await world.stopWorker(patient)
  expect(await readerProcesses()).toBe(before)
})
