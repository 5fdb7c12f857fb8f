import { on } from '@posthorn/bus'
import { checkAdminTotp, createAdminTotp } from '@posthorn/contracts/commands/admin-totp'
import { defined } from '@posthorn/contracts/defined'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Sealer, Unsealer } from '@posthorn/secrets'
import { findStep, newSeed } from '../one-time-codes.ts'
import { findSealedSeed, storeSealedSeed, totpSealContext } from '../store/admin-people.ts'

export interface TotpDeps {
  db: Db
  sealer: Sealer
  unsealer: Unsealer
}

/**
 * Creates and stores the seed of a person's one-time codes. Only this reply contains the seed. A
 * confirmed seed is not replaced.
 */
export function onCreateAdminTotp({ db, sealer }: TotpDeps) {
  return on(createAdminTotp, async ({ person }) => {
    const seed = newSeed()
    const sealed = await sealer.seal(seed, totpSealContext(person))
    if (await storeSealedSeed(db, person, sealed)) return { seed }
    throw new AppError('invalid', 'One-time codes are active. Remove the codes to set up new codes')
  })
}

/** Finds the time step of a person's one-time code. The reply does not contain the seed. */
export function onCheckAdminTotp({ db, unsealer }: TotpDeps) {
  return on(checkAdminTotp, async ({ person, code }) => {
    const sealed = await findSealedSeed(db, person)
    if (sealed === undefined) return {}
    const seed = await unsealer.unseal(sealed, totpSealContext(person))
    return defined({ step: findStep(seed, code, Date.now()) })
  })
}
