import type { Bus } from '@posthorn/bus'
import type { AccountRegistration } from '@posthorn/contracts'
import { type Db, publishEvents, type SettingsCache, type Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import type { TaskGroup } from '@posthorn/flow'
import { register } from '../../accounts/register.ts'
import { type FormLink, lockFormLink, markFormLinkUsed } from '../../store/form-links.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface ConnectDeps {
  db: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: TaskGroup
}

/** The link has done its work already. */
export class FormLinkUsedError extends Error {
  override name = 'LinkUsed'
  readonly link: FormLink

  constructor(link: FormLink) {
    super('the link was used already')
    this.link = link
  }
}

/** The link has expired. */
export class FormLinkExpiredError extends Error {
  override name = 'LinkGone'
}

export interface MailboxRegistration {
  account: string
  /** Its own `account` does not count. */
  body: Omit<AccountRegistration, 'account'>
  /** The nonce of the form's link, when it came by one. */
  formNonce: string | null
}

/**
 * Registers the account, or changes it, and ends the link: in one transaction, so that a failure leaves the link as it was and no half an
 * account. Of several at once with the same link one does it.
 *
 * @throws LinkUsed, LinkGone
 */
export async function connectMailbox(
  { db, bus, sealer, settings, tasks }: ConnectDeps,
  { account, body, formNonce: form }: MailboxRegistration,
  more: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<'new' | 'existing'> {
  const { serviceUrl = null } = await settings.get()
  const registration = { account, body: { ...body, account }, sealer, serviceUrl }
  const events = await inTransaction(db, async (tx) => {
    if (form !== null) await claim(tx, form)
    const recorded = await register(tx, registration)
    await more(tx)
    if (form !== null) await markFormLinkUsed(tx, form, recorded ? 'new' : 'existing')
    return recorded
  })
  tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events ?? []))
  tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
  return events ? 'new' : 'existing'
}

async function claim(tx: Tx, nonce: string): Promise<void> {
  const link = await lockFormLink(tx, nonce)
  if (!link) throw new FormLinkExpiredError()
  if (link.state) throw new FormLinkUsedError(link)
}
