import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createClient } from '../create-client.ts'
import { downloadExport } from '../generated/operations.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

interface FileServerOptions {
  file: Buffer
  /** Number of bytes after which the test's file server cuts each of the first connections. */
  cuts: number[]
  /** Returns the ETag of the downloaded file for each request. */
  etag?: (request: number) => string
}

/** Serves a file with HTTP ranges. Returns a client and the requested ranges. */
async function serveFile({ file, cuts, etag = () => '"1"' }: FileServerOptions) {
  const ranges: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const { range, 'if-range': ifRange } = request.headers
    const current = etag(ranges.length)
    ranges.push(range)
    const isPartial = range !== undefined && ifRange === current
    const start = isPartial ? Number(/\d+/.exec(range)?.[0]) : 0
    const part = file.subarray(start)
    response.writeHead(isPartial ? 206 : 200, {
      etag: current,
      'content-length': part.length,
      ...(isPartial && { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` }),
    })
    const cut = cuts[ranges.length - 1]
    if (cut === undefined) return void response.end(part)
    response.flushHeaders()
    if (cut > 0) response.write(part.subarray(0, cut))
    // Ends the connection to the downloading client after all written bytes.
    response.socket?.end()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: createClient({ url }), ranges }
}

const input = { account: 'anna', exportId: 'exp1' }
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('downloadExport: after cut connections, continues and returns the whole file', async () => {
  const file = randomBytes(1_000_000)
  const { client, ranges } = await serveFile({ file, cuts: [300_000, 200_000, 0] })
  const response = await downloadExport(client, input)
  expect(digest(await response.bytes())).toBe(digest(file))
  expect(ranges).toEqual([undefined, 'bytes=300000-', 'bytes=500000-', 'bytes=500000-'])
})

test('downloadExport: if the file changed, fails instead of mixing two files', async () => {
  const etag = (request: number) => `"${request}"`
  const { client } = await serveFile({ file: randomBytes(1_000_000), cuts: [300_000], etag })
  const response = await downloadExport(client, input)
  await expect(response.arrayBuffer()).rejects.toThrow('the file changed')
})

test('downloadExport: if no byte arrives, gives up', async () => {
  const { client, ranges } = await serveFile({
    file: randomBytes(1_000_000),
    cuts: [300_000, 0, 0, 0, 0, 0, 0],
  })
  const response = await downloadExport(client, input)
  await expect(response.arrayBuffer()).rejects.toMatchObject({ name: 'PosthornConnectionError' })
  expect(ranges).toHaveLength(4)
})

test('downloadExport: when the signal aborts, the stream fails without another request', async () => {
  const { client, ranges } = await serveFile({ file: randomBytes(1_000_000), cuts: [300_000] })
  const controller = new AbortController()
  const response = await downloadExport(client, input, { signal: controller.signal })
  controller.abort()
  await expect(response.arrayBuffer()).rejects.toMatchObject({ name: 'AbortError' })
  expect(ranges).toHaveLength(1)
})

test('downloadExport: a requested range is returned as it is', async () => {
  const file = randomBytes(1_000)
  const { client } = await serveFile({ file, cuts: [] })
  const response = await downloadExport(client, { ...input, range: 'bytes=900-', ifRange: '"1"' })
  expect(response.status).toBe(206)
  expect(digest(await response.bytes())).toBe(digest(file.subarray(900)))
})
