import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import type { ProviderFake, ProviderFault } from '@posthorn/testkit/providers'

export interface KilledSendersOptions {
  env: Record<string, string>
  /** Addresses of the fakes by origins of the providers. */
  origins: Readonly<Record<string, string>>
  fakes: readonly Pick<ProviderFake, 'on'>[]
  /** Operations at which a sender is killed, each twice: before it takes effect, and after. */
  moments: readonly string[]
  /** Called with the path of the request at each kill. */
  onKill?: (path: string) => void
}

/** Each of the two senders uses the fakes by another name. */
const hosts = ['127.0.0.1', 'localhost']

/**
 * Runs two senders at fakes until `done` resolves. Each one that is killed is started again.
 * Returns the kills that did not take place.
 */
export async function runKilledSenders(
  { env, origins, fakes, moments, onKill }: KilledSendersOptions,
  done: () => Promise<void>,
): Promise<string[]> {
  const left = moments.flatMap((moment) => [`before ${moment}`, `after ${moment}`])
  const random = new SeededRandom(7)
  /** Requests of an operation that still pass before its next kill. */
  const skipped = new Map<string, number>()
  const running = new Map<string, ChildProcess>()
  const kill: ProviderFault = ({ operation, headers, path }) => {
    const sender = running.get(headers.host?.split(':')[0] ?? '')
    const phase = (['before', 'after'] as const).find((each) =>
      left.includes(`${each} ${operation}`),
    )
    const passing = skipped.get(operation) ?? 0
    if (!sender || !phase) return undefined
    skipped.set(operation, passing === 0 ? random.below(8) : passing - 1)
    if (passing > 0) return undefined
    left.splice(left.indexOf(`${phase} ${operation}`), 1)
    sender.kill('SIGKILL')
    onKill?.(path)
    return phase === 'before' ? { kind: 'reset', phase } : undefined
  }
  const removals = fakes.map((fake) => fake.on('*', kill))
  const stop = Promise.withResolvers<void>()
  let isDone = false
  const run = async (host: string) => {
    while (!isDone) {
      const sender = startSender(env, mapped(origins, host))
      running.set(host, sender)
      const ended = once(sender, 'exit')
      await Promise.race([ended, stop.promise])
      sender.kill('SIGKILL')
      await ended
    }
  }
  const runs = Promise.all(hosts.map(run))
  try {
    await done()
  } finally {
    isDone = true
    stop.resolve()
    await runs
    for (const remove of removals) remove()
  }
  return left
}

function mapped(origins: Readonly<Record<string, string>>, host: string): string {
  const pairs = Object.entries(origins).map(
    ([origin, fake]) => `${origin}=${fake.replace(hosts[0] ?? '', host)}`,
  )
  return pairs.join(',')
}

function startSender(env: Record<string, string>, origins: string): ChildProcess {
  return spawn(process.execPath, ['src/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'ignore',
    env: {
      ...env,
      SVC_SENDER_LEASE: '1500ms',
      SVC_PROVIDER_ORIGINS: origins,
      SVC_DATABASE_POOL_SIZE: '2',
      // Loading the modules takes most of the time of a start.
      NODE_COMPILE_CACHE: join(tmpdir(), 'posthorn-sender-modules'),
    },
  })
}
