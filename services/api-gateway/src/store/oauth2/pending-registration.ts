import type { AccountRegistration, AccountUpdate } from '@posthorn/contracts/schemas/account'

/** Account registration or update that waits for the user's OAuth2 consent at the provider. */
export type PendingRegistration = SignInOptions &
  ({ body: RegistrationBody; update?: never } | { body?: never; update: PendingUpdate })

/** Body of `POST /v1/account` that waits for the OAuth2 consent, without passwords. */
export type RegistrationBody = Omit<AccountRegistration, 'account'>

/**
 * Update of an existing account that waits for OAuth2 consent. The update is not stored in the
 * member `body`, because replicas of earlier releases would register that body. With `update`,
 * these replicas fail and change nothing.
 */
export interface PendingUpdate {
  /**
   * Body of `PUT /v1/account/{account}` that waits for the OAuth2 consent, without passwords, and
   * without masks that stand for passwords.
   */
  body: AccountUpdate
  caller: UpdateCaller
  /**
   * Time of the account's registration in epoch milliseconds. A different time means that the
   * account was deleted and registered again.
   */
  registeredAt: number
  /** Time of the account update request in epoch milliseconds. */
  requestedAt: number
}

/** Properties of the caller of an account update that limit what the update may change. */
export interface UpdateCaller {
  by: 'operator' | 'tenant'
  /** True if the access token of the caller is bound to the account. */
  isBound: boolean
}

/** Body of the account registration or update request that waits for the OAuth2 consent. */
export function requestedBody(pending: PendingRegistration): RegistrationBody | AccountUpdate {
  return pending.update ? pending.update.body : pending.body
}

interface SignInOptions {
  /**
   * Id of the account. Assigned before the registration, because the OAuth2 grant is sealed for the
   * id.
   */
  account: string
  /** URL of the final redirect after the OAuth2 sign-in; `account` and `state` are appended. */
  redirectUrl: string
  /** True if the mailbox of `body.email` is a shared mailbox to which the user has access. */
  delegated?: boolean
  /** Theme of the result page of the OAuth2 sign-in. */
  theme?: 'light' | 'dark'
  /** Language of the result page of the OAuth2 sign-in, if the link has chosen the language. */
  locale?: string
}
