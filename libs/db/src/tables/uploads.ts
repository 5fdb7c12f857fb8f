import type { Generated } from 'kysely'

/** Uploaded messages. Inserted by api-gateway, removed by sync-worker, also after expiry. */
export interface Uploads {
  id: string
  account: string
  mime: Buffer
  createdAt: Generated<Date>
}
