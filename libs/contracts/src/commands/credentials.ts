import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Destination } from '../schemas/destination.ts'
import { oauth2Clouds } from '../schemas/oauth2-app.ts'
import { IsoDate, OneOf, Strict } from '../schemas/primitives.ts'
import { WebhookTargetSecret } from '../settings/webhook-targets.ts'

// Commands served by auth-bridge, the only service that can unseal (decrypt) stored secrets. The
// exchange, the routing key and the shared queue are all named `credentials`.

/**
 * Login at a mail server or mail API: a password, or a currently valid access token. The login may
 * only be sent to the server `destination`, which is absent for logins that were sealed (encrypted)
 * by earlier releases.
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
     * Expiry time of the access token in a login. Absent if the expiry is unknown. Only present for
     * the protocol `api`, like the following members of the login.
     */
    expires: Type.Optional(IsoDate),
    /**
     * Id of the OAuth2 application that issued the access token. Present even if the grant belongs
     * to another account.
     */
    application: Type.Optional(Type.String()),
    /** Cloud of Microsoft Graph that has the mailbox, such as `global`. */
    cloud: Type.Optional(OneOf(oauth2Clouds)),
    /**
     * True if the access token belongs to the user of the mailbox. Gmail and Graph call this user
     * `me`.
     */
    own: Type.Optional(Type.Literal(true)),
  }),
])
export type Credentials = Static<typeof Credentials>

/**
 * Maximum time before the expiry of an access token at which the token is requested again. Less
 * than 5 min, because auth-bridge renews tokens 5 min before they expire.
 */
const marginMs = 240_000

/**
 * Time in epoch milliseconds from which a received access token is requested again. A token that
 * expires soon is used for half of its remaining time, so that it is not requested for every use.
 */
export function endOfUse(expires: string, now: number): number {
  const end = Date.parse(expires)
  return end - Math.min(marginMs, Math.max(0, end - now) / 2)
}

/**
 * Proof in a request for credentials that the requester currently serves the account. auth-bridge
 * verifies the proof against the database if requesters are authenticated.
 */
export const Entitlement = Strict({
  /**
   * Proof of a sync-worker that it holds the shard (group of accounts) of the account: its id and
   * its secret. The worker's row in `workers` contains the SHA-256 hash of the secret.
   */
  worker: Type.Optional(Strict({ id: Type.String({ format: 'uuid' }), proof: Type.String() })),
  /**
   * Proof of a sender that it serves the account: id of a submission of the account that the sender
   * has leased (reserved for sending).
   */
  queueId: Type.Optional(Type.String()),
  /**
   * Id of the API access token with which the client of the IMAP proxy logged in. Absent if the
   * client logged in with the password that is valid for all accounts.
   */
  token: Type.Optional(Type.String()),
})
export type Entitlement = Static<typeof Entitlement>

/**
 * Minimum timeout of a request for credentials. auth-bridge uses shorter timeouts for its own
 * requests to providers, so that the error shows which request timed out.
 */
export const minCredentialsTimeoutMs = 10_000

export const getCredentials = defineCommand({
  name: 'getCredentials',
  request: Strict({
    account: Type.String(),
    /**
     * Protocol for which the login is requested. `api`: the response contains an access token for
     * the Gmail API or Microsoft Graph, and the name of the mailbox.
     */
    protocol: Type.Union([Type.Literal('imap'), Type.Literal('smtp'), Type.Literal('api')]),
    /**
     * If true, auth-bridge does not use cached credentials of the account. Set after the mail
     * server has rejected the last credentials.
     */
    fresh: Type.Optional(Type.Boolean()),
    entitlement: Type.Optional(Entitlement),
  }),
  response: Credentials,
})

/** Reads the current and earlier keys with which webhooks are signed. */
export const getServiceSecret = defineCommand({
  name: 'getServiceSecret',
  request: Strict({}),
  response: Type.Object({
    serviceSecret: Type.String(),
    /**
     * Earlier keys of webhook signatures, newest first, each with the time until which the key is
     * used.
     */
    previous: Type.Optional(
      Type.Array(Type.Object({ serviceSecret: Type.String(), until: IsoDate })),
    ),
    /** Keys with which webhooks for individual targets are signed. */
    targets: Type.Optional(Type.Array(WebhookTargetSecret)),
  }),
})

const linkSecret = Type.String({ pattern: '^[0-9a-f]{64}$' })
/** Secret of EmailEngine: the UTF-8 bytes of 1 to 1,024 characters as hexadecimal text. */
const importedLinkSecret = Type.String({ pattern: '^([0-9a-f]{2}){1,4096}$' })

/**
 * Reads the secrets with which links (tracking, unsubscribing, hosted form) are signed, as
 * hexadecimal texts. Links that were signed with earlier secrets stay valid.
 */
export const getLinkSecret = defineCommand({
  name: 'getLinkSecret',
  request: Strict({}),
  response: Type.Object({
    linkSecret,
    /** Earlier secrets for signing links, newest first. */
    previous: Type.Optional(Type.Array(linkSecret)),
    /** Secrets that signed the links of EmailEngine, newest first. */
    imported: Type.Optional(Type.Array(importedLinkSecret)),
  }),
})

/**
 * Reads the API key for the language model service that creates message summaries. Absent if no key
 * is set.
 */
export const getOpenAiApiKey = defineCommand({
  name: 'getOpenAiApiKey',
  request: Strict({}),
  response: Type.Object({ openAiAPIKey: Type.Optional(Type.String()) }),
})

/**
 * Reads the login for a gateway (outgoing SMTP server that belongs to no account). Not used for
 * gateways without a user name.
 */
export const getGatewayCredentials = defineCommand({
  name: 'getGatewayCredentials',
  request: Strict({ gateway: Type.String(), entitlement: Type.Optional(Entitlement) }),
  response: Credentials,
})

/**
 * Reads the key that encrypts the chunks of an export: for the sync-worker that works for the
 * account, and for the download of a completed export by api-gateway.
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
    /** Key of AES-256 that encrypts the export, as base64. */
    key: Type.String({ minLength: 44, maxLength: 44 }),
  }),
})

/**
 * Unseals (decrypts) the login that belongs to the URL of a webhook or proxy. Fails if the host of
 * the URL has changed since the login was sealed.
 */
export const unsealLogin = defineCommand({
  name: 'unsealLogin',
  request: Strict({ address: Type.String({ maxLength: 16_384 }) }),
  response: Type.Object({ address: Type.String() }),
})

/**
 * Unseals (decrypts) the value of a custom webhook header. Fails if the name of the header or its
 * owner (the settings, an account or a webhook route) has changed since the value was sealed.
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
 * Checks a password of an SMTP proxy client that may use all accounts. The result is invalid if no
 * such password is set.
 */
export const checkSmtpServerPassword = defineCommand({
  name: 'checkSmtpServerPassword',
  request: Strict({ password: Type.String({ maxLength: 1024 }) }),
  response: Type.Object({ valid: Type.Boolean() }),
})

/**
 * Checks a password of an IMAP proxy client that may use all accounts. The result is invalid if no
 * such password is set.
 */
export const checkImapProxyServerPassword = defineCommand({
  name: 'checkImapProxyServerPassword',
  request: Strict({ password: Type.String({ maxLength: 1024 }) }),
  response: Type.Object({ valid: Type.Boolean() }),
})
