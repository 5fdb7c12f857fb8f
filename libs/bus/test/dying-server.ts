// A process that answers shard.1 and never finishes, to be killed: node dying-server.ts <address>. It says `begun` for each request.
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { connectBus, on } from '../src/index.ts'
import { download, greet } from './commands.ts'

const [, , url = ''] = process.argv
const log = createLogger('dying', 'silent')
const bus = await connectBus({ url, name: 'dying', log, metrics: createMetrics('dying') })
await bus.whenUp()
const begun = () => void process.stdout.write('begun\n')
await bus.serve({
  queue: 'private',
  keys: ['shard.1'],
  handlers: [
    on(greet, () => {
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
  ],
})
process.stdout.write('ready\n')
