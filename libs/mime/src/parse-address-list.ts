import { decodeWords } from './decode.ts'
import { parseAddresses } from './nodemailer.ts'

/** Characters of an address field that are read. Parsing takes 0.1 µs per character. */
const maxLength = 256 * 1024
const maxAddresses = 10_000

/**
 * Parses the value of an address field of a message (RFC 5322 §3.4), as sent or decoded already.
 * Groups are replaced by their members. Never throws; texts that are no address become names.
 */
export function parseAddressList(value: string): { name?: string; address?: string }[] {
  return parseAddresses(value.slice(0, maxLength), { flatten: true })
    .slice(0, maxAddresses)
    .map(({ name, address }) => {
      // Names of addresses are decoded after the parse: a decoded name may contain commas and
      // quotes.
      const decoded = withoutControls(decodeWords(name))
      return { ...(decoded && { name: decoded }), ...(address && { address }) }
    })
}

function withoutControls(text: string): string {
  return text.replace(/[\0-\x1f\x7f]+/g, ' ').trim()
}
