import { defined } from '@posthorn/contracts/defined'
import type { AccountTransfer } from '@posthorn/contracts/schemas/account-transfer'
import {
  type Sealer,
  sealHeaders,
  sealLogin,
  unsealHeader,
  type Unsealer,
  unsealLogin,
} from '@posthorn/secrets'
import type { SecretBinding } from '../bound-secrets.ts'
import { bindingOf } from '../reseal/bindings.ts'
import type { TransferRow } from '../store/account-transfers.ts'
import { passwordSealContext } from '../store/credentials.ts'
import { tokensSealContext } from '../store/oauth2-tokens.ts'

export interface SealTransferDeps {
  unsealer: Unsealer
  /** Sealer with the public key of the instance that will import the account. */
  sealer: Sealer
}

/**
 * Seals the secrets of an account for another instance, with the same seal contexts and bindings
 * (limits of their use). The result contains no plaintext secret.
 *
 * @throws AppError `internal` if no private key unseals a secret
 */
export async function sealTransfer(
  row: TransferRow,
  deps: SealTransferDeps,
): Promise<AccountTransfer> {
  const { account, name, logs, paused, notifyFrom, tenantSet } = row
  const { email, expectedEmail, path, subconnections, copy, imap, smtp, oauth2 } = row
  const { smtpEhloName, imapIndexer, locale, tz } = row
  const optional = { email, expectedEmail, path, subconnections, copy, imap, smtp, oauth2 }
  const languages = { smtpEhloName, imapIndexer, locale, tz }
  return {
    account,
    name,
    ...withoutNull({ ...optional, ...languages, ...(await sealInPlace(row, deps)) }),
    logs,
    paused,
    notifyFrom: notifyFrom.toISOString(),
    ...defined({ tenantSet: tenantSet.length > 0 ? tenantSet : undefined }),
    credentials: await sealCredentials(row, deps),
  }
}

/** Seals the logins in the URLs of an account and the values of its webhook headers. */
async function sealInPlace(
  { account, webhooks, proxy, webhooksCustomHeaders: headers }: TransferRow,
  { unsealer, sealer }: SealTransferDeps,
) {
  const owner = `account/${account}` as const
  const sealUrl = async (url: string | null) =>
    url === null ? null : sealLogin(await unsealLogin(url, unsealer), sealer)
  const unsealed = headers?.map(async ({ key, value }) => ({
    key,
    value: await unsealHeader({ owner, key, value }, unsealer),
  }))
  return {
    webhooks: await sealUrl(webhooks),
    proxy: await sealUrl(proxy),
    webhooksCustomHeaders: unsealed
      ? await sealHeaders(await Promise.all(unsealed), owner, sealer)
      : null,
  }
}

/** Seals the credentials that the account uses. Credentials without a login are left out. */
async function sealCredentials(
  row: TransferRow,
  deps: SealTransferDeps,
): Promise<AccountTransfer['credentials']> {
  const { imap, smtp, oauth2, credentials } = row
  const isUsed = {
    imap: Boolean(imap?.auth),
    smtp: Boolean(smtp?.auth),
    oauth2: oauth2 !== null && !oauth2.useAuthServer,
  }
  const sealed = (['imap', 'smtp', 'oauth2'] as const).flatMap((kind) => {
    const secret = credentials[kind]
    return isUsed[kind] && secret !== undefined ? [{ kind, sealed: secret }] : []
  })
  const entries = sealed.map(async (each) => [each.kind, await sealCredential(row, each, deps)])
  return Object.fromEntries(await Promise.all(entries)) as AccountTransfer['credentials']
}

async function sealCredential(
  row: TransferRow,
  { kind, sealed }: { kind: 'imap' | 'smtp' | 'oauth2'; sealed: string },
  { unsealer, sealer }: SealTransferDeps,
): Promise<string> {
  const { account, app } = row
  const context = passwordSealContext(account, kind)
  const opened = await unsealer.open(sealed, context)
  const binding = opened.binding ?? bindingOf({ key: [account, kind], use: { account: row, app } })
  const renewed = kind === 'oauth2' ? await openRenewed(row, unsealer) : undefined
  return sealer.seal(renewed ?? opened.value, context, binding)
}

/**
 * Unseals the renewed OAuth2 tokens of an account, which replace the tokens of its grant. Undefined
 * if there are no renewed tokens, or if they belong to an earlier application of the account.
 */
async function openRenewed(
  { account, oauth2, renewedTokens }: TransferRow,
  unsealer: Unsealer,
): Promise<string | undefined> {
  if (renewedTokens === null) return undefined
  const { value, binding = {} } = await unsealer.open(renewedTokens, tokensSealContext(account))
  const { app }: SecretBinding = binding
  return app === undefined || app === oauth2?.provider ? value : undefined
}

type WithoutNull<T> = { [K in keyof T]?: NonNullable<T[K]> }

function withoutNull<T extends object>(members: T): WithoutNull<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as WithoutNull<T>
}
