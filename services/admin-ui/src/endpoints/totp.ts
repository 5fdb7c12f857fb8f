import { TotpConfirmation } from '@posthorn/contracts/admin/factors'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import type { OneTimeCodes } from '../factors/one-time-codes.ts'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { requireRecentFactor } from '../identity/rights.ts'
import { findPerson } from '../store/people.ts'
import { entryOf, signedInEndpoint } from './endpoint.ts'

export interface TotpEndpoints {
  identity: Identity
  codes: OneTimeCodes
}

/** Mounts the endpoints that set up, confirm and remove one-time codes. */
export function mountTotp(router: Router, { identity, codes }: TotpEndpoints): void {
  const { db, audit } = identity
  router.post(
    '/admin/session/totp',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      requireRecentFactor(signedIn)
      const person = await findPerson(db, signedIn.person.id)
      if (person?.totpConfirmed)
        throw new AppError('invalid', 'One-time codes are active. Remove them to set up new codes')
      const entry = entryOf(exchange, signedIn, { operation: 'createOneTimeCodes' })
      return await audit.change(entry, () => codes.create(signedIn.person))
    }),
  )
  router.post(
    '/admin/session/totp/confirm',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      const { code } = await readJsonBody(exchange.request, TotpConfirmation)
      const entry = entryOf(exchange, signedIn, { operation: 'confirmOneTimeCodes' })
      const confirm = () => codes.confirm(signedIn.person.id, code)
      return { recoveryCodes: await audit.change(entry, confirm) }
    }),
  )
  router.delete(
    '/admin/session/totp',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      requireRecentFactor(signedIn)
      const entry = entryOf(exchange, signedIn, { operation: 'removeOneTimeCodes' })
      await audit.change(entry, () => codes.remove(signedIn.person.id))
    }),
  )
}
