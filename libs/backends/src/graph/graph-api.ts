import { apiAccountTypes } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import type { Backoff } from '@posthorn/flow'
import type { HttpCaller } from '@posthorn/net/http-caller'
import type { OriginMap } from '@posthorn/net/origin-map'
import { createProviderHttp } from '@posthorn/net/provider-http'
import type { CreateMailApi, GraphCloud } from '../mail-api/access.ts'
import type { ProviderLimiter } from '../provider-limits/provider-limiter.ts'
import { graphFeeds } from './feeds.ts'
import { graphFolders } from './folders.ts'
import { GraphClient } from './graph-client.ts'
import { graphReads } from './reads.ts'
import { graphSending } from './sending.ts'
import { type GraphNotificationUrls, graphWatches } from './watches.ts'
import { graphWrites } from './writes.ts'

export interface GraphApiDeps {
  caller: Pick<HttpCaller, 'open'>
  limiter: ProviderLimiter
  /**
   * Origins of a fake Microsoft Graph that replace the origins of Graph in tests. Must equal the
   * mapped origins of the HTTP client `caller`.
   */
  mappedOrigins?: OriginMap
  /**
   * Finds the URLs to which Graph sends notifications of an account's mailbox. Without these URLs,
   * requests to watch a mailbox are refused.
   */
  findUrls?: (account: string) => Promise<GraphNotificationUrls | undefined>
  /** Delays before repeated requests to Graph, if Graph names no delay. */
  delayMs?: Backoff
  /** Current time in milliseconds since 1970; defaults to the clock of the process. */
  now?: () => number
}

/** API origin of each cloud of Microsoft 365 ("Microsoft Graph national cloud deployments"). */
const origins: Readonly<Record<GraphCloud, string>> = {
  global: 'https://graph.microsoft.com',
  'gcc-high': 'https://graph.microsoft.us',
  dod: 'https://dod-graph.microsoft.us',
  china: 'https://microsoftgraph.chinacloudapi.cn',
}

const maxRetryAfterMs = 3_600_000

/** Creates clients for mailboxes of Microsoft Graph (v1.0). */
export function createGraphApi(deps: GraphApiDeps): CreateMailApi {
  const { caller, limiter, mappedOrigins, findUrls, delayMs, now = Date.now } = deps
  return (access, use) => {
    const http = createProviderHttp(
      defined({
        caller,
        origins: [origins[access.cloud ?? 'global']] as const,
        mappedOrigins,
        maxRetryAfterMs,
      }),
    )
    const client = new GraphClient(defined({ http, limiter, access, use, delayMs }))
    return {
      traits: apiAccountTypes.graph.mailbox,
      ...graphReads(client),
      ...graphFolders(client),
      ...graphWrites(client),
      ...graphFeeds(client, now),
      ...graphWatches(client, { findUrls: async () => findUrls?.(access.account), now }),
      ...graphSending(client, now),
    }
  }
}
