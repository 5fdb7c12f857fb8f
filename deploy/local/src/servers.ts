import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDirectory, localDirectory } from './paths.ts'
import { stopRecorded, listEnded, listRunning } from './process/run-record.ts'
import { startTestServers } from './system/test-servers.ts'

// Starts or stops servers for tests: node servers.ts start|stop. `start` starts Postgres with
// pgbouncer, RabbitMQ, Dovecot with a mail hub, Cyrus, Postfix and OpenSMTPD and leaves them
// running. The addresses of the servers are written as shell lines to .local/servers.env. `stop`
// deletes the data of the servers. TEST_CYRUS=off skips Cyrus and its tests, likewise
// TEST_PGBOUNCER, TEST_POSTFIX and TEST_OPENSMTPD.
const dir = join(localDirectory, 'test-servers')
const record = join(localDirectory, 'run/servers')
const envFile = join(localDirectory, 'servers.env')
const optional = ['TEST_CYRUS', 'TEST_PGBOUNCER', 'TEST_POSTFIX', 'TEST_OPENSMTPD']

async function start(): Promise<void> {
  const lines = await readFile(envFile, 'utf8').catch(() => '')
  // A non-empty servers.env means that all servers were started, because the file is written after
  // the last server has started.
  if (lines !== '' && listRunning(record).length > 0 && listEnded(record).length === 0) {
    process.stdout.write(
      `the test servers are already running; for tests: . .local/servers.env\n${lines}`,
    )
    return
  }
  await stop()
  await mkdir(dir, { recursive: true })
  const { env } = await startTestServers({
    dir,
    cache: cacheDirectory(process.env),
    record,
    env: Object.fromEntries(
      optional.filter((name) => process.env[name] === 'off').map((name) => [name, 'off']),
    ),
  })
  const fresh = Object.entries(env).map(([key, value]) => `export ${key}='${value}'\n`)
  await writeFile(envFile, fresh.join(''), { mode: 0o600 })
  process.stdout.write(
    `the test servers are running; for tests: . .local/servers.env\n${fresh.join('')}`,
  )
}

async function stop(): Promise<number> {
  const stopped = await stopRecorded(record)
  await rm(dir, { recursive: true, force: true })
  await rm(envFile, { force: true })
  return stopped
}

const command = process.argv[2]
if (command === 'start') await start()
else if (command === 'stop') process.stdout.write(`stopped ${await stop()} processes\n`)
else throw new Error('usage: servers.ts start|stop')
