import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { startWorld } from '../world.ts'
import { benchAccess } from './access.ts'
import { benchAccounts } from './accounts.ts'
import { benchAdminPages } from './admin-pages.ts'
import { benchCommandLine } from './command-line.ts'
import { benchCpuCosts } from './cpu-costs.ts'
import { benchDocsSite } from './docs-site.ts'
import { benchExports } from './exports.ts'
import { benchFirstSync } from './first-sync.ts'
import { benchIdle } from './idle.ts'
import { benchImapProxy, imapProxyEnv } from './imap-proxy.ts'
import { benchLatency } from './latency.ts'
import { benchMailApis } from './mail-apis.ts'
import { benchNotifications } from './notifications.ts'
import { benchReading } from './reading.ts'
import { print } from './report.ts'
import { benchRestartReads } from './restart-reads.ts'
import { benchSending } from './sending.ts'
import { benchWebhooks } from './webhooks.ts'
import { benchWorkerMemory } from './worker-memory.ts'

// `make bench` prints figures with a reference from the same run. Figures are not asserted, because
// machines differ too much. The sandbox is measured first, because its measurement is of CPU time.
const measured = ['measure-index.ts', 'measure-accounts.ts'].map(
  (file) => `services/sync-worker/test/feeds/${file}`,
)
const database = ['measure-event-limit.ts', 'measure-text-indexes.ts'].map(
  (file) => `libs/db/test/${file}`,
)
for (const file of ['libs/sandbox/bench.ts', 'libs/client/bench.ts', ...database, ...measured])
  spawnSync(process.execPath, ['--expose-gc', join(checkout, file)], { stdio: 'inherit' })
for (const row of await benchAccess()) print(row)
for (const row of await benchNotifications()) print(row)
for await (const row of benchMailApis()) print(row)
process.stdout.write('restarting sync-workers with 1,000 accounts …\n')
for (const row of await benchRestartReads()) print(row)
process.stdout.write('starting idle services for 5 minutes …\n')
for (const row of await benchIdle()) print(row)
for (const row of await benchWorkerMemory()) print(row)
for (const row of await benchDocsSite()) print(row)
process.stdout.write('measuring the administration pages …\n')
for await (const row of benchAdminPages()) print(row)
for (const row of await benchCommandLine()) print(row)
process.stdout.write('exporting mailboxes …\n')
for (const row of await benchExports()) print(row)
process.stdout.write('starting the system with a durable Postgres …\n')
const world = await startWorld({ servers: 'own', durable: true, env: imapProxyEnv() })
try {
  const amqpUrl = world.rabbit?.amqp ?? ''
  for (const bench of [benchCpuCosts, benchLatency, benchReading, benchFirstSync, benchAccounts])
    for (const row of await bench(world)) print(row)
  for (const bench of [benchSending, benchImapProxy])
    for (const row of await bench(world)) print(row)
  for (const row of await benchWebhooks(world, amqpUrl)) print(row)
} finally {
  await world[Symbol.asyncDispose]()
}
