import { expect, test } from '@jest/globals'
import { createClient } from '../create-client.ts'
import { listMessages, listOutbox, listWebhookReplays } from '../generated/operations.ts'

/**
 * Creates an API client whose calls get the results one after the other, and records the query of
 * each request.
 */
function clientWith(results: readonly object[]) {
  const queries: string[] = []
  const send = (url: string) => {
    queries.push(new URL(url).search)
    return Promise.resolve(Response.json(results[queries.length - 1]))
  }
  const client = createClient({ url: 'http://api.test', fetch: send as typeof fetch })
  return { client, queries }
}

async function collect<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const entry of entries) collected.push(entry)
  return collected
}

test('all: follows page numbers', async () => {
  const { client, queries } = clientWith([
    { page: 0, pages: 2, messages: [{ queueId: 'a' }, { queueId: 'b' }] },
    { page: 1, pages: 2, messages: [{ queueId: 'c' }] },
  ])
  const entries = await collect(listOutbox.all(client, { account: 'anna', pageSize: 2 }))
  expect(entries.map(({ queueId }) => queueId)).toEqual(['a', 'b', 'c'])
  expect(queries).toEqual(['?account=anna&pageSize=2', '?account=anna&pageSize=2&page=1'])
})

test('all: follows cursors, and takes them before page numbers', async () => {
  const { client, queries } = clientWith([
    { page: 0, pages: 3, nextPageCursor: 'c1', messages: [{ id: 'a' }] },
    { page: 1, pages: 3, nextPageCursor: null, messages: [{ id: 'b' }] },
  ])
  const entries = await collect(listMessages.all(client, { account: 'anna', path: 'INBOX' }))
  expect(entries.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(queries[1]).toBe('?path=INBOX&cursor=c1')
})

test('pages: an empty list and a list without pages end after one result', async () => {
  const empty = clientWith([{ page: 0, pages: 0, total: 0, messages: [] }])
  expect(await collect(listOutbox.pages(empty.client))).toHaveLength(1)
  const replays = clientWith([{ replays: [] }])
  expect(await collect(listWebhookReplays.all(replays.client))).toEqual([])
})

test('all: reads the next page only when it is needed', async () => {
  const { client, queries } = clientWith([
    { page: 0, pages: 9, messages: [{ queueId: 'a' }, { queueId: 'b' }] },
  ])
  for await (const { queueId } of listOutbox.all(client)) if (queueId === 'b') break
  expect(queries).toHaveLength(1)
})
