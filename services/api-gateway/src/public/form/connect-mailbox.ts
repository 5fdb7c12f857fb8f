import type { Bus } from '@posthorn/bus'
import type { AccountRegistration } from '@posthorn/contracts/schemas/account'
import { type Db, publishEvents, type SettingsCache, type Tx } from '@posthorn/db'
import type { TaskGroup } from '@posthorn/flow'
import type { Sealer } from '@posthorn/secrets'
import { register } from '../../accounts/register.ts'
import { type FormLink, lockFormLink, markFormLinkUsed } from '../../store/accounts/form-links.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface ConnectDeps {
  db: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: TaskGroup
}

/** Error for a link to the hosted form with which an account was already registered. */
export class FormLinkUsedError extends Error {
  override name = 'FormLinkUsedError'
  readonly link: FormLink

  constructor(link: FormLink) {
    super('form link already used')
    this.link = link
  }
}

/** Error for a link to the hosted form that has expired. */
export class FormLinkExpiredError extends Error {
  override name = 'FormLinkExpiredError'
}

export interface MailboxRegistration {
  account: string
  /** Body of the account registration. A member `account` in the body is ignored. */
  body: Omit<AccountRegistration, 'account'>
  /** Nonce of the link to the hosted form; null for a registration without a form. */
  formNonce: string | null
}

/**
 * Registers or updates an account and marks the link to the hosted form as used, in one
 * transaction. `storeMore` runs in the same transaction. A failure leaves both account and link
 * unchanged. If several requests use a link concurrently, only the first request succeeds.
 *
 * @throws FormLinkUsedError, FormLinkExpiredError
 */
export async function connectMailbox(
  { db, bus, sealer, settings, tasks }: ConnectDeps,
  { account, body, formNonce }: MailboxRegistration,
  storeMore: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<'new' | 'existing'> {
  const { serviceUrl = null } = await settings.get()
  // A registration by a hosted form with a password counts as a change by a tenant, because the
  // user chooses the mail servers. For an OAuth2 sign-in, the OAuth2 application chooses the mail
  // servers.
  const by = formNonce === null || body.oauth2 ? 'operator' : 'tenant'
  const registration = { account, body: { ...body, account }, by, sealer, serviceUrl } as const
  const events = await inTransaction(db, async (tx) => {
    if (formNonce !== null) await getUnusedLink(tx, formNonce, lockFormLink)
    const recorded = await register(tx, registration)
    await storeMore(tx)
    if (formNonce !== null) await markFormLinkUsed(tx, formNonce, recorded ? 'new' : 'existing')
    return recorded
  })
  tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events ?? []))
  tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
  return events ? 'new' : 'existing'
}

/**
 * Finds a link to the hosted form that is neither used nor expired. `find` may lock the link.
 *
 * @throws FormLinkUsedError, FormLinkExpiredError
 */
export async function getUnusedLink<D extends Db | Tx>(
  db: D,
  nonce: string,
  find: (db: D, nonce: string) => Promise<FormLink | undefined>,
): Promise<FormLink> {
  const link = await find(db, nonce)
  if (!link) throw new FormLinkExpiredError()
  if (link.state) throw new FormLinkUsedError(link)
  return link
}
