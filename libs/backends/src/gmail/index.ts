import { apiAccountTypes } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import type { Backoff } from '@posthorn/flow'
import type { HttpCaller } from '@posthorn/net/http-caller'
import type { OriginMap } from '@posthorn/net/origin-map'
import { createProviderHttp } from '@posthorn/net/provider-http'
import type { CreateMailApi, MailApiAccess } from '../mail-api/access.ts'
import type { ProviderLimiter } from '../provider-limits/provider-limiter.ts'
import { gmailFeeds } from './feeds.ts'
import { gmailFolders } from './folders.ts'
import { gmailReads } from './reads.ts'
import { GmailRequests } from './requests.ts'
import { gmailSending } from './sending.ts'
import { gmailWatches } from './watches.ts'
import { gmailWrites } from './writes.ts'

/** Origin of the Gmail API, the only origin that receives access tokens. */
export const gmailOrigin = 'https://gmail.googleapis.com'

export interface GmailApiDeps {
  readonly caller: Pick<HttpCaller, 'open'>
  readonly limiter: ProviderLimiter
  /**
   * Origins of a fake Gmail API that replace Gmail's origins in tests. Must equal the mapped
   * origins of the HTTP client `caller`.
   */
  readonly mappedOrigins?: OriginMap
  /**
   * Finds the full name of the Pub/Sub topic that receives an account's notifications:
   * `projects/p/topics/t`. If the function is absent or returns undefined, requests to watch a
   * mailbox are refused.
   */
  readonly findTopic?: (access: MailApiAccess) => Promise<string | undefined>
  /** Delays before repeated requests to Gmail. Default: 1 to 30 s. */
  readonly delayMs?: Backoff
}

/** Creates clients of the Gmail API. */
export function createGmailApi(deps: GmailApiDeps): CreateMailApi {
  const { caller, limiter, mappedOrigins, findTopic, delayMs } = deps
  const http = createProviderHttp({
    caller,
    origins: [gmailOrigin],
    ...defined({ mappedOrigins }),
  })
  return (access, use) => {
    const requests = new GmailRequests({ http, limiter, access, use, ...defined({ delayMs }) })
    return {
      traits: apiAccountTypes.gmail.mailbox,
      ...gmailReads(requests),
      ...gmailFolders(requests),
      ...gmailWrites(requests),
      ...gmailFeeds(requests),
      ...gmailWatches(requests, async () => findTopic?.(access)),
      ...gmailSending(requests),
    }
  }
}
