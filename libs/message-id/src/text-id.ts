import {
  decodePosition,
  encodePosition,
  invalidId,
  isPart,
  type MessagePosition,
  positionBytes,
} from './message-id.ts'

/**
 * Position of the text of a message in an IMAP account: the numbers of its plain-text parts and its
 * HTML parts, in their order.
 */
interface TextPosition extends MessagePosition {
  plain: string[]
  html: string[]
}

/** Maximum number of characters in the id for the text of a message. */
const maxLength = 10_240

/**
 * Encodes the id for the text of a message. If the id would be too long, the last part numbers are
 * left out.
 */
export function encodeTextId({ plain, html, ...position }: TextPosition): string {
  for (const part of [...plain, ...html])
    if (!isPart(part)) throw new RangeError(`not a body part: ${part}`)
  const maxParts = Math.floor((maxLength * 3) / 4) - positionBytes - 1
  const plainList = takeFitting(plain, maxParts).join(',')
  const htmlList = takeFitting(html, maxParts - plainList.length).join(',')
  return encodePosition(position, `${plainList};${htmlList}`)
}

/**
 * Decodes the id for the text of a message.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeTextId(id: string): TextPosition {
  if (id.length > maxLength) throw invalidId()
  const { position, parts } = decodePosition(id)
  const lists = parts.split(';')
  const [plain, html] = lists
  if (plain === undefined || html === undefined || lists.length !== 2) throw invalidId()
  return { ...position, plain: readParts(plain), html: readParts(html) }
}

function readParts(list: string): string[] {
  const parts = list === '' ? [] : list.split(',')
  if (!parts.every(isPart)) throw invalidId()
  return parts
}

/**
 * Returns the first part numbers of a message's text, as many as fit into `maxCharacters`
 * characters as a comma-separated list.
 */
function takeFitting(parts: readonly string[], maxCharacters: number): string[] {
  let used = 0
  const end = parts.findIndex((part) => (used += part.length + 1) > maxCharacters + 1)
  return end === -1 ? [...parts] : parts.slice(0, end)
}
