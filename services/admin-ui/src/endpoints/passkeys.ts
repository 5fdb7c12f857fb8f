import {
  NewPasskeyRequest,
  type PasskeyList,
  PasskeyRename,
} from '@posthorn/contracts/admin/factors'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import type { Passkeys } from '../factors/passkeys.ts'
import { relyingPartyOf } from '../factors/relying-party.ts'
import { readJsonBody } from '../http/read-body.ts'
import { describeBrowser } from '../identity/browser-name.ts'
import type { Identity } from '../identity/create-identity.ts'
import { requireRecentFactor } from '../identity/rights.ts'
import { deletePasskey, listPasskeys, renamePasskey } from '../store/passkeys.ts'
import { entryOf, pathId, signedInEndpoint } from './endpoint.ts'

export interface PasskeyEndpoints {
  identity: Identity
  passkeys: Passkeys
  /**
   * Origin of the administration pages. If undefined, the origin of a request on this machine is
   * used.
   */
  adminUrl: string | undefined
}

/** Mounts the endpoints with which a signed-in person manages the own passkeys. */
export function mountPasskeys(router: Router, deps: PasskeyEndpoints): void {
  mountCreation(router, deps)
  const { identity } = deps
  const { db, audit } = identity
  router.get(
    '/admin/session/passkeys',
    signedInEndpoint(identity, async (_exchange, { person }) => {
      const rows = await listPasskeys(db, person.id)
      const passkeys = rows.map(({ id, name, createdAt, usedAt }) =>
        defined({ id, name, createdAt: createdAt.toISOString(), usedAt: usedAt?.toISOString() }),
      )
      return { passkeys } satisfies PasskeyList
    }),
  )
  router.put(
    '/admin/session/passkeys/:id',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      const { name } = await readJsonBody(exchange.request, PasskeyRename)
      const key = { id: pathId(exchange.request), person: signedIn.person.id }
      const entry = entryOf(exchange, signedIn, { operation: 'renamePasskey', keys: ['name'] })
      await audit.change(entry, async () => {
        if (!(await renamePasskey(db, key, name))) throw unknownPasskey()
      })
    }),
  )
  router.delete(
    '/admin/session/passkeys/:id',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      requireRecentFactor(signedIn)
      const key = { id: pathId(exchange.request), person: signedIn.person.id }
      const entry = entryOf(exchange, signedIn, { operation: 'deletePasskey' })
      await audit.change(entry, async () => {
        const result = await db.transaction().execute((tx) => deletePasskey(tx, key))
        if (result === 'missing') throw unknownPasskey()
        if (result === 'last')
          throw new AppError('invalid', 'The only way to sign in must stay. Set a password first')
      })
    }),
  )
}

/**
 * Mounts the endpoint that creates a passkey. A passkey opens sessions, so a recent factor is
 * required.
 */
function mountCreation(router: Router, { identity, passkeys, adminUrl }: PasskeyEndpoints): void {
  router.post(
    '/admin/session/passkeys/options',
    signedInEndpoint(identity, async ({ request }, signedIn) => {
      requireRecentFactor(signedIn)
      return await passkeys.creationOptions(signedIn.person, relyingPartyOf(request, adminUrl))
    }),
  )
  router.post(
    '/admin/session/passkeys',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      requireRecentFactor(signedIn)
      const { request } = exchange
      const created = await readJsonBody(request, NewPasskeyRequest)
      const name = created.name ?? describeBrowser(request.headers['user-agent'])
      const party = relyingPartyOf(request, adminUrl)
      const entry = entryOf(exchange, signedIn, { operation: 'createPasskey' })
      const create = () => passkeys.create(signedIn.person, { ...created, name }, party)
      return { id: await identity.audit.change(entry, create), name }
    }),
  )
}

function unknownPasskey(): AppError {
  return new AppError('not-found', 'The passkey does not exist')
}
