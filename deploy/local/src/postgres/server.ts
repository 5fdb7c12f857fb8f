import { execFile } from 'node:child_process'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '../process/error-code.ts'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { freePort } from '../process/ports.ts'
import { escapeIdentifier, withClient } from './client.ts'
import { findPostgres } from './program.ts'
import { launch } from '../process/launch.ts'
import { randomPassword, loadOrCreateState } from '../files/state-file.ts'
import {
  createServerDirectory,
  type DataDirectory,
  createDataDirectory,
} from '../files/data-directory.ts'

export interface PostgresOptions {
  /** Kept: port, password, log, and (usually) the data. */
  dir: string
  port?: number
  /** Whether commits survive a loss of power; default true. Tests do without, and are faster. A killed server loses nothing either way. */
  durable?: boolean
  /** Where to note its processes; they then go on when we end. */
  record?: string | undefined
}

export interface Postgres extends ManagedServer {
  /** As the owner `posthorn`, a superuser, to the database `postgres`. */
  readonly url: string
  readonly port: number
  /** Makes a database if there is none by that name; its address as the owner. */
  database(name: string): Promise<string>
  /** Stops it and removes its data. */
  destroy(): Promise<void>
}

interface State {
  port: number
  password: string
}

/**
 * PostgreSQL 18 on this machine, from the dependencies. Passwords are asked of everybody (SCRAM), so roles can be told apart.
 *
 * When we are root it runs as `nobody`, as it refuses root.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dir, durable = true, record } = options
  const directory = await createDataDirectory(dir)
  const bin = await findPostgres()
  const { port, password } = await loadOrCreateState<State>(
    join(dir, 'postgres.json'),
    async () => ({ port: await freePort(), password: randomPassword() }),
    options.port === undefined ? {} : { port: options.port },
  )
  const data = await initialise({ bin, directory, password })
  const url = `postgres://posthorn:${password}@127.0.0.1:${port}/postgres`
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    ...commonSettings,
    ...(durable ? {} : testSettings),
  }
  const start = async () => {
    const running = await launch({
      command: join(bin, 'postgres'),
      args: [
        '-D',
        data,
        ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      cwd: '/',
      ...directory.owner,
      logFile: join(dir, 'postgres.log'),
      record,
      name: 'postgres',
      signal: 'SIGINT', // "fast": ends sessions instead of waiting for them
    })
    await waitUntilReady(
      { name: 'PostgreSQL', process: running },
      async () => void (await withClient(url, (client) => client.query('select 1'))),
    )
    return [running]
  }
  const server = await manageServer(() => retryWhileLocked(start))
  return Object.assign(server, {
    url,
    port,
    database: (name: string) => createDatabase(url, name),
    async destroy() {
      await server.stop()
      await rm(directory.dir, { recursive: true, force: true })
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/** After a kill the lock and the memory of the one before stay in use for as long as its last process takes to end. */
async function retryWhileLocked<T>(start: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left--) {
    try {
      return await start()
    } catch (error) {
      const inUse = /postmaster\.pid" already exists|pre-existing shared memory/.test(String(error))
      if (!inUse || left === 0) throw error
      await delay(100)
    }
  }
}

const commonSettings = {
  unix_socket_directories: '', // paths of sockets are limited to 107 bytes, folders are not
  max_connections: 300,
  shared_buffers: '64MB',
  log_min_messages: 'warning',
  timezone: 'UTC',
  log_timezone: 'UTC',
}
/** Commits are still written before they are answered: only a machine that dies loses them, not a server that is killed. */
const testSettings = { fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '10s' }

async function initialise({
  bin,
  directory,
  password,
}: {
  bin: string
  directory: DataDirectory
  password: string
}): Promise<string> {
  const data = join(directory.dir, 'data')
  if (await exists(join(data, 'PG_VERSION'))) return data
  // A first start that was cut short is begun again: PG_VERSION is written early, so the draft gets its name only when it is whole.
  const draft = join(directory.dir, 'data.draft')
  await rm(draft, { recursive: true, force: true })
  await createServerDirectory(draft, directory.owner)
  const passwordFile = join(
    await createServerDirectory(join(directory.dir, 'init'), directory.owner),
    'password',
  )
  await writeFile(passwordFile, password, { mode: 0o644 })
  const args = ['-D', draft, '-U', 'posthorn', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256']
  await promisify(execFile)(
    join(bin, 'initdb'),
    [...args, '-E', 'UTF8', '--no-locale', '--no-sync'],
    {
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      cwd: '/',
      ...directory.owner,
    },
  )
  await rm(join(directory.dir, 'init'), { recursive: true, force: true })
  await rename(draft, data)
  return data
}

async function createDatabase(url: string, name: string): Promise<string> {
  await withClient(url, (client) =>
    client.query(`create database ${escapeIdentifier(name)}`),
  ).catch((error: unknown) => {
    // 42P04: there is one; 23505: another process made it at the same moment
    if (!['42P04', '23505'].includes(errorCode(error) ?? '')) throw error
  })
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
