import { type Static, Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { IsoDate, Strict } from '../schemas/primitives.ts'
import { WebhookTargetSecret } from '../settings/settings.ts'

// Asked of auth-bridge, the only process that opens stored secrets: exchange `commands`, key `credentials`, one queue for all replicas.

/** What one needs to log in at the account's server: a password or an access token that is valid now. */
export const Credentials = Type.Union([
  Type.Object({ user: Type.String(), pass: Type.String() }),
  Type.Object({ user: Type.String(), accessToken: Type.String() }),
])
export type Credentials = Static<typeof Credentials>

export const getCredentials = defineCommand({
  name: 'getCredentials',
  request: Strict({
    account: Type.String(),
    protocol: Type.Union([Type.Literal('imap'), Type.Literal('smtp')]),
    /** The server has refused what was answered before: nothing remembered will do. */
    fresh: Type.Optional(Type.Boolean()),
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
  request: Strict({ gateway: Type.String() }),
  response: Credentials,
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
