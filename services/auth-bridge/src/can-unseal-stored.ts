import type { Db } from '@posthorn/db'
import type { Unsealer } from '@posthorn/secrets'
import type { Logger } from '@posthorn/telemetry'
import { listSeedSamples } from './store/admin-people.ts'
import { listSealedSamples } from './store/credentials.ts'

/**
 * True if the private keys unseal (decrypt) at least one sample of the stored secrets, or if no
 * secret is stored. Logs each sample that cannot be unsealed.
 */
export async function canUnsealStored(db: Db, unsealer: Unsealer, log: Logger): Promise<boolean> {
  const samples = [...(await listSealedSamples(db)), ...(await listSeedSamples(db))]
  let unsealed = 0
  for (const { sealed, context } of samples) {
    try {
      await unsealer.unseal(sealed, context)
      unsealed += 1
    } catch (err) {
      log.error({ err, context }, 'unsealing a stored secret failed')
    }
  }
  return samples.length === 0 || unsealed > 0
}
