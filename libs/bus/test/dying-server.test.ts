import { afterAll, expect, test } from '@jest/globals'
import { eventually, testBus } from '@posthorn/testkit'
import { download, greet } from './commands.ts'
import { openBus } from './open-bus.ts'
import { killAll, startDying } from './start-dying.ts'

const { url, drop } = await testBus()
const bus = await openBus(url)

afterAll(async () => {
  killAll()
  await bus[Symbol.asyncDispose]()
  await drop()
})

// RPC requests time out after the end of the test, so only a detected crash of the responder can
// end them in time.
const options = { key: 'shard.1', timeoutMs: 600_000 }
const unheld = expect.objectContaining({ kind: 'unavailable', code: 'WorkerNotAvailable' })

test('Bus.request: fails when the responder is killed', async () => {
  const server = await startDying(url)
  const outcome = expect(bus.request(greet, { name: 'you' }, options)).rejects.toEqual(unheld)
  // A responder's crash before it has acknowledged the RPC request is detected only at the
  // deadline.
  await eventually(server.acknowledged)
  server.kill()
  await outcome
  await expect(bus.request(greet, { name: 'you' }, options)).rejects.toEqual(unheld)
})

test('Bus.requestStream: fails when the responder is killed', async () => {
  const server = await startDying(url)
  const { body } = await bus.requestStream(download, {}, options)
  await eventually(server.begun)
  const reading = (async () => {
    for await (const chunk of body) if (chunk.length > 0) server.kill()
  })()
  await expect(reading).rejects.toEqual(unheld)
})
