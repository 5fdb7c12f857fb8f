import { join } from 'node:path'
import { runScenario } from './demo/scenario.ts'
import { deliver } from './mail-hub/lmtp.ts'
import { cacheDirectory, localDirectory } from './paths.ts'
import { startSystem } from './system/system.ts'

// `make demo`: the whole system on this machine, from nothing, and its main job told line by line. Exit code 0 only if all of it happened.
const began = performance.now()
const tell = (line: string) =>
  void process.stdout.write(
    `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`,
  )

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

tell('starting PostgreSQL, RabbitMQ, Dovecot and seven services; the first time fetches packages')
const system = await startSystem({
  dir: join(localDirectory, `demo-${process.pid}`),
  cache: cacheDirectory(process.env),
  env: process.env,
})
try {
  const { url, token, serviceSecret, imapProxyPort, mail, services } = system
  if (!mail) throw new Error('the demo needs its mail server: do not set POSTHORN_DOVECOT=off')
  tell(`all are ready; the API is at ${url}`)
  const story = runScenario({
    url,
    token,
    serviceSecret,
    imapProxyPort,
    report: tell,
    mail: { ...mail, deliver: (user, rfc822) => deliver(mail.lmtpPort, user, rfc822) },
  })
  await Promise.race([story, interrupted(stop.signal)])
  tell(
    `everything happened, with ${Object.keys(services.pids).length} processes of ours. Taking it down again`,
  )
} catch (error) {
  tell(`it did not work: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  await system.stop()
}
if (process.exitCode !== 1)
  process.stdout.write(
    '\nWhere to go next: `make up` leaves the system running; README.md has the first calls; services/README.md tells how it works.\n',
  )

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true }),
  )
}
