import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import type { SubmitMessageResult } from '@posthorn/client'
import { eventually } from '@posthorn/testkit'
import { useSharedWorld } from '../shared-world.ts'
import { plainMessage } from '../world.ts'
import { examplesOf } from './examples.ts'
import { fillIn } from './fill-in.ts'
import { connectionOf, jsonLines, runPosthorn, startPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const env = connectionOf(world)
const run = (line: string) => runPosthorn(line, { cwd, env })
const [, ben] = await Promise.all([world.connectAccount('anna'), world.connectAccount('ben')])
const values = { 'ben@example.com': ben.address }
/**
 * Attachment that is large enough for several chunks of the API request, with bytes that are no
 * text.
 */
const attachment = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256))
await writeFile(join(cwd, 'report.txt'), 'All is well.\n')
await writeFile(join(cwd, 'report.pdf'), attachment)
await writeFile(
  join(cwd, 'message.eml'),
  plainMessage({ messageId: '<raw@example.test>', subject: 'Raw', to: ben.address }),
)
const received = (subject: string) =>
  world.webhook(
    ({ event, account, data }) =>
      event === 'messageNew' && account === 'ben' && data.subject === subject,
  )

test.each(examplesOf('send'))('$line', async ({ line }) => {
  const result = await run(fillIn(line, values))
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('queue id') })
  expect(result.stderr).not.toContain('posthorn:')
})

test('send: texts, the source and attachments arrive unchanged', async () => {
  expect((await received('Hello')).data.text.plain).toContain('It is on its way.')
  expect((await received('Raw')).data.messageId).toBe('<raw@example.test>')
  const { data } = await received('Report')
  expect(data.text.plain).toContain('All is well.')
  const message = await posthorn.getMessage({ account: 'ben', message: String(data.id) })
  const { id = '', filename } = message.attachments?.[0] ?? {}
  expect(filename).toBe('report.pdf')
  const response = await posthorn.getAttachment({ account: 'ben', attachment: id })
  expect(Buffer.from(await response.arrayBuffer()).equals(attachment)).toBe(true)
})

test('send: a repeat with the same idempotency key sends no second message', async () => {
  const line = `posthorn send anna --to ${ben.address} --subject Once --text x --idempotency-key k1 --json`
  const [first, second] = [await run(line), await run(line)].map(
    (result) => jsonLines<SubmitMessageResult>(result)[0],
  )
  expect(first?.idempotency).toMatchObject({ status: 'MISS' })
  expect(second).toMatchObject({ queueId: first?.queueId, idempotency: { status: 'HIT' } })
})

test.each([
  'send anna --text x',
  'send anna --to ben@example.com',
  'send anna --to ben@example.com --text x --text-file report.txt',
  'send anna --to ben@example.com --raw message.eml --text x',
  'send anna --to ben@example.com --text x --send-at tomorrow',
])('posthorn %s: is wrong, exit code 2', async (line) => {
  expect(await run(`posthorn ${line}`)).toMatchObject({ code: 2, stdout: '' })
})

test('send: a file that does not exist, exit code 1', async () => {
  expect(await run('posthorn send anna --to b@example.com --text x --attach absent')).toMatchObject(
    {
      code: 1,
      stderr: expect.stringContaining('absent cannot be read'),
    },
  )
})

async function schedule(): Promise<string> {
  const line = `posthorn send anna --to ${ben.address} --subject Later --text x --send-at 2999-01-01`
  const [result] = jsonLines<SubmitMessageResult>(await run(`${line} --json`))
  return result?.queueId ?? ''
}

test('send --wait: Ctrl-C ends the wait, the message stays in the outbox', async () => {
  const line = `exec "$POSTHORN_NODE" "$POSTHORN_PROGRAM" send anna --to ${ben.address} --subject Wait --text x --send-at 2999-01-01 --wait`
  const child = startPosthorn(line, { cwd, env })
  const closed = once(child, 'close')
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
  await eventually(() => stderr.includes('queued, attempt 0'))
  child.kill('SIGINT')
  expect((await closed)[0]).toBe(130)
  const { messages } = await posthorn.listOutbox({ account: 'anna' })
  expect(messages.map(({ subject }) => subject)).toContain('Wait')
})

test.each(examplesOf('outbox'))('$line', async ({ line }) => {
  const queueId = await schedule()
  const result = await run(fillIn(line, { 'q-18f3a2': queueId }))
  expect(result).toMatchObject({ code: 0, stderr: '' })
  if (line.includes('q-18f3a2')) expect(result.stdout).toContain(queueId)
})

test('outbox: hold, release and cancel change the state of each message', async () => {
  const ids = [await schedule(), await schedule()]
  const states = () => Promise.all(ids.map((queueId) => posthorn.getOutboxEntry({ queueId })))
  const all = ids.join(' ')
  const held = await run(`posthorn outbox hold ${all} --json`)
  expect(jsonLines(held)).toEqual(ids.map((queueId) => ({ queueId, held: true })))
  expect((await states()).map(({ state }) => state)).toEqual(['held', 'held'])
  await run(`posthorn outbox release ${all}`)
  expect((await states()).map(({ state }) => state)).toEqual(['queued', 'queued'])
  expect(await run(`posthorn outbox cancel ${all}`)).toMatchObject({ code: 2 })
  expect(await run(`posthorn outbox cancel ${all} -y`)).toMatchObject({ code: 0 })
  await expect(states()).rejects.toMatchObject({ status: 404 })
  expect(await run(`posthorn outbox show ${all.split(' ')[0]}`)).toMatchObject({ code: 1 })
})
