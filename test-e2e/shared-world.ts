import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '@posthorn/client'
import { localDirectory } from '@posthorn/local/paths'
import { listEnded, recordProcess } from '@posthorn/local/process/run-record'
import { startServices } from '@posthorn/local/system/services'
import { startWebhookReceiver, testBus, testDatabase, testDovecot } from '@posthorn/testkit'
import { shortIntervals } from './intervals.ts'
import { openWorld, receiverSettings, systemConfig, type WorldAccess } from './world.ts'

/**
 * Access of one test file to a system that all test files of a Jest worker share. Disposal deletes
 * the accounts of the file. Each file has its own webhook receiver.
 */
export interface SharedWorld extends WorldAccess, AsyncDisposable {
  /** Process ids of the services, by name of the service. */
  pids: Readonly<Record<string, number>>
  [Symbol.asyncDispose](): Promise<void>
}

/** Description of a running shared system. Stored for the later test files of the Jest worker. */
interface SharedSystem {
  url: string
  token: string
  serviceSecret: string
  pids: Record<string, number>
  database: string
  vhost: string
}

/**
 * Settings of the shared system that tests change, with their values at the start of every test
 * file.
 */
const initialSettings = {
  notifyAttachments: false,
  serviceUrl: null,
  imapProxyServerEnabled: false,
  smtpServerEnabled: false,
  smtpServerPassword: null,
}

/**
 * Returns the shared system of this Jest worker. The first test file of the worker starts the
 * system, which takes about 10 s of CPU time. `shared-world-setup.ts` stops the system after the
 * last file.
 */
export async function useSharedWorld(settings: Settings = {}): Promise<SharedWorld> {
  await using stack = new AsyncDisposableStack()
  const { url, token, serviceSecret, pids } = (await findRunning()) ?? (await startShared())
  const mail = stack.adopt(await testDovecot(), (dovecot) => dovecot.drop())
  const receiver = stack.adopt(await startWebhookReceiver(), (hook) => hook.close())
  const world = openWorld({ url, token, serviceSecret, mail, receiver })
  await world.posthorn.updateSettings({
    body: { ...initialSettings, ...receiverSettings(receiver), ...settings },
  })
  const accounts = new Set<string>()
  stack.defer(async () => {
    for (const account of accounts) await world.posthorn.deleteAccount({ account })
  })
  const resources = stack.move()
  return {
    ...world,
    pids,
    register(account, user, change) {
      accounts.add(account)
      return world.register(account, user, change)
    },
    connectAccount(account = uniqueAccount()) {
      accounts.add(account)
      return world.connectAccount(account)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Returns an account id that no other test file uses. */
export function uniqueAccount(name = 'account'): string {
  return `${name}-${randomBytes(4).toString('hex')}`
}

/**
 * Paths of the files of this Jest worker's system: its description, and the record of its
 * processes.
 */
function filesOfWorker(): { description: string; processes: string } {
  const dir = process.env['E2E_SHARED_WORLDS']
  if (dir === undefined) throw new Error('E2E_SHARED_WORLDS is not set, run Jest with its config')
  const worker = join(dir, process.env['JEST_WORKER_ID'] ?? '0')
  return { description: `${worker}.json`, processes: `${worker}.processes` }
}

async function findRunning(): Promise<SharedSystem | undefined> {
  const { description, processes } = filesOfWorker()
  if (!existsSync(description) || listEnded(processes).length > 0) return undefined
  return JSON.parse(await readFile(description, 'utf8')) as SharedSystem
}

async function startShared(): Promise<SharedSystem> {
  const { description, processes } = filesOfWorker()
  const database = await testDatabase()
  await database.db.destroy()
  const bus = await testBus()
  await bus.grantServices()
  const { shared, serviceSecret, token } = systemConfig({
    ownerUrl: database.ownerUrl,
    amqpUrl: bus.url,
  })
  const logDir = join(localDirectory, 'e2e-logs', `shared-${bus.vhost}`)
  await mkdir(logDir, { recursive: true })
  // The heartbeat interval is long, so that a sync-worker that is suspended on a busy machine keeps
  // its shards. No test file kills a sync-worker.
  const env = { ...shortIntervals, SVC_WORKER_HEARTBEAT: '20s' }
  const services = await startServices({
    logDir,
    bundle: process.env['TEST_BUNDLE'],
    shared: { ...shared, settings: { serviceSecret }, env },
  })
  for (const [name] of Object.entries(services.pids))
    for (const { id, signal } of services.get(name).processes)
      recordProcess(processes, { ...id, signal, name: `service ${name}` })
  const system: SharedSystem = {
    url: services.urls['api-gateway'] ?? '',
    token,
    serviceSecret,
    pids: services.pids,
    database: database.ownerUrl,
    vhost: bus.vhost,
  }
  await writeFile(description, JSON.stringify(system), { mode: 0o600 })
  return system
}
