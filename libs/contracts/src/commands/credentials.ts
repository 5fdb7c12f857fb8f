import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { IsoDate, Strict } from '../schemas/primitives.ts'
import { WebhookTargetSecret } from '../settings/settings.ts'

// Asked of auth-bridge, the only process that opens stored secrets: exchange, key and queue `credentials`, one for all replicas.

/** What one needs to log in at the account's server: a password or an access token that is valid now. */
export const Credentials = Type.Union([
  Type.Object({ user: Type.String(), pass: Type.String() }),
  Type.Object({ user: Type.String(), accessToken: Type.String() }),
])
export type Credentials = Static<typeof Credentials>

/** What the asker serves the account for at this moment: held against the database where the broker says who asks. */
export const Entitlement = Strict({
  /** The sync-worker that holds the account's shard, and what it alone knows: its row in `workers` has the SHA-256 of that. */
  worker: Type.Optional(Strict({ id: Type.String({ format: 'uuid' }), proof: Type.String() })),
  /** The message of the account that the sender has in hand. */
  queueId: Type.Optional(Type.String()),
  /** Id of the token that a client of the IMAP door has shown; absent: it has shown the password for all accounts. */
  token: Type.Optional(Type.String()),
})
export type Entitlement = Static<typeof Entitlement>

/**
 * Whoever asks for credentials waits as long as this, in milliseconds, or longer. Whoever is asked for them by auth-bridge has to have answered, or failed,
 * before: of silence nobody would learn whose it is.
 */
export const minCredentialsTimeoutMs = 10_000

export const getCredentials = defineCommand({
  name: 'getCredentials',
  request: Strict({
    account: Type.String(),
    protocol: Type.Union([Type.Literal('imap'), Type.Literal('smtp')]),
    /** The server has refused what was answered before: nothing remembered will do. */
    fresh: Type.Optional(Type.Boolean()),
    grounds: Type.Optional(Entitlement),
  }),
  response: Credentials,
})

/** The keys that webhooks are signed with. */
export const getServiceSecret = defineCommand({
  name: 'getServiceSecret',
  request: Strict({}),
  response: Type.Object({
    serviceSecret: Type.String(),
    /** Those it replaced, newest first, and until when they sign beside it. */
    previous: Type.Optional(
      Type.Array(Type.Object({ serviceSecret: Type.String(), until: IsoDate })),
    ),
    /** Targets with a key of their own. */
    targets: Type.Optional(Type.Array(WebhookTargetSecret)),
  }),
})

/** The key that links in messages are signed with, hexadecimal. It never changes. */
export const getLinkSecret = defineCommand({
  name: 'getLinkSecret',
  request: Strict({}),
  response: Type.Object({ linkSecret: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
})

/** The key of the endpoint that summarises messages, for the one service that asks it; absent: none is set. */
export const getOpenAiApiKey = defineCommand({
  name: 'getOpenAiApiKey',
  request: Strict({}),
  response: Type.Object({ openAiAPIKey: Type.Optional(Type.String()) }),
})

/** What one needs to log in at a gateway. A gateway without a user has none, and is not asked for. */
export const getGatewayCredentials = defineCommand({
  name: 'getGatewayCredentials',
  request: Strict({ gateway: Type.String(), grounds: Type.Optional(Entitlement) }),
  response: Credentials,
})

/** An address of a webhook or a proxy whose login is sealed, with the login in the clear. It opens for the host that it was sealed for. */
export const unsealLogin = defineCommand({
  name: 'openLogin',
  request: Strict({ address: Type.String({ maxLength: 16_384 }) }),
  response: Type.Object({ address: Type.String() }),
})

/** A custom header of webhooks whose value is sealed, in the clear. It opens for the owner and the name that it was sealed for. */
export const unsealHeader = defineCommand({
  name: 'openHeader',
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

/** Whether this is the password that lets mail clients send for all accounts; never when none is set. */
export const checkSmtpServerPassword = defineCommand({
  name: 'checkSmtpServerPassword',
  request: Strict({ password: Type.String({ maxLength: 1024 }) }),
  response: Type.Object({ valid: Type.Boolean() }),
})

/** Whether this is the password that lets mail clients read all accounts; never when none is set. */
export const checkImapProxyServerPassword = defineCommand({
  name: 'checkImapProxyServerPassword',
  request: Strict({ password: Type.String({ maxLength: 1024 }) }),
  response: Type.Object({ valid: Type.Boolean() }),
})
