import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { useSharedWorld } from '../shared-world.ts'
import { freshMessageId } from '../world.ts'
import { examplesOf } from './examples.ts'
import { fillIn } from './fill-in.ts'
import { connectionOf, jsonLines, runPosthorn, startPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const env = connectionOf(world)
const run = (line: string) => runPosthorn(line, { cwd, env })

const bounce = [
  'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
  'Subject: Undelivered Mail Returned to Sender',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example',
  '',
  'Final-Recipient: rfc822; you@there.example',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
  '--b--',
  '',
].join('\r\n')
await writeFile(join(cwd, 'bounce.eml'), bounce)

const { user } = await world.connectAccount('anna')
const messageId = freshMessageId()
const source = [
  'From: Shop <shop@example.test>',
  'To: Jane <jane@mail.test>',
  'Subject: =?utf-8?Q?Your_invoice_=1B=5B2J?=',
  `Message-ID: ${messageId}`,
  'Content-Type: text/plain; charset=utf-8',
  '',
  'It is on its way. \u001b[31m',
  '',
].join('\r\n')
await world.mail.deliver(user, source)
const { data } = await world.webhook((hook) => hook.data.messageId === messageId)
const id = String(data.id)

test.each(examplesOf('messages', 'bounce'))('$line', async ({ line }) => {
  const result = await run(fillIn(line, { AAAAAQAAAAE: id }))
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).not.toContain('\u001b')
  if (line.includes('>')) expect(String(await readFile(join(cwd, 'message.eml')))).toContain(source)
  else expect(result.stdout).not.toBe('')
})

test('messages: list by mailbox and search, with members of the API as JSON', async () => {
  const list = (options: string) => run(`posthorn messages list anna ${options} --json`)
  expect(jsonLines(await list(''))).toEqual([expect.objectContaining({ id, messageId })])
  expect(jsonLines(await list('--search "on its way" --from shop --since 2020-01-01'))).toEqual([
    expect.objectContaining({ id }),
  ])
  expect(jsonLines(await list('--search absent'))).toEqual([])
  expect(jsonLines(await list('--path \\\\Sent'))).toEqual([])
  expect(await run('posthorn messages list anna --since yesterday')).toMatchObject({ code: 2 })
})

test('bounce check: a message that is no report, exit code 1', async () => {
  const result = await runPosthorn('posthorn bounce check -', { cwd, stdin: source })
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('no bounce')
})

const program = 'exec "$POSTHORN_NODE" "$POSTHORN_PROGRAM"'

test.each(examplesOf('events'))('$line', async ({ line }) => {
  const child = startPosthorn(line.replace('posthorn', program), { cwd, env })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
  const closed = once(child, 'close')
  await eventually(() => stderr.includes('waiting for changes'))
  const paused = !line.includes('--limit')
  await world.posthorn.updateAccount({ account: 'anna', body: { paused } })
  await eventually(() => stdout.includes('anna'))
  if (!line.includes('--limit')) child.kill('SIGINT')
  expect((await closed)[0]).toBe(line.includes('--limit') ? 0 : 130)
  if (line.includes('--json'))
    expect(jsonLines({ stdout })).toEqual([
      expect.objectContaining({ account: 'anna', type: 'state' }),
    ])
})

test('events tail: an unreachable server ends the command, exit code 3', async () => {
  const result = await runPosthorn('posthorn events tail', {
    cwd,
    env: { ...env, POSTHORN_URL: 'http://127.0.0.1:1' },
  })
  expect(result).toMatchObject({ code: 3, stdout: '' })
})
