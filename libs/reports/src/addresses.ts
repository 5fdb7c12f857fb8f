/** Email address in a text, and its position. */
export interface AddressMatch {
  address: string
  start: number
  end: number
}

/** Form of an email address: characters on both sides of the `@`, with their maximum numbers. */
interface AddressForm {
  isLocal: (code: number) => boolean
  maxLocal: number
  isDomain: (code: number) => boolean
  maxDomain: number
}

const inSet = (characters: string) => {
  const codes = new Set(Array.from(characters, (character) => character.charCodeAt(0)))
  return (code: number) => codes.has(code)
}
const isDelimiter = inSet(`<>"',;()`)
const isSpace = (code: number) => code <= 32 || (code > 127 && /\s/.test(String.fromCharCode(code)))
const isLetterOrDigit = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
const isTextLocal = inSet(`_.!#$%&'*+/=?^{|}~-`)
const isTextDomain = inSet('_.-')

/** Form of an email address in header fields: any characters but delimiters and spaces. */
const inHeader: AddressForm = {
  isLocal: (code) => !isDelimiter(code) && !isSpace(code) && code !== 58,
  maxLocal: 250,
  isDomain: (code) => !isDelimiter(code) && !isSpace(code),
  maxDomain: 250,
}
/** Form of an email address in prose: RFC 5322 atoms of ASCII characters. */
const inProse: AddressForm = {
  isLocal: (code) => isLetterOrDigit(code) || isTextLocal(code),
  maxLocal: 64,
  isDomain: (code) => isLetterOrDigit(code) || isTextDomain(code),
  maxDomain: 200,
}

/** Email addresses in a value of a message header, at most `limit`. Linear in time. */
export function addressesInHeader(value: string, limit: number): string[] {
  return [...findAddresses(value, inHeader, limit)].map(({ address }) => address)
}

/** First email address in a value of a message header. */
export function firstAddress(value: string): string | undefined {
  return addressesInHeader(value, 1)[0]
}

/** Email addresses in prose, at most `limit`, without punctuation around them. Linear in time. */
export function addressesInProse(text: string, limit: number): AddressMatch[] {
  return [...findAddresses(text, inProse, limit)].flatMap(({ address, start }) => {
    const [leading = ''] = /^['*=/.!#&|{-]+/.exec(address) ?? []
    const bare = address.slice(leading.length).replace(/[.-]+$/, '')
    const at = bare.indexOf('@')
    if (at < 1 || bare.length - at < 3) return []
    const from = start + leading.length
    return { address: bare, start: from, end: from + bare.length }
  })
}

/**
 * Yields every email address in a text: an `@` with permitted characters on both sides. `form`
 * defines the permitted characters. No character is read twice.
 */
function* findAddresses(text: string, form: AddressForm, limit: number): Generator<AddressMatch> {
  let count = 0
  let floor = 0
  for (let at = text.indexOf('@'); at >= 0 && count < limit; at = text.indexOf('@', floor)) {
    const lowest = Math.max(floor, at - form.maxLocal)
    const highest = Math.min(text.length, at + 1 + form.maxDomain)
    let start = at
    while (start > lowest && form.isLocal(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < highest && form.isDomain(text.charCodeAt(end))) end++
    floor = end
    if (start === at || end === at + 1) continue
    count++
    yield { address: text.slice(start, end), start, end }
  }
}
