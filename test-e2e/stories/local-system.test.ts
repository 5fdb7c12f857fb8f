import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { startSystem, type SystemOptions } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { testBus, testDatabase } from '@posthorn/testkit'

const [database, broker] = await Promise.all([testDatabase(), testBus()])
const dir = await mkdtemp(join(tmpdir(), 'posthorn-system-'))
afterAll(async () => {
  await Promise.all([database.drop(), broker.drop(), rm(dir, { recursive: true, force: true })])
})

/**
 * Options of the local system of `make up`: processes with ports that clients know. Postgres and
 * RabbitMQ are the servers of the tests.
 */
const options: SystemOptions = {
  dir,
  cache: cacheDirectory(process.env),
  keep: true,
  names: ['api-gateway', 'imap-proxy', 'smtp-proxy', 'auth-bridge'],
  env: {
    DATABASE_OWNER_URL: database.ownerUrl,
    AMQP_URL: broker.url,
    POSTHORN_DOVECOT: 'off',
  },
}
const file = join(dir, 'system.json')

interface StoredPorts {
  imapProxy: number
  smtpProxy: number
  health: Record<string, number>
}

const readPorts = async () => JSON.parse(await readFile(file, 'utf8')) as StoredPorts

/** Starts and stops the local system of `make up`. Returns the ports of the system. */
async function startAndStop(): Promise<number[]> {
  const system = await startSystem(options)
  const ports = [
    system.imapProxyPort,
    system.smtpProxyPort,
    ...Object.values(system.services.ports),
  ]
  await system.stop()
  return ports
}

test('startSystem: keeps its ports, no two of which are equal, over restarts', async () => {
  const first = await startAndStop()
  expect(new Set(first).size).toBe(first.length)
  for (let start = 2; start <= 4; start += 1) expect(await startAndStop()).toEqual(first)
})

test('startSystem: replaces a stored health port that equals the port of smtp-proxy', async () => {
  const { health, ...stored } = await readPorts()
  const equal = { ...health, 'smtp-proxy': stored.smtpProxy }
  await writeFile(file, JSON.stringify({ ...stored, health: equal }))
  const ports = await startAndStop()
  expect(new Set(ports).size).toBe(ports.length)
  expect(ports).toContain(stored.smtpProxy)
})

test('startSystem: names a port of clients that another process occupies, and the remedy', async () => {
  const { smtpProxy } = await readPorts()
  const other = createServer().listen(smtpProxy, '127.0.0.1')
  await once(other, 'listening')
  try {
    await expect(startAndStop()).rejects.toThrow(
      `another process listens on port ${smtpProxy} of smtp-proxy: stop it, or set POSTHORN_SMTP_PROXY_PORT to another port`,
    )
  } finally {
    other.close()
  }
})
