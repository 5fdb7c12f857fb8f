import { WebhookRouteCreation } from '@posthorn/contracts/schemas/webhook-route'
import type { StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { compact, isUnset, toBoolean, toHeaders } from './values.ts'

export interface StoredRoute {
  meta: StoredObject
  content: StoredObject
}

/**
 * Maps a webhook route of EmailEngine to the body of `createWebhookRoute`. The functions are not
 * run: use the operation `testWebhookRoute`.
 */
export function mapRoute(id: string, { meta, content }: StoredRoute): Entry<WebhookRouteCreation> {
  const { name, description, enabled, targetUrl } = meta
  const functions = compact({ fn: sourceOf(content['fn']), map: sourceOf(content['map']) })
  return fitInput(
    {
      kind: 'route',
      id,
      schema: WebhookRouteCreation,
      essential: { valid: /^(?:name|targetUrl|enabled|content)(?:\.|$)/ },
    },
    {
      candidate: compact({
        name: isUnset(name) ? id : name,
        description: isUnset(description) ? undefined : description,
        targetUrl,
        enabled: toBoolean(enabled) ?? false,
        customHeaders: toHeaders(meta['customHeaders'] ?? content['customHeaders']),
        content: functions,
      }),
      changes: isUnset(name) ? ['name: set to the id'] : [],
    },
  )
}

const sourceOf = (source: unknown) => (isUnset(source) ? undefined : source)
