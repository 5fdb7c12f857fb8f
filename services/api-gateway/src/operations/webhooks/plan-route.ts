import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import type {
  RouteFunctions,
  WebhookRouteCreation,
  WebhookRouteUpdate,
} from '@posthorn/contracts/schemas/webhook-route'
import { validationError } from '@posthorn/contracts/validate'
import type { Sandbox } from '@posthorn/sandbox'
import { type Sealer, sealLogin } from '@posthorn/secrets'
import { sealHeaderColumn, unknownMask, unmaskHeaders, unmaskUrl } from '../../http/masks.ts'
import type { LockedRoute, RouteColumns } from '../../store/webhooks/webhook-routes.ts'

/**
 * Plans the columns of a webhook route from the members of a request.
 * @throws AppError `invalid` for a mask that does not match the stored value, and for an expiry in
 * the past
 */
export function columnsOf(
  input: Partial<WebhookRouteCreation> & WebhookRouteUpdate,
  stored?: LockedRoute,
): RouteColumns {
  const { name, description, targetUrl, enabled, customHeaders, content, expiresAt } = input
  const { fn, map } = content ?? {}
  return defined({
    name,
    description,
    enabled,
    expiresAt: typeof expiresAt === 'string' ? expiryOf(expiresAt) : expiresAt,
    targetUrl: targetUrl === undefined ? undefined : unmaskTarget(targetUrl, stored),
    customHeaders: customHeaders && JSON.stringify(unmaskCustomHeaders(customHeaders, stored)),
    filter: fn === undefined ? undefined : sourceOf(fn),
    map: map === undefined ? undefined : sourceOf(map),
  })
}

/**
 * Seals (encrypts) the login in the target URL of a webhook route and its header values. Sealed
 * values stay as they are.
 */
export async function sealColumns(
  columns: RouteColumns,
  { id, sealer }: { id: string; sealer: Sealer },
): Promise<RouteColumns> {
  const { targetUrl, customHeaders } = columns
  const sealedUrl = targetUrl === undefined ? undefined : await sealLogin(targetUrl, sealer)
  const headers = customHeaders && (await sealHeaderColumn(customHeaders, `route/${id}`, sealer))
  return { ...columns, ...defined({ targetUrl: sealedUrl, customHeaders: headers }) }
}

/**
 * Source of a filter or map function of a webhook route. A blank function counts as absent, because
 * a blank filter would match nothing.
 */
export function sourceOf(source: string | null | undefined): string | null {
  return source === undefined || source === null || source.trim() === '' ? null : source
}

/**
 * Checks the filter and map functions of a webhook route.
 *
 * @throws AppError `invalid` with one field per source that is not a function body
 */
export async function checkFunctions(sandbox: Sandbox, content: RouteFunctions | undefined) {
  const errors = []
  for (const name of ['fn', 'map'] as const) {
    const source = sourceOf(content?.[name])
    const fault = source === null ? undefined : await sandbox.check(source)
    if (fault !== undefined)
      errors.push(fieldError(`content.${name}`, `is not the body of a function: ${fault}`))
  }
  if (errors.length > 0) throw validationError(errors)
}

function expiryOf(text: string): Date {
  const expiresAt = parseDate(text)
  if (!expiresAt || expiresAt.getTime() <= Date.now())
    throw validationError([fieldError('expiresAt', 'must be in the future')])
  return expiresAt
}

function unmaskTarget(targetUrl: string, stored: LockedRoute | undefined): string {
  const url = unmaskUrl(targetUrl, stored?.targetUrl)
  if (url === undefined) throw validationError([fieldError('targetUrl', unknownMask)])
  return url
}

function unmaskCustomHeaders(
  customHeaders: NonNullable<WebhookRouteUpdate['customHeaders']>,
  stored: LockedRoute | undefined,
) {
  const headers = unmaskHeaders(customHeaders, stored?.customHeaders)
  if (!headers) throw validationError([fieldError('customHeaders', unknownMask)])
  return headers
}
