import type { Bootstrapped } from '@posthorn/service/bootstrap'
import type { Router } from 'express'
import type { AttemptLog } from './audit/audit-log.ts'
import { startAuditRetention } from './audit/retention.ts'
import { mountAudit } from './endpoints/audit.ts'
import { mountCalls } from './endpoints/call.ts'
import { mountLive } from './endpoints/live.ts'
import { mountMessageFrame } from './endpoints/message-frame.ts'
import { mountTemplateFrame } from './endpoints/template-frame.ts'
import { Forwarder } from './forwarding/forwarder.ts'
import { SessionWatch } from './forwarding/session-watch.ts'
import type { Authenticate } from './identity/signed-in.ts'
import { LiveUpdates } from './live/live-updates.ts'

export interface CallParts {
  context: Pick<Bootstrapped, 'db' | 'bus' | 'log' | 'metrics'>
  /** Address of api-gateway, and age at which months of the audit log are deleted. */
  config: { readonly gatewayUrl: string; readonly auditKeepMs: number }
  audit: AttemptLog
  authenticate: Authenticate
  routes: Router
}

const dayMs = 86_400_000

/**
 * Mounts the endpoints for forwarded calls, frames with HTML, live updates and the audit log.
 * Starts the retention of the audit log.
 */
export async function startCalls(
  stack: AsyncDisposableStack,
  { context: { db, bus, log, metrics }, config, audit, authenticate, routes }: CallParts,
): Promise<void> {
  const { gatewayUrl, auditKeepMs } = config
  const keepDays = Math.ceil(auditKeepMs / dayMs)
  stack.use(startAuditRetention(db, { log, metrics, keepDays }))
  const sessions = stack.use(new SessionWatch(db, log))
  const forwarder = stack.use(new Forwarder({ gatewayUrl, audit, sessions, metrics }))
  const live = stack.use(new LiveUpdates({ gatewayUrl, sessions, log, metrics }))
  const onInvalidate = ({ topic }: { topic: string }) => {
    if (topic === 'adminSessions') sessions.wake()
  }
  stack.use(await bus.onInvalidate(onInvalidate))
  mountCalls(routes, { authenticate, forwarder })
  mountMessageFrame(routes, { authenticate, forwarder, log })
  mountTemplateFrame(routes, { authenticate, log })
  mountLive(routes, { authenticate, live })
  mountAudit(routes, { authenticate, db })
}
