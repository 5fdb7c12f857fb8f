import type { Db } from '@posthorn/db'
import type { HttpCaller } from '@posthorn/net'
import type { Unsealer, Sealer } from '@posthorn/secrets'
import type { EndpointDeps } from './token-endpoint.ts'

/** What the handling of OAuth2 works with. */
export interface OAuth2Deps extends EndpointDeps {
  db: Db
  opener: Unsealer
  sealer: Sealer
  http: Pick<HttpCaller, 'call'>
}
