import { type Clock, TtlCache } from '@posthorn/flow'
import { readImportedLink } from './imported-link.ts'
import { LinkKey } from './link-key.ts'
import {
  parseSignature,
  readLink,
  type SignedLink,
  type SignedParts,
  type VerifiedLink,
} from './signed-link.ts'

/**
 * Secrets of signed links as hexadecimal texts: the secret that signs new links, and earlier
 * secrets, newest first. Links that were signed with earlier secrets stay valid.
 */
export interface LinkSecrets {
  linkSecret: string
  previous?: string[]
  /** Secrets of EmailEngine. Links in messages that EmailEngine sent stay valid. */
  imported?: string[]
}

/** Source of the keys with which links in messages are signed and verified. */
export interface LinkKeys {
  /**
   * Returns the key that signs new links in messages. Rejects if the key cannot be fetched at the
   * moment.
   */
  current(): Promise<LinkKey>
  /**
   * Verifies and parses a signed link of the kind `act`. Undefined if the link is invalid. Rejects
   * if the keys cannot be fetched at the moment.
   */
  read<A extends SignedLink['act']>(
    act: A,
    parts: SignedParts,
  ): Promise<VerifiedLink<A> | undefined>
  /**
   * Returns the id under which a secret of EmailEngine is stored, or undefined if the secret is
   * stored already. The id is useless for testing guesses of the secret, because the oldest link
   * secret is the key of the id. Rejects if the keys cannot be fetched at the moment.
   */
  identifyImport(secret: Buffer): Promise<string | undefined>
}

/**
 * Minimum time between two requests for link keys that are caused by signatures of unknown keys,
 * also after a failed request. Anybody can send links with invented signatures.
 */
const reloadIntervalMs = 1_000

/** Keys of signed links, the key that signs new links first, and imported secrets. */
interface Keyring {
  own: readonly LinkKey[]
  imported: readonly Buffer[]
}

/**
 * Caches the keys of signed links. Concurrent callers share one request for the keys, and errors
 * are not cached. For a signature of an unknown key, the keys are fetched again, because another
 * replica may already sign with a newer secret, or may have imported a secret. If such a request
 * fails, signatures of unknown keys are rejected with its error for a second.
 */
export function cacheLinkKeys(
  fetchSecrets: () => Promise<LinkSecrets>,
  options: { clock?: Clock } = {},
): LinkKeys {
  const cache = new TtlCache<'keys', Keyring>({ max: 1 })
  const reloads = new TtlCache<'keys', Keyring>({ max: 1, ttlMs: reloadIntervalMs, ...options })
  /** Error of the last failed request for link keys that a signature of an unknown key caused. */
  const failures = new TtlCache<'keys', Error>({ max: 1, ttlMs: reloadIntervalMs, ...options })
  const load = async () => toKeyring(await fetchSecrets())
  const reload = async () => {
    const failure = failures.get('keys')
    if (failure) throw failure
    try {
      const keys = await load()
      cache.set('keys', keys)
      return keys
    } catch (error) {
      failures.set('keys', error as Error)
      throw error
    }
  }
  return {
    async current() {
      const { own } = await cache.load('keys', load)
      const [key] = own
      if (!key) throw new Error('the keys of links are empty')
      return key
    },
    async read(act, parts) {
      const signature = parseSignature(parts.sig)
      if (!signature) return undefined
      const keys = await cache.load('keys', load)
      const link = readWith(keys, act, parts)
      if (link || keys.own.some(({ id }) => id === signature.keyId)) return link
      return readWith(await reloads.load('keys', reload), act, parts)
    },
    async identifyImport(secret) {
      const { own, imported } = await load()
      return imported.some((stored) => stored.equals(secret))
        ? undefined
        : own.at(-1)?.identify(secret)
    },
  }
}

function toKeyring({ linkSecret, previous = [], imported = [] }: LinkSecrets): Keyring {
  return {
    own: [linkSecret, ...previous].map((secret) => new LinkKey(Buffer.from(secret, 'hex'))),
    imported: imported.map((secret) => Buffer.from(secret, 'hex')),
  }
}

function readWith<A extends SignedLink['act']>(
  { own, imported }: Keyring,
  act: A,
  parts: SignedParts,
): VerifiedLink<A> | undefined {
  const verified = readLink(own, act, parts)
  if (verified) return verified
  const link = readImportedLink(imported, act, parts)
  return link && { link }
}
