import type { Bootstrapped } from '@posthorn/service/bootstrap'
import type { Router } from 'express'
import type { AttemptLog } from './audit/audit-log.ts'
import { startAuditRetention } from './audit/retention.ts'
import { mountAudit } from './endpoints/audit.ts'
import { mountCalls } from './endpoints/call.ts'
import { mountMessageFrame } from './endpoints/message-frame.ts'
import { Forwarder } from './forwarding/forwarder.ts'
import type { Authenticate } from './identity/signed-in.ts'

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
 * Mounts the endpoints for forwarded calls, frames with messages and the audit log, and starts the
 * retention of the audit log.
 */
export async function startCalls(
  stack: AsyncDisposableStack,
  { context: { db, bus, log, metrics }, config, audit, authenticate, routes }: CallParts,
): Promise<void> {
  const { gatewayUrl, auditKeepMs } = config
  const keepDays = Math.ceil(auditKeepMs / dayMs)
  stack.use(startAuditRetention(db, { log, metrics, keepDays }))
  const forwarder = stack.use(new Forwarder({ gatewayUrl, db, audit, log, metrics }))
  const onInvalidate = ({ topic }: { topic: string }) => {
    if (topic === 'adminSessions') forwarder.checkSessions()
  }
  stack.use(await bus.onInvalidate(onInvalidate))
  mountCalls(routes, { authenticate, forwarder })
  mountMessageFrame(routes, { authenticate, forwarder, log })
  mountAudit(routes, { authenticate, db })
}
