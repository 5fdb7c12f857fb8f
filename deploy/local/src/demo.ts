import { join } from 'node:path'
import { runScenario } from './demo/scenario.ts'
import { deliver } from './mail-hub/lmtp.ts'
import { cacheDirectory, localDirectory } from './paths.ts'
import { startSystem } from './system/system.ts'

// `make demo`: starts the whole system, then receives, sends and reads mail. Exits with 0 only if
// every step succeeded.
const began = performance.now()
const report = (line: string) =>
  void process.stdout.write(
    `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`,
  )

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

report(
  'starting PostgreSQL, RabbitMQ, Dovecot and seven services; the first start downloads packages',
)
const system = await startSystem({
  dir: join(localDirectory, `demo-${process.pid}`),
  cache: cacheDirectory(process.env),
  env: process.env,
})
try {
  const { url, token, serviceSecret, imapProxyPort, mail, services } = system
  if (!mail) throw new Error('the demo needs its mail server: unset POSTHORN_DOVECOT=off')
  report(`all services are ready; the API is at ${url}`)
  const scenario = runScenario({
    url,
    token,
    serviceSecret,
    imapProxyPort,
    report,
    mail: { ...mail, deliver: (user, rfc822) => deliver(mail.lmtpPort, user, rfc822) },
  })
  await Promise.race([scenario, interrupted(stop.signal)])
  report(
    `all steps succeeded, with ${Object.keys(services.pids).length} service processes. Stopping the system`,
  )
} catch (error) {
  report(`demo failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  await system.stop()
}
if (process.exitCode !== 1)
  process.stdout.write(
    '\nNext: `make up` leaves the system running, README.md has the first API calls, services/README.md describes the design.\n',
  )

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true }),
  )
}
