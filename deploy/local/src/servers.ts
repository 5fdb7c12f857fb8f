import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, localFolder } from './paths.ts'
import { recordRun, stopRun, whatRuns } from './run-record.ts'
import { startTestServers } from './test-servers.ts'

// node servers.ts start|stop: Postgres, RabbitMQ, Dovecot and a mail hub for tests, left running; their addresses, as shell lines, in
// .local/servers.env. Stopping them removes their data.
const dir = join(localFolder, 'test-servers')
const record = join(localFolder, 'run/servers.json')
const envFile = join(localFolder, 'servers.env')

async function start(): Promise<void> {
  if ((await whatRuns(record)) === 'all') {
    process.stdout.write(`they run already:\n${await readFile(envFile, 'utf8')}`)
    return
  }
  await stop()
  await mkdir(dir, { recursive: true })
  const { env, servers } = await startTestServers({
    dir,
    cache: cacheFolder(process.env),
    outlive: true,
  })
  await recordRun(
    record,
    servers.flatMap((server) => server.processes),
  )
  const lines = Object.entries(env).map(([key, value]) => `export ${key}='${value}'\n`)
  await writeFile(envFile, lines.join(''), { mode: 0o600 })
  process.stdout.write(
    `Postgres, RabbitMQ, Dovecot and the mail hub run; for tests: . .local/servers.env\n${lines.join('')}`,
  )
}

async function stop(): Promise<void> {
  await stopRun(record)
  await rm(dir, { recursive: true, force: true })
  await rm(envFile, { force: true })
}

const command = process.argv[2]
if (command === 'start') await start()
else if (command === 'stop') await stop()
else throw new Error('usage: servers.ts start|stop')
