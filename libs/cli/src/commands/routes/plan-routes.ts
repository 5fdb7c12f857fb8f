import { isDeepStrictEqual } from 'node:util'
import type { CreateWebhookRouteInput, GetWebhookRouteResult } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'
import { isMapping } from '../../io/read-document.ts'

/** Webhook route as described in a file. Absent members keep their values on the server. */
export type FileRoute = Omit<CreateWebhookRouteInput['body'], 'expiresAt'>
/** Webhook route as stored on the server. */
export type StoredRoute = Omit<GetWebhookRouteResult, 'tcount' | 'webhookErrorFlag'>

/** Change of a webhook route, by which the server gets the routes in a file. */
export interface RouteChange {
  action: 'create' | 'update' | 'delete'
  name: string
  /** Id of the webhook route that is updated or deleted. */
  id?: string
  /** Names of the webhook route's members that change. */
  members: string[]
  body?: FileRoute
}

const members = new Set(['name', 'targetUrl', 'description', 'enabled', 'customHeaders', 'content'])
const mask = '******'

/** Reads the list of webhook routes in a file. Route names must be unique. */
export function readRoutes(document: unknown, file: string): FileRoute[] {
  const list = isMapping(document) ? document['routes'] : document
  if (!Array.isArray(list)) throw new CommandError(`${file} is no list of routes`)
  const names = new Set<unknown>()
  return list.map((route: unknown, index) => {
    const place = `${file}: route ${index + 1}`
    if (!isMapping(route)) throw new CommandError(`${place} has no members`)
    for (const member of Object.keys(route))
      if (!members.has(member))
        throw new CommandError(
          `${place} has the unknown member ${member}: the members are ${[...members].join(', ')}`,
        )
    const { name, targetUrl } = route
    if (typeof name !== 'string' || typeof targetUrl !== 'string')
      throw new CommandError(`${place} needs the texts name and targetUrl`)
    if (names.has(name)) throw new CommandError(`${place} repeats the name ${name}`)
    names.add(name)
    return route as unknown as FileRoute
  })
}

/**
 * Plans the changes after which the server has the webhook routes of a file, by name. Temporary
 * routes, such as those of `webhooks listen`, stay.
 */
export function planRoutes(
  wanted: readonly FileRoute[],
  stored: readonly StoredRoute[],
): RouteChange[] {
  const lasting = stored.filter(({ expiresAt }) => expiresAt === null)
  const byName = Map.groupBy(lasting, ({ name }) => name)
  const changes = wanted.flatMap((route): RouteChange[] => {
    const [existing, ...more] = byName.get(route.name) ?? []
    if (more.length > 0)
      throw new CommandError(
        `the server has several routes with the name ${route.name}: rename or delete all but one`,
      )
    const { name } = route
    if (!existing) return [{ action: 'create', name, members: Object.keys(route), body: route }]
    const changed = changedMembers(route, existing)
    return changed.length === 0
      ? []
      : [{ action: 'update', name, id: existing.id, members: changed, body: route }]
  })
  const names = new Set(wanted.map(({ name }) => name))
  const deletions = lasting
    .filter(({ name }) => !names.has(name))
    .map(({ name, id }): RouteChange => ({ action: 'delete', name, id, members: [] }))
  return [...changes, ...deletions]
}

/**
 * Members of a webhook route in a file that differ from the stored route. The server masks secret
 * values: a value that is no mask counts as changed, because it cannot be compared.
 */
function changedMembers(route: FileRoute, stored: StoredRoute): string[] {
  const { targetUrl, description, enabled, customHeaders, content } = route
  const differs = {
    targetUrl: !isSameUrl(targetUrl, stored.targetUrl),
    description: description !== undefined && (description ?? '') !== stored.description,
    enabled: enabled !== undefined && enabled !== stored.enabled,
    customHeaders:
      customHeaders !== undefined && !isDeepStrictEqual(customHeaders, stored.customHeaders),
    'content.fn': content?.fn !== undefined && sourceOf(content.fn) !== stored.content.fn,
    'content.map': content?.map !== undefined && sourceOf(content.map) !== stored.content.map,
  }
  return Object.entries(differs).flatMap(([member, isDifferent]) => (isDifferent ? [member] : []))
}

function isSameUrl(url: string, stored: string): boolean {
  return (
    url === stored || (!stored.includes(mask) && URL.parse(url)?.href === URL.parse(stored)?.href)
  )
}

/** A blank filter or map function of a webhook route counts as absent, as on the server. */
function sourceOf(source: string | null): string | null {
  return source === null || source.trim() === '' ? null : source
}
