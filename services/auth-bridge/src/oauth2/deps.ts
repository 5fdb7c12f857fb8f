import type { Db } from '@posthorn/db'
import type { HttpCaller } from '@posthorn/net'
import type { Opener, Sealer } from '@posthorn/secrets'
import type { EndpointDeps } from './token-endpoint.ts'

/** What the handling of OAuth2 works with. */
export interface OAuth2Deps extends EndpointDeps {
  db: Db
  opener: Opener
  sealer: Sealer
  http: Pick<HttpCaller, 'call'>
}
