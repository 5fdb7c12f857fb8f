import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  AuditFilter,
  type AuditLogEntry,
  type AuditPage,
  AuditPageQuery,
} from '@posthorn/contracts/admin/audit'
import { defined } from '@posthorn/contracts/defined'
import { check } from '@posthorn/contracts/validate'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { assertText } from '@posthorn/http'
import type { Request, Router } from 'express'
import type { Authenticate } from '../identity/signed-in.ts'
import { type AuditPosition, type AuditRow, listAuditRows } from '../store/audit.ts'

export interface AuditDeps {
  authenticate: Authenticate
  db: Db
}

/**
 * Number of audit log entries that a download reads at a time, so that it holds no database
 * connection for long.
 */
const downloadPage = 500

/** Mounts the endpoints for pages and downloads of the audit log, for owners and auditors. */
export function mountAudit(router: Router, { authenticate, db }: AuditDeps): void {
  router.get('/admin/audit', async (request, response) => {
    await assertReader(authenticate, request)
    response.json(await readPage(db, readQuery(AuditPageQuery, request)))
  })
  router.get('/admin/audit/download', async (request, response) => {
    await assertReader(authenticate, request)
    const filter = readQuery(AuditFilter, request)
    // The first entries of the audit log are read before the response head is sent, so that an
    // outage becomes an error response.
    const first = await listAuditRows(db, { filter, limit: downloadPage })
    response.setHeader('Content-Type', 'application/x-ndjson; charset=utf-8')
    response.setHeader('Content-Disposition', 'attachment; filename="audit-log.ndjson"')
    const maySend = () => assertReader(authenticate, request)
    await pipeline(Readable.from(lines({ db, filter, maySend }, first)), response).catch(
      (error: unknown) => {
        if (!isDisconnect(error)) throw error
      },
    )
  })
}

async function assertReader(authenticate: Authenticate, request: Request): Promise<void> {
  const { role } = (await authenticate(request)).person
  if (role === 'owner' || role === 'auditor') return
  throw new AppError('forbidden', 'The audit log requires the role auditor', {
    extras: { requiredRole: 'auditor' },
  })
}

function readQuery<S extends typeof AuditFilter | typeof AuditPageQuery>(
  schema: S,
  { query }: Request,
) {
  for (const text of Object.values(query).flat()) if (typeof text === 'string') assertText(text)
  return check(schema, { ...query }, 'text')
}

async function readPage(
  db: Db,
  { cursor, pageSize, ...filter }: AuditPageQuery,
): Promise<AuditPage> {
  const before = cursor === undefined ? undefined : positionOf(cursor)
  // One more audit log row than the page has shows whether another page follows.
  const rows = await listAuditRows(db, { filter, before, limit: pageSize + 1 })
  const entries = rows.slice(0, pageSize).map(toEntry)
  return { entries, ...(rows.length > pageSize && defined({ nextCursor: entries.at(-1)?.id })) }
}

/** Position of an audit log entry, whose id starts with the milliseconds of its time. */
function positionOf(id: string): AuditPosition {
  return { at: new Date(Number.parseInt(id.slice(0, 11), 16)), id }
}

interface Download {
  db: Db
  filter: AuditFilter
  /** Rejects when the session that downloads the audit log has ended or lost its role. */
  maySend: () => Promise<void>
}

/** Yields the lines of an audit log download, one entry each. The entries are read page by page. */
async function* lines(
  { db, filter, maySend }: Download,
  first: AuditRow[],
): AsyncGenerator<string> {
  for (let rows = first; ;) {
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toEntry(row))}\n`).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < downloadPage) return
    await maySend()
    rows = await listAuditRows(db, { filter, before: last, limit: downloadPage })
  }
}

function toEntry(row: AuditRow): AuditLogEntry {
  const { id, at, address, operation, method, path, keys } = row
  const actor = { person: row.person, email: row.email, role: row.role, session: row.session }
  const ending = {
    outcome: row.endOutcome,
    status: row.endStatus,
    endedAt: row.endedAt?.toISOString(),
  }
  const optional = { ...actor, account: row.account, reason: row.reason, ...ending }
  return {
    id,
    at: at.toISOString(),
    address,
    operation,
    method,
    path,
    keys,
    ...withoutNulls(optional),
  }
}

type WithoutNulls<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

/** Copies an object without the members that are null or undefined. */
function withoutNulls<T extends object>(members: T): WithoutNulls<T> {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return Object.fromEntries(entries) as WithoutNulls<T>
}

function isDisconnect(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
