import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import { withClient } from '@posthorn/local/postgres/client'
import { coreServices } from '@posthorn/local/role-passwords'
import { eventually, faultSize, type TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'
import { findDuplicateEvents, startMainJob } from './main-job.ts'

// The main job and exports, while servers restart or services are killed.

const world = await startWorld({ servers: 'own', replicas: { 'sync-worker': 2 } })
afterAll(() => world[Symbol.asyncDispose]())
const { postgres, rabbit, posthorn, services } = world
if (!postgres || !rabbit) throw new Error('the world must have its own servers')
const jane = await world.connectAccount('jane')
const john = await world.connectAccount('john')
const pids = { ...services.pids }
const workers = ['sync-worker', 'sync-worker-2']

const account = 'exported'
const appended = 60
/** Number of copies of each message: an export has 6 chunks in `make test`, and 10 in full size. */
const copies = faultSize({ small: 30, full: 50 })
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

test.each<[string, () => Promise<unknown>]>([
  ['RabbitMQ killed and started', async () => (await rabbit.kill(), rabbit.restart())],
  ['RabbitMQ restarted', () => rabbit.restart()],
  ['RabbitMQ started with an empty disk', () => rabbit.wipe()],
  ['Postgres killed and started', async () => (await postgres.kill(), postgres.restart())],
  ['Postgres restarted', () => postgres.restart()],
])(
  '%s during the main job and an export: nothing is lost, the file is the same, no service restarts',
  async (_name, fault) => {
    await using job = startMainJob(world, { from: jane, to: john })
    await job.started()
    const exportId = await create()
    await untilPartly(exportId)
    await fault()
    await job.more(5)
    await job.endWithoutLoss()
    expect(findDuplicateEvents(world.webhooks())).toEqual([])
    expect(await linesOf(exportId)).toEqual(undisturbed)
    await expectOneEvent(exportId)
    expect(services.pids).toEqual(pids)
  },
)

test('both sync-workers killed and started during an export: the file is the same, with one exportCompleted', async () => {
  const exportId = await create()
  await untilPartly(exportId)
  for (const name of workers) {
    await services.kill(name)
    await services.start(name)
  }
  expect(await linesOf(exportId)).toEqual(undisturbed)
  await expectOneEvent(exportId)
})

test('auth-bridge unavailable at the start of an export: the export waits and completes', async () => {
  await services.stop('auth-bridge')
  const exportId = await create()
  await eventually(async () => expect((await get(exportId)).status).toBe('processing'))
  expect((await get(exportId)).progress.messagesExported).toBe(0)
  await services.start('auth-bridge')
  expect(await linesOf(exportId)).toEqual(undisturbed)
  await expectOneEvent(exportId)
})

test.each(coreServices)(
  '%s killed during the main job: nothing is lost, repeated webhooks keep their event id',
  async (name) => {
    const killed = name === 'sync-worker' ? workers : [name]
    await using job = startMainJob(world, { from: jane, to: john })
    await job.started()
    await Promise.all(killed.map((each) => services.kill(each)))
    await job.more(5)
    await Promise.all(killed.map((each) => services.start(each)))
    await job.more(5)
    await job.endWithoutLoss()
    expect(findDuplicateEvents(world.webhooks())).toEqual([])
  },
)

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
