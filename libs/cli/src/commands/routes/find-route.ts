import type { ListWebhookRoutesResult, Posthorn } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'

export type ListedRoute = ListWebhookRoutesResult['webhooks'][number]

const pageSize = 1_000

/** All webhook routes, oldest first, without their functions. */
export function listRoutes(client: Posthorn, signal: AbortSignal) {
  return client.listWebhookRoutes.all({ pageSize }, { signal })
}

/** Id of the webhook route whose id or name is `text`. */
export async function findRouteId(
  client: Posthorn,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const named: string[] = []
  for await (const { id, name } of listRoutes(client, signal)) {
    if (id === text) return id
    if (name === text) named.push(id)
  }
  const [id, ...more] = named
  if (id === undefined)
    throw new CommandError(`no route has the id or name ${text}: see \`posthorn routes list\``)
  if (more.length > 0)
    throw new CommandError(
      `several routes have the name ${text}: pass one of the ids ${named.join(', ')}`,
    )
  return id
}
