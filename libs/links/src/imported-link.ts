import { createHmac } from 'node:crypto'
import {
  isSame,
  parseLink,
  parseSignature,
  type SignedLink,
  type SignedParts,
} from './signed-link.ts'

/**
 * Maximum number of characters in the query parameter `data` of a link of EmailEngine, which does
 * not limit the length. The HTTP server accepts request heads of at most 16 KiB.
 */
const maxImportedLength = 15_000

/**
 * Verifies and parses a link of the kind `act` in a message that EmailEngine sent. The signature is
 * the HMAC of the content before its encoding in base64url, with an imported secret as the key.
 * Undefined if the link is invalid. Links to the hosted form are always invalid, because
 * such a link would let its holder register an account.
 */
export function readImportedLink<A extends SignedLink['act']>(
  secrets: readonly Buffer[],
  act: A,
  { data, sig }: SignedParts,
): Extract<SignedLink, { act: A }> | undefined {
  const signature = parseSignature(sig)
  if (!signature || signature.keyId !== undefined) return undefined
  if (act === 'form' || data.length > maxImportedLength) return undefined
  const content = Buffer.from(data, 'base64url')
  const isSigned = secrets.some((secret) =>
    isSame(sig, createHmac('sha256', secret).update(content).digest('base64url')),
  )
  const link = isSigned ? parseLink(content.toString()) : undefined
  return link?.act === act ? (link as Extract<SignedLink, { act: A }>) : undefined
}
