import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  request as send,
  type RequestListener,
} from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { serve } from '@posthorn/http'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { TcpRelay, testDatabase } from '@posthorn/testkit'
import { Router } from 'express'
import { createAuditLog } from '../src/audit/audit-log.ts'
import { mountAudit } from '../src/endpoints/audit.ts'
import { mountCalls } from '../src/endpoints/call.ts'
import { mountMessageFrame } from '../src/endpoints/message-frame.ts'
import { mountTemplateFrame } from '../src/endpoints/template-frame.ts'
import type { CallResult } from '../src/forwarding/call-counter.ts'
import { Forwarder } from '../src/forwarding/forwarder.ts'
import { SessionWatch } from '../src/forwarding/session-watch.ts'
import type { SignedIn } from '../src/identity/signed-in.ts'

type Role = SignedIn['person']['role']

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

interface SendOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Sends an HTTP request whose path Node does not normalise. */
export async function sendRaw(
  port: number,
  path: string,
  options: SendOptions = {},
): Promise<Reply> {
  const { method = 'GET', headers = {}, body } = options
  const outgoing = send({ host: '127.0.0.1', port, method, path, headers, agent: false })
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  return { status: incoming.statusCode, headers: incoming.headers, body: await buffer(incoming) }
}

/**
 * Starts an HTTP server in place of api-gateway. The server records its requests and replies as the
 * test decides.
 */
export async function startFakeGateway() {
  const requests: { method: string; url: string; headers: IncomingHttpHeaders }[] = []
  const gateway = {
    requests,
    reply: ((_request, response) => void response.end('{}')) as RequestListener,
    url: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers })
    gateway.reply(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  gateway.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return gateway
}

/**
 * Starts the part of admin-ui that forwards and records calls, with a fake api-gateway, and a TCP
 * relay before Postgres. `signIn` signs a person in: the header `x-test-session` replaces the
 * session cookie.
 */
export async function startCallWorld({ silenceMs = 60_000 } = {}) {
  const stack = new AsyncDisposableStack()
  const database = await testDatabase()
  stack.defer(() => database.drop())
  const url = new URL(database.roleUrl('posthorn_admin_ui'))
  const target = { hostname: url.hostname, port: url.port }
  const relay = stack.use(await TcpRelay.to(target))
  const db = connect(Object.assign(url, { host: relay.address }).href, { name: 'test', max: 2 })
  stack.defer(() => db.destroy())
  const gateway = stack.use(await startFakeGateway())
  const [log, metrics] = [createLogger('test', 'silent'), createMetrics('test')]
  const audit = stack.use(createAuditLog(db, { log, metrics, delayMs: 20 }))
  const sessions = new SessionWatch(db, log)
  const forwarder = new Forwarder({ gatewayUrl: gateway.url, audit, sessions, metrics, silenceMs })
  const people = new Map<string, SignedIn>()
  const authenticate = async ({ headers }: { headers: IncomingHttpHeaders }) => {
    const signedIn = people.get(String(headers['x-test-session']))
    if (!signedIn) throw new AppError('unauthorized', 'Sign in first')
    return signedIn
  }
  const router = Router({ caseSensitive: true })
  mountCalls(router, { authenticate, forwarder })
  mountMessageFrame(router, { authenticate, forwarder, log })
  mountTemplateFrame(router, { authenticate, log })
  mountAudit(router, { authenticate, db })
  const mount = (app: { use: (handler: Router) => unknown }) => void app.use(router)
  const server = await serve({ host: '127.0.0.1', port: 0, log, metrics, checks: {}, mount })
  stack.use(server)
  stack.use(sessions)
  stack.use(forwarder)
  return {
    db: database.db,
    service: db,
    /** Number of forwarded calls with a result, as the metrics have it. */
    async countOf(result: CallResult) {
      const pattern = new RegExp(`^posthorn_admin_calls_total{.*result="${result}".*} (\\d+)$`, 'm')
      return Number(pattern.exec(await metrics.text())?.[1] ?? 0)
    },
    audit,
    sessions,
    gateway,
    port: server.port,
    /** Makes Postgres unreachable until `connectPostgres`. */
    cutPostgres: () => relay.retarget({ hostname: '127.0.0.1', port: '1' }),
    connectPostgres: () => relay.retarget(target),
    async signIn(role: Role, mail: { until: Date; reason: string } | null = null) {
      const signedIn = await insertSession(database.db, role, mail)
      people.set(signedIn.session.id, signedIn)
      return signedIn.session.id
    },
    rows: () =>
      database.db.selectFrom('adminAudit').selectAll().orderBy('at').orderBy('id').execute(),
    call(session: string, path: string, options: SendOptions = {}) {
      const headers = { 'x-test-session': session, ...options.headers }
      return sendRaw(server.port, path, { ...options, headers })
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
export type CallWorld = Awaited<ReturnType<typeof startCallWorld>>

async function insertSession(
  db: Awaited<ReturnType<typeof testDatabase>>['db'],
  role: Role,
  mail: { until: Date; reason: string } | null,
): Promise<SignedIn> {
  const [id, session] = [randomUUID(), randomUUID()]
  const person = { id, email: `${id}@example.com`, name: 'Kim', role, mayReadMail: mail !== null }
  const expiresAt = new Date(Date.now() + 3_600_000)
  const rights = { mailUntil: mail?.until ?? null, mailReason: mail?.reason ?? null }
  await db.insertInto('adminPeople').values(person).execute()
  const unique = { hash: session, credentialHash: `c${session}`, salt: 's' }
  const client = { address: '192.0.2.7', browser: 'Firefox' }
  const row = { ...unique, ...client, ...rights, id: session, person: id, expiresAt }
  await db.insertInto('adminSessions').values(row).execute()
  const now = new Date()
  return {
    person,
    session: { id: session, createdAt: now, expiresAt, factorAt: now, ...rights },
    credential: `sess_${session}`,
    address: '192.0.2.7',
  }
}
