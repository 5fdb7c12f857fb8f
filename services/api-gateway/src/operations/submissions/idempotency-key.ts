import { createHash, type Hash } from 'node:crypto'
import type { IdempotencyKey } from '../../store/idempotency-keys.ts'

interface KeyedRequest {
  params: { account: string }
  headers: { 'idempotency-key'?: string }
  query?: unknown
  body: unknown
}

/** Identity of a request from its `Idempotency-Key` and content. Undefined without the header. */
export function idempotencyKeyOf(
  operation: string,
  request: KeyedRequest,
): IdempotencyKey | undefined {
  const { params, headers, query = {}, body } = request
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  const hash = createHash('sha256')
  updateHash(hash, [operation, params, query, body])
  return { account: params.account, key, requestHash: hash.digest() }
}

/** Feeds a value unambiguously into the hash. The order of object members does not matter. */
function updateHash(hash: Hash, value: unknown): void {
  if (typeof value === 'string') {
    hash.update(`s${value.length}:`)
    hash.update(value)
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`)
    for (const item of value) updateHash(hash, item)
  } else if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    hash.update(`o${members.length}:`)
    for (const member of members) updateHash(hash, member)
  } else {
    hash.update(`v${String(value)};`)
  }
}
