import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'

const world = await startWorld({ servers: 'own', replicas: { 'sync-worker': 2 } })
afterAll(() => world[Symbol.asyncDispose]())
const { postgres, rabbit, posthorn, services } = world
if (!postgres || !rabbit) throw new Error('the world must have its own servers')

const account = 'exported'
const [appended, copies] = [60, 50]
const count = appended * copies

/**
 * Fills two mailboxes with messages whose texts cannot be compressed: a chunk of an export has
 * about 300 messages.
 */
async function fill(user: TestUser): Promise<void> {
  const imap = await logIn(user)
  await imap.mailboxCreate('Work')
  const paths = ['INBOX', 'Work']
  for (let n = 0; n < appended; n++) {
    const message = plainMessage({ messageId: freshMessageId(), subject: `${n}` })
    const text = randomBytes(3_000).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
    const date = new Date(Date.UTC(2024, 0, 1) + n * 1_000)
    await imap.append(paths[n % 2] ?? '', `${message}\r\n${text}\r\n`, [], date)
  }
  for (const path of paths) {
    const { exists } = await imap.mailboxOpen(path)
    for (let copy = 1; copy < copies; copy++) await imap.messageCopy(`1:${exists}`, path)
  }
  await imap.logout()
}

async function create(): Promise<string> {
  const { exportId } = await posthorn.createExport({
    account,
    body: { startDate: '2020-01-01T00:00:00.000Z', endDate: '2100-01-01T00:00:00.000Z' },
  })
  return exportId
}

const get = (exportId: string) => posthorn.getExport({ account, exportId })

/** Waits until some messages of an export are stored. */
const untilPartly = (exportId: string) =>
  eventually(async () => {
    const { progress, status } = await get(exportId)
    expect(status).toBe('processing')
    expect(progress.messagesExported).toBeGreaterThan(0)
  })

/** Waits for the end of an export. Returns the lines of the export file, and deletes the export. */
async function linesOf(exportId: string): Promise<string[]> {
  await eventually(async () => expect(await get(exportId)).toMatchObject({ status: 'completed' }), {
    timeoutMs: 150_000,
  })
  const file = await eventually(async () => {
    const response = await posthorn.downloadExport({ account, exportId })
    return Buffer.from(await response.arrayBuffer())
  })
  await posthorn.deleteExport({ account, exportId })
  return gunzipSync(file).toString().split('\n').slice(0, -1)
}

let undisturbed: string[]
beforeAll(async () => {
  const user = world.mail.freshUser()
  await fill(user)
  await world.register(account, user)
  const exportId = await eventually(create, { timeoutMs: 150_000 })
  undisturbed = await linesOf(exportId)
  expect(undisturbed).toHaveLength(count)
}, 300_000)

/** Kills both sync-workers, one after the other, and starts each worker again. */
async function killWorkers(): Promise<void> {
  for (const name of Object.keys(services.pids).filter((each) => each.startsWith('sync-worker'))) {
    await services.kill(name)
    await services.start(name)
  }
}

test.each<[string, () => Promise<unknown>]>([
  ['RabbitMQ restarted', () => rabbit.restart()],
  ['RabbitMQ started with an empty disk', () => rabbit.wipe()],
  ['Postgres killed and started', async () => (await postgres.kill(), postgres.restart())],
  ['Postgres restarted', () => postgres.restart()],
  ['both sync-workers killed and started', killWorkers],
])('%s during an export: the file is the same, with one exportCompleted', async (_name, fault) => {
  const exportId = await create()
  await untilPartly(exportId)
  await fault()
  expect(await linesOf(exportId)).toEqual(undisturbed)
  await expectOneEvent(exportId)
})

test('auth-bridge unavailable at the start of an export: the export waits and completes', async () => {
  const bridge = Object.keys(services.pids).find((name) => name.startsWith('auth-bridge')) ?? ''
  await services.stop(bridge)
  const exportId = await create()
  await eventually(async () => expect((await get(exportId)).status).toBe('processing'))
  expect((await get(exportId)).progress.messagesExported).toBe(0)
  await services.start(bridge)
  expect(await linesOf(exportId)).toEqual(undisturbed)
  await expectOneEvent(exportId)
})

/** Expects one recorded event of the end of an export, and its webhook. */
async function expectOneEvent(exportId: string): Promise<void> {
  const { rows } = await withClient(world.ownerUrl, (db) =>
    db.query('select event from events where account = $1 and body like $2', [
      account,
      `%${exportId}%`,
    ]),
  )
  expect(rows).toEqual([{ event: exportCompleted.name }])
  await world.webhook(({ event, data }) => event === rows[0].event && data.exportId === exportId)
}
