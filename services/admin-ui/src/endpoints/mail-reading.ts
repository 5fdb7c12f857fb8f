import { MailReadingRequest, type Session } from '@posthorn/contracts/admin/session'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { readJsonBody } from '../http/read-body.ts'
import type { Identity } from '../identity/create-identity.ts'
import { describeSession } from '../identity/describe-session.ts'
import { requireRecentFactor } from '../identity/rights.ts'
import type { SignedIn } from '../identity/signed-in.ts'
import { endMailReading, startMailReading } from '../store/mail-reading.ts'
import { entryOf, type PageExchange, signedInEndpoint } from './endpoint.ts'

/** Minutes for which a person may read mail after activating the right to read mail. */
const mailMinutes = 15

/** Mounts the endpoints that activate and end the right to read mail for a session. */
export function mountMailReading(router: Router, identity: Identity): void {
  const { db, audit, sessions } = identity
  router.post(
    '/admin/session/mail-reading',
    signedInEndpoint(identity, (exchange, signedIn) => activate(identity, exchange, signedIn)),
  )
  router.delete(
    '/admin/session/mail-reading',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      sessions.broadcastEnd(await endMailReading(db, { session: signedIn.session.id }))
      await audit.result(entryOf(exchange, signedIn, { operation: 'endMailReading' }), 'done')
    }),
  )
}

/** Activates the right to read mail for the session. */
async function activate(
  { db, audit, sessions }: Identity,
  exchange: PageExchange,
  signedIn: SignedIn,
): Promise<Session> {
  const { reason } = await readJsonBody(exchange.request, MailReadingRequest)
  if (!signedIn.person.mayReadMail) throw mayNotRead()
  requireRecentFactor(signedIn)
  const { id } = signedIn.session
  await audit.change(
    entryOf(exchange, signedIn, { operation: 'startMailReading', reason }),
    async () => {
      if (!(await startMailReading(db, id, { reason, minutes: mailMinutes }))) throw mayNotRead()
    },
  )
  sessions.broadcastEnd([id])
  return await describeSession(db, await sessions.authenticate(exchange.request))
}

function mayNotRead(): AppError {
  return new AppError('forbidden', 'You may not read mail. Ask an owner for the right')
}
