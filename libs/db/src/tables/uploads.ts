import type { Generated } from 'kysely'

/** Messages on their way into a folder. Inserted by api-gateway, taken out by sync-worker; the older ones are swept by it. */
export interface Uploads {
  id: string
  account: string
  mime: Buffer
  createdAt: Generated<Date>
}
