import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage } from '../world.ts'
import { examplesOf } from './examples.ts'
import { fillIn } from './fill-in.ts'
import { connectionOf, jsonLines, runPosthorn } from './run-posthorn.ts'

const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
afterAll(() => rm(cwd, { recursive: true }))
const run = (line: string) => runPosthorn(line, { cwd, env: connectionOf(world) })
const account = 'anna'
const { user } = await world.connectAccount(account)
for (const subject of ['One', 'Two']) {
  const messageId = freshMessageId()
  await world.mail.deliver(user, plainMessage({ messageId, subject }))
  await world.webhook(({ data }) => data.messageId === messageId)
}
const { exportId } = await posthorn.createExport({
  account,
  body: { startDate: '2020-01-01T00:00:00Z', endDate: '2100-01-01T00:00:00Z' },
})

// The last help example of the `exports` commands deletes the export.
const examples = examplesOf('exports').map(({ command, line }) => ({ command, line }))
const isDelete = ({ command }: { command: string }) => command === 'exports delete'
const fill = (line: string) => fillIn(line, { exp_0123456789abcdef01234567: exportId })

test.each(examples.filter((example) => !isDelete(example)))('$line', async ({ line }) => {
  const { code, stdout, stderr } = await run(fill(line))
  expect(stderr).not.toContain('posthorn:')
  expect(code).toBe(0)
  expect(stdout).not.toBe('')
})

test('exports download: the file has all messages and can be read by the user only', async () => {
  const file = await readFile(join(cwd, 'anna.ndjson.gz'))
  const subjects = gunzipSync(file)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { subject: string }).subject)
  expect(subjects.toSorted()).toEqual(['One', 'Two'])
  expect((await stat(join(cwd, 'anna.ndjson.gz'))).mode & 0o777).toBe(0o600)
})

test('exports download: continues after the bytes of an interrupted run', async () => {
  const whole = await readFile(join(cwd, 'anna.ndjson.gz'))
  await writeFile(join(cwd, `resumed.${exportId}.part`), whole.subarray(0, 100))
  const { code, stderr } = await run(`posthorn exports download anna ${exportId} --to resumed`)
  expect(stderr).toContain('continues after 100 bytes')
  expect(code).toBe(0)
  expect((await readFile(join(cwd, 'resumed'))).equals(whole)).toBe(true)
})

test('exports download: a damaged part is found and removed', async () => {
  const part = join(cwd, `damaged.${exportId}.part`)
  await writeFile(part, 'x'.repeat(100))
  const line = `posthorn exports download anna ${exportId} --to damaged`
  expect(await run(line)).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') })
  await expect(access(part)).rejects.toMatchObject({ code: 'ENOENT' })
  const [result] = jsonLines(await run(`${line} --json`))
  expect(result).toMatchObject({ exportId, path: 'damaged', messages: 2 })
})

test('exports download: does not replace a file', async () => {
  const line = `posthorn exports download anna ${exportId} --to anna.ndjson.gz`
  expect(await run(line)).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') })
})

test('exports download: an export without messages', async () => {
  const started = await run('posthorn exports start anna --before 2001-01-01 --wait --json')
  const [empty] = jsonLines<{ exportId: string }>(started)
  const { code, stdout } = await run(`posthorn exports download anna ${empty?.exportId}`)
  expect(stdout).toMatch(/^messages +0$/m)
  expect(code).toBe(0)
})

test.each(examples.filter(isDelete))('$line', async ({ line }) => {
  expect(await run(fill(line))).toMatchObject({ code: 0, stderr: '' })
  const gone = await run(`posthorn exports download anna ${exportId} --to gone`)
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('NotFound') })
})
