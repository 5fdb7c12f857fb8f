import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import {
  AccountTransfer,
  ApplicationIds,
  SealingPublicKey,
  transferRejections,
} from '../schemas/account-transfer.ts'
import { AccountId, Nullable, OneOf, Strict } from '../schemas/primitives.ts'

/**
 * Maximum number of accounts in one command that seals or checks exported accounts. Limits the CPU
 * time of auth-bridge per command. The commands of one API request are sent one after another.
 */
export const maxTransferBatch = 50

/**
 * Reads accounts and seals their secrets again, for the public key of another instance. The
 * response contains no plaintext. Fails with the kind `forbidden` for a key that the operator has
 * not listed.
 */
export const sealAccountTransfers = defineCommand({
  name: 'sealAccountTransfers',
  repeatable: true,
  request: Strict({
    accounts: Type.Array(AccountId, { maxItems: maxTransferBatch }),
    publicKey: SealingPublicKey,
    /** Id of the access token with which the export of the accounts was requested, for the log. */
    token: Nullable(Type.String({ maxLength: 256 })),
  }),
  response: Type.Object({
    /** Exported accounts in the order of the request, without accounts that do not exist. */
    accounts: Type.Array(AccountTransfer),
    /** Ids of accounts with a secret that no private key unseals (decrypts). */
    failed: Type.Array(AccountId),
  }),
})

const Credentials = Strict({
  imap: Type.Optional(Type.String()),
  smtp: Type.Optional(Type.String()),
  oauth2: Type.Optional(Type.String()),
})

/**
 * Checks that the secrets of imported accounts are sealed with a key of this instance, for their
 * account and use. Returns the secrets sealed (encrypted) with the newest key, for the application
 * of this instance.
 */
export const checkAccountTransfers = defineCommand({
  name: 'checkAccountTransfers',
  repeatable: true,
  request: Strict({
    accounts: Type.Array(AccountTransfer, { maxItems: maxTransferBatch }),
    applications: ApplicationIds,
  }),
  response: Type.Object({
    /** Results of checking the imported accounts, in the order of the request. */
    results: Type.Array(
      Type.Union([
        Type.Object({ credentials: Credentials }),
        Type.Object({ reason: OneOf(transferRejections) }),
      ]),
    ),
  }),
})
