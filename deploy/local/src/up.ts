import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireCommandLock } from './process/command-lock.ts'
import { cacheDirectory, localDirectory, upFiles } from './paths.ts'
import { serviceNames } from './role-passwords.ts'
import { stopRecorded, listEnded, listRunning } from './process/run-record.ts'
import type { SystemPorts } from './system/system-ports.ts'
import { startSystem, type System } from './system/system.ts'
import { systemVariables } from './system/system-variables.ts'

// `make up`: starts a local system and leaves it running. `make down` stops the system and keeps
// its data. The README lists the environment variables.
const { env } = process
const print = (line: string) => void process.stdout.write(`${line}\n`)

await using _lock = await acquireCommandLock(upFiles.lock, '`make up` or `make down`')
const running = listRunning(upFiles.record)
const ended = listEnded(upFiles.record)
const lines = await readFile(upFiles.env, 'utf8').catch(() => '')
if (running.length > 0 && ended.length === 0 && lines !== '') {
  print(`already running; for a shell: . ${upFiles.env}`)
  process.stdout.write(lines)
} else {
  if (ended.length > 0)
    print(`ended since the last start: ${ended.map(({ name }) => name).join(', ')}`)
  if (running.length > 0)
    print(`stopping the remaining processes: ${running.map(({ name }) => name).join(', ')}`)
  await stopRecorded(upFiles.record)
  await rm(upFiles.env, { force: true })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void onInterrupt())
  await bringUp()
}

async function bringUp(): Promise<void> {
  const ports = wantedPorts()
  print(
    'starting PostgreSQL, RabbitMQ, Dovecot and the services; the first start downloads packages',
  )
  const system = await startSystem({
    dir: join(localDirectory, 'system'),
    cache: cacheDirectory(env),
    keep: true,
    durable: true,
    env,
    bind: env['POSTHORN_BIND'] || '127.0.0.1',
    record: upFiles.record,
    names: serviceNames,
    ports,
    apiFrom: 3_000,
  })
  const { port: apiPort } = new URL(system.url)
  if (ports.api === undefined && apiPort !== '3000')
    print(`the API listens on port ${apiPort}: 3000 was in use at a start of this system`)
  await writeFile(upFiles.env, toShell(system), { mode: 0o600 })
  print(`Posthorn is running at ${system.url}; token and addresses: ${upFiles.env}`)
  if (system.admin) {
    print(`administration pages: ${system.admin.url}`)
    print(`  first owner, once: ${system.admin.setUpUrl}`)
  }
  print(`  curl -H "Authorization: Bearer $POSTHORN_TOKEN" ${system.url}/v1/accounts`)
}

/** Ports that environment variables set for the local system. */
function wantedPorts(): Partial<SystemPorts> {
  const wanted = {
    api: port('POSTHORN_PORT'),
    imapProxy: port('POSTHORN_IMAP_PROXY_PORT'),
    smtpProxy: port('POSTHORN_SMTP_PROXY_PORT'),
    admin: port('POSTHORN_ADMIN_PORT'),
    postgres: port('POSTHORN_POSTGRES_PORT'),
    rabbitmq: port('POSTHORN_RABBITMQ_PORT'),
    dovecotImap: port('POSTHORN_DOVECOT_IMAP_PORT'),
    dovecotImaps: port('POSTHORN_DOVECOT_IMAPS_PORT'),
    dovecotSubmission: port('POSTHORN_DOVECOT_SUBMISSION_PORT'),
  }
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}

function port(name: string): number | undefined {
  const text = env[name]
  if (!text) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 65_535)
    throw new Error(`${name} must be a port, got ${text}`)
  return value
}

function toShell(system: System): string {
  const variables = { POSTHORN_ENV_FILE: upFiles.env, ...systemVariables(system) }
  return Object.entries(variables)
    .map(([key, value]) => `export ${key}='${value}'\n`)
    .join('')
}

async function onInterrupt(): Promise<void> {
  await stopRecorded(upFiles.record)
  process.exit(130)
}
