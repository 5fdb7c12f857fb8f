import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import { exportDatabase, idsWithout, lost } from './export-mailbox.ts'
import { readLines } from './export-scene.ts'

// Sizes of export files and their chunks, for messages whose lines are longer than a chunk.

let database: Awaited<ReturnType<typeof exportDatabase>>
beforeAll(async () => {
  database = await exportDatabase()
})
afterAll(() => database.close())

test('runExport: text that cannot be compressed, is divided into chunks of at most 2 MiB', async () => {
  const { driver, run, row, ids, exportId } = await database.scene(3)
  const plain = randomBytes(6 * 1024 * 1024).toString('base64')
  driver.messageOf = (id) => (id === '1' ? ({ text: { plain } } as Partial<MessageDetail>) : {})
  await run()
  expect(await row()).toMatchObject({ status: 'completed', messagesExported: 3 })
  expect(await ids()).toEqual(idsWithout(3))
  const [, line] = await readLines(database.db, exportId)
  const text = line?.['text'] as { plain: string } | undefined
  expect(text?.plain === plain).toBe(true)
  const chunks = await database.db
    .selectFrom('exportChunks')
    .select('content')
    .where('exportId', '=', exportId)
    .execute()
  expect(chunks.length).toBeGreaterThan(4)
  for (const { content } of chunks) expect(content.length).toBeLessThanOrEqual(2 * 1024 * 1024)
})

test('runExport: messages with large contents, end truncated after exportMaxSize', async () => {
  const { driver, run, row, ids, deps, events } = await database.scene(20, true)
  const open = async () =>
    (async function* () {
      yield randomBytes(2 * 1024 * 1024)
    })()
  driver.contentsOf = () => [{ open }]
  const { settings } = deps.commit
  const get = async () => ({ ...(await settings.get()), exportMaxSize: 5 * 1024 * 1024 })
  await run({ commit: { ...deps.commit, settings: { ...settings, get } } })
  const { messagesExported, truncated, status } = await row()
  expect({ status, truncated, messagesExported }).toEqual({
    status: 'completed',
    truncated: true,
    messagesExported: 3,
  })
  expect(await ids()).toEqual(['0', '1', '2'])
  expect(await events()).toEqual([exportCompleted.name])
})

test('runExport: message whose last piece fills a chunk, survives a failure after it', async () => {
  const { driver, run, row, ids } = await database.scene(4, true)
  // Attachment pieces of 64 KiB in base64 are compressed immediately. With the end of the line, the
  // last piece has 65,537 characters. The piece is compressed, too, and completes a chunk of 1 MiB.
  const piece = 48 * 1024
  const open = async () =>
    (async function* () {
      for (let count = 0; count < 21; count++) yield randomBytes(piece)
      yield randomBytes(piece - 3)
    })()
  driver.contentsOf = (id) => (id === '1' ? [{ open }] : [])
  let isFirst = true
  driver.onRead = (id) => {
    if (id !== '2' || !isFirst) return
    isFirst = false
    throw lost()
  }
  await run()
  expect(await row()).toMatchObject({ status: 'completed', messagesExported: 4 })
  expect(await ids()).toEqual(idsWithout(4))
})
