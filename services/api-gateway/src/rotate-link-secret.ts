import { randomBytes } from 'node:crypto'
import type { Db } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { replaceLinkSecret, settingSealContext } from './store/installation/settings.ts'

/**
 * Replaces the secret that signs links. Links that earlier secrets signed stay valid. Replicas sign
 * with the new secret after their next start, or once they receive a link that the new secret
 * signed.
 */
export async function rotateLinkSecret({ db, sealer }: { db: Db; sealer: Sealer }): Promise<void> {
  const secret = randomBytes(32).toString('hex')
  const sealed = await sealer.seal(secret, settingSealContext('linkSecret'))
  await db.transaction().execute((tx) => replaceLinkSecret(tx, sealed))
}
