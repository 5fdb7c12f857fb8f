import type { IncomingHttpHeaders } from 'node:http'
import type { FieldError } from '@posthorn/contracts/describe-error'
import type { Operation } from '@posthorn/contracts/define'
import { validationError } from '@posthorn/contracts/validate'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { settleWithin } from '@posthorn/flow'

/** Request headers that an API operation declares. */
export interface DeclaredHeaders {
  /**
   * Values of the request headers that the client sent, by the name that the API operation
   * declares.
   */
  values: Record<string, string | string[]>
  /**
   * Names of request headers as the client sent them with the alias prefix, by the name that the
   * API operation declares.
   */
  aliases: Record<string, string>
}

/** Reads the declared headers of a request, whose names are in lower case. */
export type HeaderReader = (
  operation: Pick<Operation, 'headers'>,
  headers: IncomingHttpHeaders,
) => Promise<DeclaredHeaders>

/**
 * Maximum wait until the settings are read for an API request whose headers may have the prefix of
 * the setting `webhooksHeaderAlias`. After this time, the last known value of the setting applies.
 */
const maxWaitMs = 250

/**
 * Creates a reader of the headers that API operations declare. While the setting
 * `webhooksHeaderAlias` is set, a missing header is read from the header with that prefix. Only
 * requests with a header that may have the prefix read the settings, so that other requests do not
 * need Postgres.
 */
export function createHeaderReader(settings: Pick<SettingsCache, 'get'>): HeaderReader {
  const readAlias = aliasReader(settings)
  return async (operation, headers) => {
    const values: DeclaredHeaders['values'] = {}
    const aliases: DeclaredHeaders['aliases'] = {}
    for (const name of Object.keys(operation.headers?.properties ?? {})) {
      const value = headers[name]
      if (value !== undefined) values[name] = value
      else if (hasCandidate(headers, name)) {
        const prefix = await readAlias()
        const alias = `${prefix}${suffixOf(name)}`
        const aliasValue = headers[alias]
        if (prefix === '' || aliasValue === undefined) continue
        values[name] = aliasValue
        aliases[name] = alias
      }
    }
    return { values, aliases }
  }
}

/**
 * Creates a function that returns the setting `webhooksHeaderAlias` (a prefix of header names) in
 * lower case. The result is an empty text if the setting is not set.
 */
function aliasReader(settings: Pick<SettingsCache, 'get'>): () => Promise<string> {
  let cached: string | undefined
  return async () => {
    const update = settings.get().then(({ webhooksHeaderAlias }) => {
      cached = (webhooksHeaderAlias ?? '').toLowerCase()
    })
    if (cached === undefined) await update
    else await settleWithin(update, maxWaitMs)
    return cached ?? ''
  }
}

/** Part of a request header's name after the prefix, such as `timeout` of `x-svc-timeout`. */
function suffixOf(name: string): string {
  return name.startsWith('x-svc-') ? name.slice('x-svc-'.length) : name
}

/**
 * True if an API request has a header that may stand for the declared header, with the prefix of
 * the setting `webhooksHeaderAlias`.
 */
function hasCandidate(headers: IncomingHttpHeaders, declared: string): boolean {
  if (!aliased.has(declared)) return false
  const ending = `-${suffixOf(declared)}`
  return Object.keys(headers).some((name) => name.startsWith('x-') && name.endsWith(ending))
}

/**
 * Headers of API operations that clients can also send with the prefix of the setting
 * `webhooksHeaderAlias`.
 */
const aliased = new Set(['x-svc-timeout', 'idempotency-key'])

/**
 * Runs a check of an API request's headers. If the client sent a header with the prefix of the
 * setting `webhooksHeaderAlias`, an error about this header has the name that the client sent.
 */
export function withSentNames<T>({ aliases }: DeclaredHeaders, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AppError) || Object.keys(aliases).length === 0) throw error
    const { fields } = error.extras as { fields?: FieldError[] }
    if (!fields) throw error
    throw validationError(fields.map((field) => renamed(field, aliases[field.path])))
  }
}

function renamed(field: FieldError, sent: string | undefined): FieldError {
  if (sent === undefined) return field
  return { message: field.message.replace(field.path, sent), key: sent, path: sent }
}
