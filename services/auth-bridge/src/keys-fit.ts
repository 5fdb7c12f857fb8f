import type { Db } from '@posthorn/db'
import type { Unsealer } from '@posthorn/secrets'
import type { Logger } from '@posthorn/telemetry'
import { listSealedSamples } from './store/credentials.ts'

/** Whether the keys open what is stored. True on an empty database; values that do not open while others do are logged. */
export async function keysFit({
  db,
  opener,
  log,
}: {
  db: Db
  opener: Unsealer
  log: Logger
}): Promise<boolean> {
  const samples = await listSealedSamples(db)
  let opened = 0
  for (const { sealed, place } of samples) {
    try {
      await opener.unseal(sealed, place)
      opened += 1
    } catch (err) {
      log.error({ err, place }, 'a stored secret does not open with SVC_SECRET')
    }
  }
  return samples.length === 0 || opened > 0
}
