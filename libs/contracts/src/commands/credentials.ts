import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Destination } from '../schemas/destination.ts'
import { oauth2Clouds } from '../schemas/oauth2-app.ts'
import { IsoDate, OneOf, Strict } from '../schemas/primitives.ts'
import { WebhookTargetSecret } from '../settings/webhook-targets.ts'

// Commands served by auth-bridge, the only service that unseals stored secrets: exchange, key and
// shared queue `credentials`.

/**
 * Login at a mail server or API: a password, or an access token that is valid now. `destination` is
 * the only server that may get the login; absent for logins sealed by earlier releases.
 */
export const Credentials = Type.Union([
  Type.Object({
    user: Type.String(),
    pass: Type.String(),
    destination: Type.Optional(Destination),
  }),
  Type.Object({
    user: Type.String(),
    accessToken: Type.String(),
    destination: Type.Optional(Destination),
    /**
     * Time at which the access token expires, and the other members below: for the protocol `api`
     * only. Absent expiry: unknown.
     */
    expires: Type.Optional(IsoDate),
    /**
     * Id of the OAuth2 application that issued the token, also if the grant is of another account.
     */
    application: Type.Optional(Type.String()),
    /** Cloud of a Graph mailbox. */
    cloud: Type.Optional(OneOf(oauth2Clouds)),
    /** True if the access token belongs to the mailbox's user, whom Gmail and Graph call `me`. */
    own: Type.Optional(Type.Literal(true)),
  }),
])
export type Credentials = Static<typeof Credentials>

/**
 * Maximum time before its end at which an access token is requested again. Shorter than the margin
 * of auth-bridge, which renews tokens 5 min before their end.
 */
const marginMs = 240_000

/**
 * Time in epoch milliseconds from which a received access token is requested again. A token with
 * little time left is used for half of that time, so that the token is not requested for every use.
 */
export function endOfUse(expires: string, now: number): number {
  const end = Date.parse(expires)
  return end - Math.min(marginMs, Math.max(0, end - now) / 2)
}

/**
 * Proof that the requester currently serves the account. Verified against the database if
 * requesters are authenticated.
 */
export const Entitlement = Strict({
  /**
   * Sync-worker that holds the account's shard, with a secret whose SHA-256 is in its row of
   * `workers`.
   */
  worker: Type.Optional(Strict({ id: Type.String({ format: 'uuid' }), proof: Type.String() })),
  /** Submission of the account that the sender has leased. */
  queueId: Type.Optional(Type.String()),
  /**
   * Id of the access token of an IMAP proxy client. Absent if the client logged in with the
   * password for all accounts.
   */
  token: Type.Optional(Type.String()),
})
export type Entitlement = Static<typeof Entitlement>

/**
 * Minimum timeout of a credentials request. Timeouts of auth-bridge's own upstream calls must be
 * shorter, so that a timeout names the hop that failed.
 */
export const minCredentialsTimeoutMs = 10_000

export const getCredentials = defineCommand({
  name: 'getCredentials',
  request: Strict({
    account: Type.String(),
    /**
     * Protocol of the login. `api`: access token for the Gmail API or Microsoft Graph, and the
     * mailbox to use.
     */
    protocol: Type.Union([Type.Literal('imap'), Type.Literal('smtp'), Type.Literal('api')]),
    /** If true, auth-bridge bypasses its caches: the mail server rejected the last credentials. */
    fresh: Type.Optional(Type.Boolean()),
    entitlement: Type.Optional(Entitlement),
  }),
  response: Credentials,
})

/** Reads the keys of webhook signatures. */
export const getServiceSecret = defineCommand({
  name: 'getServiceSecret',
  request: Strict({}),
  response: Type.Object({
    serviceSecret: Type.String(),
    /** Replaced keys of webhook signatures, newest first, with the end of their use. */
    previous: Type.Optional(
      Type.Array(Type.Object({ serviceSecret: Type.String(), until: IsoDate })),
    ),
    /** Signature keys of individual webhook targets. */
    targets: Type.Optional(Type.Array(WebhookTargetSecret)),
  }),
})

const linkSecret = Type.String({ pattern: '^[0-9a-f]{64}$' })

/**
 * Reads the secrets that sign links (tracking, unsubscribing, hosted form), hexadecimal. Links of
 * earlier secrets stay valid.
 */
export const getLinkSecret = defineCommand({
  name: 'getLinkSecret',
  request: Strict({}),
  response: Type.Object({
    linkSecret,
    /** Replaced secrets of links, newest first. */
    previous: Type.Optional(Type.Array(linkSecret)),
  }),
})

/** Reads the API key of the endpoint that creates message summaries. Absent if no key is set. */
export const getOpenAiApiKey = defineCommand({
  name: 'getOpenAiApiKey',
  request: Strict({}),
  response: Type.Object({ openAiAPIKey: Type.Optional(Type.String()) }),
})

/**
 * Reads the login of a gateway (outgoing SMTP server independent of an account). Not used for
 * gateways without a user.
 */
export const getGatewayCredentials = defineCommand({
  name: 'getGatewayCredentials',
  request: Strict({ gateway: Type.String(), entitlement: Type.Optional(Entitlement) }),
  response: Credentials,
})

/**
 * Reads the key that encrypts the chunks of an export: for the sync-worker that holds the shard of
 * the account, and for the download of a completed export by api-gateway.
 */
export const getExportKey = defineCommand({
  name: 'getExportKey',
  repeatable: true,
  request: Strict({
    account: Type.String({ maxLength: 256 }),
    exportId: Type.String({ maxLength: 256 }),
    entitlement: Type.Optional(Entitlement),
  }),
  response: Type.Object({
    /** Key of AES-256 as base64. */
    key: Type.String({ minLength: 44, maxLength: 44 }),
  }),
})

/** Unseals the login in the URL of a webhook or proxy. Fails if the host of the URL was changed. */
export const unsealLogin = defineCommand({
  name: 'unsealLogin',
  request: Strict({ address: Type.String({ maxLength: 16_384 }) }),
  response: Type.Object({ address: Type.String() }),
})

/**
 * Unseals the value of a custom webhook header. Fails if the owner or the name of the header was
 * changed.
 */
export const unsealHeader = defineCommand({
  name: 'unsealHeader',
  request: Strict({
    owner: Type.Unsafe<'settings' | `account/${string}` | `route/${string}`>({
      type: 'string',
      pattern: '^(settings|(account|route)/[^]+)$',
      maxLength: 512,
    }),
    key: Type.String({ maxLength: 1024 }),
    value: Type.String({ maxLength: 65_536 }),
  }),
  response: Type.Object({ value: Type.String() }),
})

/**
 * Checks the password with which clients of the SMTP proxy use all accounts. Invalid if no password
 * is set.
 */
export const checkSmtpServerPassword = defineCommand({
  name: 'checkSmtpServerPassword',
  request: Strict({ password: Type.String({ maxLength: 1024 }) }),
  response: Type.Object({ valid: Type.Boolean() }),
})

/**
 * Checks the password with which clients of the IMAP proxy use all accounts. Invalid if no password
 * is set.
 */
export const checkImapProxyServerPassword = defineCommand({
  name: 'checkImapProxyServerPassword',
  request: Strict({ password: Type.String({ maxLength: 1024 }) }),
  response: Type.Object({ valid: Type.Boolean() }),
})
