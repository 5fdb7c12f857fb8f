// RPC responder that a test kills: node dying-server.ts <url> [shared]. The responder serves
// `shard.1` and never replies. With `shared` the responder serves `credentials` and replies to the
// first request only. The process prints `begun` for each request without a reply, and
// `acknowledged` once the acknowledgement of the request was sent.
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { connectBus, on } from '../src/index.ts'
import { download, greet, redeem } from './commands.ts'

const [, , url = '', shared] = process.argv
const log = createLogger('dying', 'silent')
const bus = await connectBus({ url, name: 'dying', log, metrics: createMetrics('dying') })
await bus.whenUp()
/**
 * Delay that is longer than the delay before an RPC request is acknowledged. Timers of one process
 * fire in order.
 */
const afterAckMs = 500
function begun(): void {
  process.stdout.write('begun\n')
  setTimeout(() => process.stdout.write('acknowledged\n'), afterAckMs)
}
let replies = shared === undefined ? 0 : 1
const handlers = [
  on(greet, () => {
    if (replies-- > 0) return Promise.resolve({ words: 'the dying' })
    begun()
    return new Promise(() => undefined)
  }),
  on(redeem, () => {
    begun()
    return new Promise(() => undefined)
  }),
  on(download, async () => ({
    response: {},
    body: (async function* () {
      begun()
      for (;;) yield Buffer.alloc(100_000)
    })(),
  })),
]
await bus.serve(
  shared === undefined
    ? { queue: 'private', keys: ['shard.1'], handlers }
    : { queue: 'credentials', handlers },
)
process.stdout.write('ready\n')
