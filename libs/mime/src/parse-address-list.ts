import { decodeWords } from './decode.ts'
import { parseAddresses } from './nodemailer.ts'

/**
 * Maximum number of characters of a message's address field that are read. Parsing takes 0.1 µs per
 * character.
 */
const maxLength = 256 * 1024
const maxAddresses = 10_000

/**
 * Parses the value of an address field of a message (RFC 5322 §3.4). The value may contain encoded
 * words or be decoded already. Groups are replaced by their members. Never throws. A text that is
 * not an address is returned as a name.
 */
export function parseAddressList(value: string): { name?: string; address?: string }[] {
  return parseAddresses(value.slice(0, maxLength), { flatten: true })
    .slice(0, maxAddresses)
    .map(({ name, address }) => {
      // Names in an address field are decoded after the field is parsed, because a decoded name may
      // contain commas and quotes.
      const decoded = withoutControls(decodeWords(name))
      return { ...(decoded && { name: decoded }), ...(address && { address }) }
    })
}

function withoutControls(text: string): string {
  return text.replace(/[\0-\x1f\x7f]+/g, ' ').trim()
}
