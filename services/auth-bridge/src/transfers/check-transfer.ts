import type {
  AccountTransfer,
  TransferRejection,
} from '@posthorn/contracts/schemas/account-transfer'
import { destinationOf, permits } from '@posthorn/contracts/schemas/destination'
import {
  keyIdOf,
  keyIdOfHeader,
  keyIdOfLogin,
  type Sealer,
  unsealHeader,
  type Unsealer,
  unsealLogin,
} from '@posthorn/secrets'
import { type AppForBinding, type SecretBinding, tokenBindingOf } from '../bound-secrets.ts'
import { passwordSealContext } from '../store/credentials.ts'
import { tokenServersOf } from '../store/token-servers.ts'

export interface CheckTransferDeps {
  unsealer: Unsealer
  sealer: Sealer
  /** Ids of the private keys with which auth-bridge unseals (decrypts) secrets. */
  keyIds: ReadonlySet<string>
}

type CheckResult = Pick<AccountTransfer, 'credentials'> | { reason: TransferRejection }

/**
 * Checks that all secrets of an imported account are sealed with a key of this instance, for this
 * account and its servers, user and application. Returns the credentials sealed (encrypted) with
 * the newest key. A grant is then bound to `app`, the application at this instance.
 */
export async function checkTransfer(
  transfer: AccountTransfer,
  app: AppForBinding | undefined,
  deps: CheckTransferDeps,
): Promise<CheckResult> {
  if (transfer.oauth2 && !app) return { reason: 'unknownApplication' }
  try {
    await checkInPlace(transfer, deps)
    const { imap, smtp, oauth2 } = transfer.credentials
    return {
      credentials: {
        ...(imap !== undefined && { imap: await checkPassword(transfer, 'imap', deps) }),
        ...(smtp !== undefined && { smtp: await checkPassword(transfer, 'smtp', deps) }),
        ...(oauth2 !== undefined && { oauth2: await checkGrant(transfer, app, deps) }),
      },
    }
  } catch (error) {
    if (error instanceof TransferError) return { reason: error.reason }
    throw error
  }
}

/** Rejection of an account transfer. Contains no part of a secret. */
class TransferError extends Error {
  override name = 'TransferError'
  readonly reason: TransferRejection

  constructor(reason: TransferRejection) {
    super(reason)
    this.reason = reason
  }
}

/**
 * Checks the sealed logins in the URLs of an imported account and the sealed values of its webhook
 * headers.
 */
async function checkInPlace(
  { account, webhooks, proxy, webhooksCustomHeaders: headers = [] }: AccountTransfer,
  deps: CheckTransferDeps,
): Promise<void> {
  const { unsealer } = deps
  const owner = `account/${account}` as const
  for (const url of [webhooks, proxy].filter((each) => each !== undefined))
    await open(keyIdOfLogin(url), deps, () => unsealLogin(url, unsealer))
  for (const header of headers)
    await open(keyIdOfHeader(header.value), deps, () =>
      unsealHeader({ owner, ...header }, unsealer),
    )
}

/**
 * Unseals a value of an imported account that may be sealed with the key `keyId`. Values that are
 * not sealed have the key id `clear`, or none.
 */
async function open<T>(
  keyId: string | undefined,
  { keyIds }: CheckTransferDeps,
  unseal: () => Promise<T>,
): Promise<T> {
  if (keyId !== undefined && keyId !== 'clear' && !keyIds.has(keyId))
    throw new TransferError('otherKey')
  try {
    return await unseal()
  } catch {
    throw new TransferError('otherUse')
  }
}

function openCredential(
  { account, credentials }: AccountTransfer,
  kind: 'imap' | 'smtp' | 'oauth2',
  deps: CheckTransferDeps,
) {
  const sealed = credentials[kind] ?? ''
  const context = passwordSealContext(account, kind)
  return open(keyIdOf(sealed) ?? '', deps, async () => {
    const { value, binding = {} } = await deps.unsealer.open(sealed, context)
    return { value, context, binding: binding as SecretBinding }
  })
}

async function checkPassword(
  transfer: AccountTransfer,
  kind: 'imap' | 'smtp',
  deps: CheckTransferDeps,
): Promise<string> {
  const { value, context, binding } = await openCredential(transfer, kind, deps)
  const { auth, ...server } = transfer[kind] ?? {}
  const { to, form } = binding
  const isToken = form === 'accessToken'
  const user = auth ? auth.user : undefined
  if (
    !auth ||
    !to ||
    isToken !== (auth.accessToken === true) ||
    !permits(to, destinationOf(server, { user, proxy: transfer.proxy }))
  )
    throw new TransferError('otherUse')
  return deps.sealer.seal(value, context, { ...binding })
}

async function checkGrant(
  transfer: AccountTransfer,
  app: AppForBinding | undefined,
  deps: CheckTransferDeps,
): Promise<string> {
  const { value, context, binding } = await openCredential(transfer, 'oauth2', deps)
  const { imap = null, smtp = null, proxy = null, oauth2 } = transfer
  if (!app || !oauth2 || binding.app !== oauth2.provider) throw new TransferError('otherUse')
  const { provider } = tokenBindingOf(app)
  // Checks the provider of the imported OAuth2 grant: its tokens are sent to the token endpoint of
  // the application.
  if (binding.provider !== provider) throw new TransferError('unknownApplication')
  const { servers } = binding
  const used = tokenServersOf({ imap, smtp, proxy })
  if (servers && used.some((server) => !servers.some((bound) => permits(bound, server))))
    throw new TransferError('otherUse')
  return deps.sealer.seal(value, context, { ...binding, app: app.id })
}
