import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import type { MailProxyReplica } from '@posthorn/contracts/schemas/mail-proxy'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { listMailProxyRows, type MailProxyRow } from '../../store/installation/mail-proxies.ts'
import type { OperationDeps } from '../operation-deps.ts'

/** Operation that lists the running replicas of imap-proxy and smtp-proxy. */
export function onListMailProxies({ db }: Pick<OperationDeps, 'db'>): OperationHandler {
  return handle(operations.listMailProxies, async () => ({
    mailProxies: (await listMailProxyRows(db)).map(present),
  }))
}

function present(row: MailProxyRow): MailProxyReplica {
  const { id, service, hostName, listener, sessions, certificateNames: names } = row
  const expiresAt = row.certificateExpiresAt?.toISOString()
  return defined({
    id,
    service,
    hostName,
    listener,
    port: row.port ?? undefined,
    tls: row.tls ?? undefined,
    tlsPort: row.tlsPort ?? undefined,
    error: row.error ?? undefined,
    certificate: names && expiresAt !== undefined ? { names, expiresAt } : undefined,
    sessions,
    reportedAt: row.reportedAt.toISOString(),
  })
}
