import { randomBytes } from 'node:crypto'
import { type Bus, on } from '@posthorn/bus'
import { getExportKey } from '@posthorn/contracts/commands/credentials'
import { readExportKey, writeExport } from '@posthorn/testkit'
import { admin, type Call, registration, testServers, type TestGateway } from './gateway.ts'

const range = { startDate: '2026-01-01', endDate: '2026-02-01' }

/** Servers of a test file, with a gateway and a fake of auth-bridge that unseals export keys. */
export async function exportWorld() {
  const servers = await testServers()
  const { db } = servers
  const bus = await servers.connectBus()
  const gateway = await servers.start()
  const unsealKey = (exportId: string) => readExportKey(db, servers.env.SVC_SECRET, exportId)
  let beforeReply: () => Promise<unknown> = () => Promise.resolve()
  const serve = () =>
    serveKeys(bus, async (exportId) => {
      const key = await unsealKey(exportId)
      await beforeReply()
      return key
    })
  let authBridge = await serve()
  return {
    ...servers,
    gateway,
    call: gateway.call,
    unsealKey,
    authBridge: {
      stop: () => authBridge[Symbol.asyncDispose](),
      start: async () => void (authBridge = await serve()),
      /** Sets a task that the fake of auth-bridge runs before each reply. */
      beforeReply: (task: () => Promise<unknown>) => void (beforeReply = task),
    },
    /** Creates an export through the API. Returns its id. */
    create: (account: string, body: object = {}) => createExport(gateway.call, account, body),
    /** Writes parts as the file of an export, random parts by default. Returns the file. */
    complete: async (exportId: string, parts = randomParts(4)) => {
      return writeExport(db, { exportId, key: await unsealKey(exportId), parts })
    },
    stop: async () => {
      await authBridge[Symbol.asyncDispose]()
      await bus[Symbol.asyncDispose]()
      await servers.stop()
    },
  }
}

function serveKeys(bus: Bus, unsealKey: (exportId: string) => Promise<Buffer>) {
  const handler = on(getExportKey, async ({ exportId }) => {
    const key = await unsealKey(exportId)
    return { key: key.toString('base64') }
  })
  return bus.serve({ queue: 'credentials', keys: ['credentials'], handlers: [handler] })
}

async function createExport(call: Call, account: string, body: object): Promise<string> {
  const answer = await call('POST', `/v1/account/${account}/export`, {
    body: { ...range, ...body },
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return String(answer.body['exportId'])
}

/** Random parts of an export file, which compression cannot make smaller. */
export function randomParts(count: number, bytes = 50_000): Buffer[] {
  return Array.from({ length: count }, () => randomBytes(bytes))
}

export async function register(call: Call, account: string, body: object = {}): Promise<void> {
  const answer = await call('POST', '/v1/account', { body: { ...registration(account), ...body } })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

/** Path of the file of an export. */
export function downloadPath(account: string, exportId: string): string {
  return `/v1/account/${account}/export/${exportId}/download`
}

/** Requests the file of an export. */
export function download(
  { url }: Pick<TestGateway, 'url'>,
  path: string,
  { method = 'GET', token = admin, headers = {} }: DownloadOptions = {},
): Promise<Response> {
  return fetch(url + path, { method, headers: { authorization: `Bearer ${token}`, ...headers } })
}

export interface DownloadOptions {
  method?: 'GET' | 'HEAD'
  token?: string
  headers?: Record<string, string>
}
