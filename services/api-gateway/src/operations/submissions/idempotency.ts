import { createHash, type Hash } from 'node:crypto'
import type { IdempotencyKey } from '../../store/idempotency.ts'

interface Request {
  params: { account: string }
  headers: { 'idempotency-key'?: string }
  query?: unknown
  body: unknown
}

/** What makes a request the same as another one; undefined where it brings no key. */
export function idempotencyKeyOf(operation: string, request: Request): IdempotencyKey | undefined {
  const { params, headers, query = {}, body } = request
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  const hash = createHash('sha256')
  feed(hash, [operation, params, query, body])
  return { account: params.account, key, requestHash: hash.digest() }
}

/** Values that are equal feed the same, in whichever order their members come; values that differ never do. */
function feed(hash: Hash, value: unknown): void {
  if (typeof value === 'string') {
    hash.update(`s${value.length}:`)
    hash.update(value)
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`)
    for (const item of value) feed(hash, item)
  } else if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    hash.update(`o${members.length}:`)
    for (const member of members) feed(hash, member)
  } else {
    hash.update(`v${String(value)};`)
  }
}
