import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { startWorld } from '../world.ts'
import { benchAccess } from './access.ts'
import { benchAccounts } from './accounts.ts'
import { benchFirstSync } from './first-sync.ts'
import { benchImapProxy, imapProxyEnv } from './imap-proxy.ts'
import { benchLatency } from './latency.ts'
import { benchReading } from './reading.ts'
import { print } from './report.ts'
import { benchSending } from './sending.ts'
import { benchWebhooks } from './webhooks.ts'

// `make bench` prints figures with a reference from the same run. Nothing is asserted: machines
// differ more than ratios. The sandbox comes first, because it measures CPU time.
spawnSync(process.execPath, [join(checkout, 'libs/sandbox/bench.ts')], { stdio: 'inherit' })
for (const row of await benchAccess()) print(row)
process.stdout.write('starting the system with a durable Postgres …\n')
const world = await startWorld({ servers: 'own', durable: true, env: imapProxyEnv() })
try {
  const amqpUrl = world.rabbit?.amqp ?? ''
  for (const bench of [benchLatency, benchReading, benchFirstSync, benchAccounts])
    for (const row of await bench(world)) print(row)
  for (const bench of [benchSending, benchImapProxy])
    for (const row of await bench(world)) print(row)
  for (const row of await benchWebhooks(world, amqpUrl)) print(row)
} finally {
  await world[Symbol.asyncDispose]()
}
