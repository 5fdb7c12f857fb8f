import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Change, type HistoryLost } from './changes.ts'
import { Posthorn } from './posthorn.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/**
 * Starts a fake API whose change streams are written by the given functions, one per connection.
 */
async function startApi(connections: ((response: ServerResponse) => void)[]) {
  const positions: (string | null)[] = []
  const server = createServer((request, response) => {
    positions.push(new URL(request.url ?? '', 'http://api.test').searchParams.get('lastEventId'))
    connections[positions.length - 1]?.(response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { posthorn: new Posthorn({ url }), positions }
}

async function take(changes: AsyncIterable<Change | HistoryLost>, count: number) {
  const taken: (Change | HistoryLost)[] = []
  for await (const change of changes) if (taken.push(change) === count) break
  return taken
}

const frame = (id: string, key: string) =>
  `id: ${id}\nevent: message\ndata: ${JSON.stringify({ account: 'änna', type: 'state', key, payload: null })}\n\n`

test('changes: yields changes, also if frames and characters are split', async () => {
  const bytes = Buffer.from(`: Posthorn v1\n\nid: 1-0\n\n${frame('1-1', 'connected')}`)
  const { posthorn } = await startApi([
    (response) => {
      const middle = bytes.indexOf('ä') + 1
      response.write(bytes.subarray(0, middle))
      setTimeout(() => response.write(bytes.subarray(middle)), 50)
    },
  ])
  expect(await take(posthorn.changes(), 1)).toEqual([
    { id: '1-1', account: 'änna', type: 'state', key: 'connected', payload: null },
  ])
})

test('changes: after a cut or an ended stream, continues after the last id', async () => {
  const { posthorn, positions } = await startApi([
    (response) => response.write('id: 1-0\n\n', () => response.destroy()),
    (response) => response.end(frame('1-1', 'connecting')),
    (response) => response.writeHead(503).end('{"message":"stopping"}'),
    (response) => response.write(frame('1-2', 'connected')),
  ])
  const changes = await take(posthorn.changes({ lastEventId: '0-9' }), 2)
  expect(changes.map(({ key }) => key)).toEqual(['connecting', 'connected'])
  expect(positions).toEqual(['0-9', '1-0', '1-1', '1-1'])
})

test('changes: reports lost history', async () => {
  const { posthorn } = await startApi([
    (response) => response.write('id: 5-0\nevent: historyLost\ndata: {"lastEventId":"1-0"}\n\n'),
  ])
  expect(await take(posthorn.changes({ lastEventId: '1-0' }), 1)).toEqual([
    { id: '5-0', type: 'historyLost', account: null, key: null, payload: null },
  ])
})

test('changes: without data, connects again', async () => {
  const { posthorn, positions } = await startApi([
    (response) => response.write(frame('1-1', 'connecting')),
    (response) => response.write(frame('1-2', 'connected')),
  ])
  await take(posthorn.changes({ idleTimeoutMs: 100 }), 2)
  expect(positions).toEqual([null, '1-1'])
})

test('changes: with a change that is not JSON, throws instead of passing over the change', async () => {
  const { posthorn, positions } = await startApi([
    (response) => response.write('id: 1-1\nevent: message\ndata: {"account"\n\n'),
  ])
  await expect(take(posthorn.changes(), 1)).rejects.toThrow(SyntaxError)
  expect(positions).toEqual([null])
})

test('changes: with a rejected token, throws the error of the API', async () => {
  const { posthorn } = await startApi([
    (response) => response.writeHead(401).end('{"message":"Bad token"}'),
  ])
  await expect(take(posthorn.changes(), 1)).rejects.toMatchObject({ status: 401 })
})

test('changes: when the signal aborts, throws its reason', async () => {
  const { posthorn } = await startApi([(response) => response.write(frame('1-1', 'connected'))])
  const controller = new AbortController()
  const reason = new Error('stopped')
  const changes = posthorn.changes({}, { signal: controller.signal })
  await changes.next()
  controller.abort(reason)
  await expect(changes.next()).rejects.toBe(reason)
})
