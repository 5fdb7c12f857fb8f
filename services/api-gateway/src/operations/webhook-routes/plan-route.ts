import {
  fieldError,
  validationError,
  type RouteFunctions,
  type WebhookRouteCreation,
  type WebhookRouteUpdate,
} from '@posthorn/contracts'
import type { Sandbox } from '@posthorn/sandbox'
import { type Sealer, sealLogin } from '@posthorn/secrets'
import type { LockedRoute, RouteColumns } from '../../store/webhook-routes.ts'
import { unmaskHeaders, unmaskUrl } from '../../http/masks.ts'
import { sealHeaderColumn } from '../../http/seal-headers.ts'

/** What a request says of a route, as columns; what it does not say is absent. @throws AppError `invalid` */
export function columnsOf(
  given: Partial<WebhookRouteCreation> & WebhookRouteUpdate,
  stored?: LockedRoute,
): RouteColumns {
  const { name, description, targetUrl, enabled, customHeaders, content } = given
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(targetUrl === undefined ? {} : { targetUrl: addressOf(targetUrl, stored) }),
    ...(customHeaders === undefined
      ? {}
      : { customHeaders: JSON.stringify(headersOf(customHeaders, stored)) }),
    ...(content?.fn === undefined ? {} : { filter: sourceOf(content.fn) }),
    ...(content?.map === undefined ? {} : { map: sourceOf(content.map) }),
  }
}

/** Seals the login in the address of a route and the values of its headers; what is not given or sealed already stays. */
export async function sealColumns(
  columns: RouteColumns,
  { id, sealer }: { id: string; sealer: Sealer },
): Promise<RouteColumns> {
  const { targetUrl, customHeaders } = columns
  return {
    ...columns,
    ...(targetUrl === undefined ? {} : { targetUrl: await sealLogin(targetUrl, sealer) }),
    ...(customHeaders === undefined
      ? {}
      : { customHeaders: await sealHeaderColumn(customHeaders, `route/${id}`, sealer) }),
  }
}

/** A function that is blank is none: a filter without a word would let nothing through. */
export function sourceOf(source: string | null | undefined): string | null {
  return source === undefined || source === null || source.trim() === '' ? null : source
}

/** @throws AppError `invalid` with a field for each source that is not the body of a function */
export async function checkFunctions(
  sandbox: Sandbox,
  content: RouteFunctions | undefined,
): Promise<void> {
  const fields = []
  for (const name of ['fn', 'map'] as const) {
    const source = sourceOf(content?.[name])
    const fault = source === null ? undefined : await sandbox.check(source)
    if (fault !== undefined)
      fields.push(fieldError(`content.${name}`, `is not the body of a function: ${fault}`))
  }
  if (fields.length > 0) throw validationError(fields)
}

const hidden = 'contains a masked value that is not the stored one'

function addressOf(given: string, stored: LockedRoute | undefined): string {
  const url = unmaskUrl(given, stored?.targetUrl)
  if (url === undefined) throw validationError([fieldError('targetUrl', hidden)])
  return url
}

function headersOf(
  given: NonNullable<WebhookRouteUpdate['customHeaders']>,
  stored: LockedRoute | undefined,
) {
  const headers = unmaskHeaders(given, stored?.customHeaders)
  if (!headers) throw validationError([fieldError('customHeaders', hidden)])
  return headers
}
